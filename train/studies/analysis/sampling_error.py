"""What the sampling of layouts leaves uncertain: standard errors over other layouts.

A study takes its table as it is: its intervals are over sequences of hands. A table built with
another seed would give other figures; by how much is told here, without building one.

Rows of different hand classes are dealt independently. Those of one class are not: bids with one
trump share their layouts. So errors are summed within a class, and squares over classes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.order.scores import points
from bidwise.train.compare.intervals import Estimate, student_t
from bidwise.train.studies.analysis.findings import Findings

__all__ = ["error_of_halves", "error_of_value", "widened"]


def error_of_halves(
    apart: NDArray[np.float64],
    sequences: NDArray[np.integer[Any]],
    declarations: Sequence[NDArray[np.integer[Any]]],
) -> float:
    """Standard error, points a pyramid, of a mean over sequences that both halves value.

    The two halves of the layouts differ by chance alone, and their mean is off by half as much as
    they are apart.

    Args:
        apart: (H, D, 7) scores by one half of the layouts less those by the other.
        sequences: (count, turns) hand classes.
        declarations: (count, turns, 2) bid and denomination, several ways that are averaged.
    """
    by_class = sum(_by_class(apart, sequences, one) for one in declarations) / len(declarations)
    return math.sqrt(float(np.sum(by_class**2))) / 2


def error_of_value(found: Findings) -> float | None:
    """Standard error, points a pyramid, of the exact order's value; at most so much.

    A table does not tell how the bids of one layout go together; they are taken to be right and
    wrong together, which is the worst case.

    Returns:
        the error, or None where each half has one layout only.
    """
    half = found.outcomes.layouts // 2
    if half < 2:
        return None
    square = 0.0
    for fold, optimal in enumerate(found.fit.orders):
        chances = found.chances[1 - fold]
        worth = points(chances.shape[-1])
        variances = np.maximum(chances @ worth**2 - (chances @ worth) ** 2, 0.0)
        errors = np.sqrt(variances / (half - 1))
        by_class = _by_class(errors, found.sequences, optimal.play(found.sequences))
        # Each half values one of the two orders, of which the value is the mean.
        square += float(by_class @ by_class) / 4
    return math.sqrt(square)


def widened(estimate: Estimate, error: float) -> Estimate:
    """An estimate with a further, independent standard error in its interval."""
    own = (estimate.high - estimate.low) / 2
    half = math.hypot(own, student_t(estimate.units - 1) * error)
    return Estimate(estimate.mean, estimate.mean - half, estimate.mean + half, estimate.units)


def _by_class(
    table: NDArray[np.float64],
    sequences: NDArray[np.integer[Any]],
    declarations: NDArray[np.integer[Any]],
) -> NDArray[np.float64]:
    """(H,) what each hand class adds to the mean over sequences of a table (H, D, 7)."""
    entries = table[sequences, declarations[:, :, 1], declarations[:, :, 0]]
    sums = np.bincount(sequences.ravel(), entries.ravel(), len(table))
    means: NDArray[np.float64] = sums / len(sequences)
    return means
