"""The exact dynamic program: the order of bids with the most points, for a table of scores.

The value of a state s, with the hands still unseen, is

    V(s) = Σ_h w_h · max over denominations d and unspent bids b of score[h, d, b] + V(s - b)

with V = 0 for the empty pyramid. The denomination with the best score is the same in every
state. The result is exact *for that table*. A table that was sampled flatters its own
decisions: :func:`cross_fit` lets one half decide and the other value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidwise.agents.order.compilation import compiled
from bidwise.agents.order.occupancy import Occupancy, mean_occupancy
from bidwise.agents.order.orders import IndexOrder
from bidwise.agents.order.scores import checked_scores, shares
from bidwise.agents.order.states import States, states_of

__all__ = [
    "CrossFit",
    "OptimalOrder",
    "cross_fit",
    "exchange_values",
    "shadow_prices",
    "solve",
    "spare_values",
]


@compiled
def _solve(scores: Any, weights: Any, left: Any, strides: Any, values: Any) -> None:
    """Fill values (S,) from scores (B, H)."""
    num_states, num_bids = left.shape
    num_hands = scores.shape[1]
    best = np.empty(num_hands)
    for state in range(1, num_states):
        best[:] = -np.inf
        for bid in range(num_bids):
            if left[state, bid] == 0:
                continue
            rest = values[state - strides[bid]]
            row = scores[bid]
            for hand in range(num_hands):
                value = row[hand] + rest
                best[hand] = value if value > best[hand] else best[hand]
        # Four sums side by side: one alone would wait for each addition.
        first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
        whole = num_hands - num_hands % 4
        for hand in range(0, whole, 4):
            first += weights[hand] * best[hand]
            second += weights[hand + 1] * best[hand + 1]
            third += weights[hand + 2] * best[hand + 2]
            fourth += weights[hand + 3] * best[hand + 3]
        for hand in range(whole, num_hands):
            first += weights[hand] * best[hand]
        values[state] = (first + second) + (third + fourth)


@dataclass(frozen=True, eq=False)
class OptimalOrder(IndexOrder):
    """The order with the most points by the table that decided; `ahead` are its values."""

    @property
    def values(self) -> NDArray[np.float64]:
        """(S,) mean points still to come in every state, by the table that decided."""
        return self.ahead

    @property
    def value(self) -> float:
        """Of the full pyramid."""
        return float(self.ahead[self.states.full])


def solve(option_scores: ArrayLike, weights: ArrayLike, quota: Sequence[int]) -> OptimalOrder:
    """The optimal order of a table.

    Args:
        option_scores: (H, D, B) mean score of each hand class, denomination and bid, points.
        weights: (H,) how often each class is dealt, in any unit.
        quota: (B,) how often each bid must be spent.

    Raises:
        ValueError: shapes that do not fit, scores that are not finite, weights without any.
    """
    states = states_of(quota)
    scores = checked_scores(option_scores, len(states.quota))
    dealt = shares(weights, len(scores))
    denominations = scores.argmax(axis=1).astype(np.int8)
    keys = scores.max(axis=1)
    values = np.zeros(len(states.left))
    _solve(np.ascontiguousarray(keys.T), dealt, states.left, states.strides, values)
    return OptimalOrder(states, dealt, denominations, keys, values)


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Two optimal orders, one from each half of the layouts, each valued by the other half."""

    orders: tuple[OptimalOrder, OptimalOrder]
    """From fold 0 and from fold 1."""

    valued: tuple[NDArray[np.float64], NDArray[np.float64]]
    """(S,) each: the first by fold 1, the second by fold 0. Points still to come."""

    @property
    def values(self) -> NDArray[np.float64]:
        """(S,) mean of both cross-valuations, points still to come in every state."""
        return (self.valued[0] + self.valued[1]) / 2

    @property
    def value(self) -> float:
        """Of the full pyramid, mean of both cross-valuations."""
        return float(self.values[self.states.full])

    @property
    def in_sample(self) -> float:
        """The mean of what both say of themselves; above `value` by what they flatter."""
        return (self.orders[0].value + self.orders[1].value) / 2

    @property
    def states(self) -> States:
        """The states of the quota."""
        return self.orders[0].states

    def occupancy(self, outcomes_0: ArrayLike, outcomes_1: ArrayLike) -> Occupancy:
        """The mean occupancy of both, each by the other fold's outcomes (H, D, B, B)."""
        first, second = self.orders
        return mean_occupancy(first.occupancy(outcomes_1), second.occupancy(outcomes_0))


def cross_fit(
    scores_0: ArrayLike, scores_1: ArrayLike, weights: ArrayLike, quota: Sequence[int]
) -> CrossFit:
    """Fold 0 decides and fold 1 values, and the reverse; both are averaged.

    Args:
        scores_0: (H, D, B) mean scores over one half of the layouts.
        scores_1: (H, D, B) over the other.
        weights: (H,) how often each class is dealt.
        quota: (B,) how often each bid must be spent.
    """
    first = solve(scores_0, weights, quota)
    second = solve(scores_1, weights, quota)
    return CrossFit((first, second), (first.valued_by(scores_1), second.valued_by(scores_0)))


def shadow_prices(values: ArrayLike, states: States) -> NDArray[np.float64]:
    """(S, B) what it costs to spend a b in each state: V(s) - V(s - b); NaN without a b.

    The state with the b has one deal more to play, so a price holds that deal's worth. The
    optimal order spends the bid whose score now exceeds its price by most, and over all hands that
    excess is zero on average. A price of 9 says: spend this bid where 9 points or more are to
    be expected. The differences between prices say which bids are precious; their level says
    what a deal is worth.
    """
    worth: NDArray[np.float64] = np.asarray(values, np.float64)
    below = np.maximum(np.arange(len(worth))[:, None] - states.strides, 0)
    return np.where(states.left > 0, worth[:, None] - worth[below], np.nan)


def spare_values(values: ArrayLike, states: States) -> NDArray[np.float64]:
    """(S, B) what a b is worth beside the other unspent bids; NaN without a b.

    It is the price of a b above the mean price of all unspent bids: had one of them to go
    unplayed, by so many points would the loss of a b be worse than that of any one alike.
    """
    prices = shadow_prices(values, states)
    counts = states.left.astype(np.float64)
    mean = (np.nan_to_num(prices) * counts).sum(axis=1) / np.maximum(states.deals_left, 1)
    spare: NDArray[np.float64] = prices - mean[:, None]
    return spare


def exchange_values(values: ArrayLike, states: States) -> NDArray[np.float64]:
    """(S, B, B) [s, b, c]: V(s - c + b) - V(s), a spare b instead of a spare c.

    Both pyramids have as many deals to play, so this is what a b is worth beside a c and
    nothing else. NaN where no c is left or the quota holds no further b; 0 for b = c.
    """
    worth: NDArray[np.float64] = np.asarray(values, np.float64)
    numbers = np.arange(len(worth))[:, None, None]
    target = numbers + states.strides[:, None] - states.strides
    room = states.left < np.array(states.quota)
    same = np.eye(len(states.quota), dtype=bool)
    possible = (states.left > 0)[:, None, :] & (room[:, :, None] | same)
    inside = np.where(possible, target, 0)
    return np.where(possible, worth[inside] - worth[:, None, None], np.nan)
