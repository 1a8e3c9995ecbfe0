"""Tables of scores and outcomes by hand, denomination and bid, and what is read off them.

`H` hand classes, `D` denominations, `B` bids 0..n of a hand of n = B - 1 cards. Scores are
(H, D, B) mean points; outcomes are (H, D, B, B) probabilities of missing the bid by 0..n tricks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidwise.envs.pyramid.scoring import declarer_points

__all__ = ["checked_outcomes", "checked_scores", "mean_scores", "picked", "points", "shares"]

_TOLERANCE = 1e-9


def points(num_bids: int) -> NDArray[np.float64]:
    """(B,) points for missing a bid by 0, 1, ... tricks."""
    return np.array([declarer_points(0, missed) for missed in range(num_bids)], np.float64)


def shares(weights: ArrayLike, num_hands: int) -> NDArray[np.float64]:
    """(H,) how often each hand class is dealt, as shares of one, from any weights.

    Raises:
        ValueError: not one weight a class, a negative or infinite one, or none above zero.
    """
    values: NDArray[np.float64] = np.asarray(weights, np.float64)
    if values.shape != (num_hands,):
        raise ValueError(f"weights: expected shape ({num_hands},), got {values.shape}")
    if not np.all(np.isfinite(values)) or np.any(values < 0) or not np.any(values > 0):
        raise ValueError("weights: expected finite shares, none negative and not all zero")
    dealt: NDArray[np.float64] = values / values.sum()
    return dealt


def checked_scores(option_scores: ArrayLike, num_bids: int) -> NDArray[np.float64]:
    """The table as (H, D, B) float64.

    Raises:
        ValueError: another shape, no hand or denomination, or a score that is not finite.
    """
    values: NDArray[np.float64] = np.asarray(option_scores, np.float64)
    if values.ndim != 3 or values.shape[2] != num_bids or 0 in values.shape:
        raise ValueError(f"scores: expected shape (H, D, {num_bids}), got {values.shape}")
    if not np.all(np.isfinite(values)):
        raise ValueError("scores: some are not finite")
    return values


def checked_outcomes(option_outcomes: ArrayLike, num_bids: int) -> NDArray[np.float64]:
    """The table as (H, D, B, B) float64.

    Raises:
        ValueError: another shape, probabilities that are negative or do not sum to one, or a
            bid b that is missed by more than max(b, n - b) tricks.
    """
    values: NDArray[np.float64] = np.asarray(option_outcomes, np.float64)
    if values.ndim != 4 or values.shape[2:] != (num_bids, num_bids) or 0 in values.shape:
        raise ValueError(
            f"outcomes: expected shape (H, D, {num_bids}, {num_bids}), got {values.shape}"
        )
    if not np.all(values >= 0) or not np.all(np.abs(values.sum(axis=3) - 1) < _TOLERANCE):
        raise ValueError("outcomes: expected probabilities that sum to one")
    for bid in range(num_bids):
        most = max(bid, num_bids - 1 - bid)
        if np.any(values[:, :, bid, most + 1 :] > 0):
            raise ValueError(f"outcomes: bid {bid} cannot be missed by more than {most} tricks")
    return values


def mean_scores(option_outcomes: ArrayLike) -> NDArray[np.float64]:
    """(..., B) mean points of outcomes (..., B, B)."""
    values: NDArray[np.float64] = np.asarray(option_outcomes, np.float64)
    return values @ points(values.shape[-1])


def picked(table: NDArray[np.float64], denominations: NDArray[Any]) -> NDArray[np.float64]:
    """(H, B, ...) the entries of a table (H, D, B, ...) at one denomination a hand and bid."""
    hands = np.arange(len(table))[:, None]
    bids = np.arange(table.shape[2])
    entries: NDArray[np.float64] = table[hands, denominations, bids]
    return entries
