"""The occupancy of a pyramid: what happens on the way when an order is followed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.order.compilation import compiled
from bidwise.agents.order.scores import points
from bidwise.agents.order.states import States
from bidwise.agents.order.totals import Totals, totals_of_misses

__all__ = ["Occupancy", "mean_occupancy", "occupancy_of"]


@compiled
def _reach(shares: Any, strides: Any, deals_left: Any, reach: Any, spending: Any) -> None:
    num_states, num_bids = shares.shape
    turns = len(spending)
    reach[num_states - 1] = 1.0
    for state in range(num_states - 1, 0, -1):
        for bid in range(num_bids):
            if shares[state, bid] > 0:
                met = reach[state] * shares[state, bid]
                reach[state - strides[bid]] += met
                spending[turns - deals_left[state], bid] += met


@compiled
def _misses(tallies: Any, strides: Any, misses: Any) -> None:
    num_states, num_bids, num_misses = tallies.shape
    width = misses.shape[1]
    misses[0, 0] = 1.0
    for state in range(1, num_states):
        for bid in range(num_bids):
            for missed in range(num_misses):
                chance = tallies[state, bid, missed]
                if chance > 0:
                    rest = state - strides[bid]
                    for total in range(width - missed):
                        misses[state, total + missed] += chance * misses[rest, total]


@dataclass(frozen=True, eq=False)
class Occupancy:
    """S states, B bids, as many turns as the quota has bids."""

    states: States

    shares: NDArray[np.float64]
    """(S, B) chance that b is spent next, in each state."""

    reach: NDArray[np.float64]
    """(S,) chance that a pyramid passes through each state; 1 for those of each turn together."""

    spending: NDArray[np.float64]
    """(turns, B) chance that b is spent at each announcement; a column sums to the quota."""

    misses: NDArray[np.float64]
    """(S, M) chance that the bids unspent in a state will be missed by 0, 1, ... tricks
    in all."""

    def totals(self, state: int | None = None, earned: int = 0) -> Totals:
        """The final total of pyramids that stand in a state, the full one when None.

        Args:
            earned: points of the bids spent so far.
        """
        index = self.states.full if state is None else state
        to_come = int(points(1)[0]) * int(self.states.deals_left[index])
        return totals_of_misses(self.misses[index], earned + to_come)

    def at_turn(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(turns, B) mean over the states met before each announcement, of values (S, B).

        NaN marks what does not count in a state (a bid that is not left) and comes back where
        no state counts.
        """
        turns = self.states.turns
        means = np.full((turns, values.shape[1]), np.nan)
        for turn in range(turns):
            met = self.states.deals_left == turns - turn
            counted = np.where(np.isnan(values[met]), 0.0, self.reach[met, None])
            total = counted.sum(axis=0)
            known = total > 0
            sums = (counted * np.nan_to_num(values[met])).sum(axis=0)
            means[turn, known] = sums[known] / total[known]
        return means


def occupancy_of(states: States, tallies: NDArray[np.float64]) -> Occupancy:
    """The occupancy that follows from tallies (S, B, M) of misses by state and bid spent."""
    shares = tallies.sum(axis=2)
    reach = np.zeros(len(states.left))
    spending = np.zeros((states.turns, len(states.quota)))
    _reach(shares, states.strides, states.deals_left, reach, spending)
    most = sum(
        count * max(bid, len(states.quota) - 1 - bid) for bid, count in enumerate(states.quota)
    )
    misses = np.zeros((len(states.left), most + 1))
    _misses(tallies, states.strides, misses)
    return Occupancy(states, shares, reach, spending, misses)


def mean_occupancy(first: Occupancy, second: Occupancy) -> Occupancy:
    """The occupancy when a coin, tossed before the first deal, says which of two orders is kept."""
    if first.states.quota != second.states.quota:
        raise ValueError(f"quota: {first.states.quota} and {second.states.quota} differ")
    reach = (first.reach + second.reach) / 2
    spent = first.reach[:, None] * first.shares + second.reach[:, None] * second.shares
    met = 2 * reach[:, None]
    shares = np.divide(spent, met, out=(first.shares + second.shares) / 2, where=met > 0)
    return Occupancy(
        first.states,
        shares,
        reach,
        (first.spending + second.spending) / 2,
        (first.misses + second.misses) / 2,
    )
