"""Outcome tables: how far each hand misses each bid, over sampled layouts of the other cards.

A row is a hand with a denomination, up to the names of the suits: rows 0..24929 are the trump
classes of :mod:`bidwise.agents.outcomes.hands`, rows 24930.. the classes with no trump, which are
there only under rules that have it. A row's layouts lie in two *folds*, layout k in fold k % 2, so
that what is chosen on one half of them can be valued on the other.

With double-dummy play, all hands being open, a table holds *double-dummy values*, and whatever is
computed from it is exact for that table; neither is the game's optimum.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.outcomes.hands import NUM_CLASSES, NUM_TRUMP_CLASSES, trump_classes
from bidwise.agents.outcomes.storage import NUM_DISTANCES, decode, read_table, write_table
from bidwise.envs.core.checks import check_int, rules_from_fields
from bidwise.envs.pyramid.rules import NUM_BIDS, PyramidRules

__all__ = [
    "DOUBLE_DUMMY",
    "MOST_LAYOUTS",
    "NUM_DISTANCES",
    "NUM_ROWS",
    "SCORES",
    "TABLES",
    "Outcomes",
    "check_layouts",
    "counts_type",
    "num_rows",
    "shipped",
    "table_name",
]

NUM_ROWS = NUM_TRUMP_CLASSES + NUM_CLASSES
MOST_LAYOUTS = 2 * (2**16 - 1)

DOUBLE_DUMMY = "double dummy"
"""The source of a table made by a solver, all hands open."""

SCORES = 10 - 2 * np.arange(NUM_DISTANCES, dtype=np.float64)
"""Points for missing a bid by 0..6 tricks."""

TABLES = Path(__file__).parent / "tables"
"""Where the shipped tables lie."""

_FIELDS = ("num_players", "rules", "layouts", "source", "seed", "provenance")


def num_rows(rules: PyramidRules) -> int:
    """Rows of a table under some rules: 24930, or 31837 where no trump may be declared."""
    return NUM_ROWS if rules.no_trump else NUM_TRUMP_CLASSES


def table_name(num_players: int, preset: str) -> str:
    """The file name of a shipped table."""
    return f"{preset}-{num_players}p.npz"


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Counts of |bid - taken| for every row and bid, and where they come from.

    Raises:
        ValueError: counts that do not fit; it names the field.
    """

    counts: NDArray[Any]
    """(2, rows, 7, 7) uint8, or uint16 above 510 layouts: fold, row, bid, distance 0..6; each
    (fold, row, bid) sums to ``layouts / 2``. Read-only."""

    num_players: int
    rules: PyramidRules
    layouts: int
    """Layouts a row, in both folds together; even."""
    source: str
    """``"double dummy"``, or who played, such as ``"basic-v1 against basic-v1"``: the declarer
    first."""
    seed: int
    """Of the layouts and of whoever played them."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """What else made the table, as JSON can hold it: the version of bidwise, the command."""

    def __post_init__(self) -> None:
        check_int("num_players", self.num_players, 2, 4)
        if not isinstance(self.rules, PyramidRules):
            raise ValueError(f"rules: expected PyramidRules, got {type(self.rules).__name__}")
        check_layouts(self.layouts)
        check_int("seed", self.seed, 0, 2**64 - 1)
        if not isinstance(self.source, str) or not self.source:
            raise ValueError(f"source: expected a text, got {self.source!r}")
        if not isinstance(self.provenance, Mapping):
            raise ValueError(f"provenance: expected a mapping, got {self.provenance!r}")
        shape = (2, num_rows(self.rules), NUM_BIDS, NUM_DISTANCES)
        kind = counts_type(self.layouts)
        counts = np.asarray(self.counts)
        if counts.shape != shape or counts.dtype != kind:
            raise ValueError(
                f"counts: expected {kind} of shape {shape}, "
                f"got {counts.dtype} of shape {counts.shape}"
            )
        # A sum over the last axis, many times as fast as ndarray.sum.
        sums = np.einsum("frbd->frb", counts, dtype=np.int32)
        if not (sums == self.layouts // 2).all():
            raise ValueError(f"counts: a row's do not sum to {self.layouts // 2}")
        counts = counts.view()
        counts.flags.writeable = False
        object.__setattr__(self, "counts", counts)

    @property
    def no_trump(self) -> bool:
        """Whether there are rows for no trump."""
        return self.rules.no_trump

    @property
    def denominations(self) -> int:
        """D: 4, or 5 with no trump as the last."""
        return 5 if self.rules.no_trump else 4

    def _of_fold(self, fold: int | None) -> NDArray[Any]:
        """Counts (rows, 7, 7) of one fold, or of both together."""
        if fold is None:
            both: NDArray[Any] = self.counts.sum(axis=0, dtype=np.int32)
            return both
        check_int("fold", fold, 0, 1)
        counts: NDArray[Any] = self.counts[fold]
        return counts

    def scores(self, fold: int | None = None) -> NDArray[np.float64]:
        """(rows, 7) float64: mean points of each bid, by one fold's layouts or by all."""
        counts = self._of_fold(fold)
        return counts @ SCORES / (self.layouts if fold is None else self.layouts // 2)

    def errors(self) -> NDArray[np.float64]:
        """(rows, 7) float64: standard errors of the means ``scores()``, over all layouts."""
        counts = self._of_fold(None)
        mean = counts @ SCORES / self.layouts
        variance = np.maximum(counts @ SCORES**2 / self.layouts - mean**2, 0.0)
        errors: NDArray[np.float64] = np.sqrt(variance / (self.layouts - 1))
        return errors

    def _by_option(self, table: NDArray[Any]) -> NDArray[Any]:
        """A table by rows as (6907, D, ...)."""
        options = table[trump_classes()]
        if not self.no_trump:
            return options
        return np.concatenate([options, table[NUM_TRUMP_CLASSES:, None]], axis=1)

    def option_scores(self, fold: int | None = None) -> NDArray[np.float64]:
        """(6907, D, 7) float64: mean points of each hand class's representative with each
        denomination and bid."""
        return self._by_option(self.scores(fold))

    def option_counts(self, fold: int | None = None) -> NDArray[Any]:
        """(6907, D, 7, 7): counts of the same, by distance."""
        return self._by_option(self._of_fold(fold))

    def under(self, rules: PyramidRules) -> Outcomes:
        """The table for rules that have as much in common with its own as double-dummy values
        depend on: the same duty to follow, and no trump only if the table has it.

        Raises:
            ValueError: rules that the table does not fit.
        """
        if rules == self.rules:
            return self
        if self.source != DOUBLE_DUMMY:
            raise ValueError(f"rules: a table of {self.source} fits no other rules than its own")
        if not _fits(self.rules, rules):
            raise ValueError(
                f"rules: the table is for following={self.rules.following!r}, "
                f"no_trump={self.rules.no_trump}; asked for {rules.following!r}, {rules.no_trump}"
            )
        counts = self.counts[:, : num_rows(rules)]
        return dataclasses.replace(self, rules=rules, counts=counts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table, whole or not at all; equal tables give equal bytes."""
        header = {name: getattr(self, name) for name in _FIELDS}
        write_table(Path(path), {**header, "rules": dataclasses.asdict(self.rules)}, self.counts)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Outcomes:
        """Read a table; nothing in the file is ever executed.

        Raises:
            ValueError: a file that is no such table or is damaged; it says why.
            OSError: a file that cannot be read.
        """
        try:
            header, stored = read_table(Path(path))
            fields = _fields_of(header)
            layouts = fields["layouts"]
            counts = decode(stored, layouts // 2, counts_type(layouts))
            return cls(**fields, counts=counts)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path}: {error}") from None


def check_layouts(layouts: object, field: str = "layouts") -> None:
    """Refuse a number of layouts that two folds cannot share or counts cannot hold."""
    check_int(field, layouts, 2, MOST_LAYOUTS)
    assert isinstance(layouts, int | np.integer)
    if layouts % 2:
        raise ValueError(f"{field}: {layouts} is odd; two folds share them")


def counts_type(layouts: int) -> np.dtype[Any]:
    """The type of a table's counts."""
    return np.dtype(np.uint8 if layouts // 2 < 256 else np.uint16)


def _fields_of(header: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a table, apart from its counts, from a file's header."""
    wrong = set(_FIELDS) ^ set(header)
    if wrong:
        raise ValueError(f"header: fields {', '.join(sorted(wrong))} are missing or too many")
    if not isinstance(header["rules"], dict):
        raise ValueError(f"rules: expected switches by name, got {header['rules']!r}")
    check_layouts(header["layouts"])
    return {**header, "rules": rules_from_fields(PyramidRules, header["rules"])}


def shipped(num_players: int, rules: str | PyramidRules) -> Outcomes:
    """The double-dummy table that comes with bidwise.

    Args:
        num_players: 2, 3 or 4.
        rules: a preset's name or a rules dataclass; of the latter only `following` and
            `no_trump` matter.

    Raises:
        ValueError: there is none for these rules; it tells the command that builds one.
    """
    check_int("num_players", num_players, 2, 4)
    asked = PyramidRules.preset(rules) if isinstance(rules, str) else rules
    for preset in PyramidRules.presets():
        path = TABLES / table_name(num_players, preset)
        if _fits(PyramidRules.preset(preset), asked) and path.is_file():
            return Outcomes.load(path).under(asked)
    raise ValueError(
        f"rules: no outcome table comes with bidwise for {num_players} players, "
        f"following={asked.following!r}, no_trump={asked.no_trump}; build one: "
        f"bidwise outcomes --num-players {num_players} --rule following={asked.following} "
        f"no_trump={str(asked.no_trump).lower()} --out FILE.npz"
    )


def _fits(own: PyramidRules, asked: PyramidRules) -> bool:
    return own.following == asked.following and (own.no_trump or not asked.no_trump)
