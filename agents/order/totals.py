"""Distributions of a pyramid's final total."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.order.scores import points

__all__ = ["Totals", "best_of", "mixture", "totals_of_misses", "winning_chance"]

_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Totals:
    """How probable each final total is.

    Raises:
        ValueError: totals that do not ascend, or probabilities that do not fit them.
    """

    totals: NDArray[np.int64]
    """(T,) totals in points, ascending."""

    chances: NDArray[np.float64]
    """(T,) their probabilities."""

    def __post_init__(self) -> None:
        totals, chances = np.asarray(self.totals), np.asarray(self.chances, np.float64)
        if totals.ndim != 1 or totals.shape != chances.shape or not len(totals):
            raise ValueError(f"totals: shapes {totals.shape} and {chances.shape} do not fit")
        if np.any(totals != np.floor(totals)) or np.any(np.diff(totals) <= 0):
            raise ValueError("totals: expected whole numbers that ascend")
        if not np.all(chances >= 0) or not abs(chances.sum() - 1) < _TOLERANCE:
            raise ValueError("totals: expected probabilities that sum to one")
        object.__setattr__(self, "totals", totals.astype(np.int64))
        object.__setattr__(self, "chances", chances)

    @property
    def mean(self) -> float:
        """Mean total, points."""
        return float(self.totals @ self.chances)

    @property
    def deviation(self) -> float:
        """Standard deviation of one total, points."""
        return float(np.sqrt((self.totals - self.mean) ** 2 @ self.chances))

    def below(self, total: float) -> float:
        """Chance of a smaller total."""
        return float(self.chances[self.totals < total].sum())

    def at(self, total: float) -> float:
        """Chance of exactly this total."""
        return float(self.chances[self.totals == total].sum())

    def quantile(self, share: float) -> int:
        """The smallest total that at least this share of pyramids do not exceed."""
        if not 0 <= share <= 1:
            raise ValueError(f"share: {share} is not in 0..1")
        reached = np.cumsum(self.chances) >= share - _TOLERANCE
        return int(self.totals[int(np.argmax(reached))])


def totals_of_misses(chances: NDArray[np.float64], most: int) -> Totals:
    """Totals from the chances (M,) of 0, 1, ... tricks missed in all.

    Args:
        most: the total without a miss, points.
    """
    hit, slip = (int(value) for value in points(2))
    met = np.trim_zeros(chances, "b")
    totals = most + (slip - hit) * np.arange(len(met))
    # Hundreds of sums round off: what is missing from one is within 1e-12.
    return Totals(totals[::-1].copy(), met[::-1] / met.sum())


def best_of(rivals: Totals | Sequence[Totals]) -> Totals:
    """The distribution of the largest of independent totals.

    Raises:
        ValueError: no totals at all.
    """
    several = [rivals] if isinstance(rivals, Totals) else list(rivals)
    if not several:
        raise ValueError("rivals: none given")
    totals = np.unique(np.concatenate([rival.totals for rival in several]))
    reached = np.ones(len(totals))
    for rival in several:
        upto = np.concatenate([[0.0], np.cumsum(rival.chances)])
        reached *= upto[np.searchsorted(rival.totals, totals, side="right")]
    chances = np.diff(reached, prepend=0.0)
    return Totals(totals, chances / chances.sum())


def mixture(first: Totals, second: Totals) -> Totals:
    """The distribution when a coin says which of two holds."""
    totals = np.union1d(first.totals, second.totals)
    chances = np.zeros(len(totals))
    for part in (first, second):
        chances[np.searchsorted(totals, part.totals)] += part.chances / 2
    return Totals(totals, chances)


def winning_chance(own: Totals, rivals: Totals | Sequence[Totals], tie: float = 0.5) -> float:
    """P(own > best rival) + `tie` · P(own = best rival)."""
    best = best_of(rivals)
    won = sum(
        chance * (best.below(total) + tie * best.at(total))
        for total, chance in zip(own.totals.tolist(), own.chances.tolist(), strict=True)
    )
    return float(won)
