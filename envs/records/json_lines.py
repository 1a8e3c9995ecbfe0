"""One line of a record: strict JSON, and refusals that name the line.

JSON may repeat a field, nest without end, and spell a number as NaN or 1e400; here nothing
of that gets past :func:`read_line`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

__all__ = ["LONGEST_LINE", "Line", "RecordError", "cut", "read_line", "to_line"]

LONGEST_LINE = 1 << 16
"""Bytes of a line; a deal of Spades has some 600."""

_MOST_BRACKETS = 32
"""A header with everything has 12; more could nest deeper than Python likes."""


class RecordError(ValueError):
    """A text that is no record of a match: the line (from 1), and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


def cut(text: str, length: int = 200) -> str:
    """A text for a message, shortened where it is long."""
    return text if len(text) <= length else text[:length] + "…"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _refuse_fraction(text: str) -> NoReturn:
    raise ValueError(f"{cut(text, 40)} is no whole number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"field {cut(name, 40)!r} is given twice")
        found[name] = value
    return found


@dataclass(frozen=True)
class Line:
    """One line that was read; refusals name it."""

    number: int
    text: str
    found: Mapping[str, Any]

    def refuse(self, reason: str) -> NoReturn:
        raise RecordError(self.number, cut(reason, 500))

    def check_names(self, what: str, found: Mapping[str, Any], names: Iterable[str]) -> None:
        """Refuse an object whose fields are not just these."""
        expected = list(names)
        for name in found:
            if name not in expected:
                self.refuse(f"{what}: unknown field {cut(name, 40)!r}")
        for name in expected:
            if name not in found:
                self.refuse(f"{what}: field {name!r} is missing")

    def check_values(self, expected: Mapping[str, Any], why: str) -> None:
        """Refuse fields that say something else."""
        for name, value in expected.items():
            says, should = json.dumps(self.found.get(name)), json.dumps(value)
            if says != should:
                self.refuse(f"{name}: {cut(says)}, but {why} {cut(should)}")

    def check(self, what: str, expected: Mapping[str, Any], why: str) -> None:
        """Refuse a line that is not the one that would be written."""
        self.check_names(what, self.found, expected)
        self.check_values(expected, why)
        if self.text != to_line(expected):
            self.refuse(f"{what}: spaces, order or escapes are not those of a record")


def read_line(number: int, text: str) -> Line:
    """The object on a line, with no more than JSON's plain kinds and whole numbers."""
    if len(text) > LONGEST_LINE:
        raise RecordError(number, f"longer than {LONGEST_LINE} bytes")
    if not text.endswith("\n"):
        raise RecordError(number, "cut off: the line does not end in a newline")
    if text.endswith("\r\n"):
        raise RecordError(number, "a carriage return ends the line; records end lines in \\n alone")
    if text.count("[") + text.count("{") > _MOST_BRACKETS:
        raise RecordError(number, f"more than {_MOST_BRACKETS} lists and objects")
    try:
        found = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_refuse_fraction,
            object_pairs_hook=_object,
        )
    except ValueError as error:
        raise RecordError(number, f"no JSON of a record: {cut(str(error))}") from None
    if not isinstance(found, dict):
        raise RecordError(number, f"expected an object, got {cut(text.strip(), 40)}")
    return Line(number, text, found)


def to_line(fields: Mapping[str, Any]) -> str:
    """The one way to write a line: :meth:`Line.check` accepts no other."""
    return json.dumps(fields) + "\n"
