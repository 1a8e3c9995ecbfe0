"""The other objective of a study: to end above rivals instead of with many points."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.order.contest import Contest, CrossContest, solve_contest
from bidwise.agents.order.totals import Totals, winning_chance
from bidwise.envs.core.checks import check_int
from bidwise.train.run.chunks import Chunks
from bidwise.train.studies.analysis.findings import DP, Findings

__all__ = ["DEFAULT_RIVALS", "Win", "aim_at_win", "read_rivals"]

DEFAULT_RIVALS = "default"
"""Rivals who keep the exact order for points."""

_TOTAL, _COLUMNS = "total", ("chance", DP)

_FOUND = ("chances", "values", "reach", "spending")
"""What a contest is kept by; the rest of it is given."""

_LARGEST = 1_000_000
"""Far beyond any total; sums of such are exact."""


@dataclass(frozen=True, eq=False)
class Win:
    """The order that aims at the win beside the one that aims at points.

    Equal totals count one half. Rivals do not answer: their totals have a distribution, and
    that is all.
    """

    rivals: Totals
    """Of one of them."""
    num_rivals: int
    by_points: float
    """Chance to win of the order for points."""
    by_win: float
    """Of the order for the win, each half of the layouts valuing what the other decided."""
    in_sample: float
    """The same, each half valuing itself."""
    totals: Totals
    """Of the order for the win."""
    spending: NDArray[np.float64]
    """(turns, 7) chance that each bid is spent at each deal, by the order for the win."""


def read_rivals(path: Path) -> Totals:
    """A distribution of totals from a CSV file.

    It has a column ``total`` and one of chances, ``chance`` or ``dp``: ``totals.csv`` of another
    study is such a file.

    Raises:
        ValueError: a file that is none; it says why.
        OSError: a file that cannot be read.
    """
    try:
        pairs = sorted(_pairs(path))
        if not pairs:
            raise ValueError("there are no totals")
        totals, chances = (np.array(numbers) for numbers in zip(*pairs, strict=True))
        # A file holds so many digits only.
        return Totals(totals, chances / chances.sum() if abs(chances.sum() - 1) < 1e-3 else chances)
    # Text that is no UTF-8 is a ValueError too, but does not say in which file.
    except (TypeError, ValueError, csv.Error) as error:
        raise ValueError(f"rivals: {path}: {error}") from None


def _pairs(path: Path) -> list[tuple[int, float]]:
    """Totals and their chances, in the order of the file."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        names = reader.fieldnames or ()
        column = next((name for name in _COLUMNS if name in names), None)
        if _TOTAL not in names or column is None:
            raise ValueError(f"it needs a column {_TOTAL!r} and one of {', '.join(_COLUMNS)}")
        pairs = [(int(row[_TOTAL]), float(row[column])) for row in reader]
    for total, _ in pairs:
        check_int("total", total, -_LARGEST, _LARGEST)
    return pairs


def aim_at_win(
    found: Findings,
    rivals: Totals | None = None,
    *,
    threads: int = 1,
    chunks: Chunks | None = None,
    progress: Callable[[int], object] | None = None,
) -> Win:
    """Find the order with the best chance to end above the other players.

    Args:
        found: the study of the table.
        rivals: the totals of each of the other players; those of the order for points if None.
        threads: how many work at once.
        chunks: where each half's order is kept.
        progress: told of states done, twice as many as a pyramid has.
    """
    own = found.totals[DP]
    rival = own if rivals is None else rivals
    several = [rival] * (found.outcomes.num_players - 1)
    first, second = (
        _contest(found, half, several, threads, chunks, progress or _unheard) for half in (0, 1)
    )
    contest = CrossContest((first, second))
    return Win(
        rival,
        len(several),
        winning_chance(own, several),
        contest.value,
        contest.in_sample,
        contest.totals,
        contest.spending,
    )


def _contest(
    found: Findings,
    half: int,
    rivals: list[Totals],
    threads: int,
    chunks: Chunks | None,
    progress: Callable[[int], object],
) -> Contest:
    """The order that one half of the layouts decides and the other values."""
    deciding, valuing = found.chances[half], found.chances[1 - half]
    key = f"win-{half}"
    kept = None if chunks is None else chunks.read(key)
    if kept is not None:
        progress(len(found.states.left) - 1)
        return Contest(found.states, deciding, **kept)
    contest = solve_contest(
        deciding,
        found.weights,
        found.outcomes.rules.quota,
        rivals,
        valued_by=valuing,
        threads=threads,
        progress=progress,
    )
    if chunks is not None:
        chunks.write(key, {name: getattr(contest, name) for name in _FOUND})
    return contest


def _unheard(count: int) -> None:
    """Nobody asked for progress."""
