"""Means and shares with 95 % intervals over independent units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

__all__ = ["CONFIDENCE", "Estimate", "mean_interval", "share_interval", "student_t"]

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float
    units: int
    """How many independent units the interval rests on."""

    def __str__(self) -> str:
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


@lru_cache(maxsize=256)
def student_t(degrees: int) -> float:
    """The two-sided 95 % quantile of Student's t with so many degrees of freedom (1..)."""
    if degrees < 1:
        raise ValueError(f"degrees: {degrees} is not positive")
    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))


def mean_interval(totals: ArrayLike, sizes: ArrayLike | None = None) -> Estimate:
    """The mean of units, or of what units of different sizes hold together.

    Args:
        totals: (n,) one number a unit.
        sizes: (n,) how many things (deals) each total adds up; None for one each. The mean
            is then Σ totals / Σ sizes, with the ratio estimator's error (Cochran, *Sampling
            Techniques*, 6.4); where all sizes are equal this is the plain Student interval
            of the units' own means.

    Returns:
        the mean and the Student t interval over units, n - 1 degrees of freedom.
    """
    values: NDArray[np.float64] = np.asarray(totals, np.float64)
    count = len(values)
    if count < 2:
        raise ValueError(f"an interval needs 2 independent units at least, got {count}")
    weights = np.ones(count) if sizes is None else np.asarray(sizes, np.float64)
    mean = float(values.sum() / weights.sum())
    residuals = (values - mean * weights) / weights.mean()
    error = math.sqrt(float(residuals @ residuals) / (count - 1) / count)
    half = student_t(count - 1) * error
    return Estimate(mean, mean - half, mean + half, count)


def share_interval(shares: ArrayLike) -> Estimate:
    """The mean of shares in 0..1, one a unit: a Wilson interval.

    A Student interval over units of which all agree would have no width. Here the spread
    between units gives the number of independent trials that they are worth, and Wilson's
    score interval for so many trials is taken with Student's quantile.
    """
    values: NDArray[np.float64] = np.asarray(shares, np.float64)
    count = len(values)
    if count < 2:
        raise ValueError(f"an interval needs 2 independent units at least, got {count}")
    if values.min() < 0 or values.max() > 1:
        raise ValueError("shares: not all in 0..1")
    mean = float(values.mean())
    variance = float(values.var(ddof=1)) / count
    trials = float(count)
    if variance > 0:
        # Units worth more than four trials each would be luck in the estimate of the spread.
        trials = min(max(mean * (1 - mean) / variance, 1.0), 4.0 * count)
    quantile = student_t(count - 1) ** 2
    scale = 1 + quantile / trials
    centre = (mean + quantile / (2 * trials)) / scale
    half = math.sqrt(quantile * (mean * (1 - mean) / trials + quantile / (4 * trials**2))) / scale
    return Estimate(mean, max(centre - half, 0.0), min(centre + half, 1.0), count)
