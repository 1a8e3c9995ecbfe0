"""A command's settings from its arguments; what is wrong with these is told in one line.

The parser is tyro. It puts an error into a box of several lines, which differ from release to
release; so its words are held back, and :func:`fault` says what it stumbled over.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import inspect
import io
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from types import NoneType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import tyro

from bidwise.train.run.field_texts import field_texts

__all__ = ["fault", "parse_settings"]

_BORDERS = ("╭", "│", "╰", "+", "|", "\x1b")
_KINDS = {int: "a whole number", float: "a number"}


def parse_settings(
    settings: type[Any], command: str, args: Sequence[str], examples: Sequence[str]
) -> Any:
    """An instance of a dataclass as the arguments say; help is printed and ends the program.

    Raises:
        ValueError: arguments that cannot be understood, or values that the dataclass refuses.
    """
    said, complained = _Held(sys.stdout), _Held(sys.stderr)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
            parsed: Any = tyro.cli(
                _unchecked(settings),
                prog=f"bidwise {command}",
                description=_description(settings),
                args=args,
                config=(tyro.conf.FlagCreatePairsOff,),
            )
    except SystemExit as end:
        if end.code:
            problem = fault(settings, args) or _without_box(complained.getvalue())
            raise ValueError(f"{problem}; bidwise {command} --help shows all options") from None
        print(_wrapped(said.getvalue()))
        print("\n".join(["", "Examples:", *(f"  {line}" for line in examples)]))
        raise
    return settings(**vars(parsed))


def fault(settings: type[Any], args: Sequence[str]) -> str | None:
    """The first thing that is wrong with arguments, or None where nothing is found.

    It looks at names of options and at the form of their values; the dataclass itself checks
    what a value may be.
    """
    options = {spelling: option for option in _options(settings) for spelling in option.spellings}
    places = [option for option in _options(settings) if not option.spellings]
    given: set[str] = set()
    rest = list(args)
    while rest:
        token = rest.pop(0)
        if not _is_option(token):
            if not places:
                return f"argument: {token!r} is one too many"
            place = places.pop(0)
            given.add(place.name)
            if problem := place.problem(token):
                return problem
            continue
        spelling, equals, value = token.partition("=")
        option = options.get(spelling.replace("_", "-"))
        if option is None:
            return _unknown(spelling, [*options, "--help"])
        given.add(option.name)
        if option.is_flag:
            if equals:
                return f"{option.name}: takes no value, got {value!r}"
            continue
        values = [value] if equals else []
        while rest and not equals and not _is_option(rest[0]) and (option.is_many or not values):
            values.append(rest.pop(0))
        if not values and not option.is_many:
            return f"{option.name}: a value is missing, give {spelling} {option.metavar}"
        for value in values:
            if problem := option.problem(value):
                return problem
    for option in _options(settings):
        if option.is_required and option.name not in given:
            return f"{option.name}: missing, give {' '.join([*option.spellings, option.metavar])}"
    return None


class _Held(io.StringIO):
    """Holds back what is written, and is of the kind of the stream that it stands for: so help
    keeps its colours and lines on a terminal."""

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self._stream = stream

    @property
    def encoding(self) -> Any:  # type: ignore[override]
        return getattr(self._stream, "encoding", None)

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()


class _Option(NamedTuple):
    """One field as the command line takes it; without `spellings` it goes by its place."""

    name: str
    spellings: tuple[str, ...]
    kind: Any
    is_many: bool
    is_required: bool
    metavar: str

    @property
    def is_flag(self) -> bool:
        return self.kind is bool

    def problem(self, text: str) -> str | None:
        """What is wrong with the form of a value, if something is."""
        if self.kind not in _KINDS:
            return None
        try:
            self.kind(text)
        except ValueError:
            allowed = _KINDS[self.kind]
            if choices := re.fullmatch(r"\{(.*)\}", self.metavar):
                allowed = f"one of {choices[1].replace(',', ', ')}"
            return f"{self.name}: {text!r} is not {allowed}"
        return None


def _options(settings: type[Any]) -> Iterator[_Option]:
    hints = get_type_hints(settings, include_extras=True)
    for field in dataclasses.fields(settings):
        hint = hints[field.name]
        marks = getattr(hint, "__metadata__", ())
        kind = get_args(hint)[0] if marks else hint
        inner = [part for part in get_args(kind) if part not in (NoneType, ...)]
        is_many = get_origin(kind) is tuple
        metavars = [mark.metavar for mark in marks if getattr(mark, "metavar", None)]
        aliases = [alias for mark in marks for alias in getattr(mark, "aliases", None) or ()]
        word = field.name.replace("_", "-")
        names = (f"--no-{word}" if field.default is True else f"--{word}", *aliases)
        yield _Option(
            name=field.name,
            spellings=() if tyro.conf.Positional in marks else names,
            kind=inner[0] if inner else kind,
            is_many=is_many,
            is_required=field.default is dataclasses.MISSING,
            metavar=metavars[0] if metavars else field.name.upper(),
        )


def _is_option(token: str) -> bool:
    """Whether a token is an option rather than a value such as -1 or -inf."""
    try:
        float(token)
    except ValueError:
        return token.startswith("-") and token != "-"
    return False


def _unknown(spelling: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(spelling.replace("_", "-"), known, n=1)
    return f"option: there is no {spelling}" + (f", did you mean {near[0]}?" if near else "")


def _unchecked(settings: type[Any]) -> type[Any]:
    """The same fields without the checks, which would be told in a box, and with their texts
    free of the line breaks that they have in the source."""
    hints, texts = get_type_hints(settings, include_extras=True), field_texts(settings)
    return dataclasses.make_dataclass(
        settings.__name__,
        [
            (
                field.name,
                hints[field.name],
                dataclasses.field(
                    default=field.default, metadata={"help": texts.get(field.name, "")}
                ),
            )
            for field in dataclasses.fields(settings)
        ],
    )


def _description(settings: type[Any]) -> str:
    """The docstring up to its sections."""
    return inspect.cleandoc(settings.__doc__ or "").partition("\n\nRaises:")[0]


def _wrapped(text: str) -> str:
    """Help whose paragraphs fit the terminal too, as its lists of options do."""
    width = shutil.get_terminal_size().columns
    return "\n".join(
        line if line.startswith(_BORDERS) else textwrap.fill(line, width)
        for line in text.rstrip().splitlines()
    )


def _without_box(text: str) -> str:
    """The words of an error of tyro's, should it find one that we do not."""
    return " ".join(re.sub(r"[─-╿]", " ", text).split())
