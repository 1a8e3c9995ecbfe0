"""Outcome tables: how far each hand misses each bid, over sampled layouts of the other cards.

A row is a hand with a denomination, up to the names of the suits: rows 0..24929 are the trump
classes of :mod:`bidwise.agents.order.hands`, rows 24930.. the classes with no trump, which are
there only under rules that have it. A row's layouts lie in two *folds*, layout k in fold k % 2, so
that what is chosen on one half of them can be valued on the other.

With double-dummy play, all hands being open, a table holds *double-dummy values*, and whatever is
computed from it is exact for that table; neither is the game's optimum.

A file is a zip of two members: ``header.json``, what the table is of, and ``counts.npy``. The
latter holds, for each bid, *tails*: how many layouts miss it by d or more. A layout that misses
bid 0 by t, because its declarer cannot help taking t tricks, misses bid b by t - b, and one that
misses bid 6 by t misses bid b by t - (6 - b). With best play hardly a layout misses a bid by 2 or
more for another reason, so of the tails of bids 1..5 only what these two leave unexplained is
stored: mostly zeros. Any counts can be stored so; those of double dummy halve.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.order.hands import NUM_CLASSES, NUM_TRUMP_CLASSES, trump_classes
from bidwise.envs.pyramid.rules import NUM_BIDS, PyramidRules
from bidwise.envs.ruleset import check_int, rules_from_fields

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
NUM_DISTANCES = 7
MOST_LAYOUTS = 2 * (2**16 - 1)

DOUBLE_DUMMY = "double dummy"
"""The source of a table made by a solver, all hands open."""

SCORES = 10 - 2 * np.arange(NUM_DISTANCES, dtype=np.float64)
"""Points for missing a bid by 0..6 tricks."""

TABLES = Path(__file__).parent / "tables"
"""Where the shipped tables lie."""

_FORMAT, _VERSION = "bidwise outcomes", 1
_HEADER, _COUNTS = "header.json", "counts.npy"
_FIELDS = ("num_players", "rules", "layouts", "source", "seed", "provenance")
_LARGEST = 2**24
"""Bytes of a member; the largest table has fewer than half."""


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
        path = Path(path)
        header = {
            "format": _FORMAT,
            "version": _VERSION,
            **{name: getattr(self, name) for name in _FIELDS},
            "rules": dataclasses.asdict(self.rules),
        }
        array = io.BytesIO()
        np.lib.format.write_array(array, _encoded(self.counts), allow_pickle=False)
        text = json.dumps(header, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
        try:
            with zipfile.ZipFile(partial, "w") as file:
                for name, data in ((_HEADER, text.encode()), (_COUNTS, array.getvalue())):
                    # A ZipInfo's own date is 1980: no time stamp.
                    file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Outcomes:
        """Read a table; nothing in the file is ever executed.

        Raises:
            ValueError: a file that is no such table or is damaged; it says why.
            OSError: a file that cannot be read.
        """
        path = Path(path)
        try:
            with zipfile.ZipFile(path) as file:
                header, array = _member(file, _HEADER), _member(file, _COUNTS)
            fields = _read_header(header)
            check_layouts(fields["layouts"])
            return cls(**fields, counts=_read_counts(array, fields["layouts"]))
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise ValueError(f"{path}: no outcome table: {error}") from None
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{path}: {error}") from None


def check_layouts(layouts: object) -> None:
    """Refuse a number of layouts that two folds cannot share or counts cannot hold."""
    check_int("layouts", layouts, 2, MOST_LAYOUTS)
    assert isinstance(layouts, int | np.integer)
    if layouts % 2:
        raise ValueError(f"layouts: {layouts} is odd; two folds share them")


def counts_type(layouts: int) -> np.dtype[Any]:
    """The type of a table's counts."""
    return np.dtype(np.uint8 if layouts // 2 < 256 else np.uint16)


def _member(file: zipfile.ZipFile, name: str) -> bytes:
    try:
        info = file.getinfo(name)
    except KeyError:
        raise ValueError(f"no outcome table: it has no {name}") from None
    if info.file_size > _LARGEST:
        raise ValueError(f"no outcome table: {name} has {info.file_size:,} bytes")
    return file.read(info)


def _read_header(data: bytes) -> dict[str, Any]:
    header = json.loads(data.decode("utf-8"))
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise ValueError(f"no outcome table: its format is not {_FORMAT!r}")
    if header.get("version") != _VERSION:
        raise ValueError(f"version {header.get('version')!r} is not {_VERSION}")
    wrong = {"format", "version", *_FIELDS} ^ set(header)
    if wrong:
        raise ValueError(f"header: fields {', '.join(sorted(wrong))} are missing or too many")
    values = {name: header[name] for name in _FIELDS}
    if not isinstance(values["rules"], dict):
        raise ValueError(f"rules: expected switches by name, got {values['rules']!r}")
    values["rules"] = rules_from_fields(PyramidRules, values["rules"])
    return values


def _explained() -> Iterator[tuple[int, int, int, int]]:
    """``(bid, d, other bid, d there)`` where a tail is part of another; d from 1."""
    for bid in range(1, NUM_BIDS - 1):
        for d in range(1, NUM_DISTANCES):
            if bid + d < NUM_DISTANCES:
                yield bid, d, 0, bid + d
            if bid - d >= 0:
                yield bid, d, NUM_BIDS - 1, NUM_BIDS - 1 - bid + d


def _encoded(counts: NDArray[Any]) -> NDArray[Any]:
    """Counts (2, rows, 7, 7) as (7, 6, rows, 2): bid, distance 1..6; the same type, wrapping."""
    tails = counts[..., :0:-1].cumsum(axis=-1, dtype=counts.dtype)[..., ::-1]
    coded = np.ascontiguousarray(tails.transpose(2, 3, 1, 0))
    for bid, d, other, there in _explained():
        coded[bid, d - 1] -= coded[other, there - 1]
    return coded


def _read_counts(data: bytes, layouts: int) -> NDArray[Any]:
    """Counts (2, rows, 7, 7) from a member's bytes."""
    coded = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    kind, half = counts_type(layouts), layouts // 2
    if coded.dtype != kind or coded.shape[:2] + coded.shape[3:] != (NUM_BIDS, NUM_DISTANCES - 1, 2):
        raise ValueError(f"counts: stored as {coded.dtype} of shape {coded.shape}")
    for bid, d, other, there in _explained():
        coded[bid, d - 1] += coded[other, there - 1]
    if (coded[:, 0] > half).any() or (coded[:, 1:] > coded[:, :-1]).any():
        raise ValueError(f"counts: what is stored are no tails of {half} layouts")
    # Plane by plane, and turned once: strided writes are slow.
    planes = np.empty((NUM_BIDS, NUM_DISTANCES, *coded.shape[2:]), kind)
    planes[:, 0] = half - coded[:, 0]
    planes[:, 1:-1] = coded[:, :-1] - coded[:, 1:]
    planes[:, -1] = coded[:, -1]
    return np.ascontiguousarray(planes.transpose(3, 2, 0, 1))


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
