"""The ordering skill index: how well an agent orders its bids, from 0 (random) to 1 (exact).

    index = (agent - random) / (optimal - random)

All three are valued on the same sequences of hands, by the same table, so the index says how
much of what order can gain was gained with the card play that the table stands for. It may be
negative, and above one where more is known than the optimal order knows (hindsight).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidwise.train.compare.intervals import Estimate, student_t

__all__ = ["skill_index"]


def skill_index(agent: ArrayLike, random: ArrayLike, optimal: ArrayLike) -> Estimate:
    """The index with its 95 % interval over sequences; the table is taken as it is.

    Args:
        agent: (n,) what the agent earns on each sequence, points.
        random: (n,) what the random order earns on the same.
        optimal: (n,) what the optimal order earns on the same.

    Returns:
        the ratio of means with Fieller's interval: all ratios r for which the paired
        differences (agent - random) - r · (optimal - random) have a mean that Student's t
        does not tell from zero (Fieller 1954, *Some problems in interval estimation*). Unlike
        the delta method it keeps its coverage where the denominator is uncertain.

    Raises:
        ValueError: arrays of different or too small size, a value that is not finite, or
            sequences too few to tell the optimal order from random: the index has no bounded
            interval then.
    """
    values = [np.asarray(array, np.float64) for array in (agent, random, optimal)]
    shapes = {array.shape for array in values}
    if len(shapes) != 1 or values[0].ndim != 1:
        raise ValueError(f"skill: expected three rows of one length, got {sorted(shapes)}")
    if not all(np.all(np.isfinite(array)) for array in values):
        raise ValueError("skill: some values are not finite")
    count = len(values[0])
    if count < 2:
        raise ValueError(f"an interval needs 2 independent units at least, got {count}")
    gained: NDArray[np.float64] = values[0] - values[1]
    possible: NDArray[np.float64] = values[2] - values[1]
    covariance = np.cov(gained, possible) / count
    quantile = student_t(count - 1) ** 2
    top, bottom = float(gained.mean()), float(possible.mean())
    # The bounds solve (top - r bottom)² = t² Var(top - r bottom), a quadratic in r.
    square = bottom**2 - quantile * float(covariance[1, 1])
    if square <= 0 or bottom <= 0:
        raise ValueError(
            f"skill: {count} sequences do not tell the optimal order from random "
            f"({bottom:+.3f} points); take more"
        )
    half_linear = top * bottom - quantile * float(covariance[0, 1])
    constant = top**2 - quantile * float(covariance[0, 0])
    root = math.sqrt(max(half_linear**2 - square * constant, 0.0))
    # Rounding may leave the ratio just outside when there is no spread at all.
    index = top / bottom
    low, high = (half_linear - root) / square, (half_linear + root) / square
    return Estimate(index, min(low, index), max(high, index), count)
