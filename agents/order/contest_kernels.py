"""Compiled loops over the states of a contest: bids left, and tricks missed so far."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.agents.order.compilation import compiled

__all__ = ["BEYOND", "MOST_MISSES", "decide_states", "spread", "value_states"]

MOST_MISSES = 7
"""Numbers of misses of one bid, 0..6, that the unrolled loop takes."""

LANES = 8
"""Rows are worked out in multiples of this, so that no loop on vectors has a slow rest."""

BEYOND = LANES + MOST_MISSES
"""Zeros that a row needs at its end."""


@compiled
def decide_states(
    numbers: Any,
    left: Any,
    strides: Any,
    widths: Any,
    starts: Any,
    bids: Any,
    decide: Any,
    value: Any,
    weights: Any,
    chances: Any,
    tallies: Any,
) -> None:
    """Fill chances (S, R) and tallies (S, B, X, M) of the states `numbers`, all of one size.

    Args:
        numbers: states to fill; those with one bid less are filled already.
        widths: (S,) how many numbers of misses can be met in a state, 0 and up.
        starts: (H + 1,) the options of hand h are starts[h] up to starts[h + 1].
        bids: (O,) the bid of each option.
        decide: (O, 7) probabilities of missing by 0..6 by the table that decides.
        value: (O, X) the same by the table that values, one for each column of the tallies.
        chances: rows longer than M by :data:`BEYOND`, zero where no state can be.
        tallies: Σ over hands, by the bid spent, of weight · `value`.
    """
    num_hands = len(weights)
    num_misses = tallies.shape[2]
    best = np.empty(chances.shape[1])
    chosen = np.empty(chances.shape[1], np.int64)
    for state in numbers:
        width = widths[state]
        padded = (width + LANES - 1) // LANES * LANES
        for hand in range(num_hands):
            best[:padded] = -1.0
            for option in range(starts[hand], starts[hand + 1]):
                bid = bids[option]
                if left[state, bid] == 0:
                    continue
                rest = chances[state - strides[bid]]
                p0, p1, p2, p3, p4, p5, p6 = (
                    decide[option, 0],
                    decide[option, 1],
                    decide[option, 2],
                    decide[option, 3],
                    decide[option, 4],
                    decide[option, 5],
                    decide[option, 6],
                )
                for missed in range(padded):
                    chance = (
                        p0 * rest[missed]
                        + p1 * rest[missed + 1]
                        + p2 * rest[missed + 2]
                        + p3 * rest[missed + 3]
                        + p4 * rest[missed + 4]
                        + p5 * rest[missed + 5]
                        + p6 * rest[missed + 6]
                    )
                    better = chance > best[missed]
                    best[missed] = chance if better else best[missed]
                    chosen[missed] = option if better else chosen[missed]
            weight = weights[hand]
            for missed in range(width):
                chances[state, missed] += weight * best[missed]
            # One option is the best over whole stretches of misses.
            first = 0
            while first < width:
                option = chosen[first]
                last = first + 1
                while last < width and chosen[last] == option:
                    last += 1
                bid = bids[option]
                for more in range(num_misses):
                    share = weight * value[option, more]
                    if share > 0:
                        for missed in range(first, last):
                            tallies[state, bid, more, missed] += share
                first = last


@compiled
def value_states(tallies: Any, strides: Any, widths: Any, values: Any) -> None:
    """Chances (S, M) of all states by the tallies; row 0 is filled, the rest is zero."""
    num_states, num_bids, num_misses, _ = tallies.shape
    for state in range(1, num_states):
        for bid in range(num_bids):
            for more in range(num_misses):
                for missed in range(widths[state]):
                    chance = tallies[state, bid, more, missed]
                    if chance > 0:
                        values[state, missed] += (
                            chance * values[state - strides[bid], missed + more]
                        )


@compiled
def spread(
    tallies: Any, strides: Any, widths: Any, deals_left: Any, reach: Any, spent: Any
) -> None:
    """Chance of each state and number of misses (S, M), and of each bid at each turn (T, B)."""
    num_states, num_bids, num_misses, _ = tallies.shape
    turns = len(spent)
    reach[num_states - 1, 0] = 1.0
    for state in range(num_states - 1, 0, -1):
        for bid in range(num_bids):
            for more in range(num_misses):
                for missed in range(widths[state]):
                    met = reach[state, missed] * tallies[state, bid, more, missed]
                    if met > 0:
                        reach[state - strides[bid], missed + more] += met
                        spent[turns - deals_left[state], bid] += met
