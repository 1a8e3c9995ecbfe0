"""Orders: rules that say, for every state and hand, which bid is spent and with which trump.

What an order is worth does not depend on sampled play: it is worked out over all states and
all hands. An order may have been made from one table and be valued by another; that is how a
table that decided is kept from flattering its own decisions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidwise.agents.order.compilation import compiled
from bidwise.agents.order.occupancy import Occupancy, occupancy_of
from bidwise.agents.order.scores import checked_outcomes, checked_scores, picked
from bidwise.agents.order.sequences import checked_sequences
from bidwise.agents.order.states import States

__all__ = ["IndexOrder", "Order", "UniformOrder"]


@compiled
def _tally(
    keys: Any, ahead: Any, weights: Any, left: Any, strides: Any, payoffs: Any, tallies: Any
) -> None:
    """Σ over hands whose bid is b, in state s, of weight · payoffs[b, h]: (S, B, K)."""
    num_states, num_bids = left.shape
    num_hands = keys.shape[1]
    width = payoffs.shape[2]
    best = np.empty(num_hands)
    chosen = np.empty(num_hands, np.int64)
    for state in range(1, num_states):
        best[:] = -np.inf
        chosen[:] = -1
        for bid in range(num_bids):
            if left[state, bid] == 0:
                continue
            rest = ahead[state - strides[bid]]
            row = keys[bid]
            for hand in range(num_hands):
                # Two selections instead of a branch, so that the loop runs on vectors.
                key = row[hand] + rest
                better = key > best[hand]
                best[hand] = key if better else best[hand]
                chosen[hand] = bid if better else chosen[hand]
        for hand in range(num_hands):
            bid = chosen[hand]
            for k in range(width):
                tallies[state, bid, k] += weights[hand] * payoffs[bid, hand, k]


@compiled
def _fold_back(gains: Any, shares: Any, strides: Any, values: Any) -> None:
    """Values of all states from what a deal earns and where it leads."""
    num_states, num_bids = gains.shape
    for state in range(1, num_states):
        value = 0.0
        for bid in range(num_bids):
            if shares[state, bid] > 0:
                value += gains[state, bid] + shares[state, bid] * values[state - strides[bid]]
        values[state] = value


@compiled
def _play(
    keys: Any,
    ahead: Any,
    denominations: Any,
    left: Any,
    strides: Any,
    sequences: Any,
    declarations: Any,
) -> None:
    num_bids = len(strides)
    for i in range(len(sequences)):
        state = len(left) - 1
        for turn in range(sequences.shape[1]):
            hand = sequences[i, turn]
            best = -np.inf
            chosen = -1
            for bid in range(num_bids):
                if left[state, bid] > 0:
                    key = keys[hand, bid] + ahead[state - strides[bid]]
                    if key > best:
                        best = key
                        chosen = bid
            declarations[i, turn, 0] = chosen
            declarations[i, turn, 1] = denominations[hand, chosen]
            state -= strides[chosen]


@dataclass(frozen=True, eq=False)
class Order(ABC):
    """What every order has: `H` hand classes, `B` bids, `S` states.

    Attributes:
        states: the states of the quota.
        weights: (H,) share of deals that bring each hand class.
        denominations: (H, B) int8, the trump that goes with each hand and bid.
    """

    states: States
    weights: NDArray[np.float64]
    denominations: NDArray[np.int8]

    @abstractmethod
    def tally(self, payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean payoff of a deal in every state, split by the bid spent.

        Args:
            payoffs: (H, B, K) what a hand earns with a bid.

        Returns:
            (S, B, K) Σ over hands of weight · P(bid b is spent) · payoff.
        """

    def shares(self) -> NDArray[np.float64]:
        """(S, B) chance that the next bid is b; zero in the empty state."""
        return self.tally(np.ones((*self.denominations.shape, 1)))[:, :, 0]

    def spending(self) -> NDArray[np.float64]:
        """(turns, B) chance that b is spent at each announcement; a column sums to the quota."""
        return occupancy_of(self.states, self.shares()[:, :, None]).spending

    def valued_by(self, option_scores: ArrayLike) -> NDArray[np.float64]:
        """(S,) mean points still to come in every state, by a table (H, D, B) of scores.

        The table is any, and best one that was not used to make the order.
        """
        scores = picked(checked_scores(option_scores, len(self.states.quota)), self.denominations)
        tallies = self.tally(np.stack([np.ones_like(scores), scores], axis=2))
        values = np.zeros(len(self.states.left))
        _fold_back(
            np.ascontiguousarray(tallies[:, :, 1]),
            np.ascontiguousarray(tallies[:, :, 0]),
            self.states.strides,
            values,
        )
        return values

    def occupancy(self, option_outcomes: ArrayLike) -> Occupancy:
        """How pyramids go: which states are met, when each bid is spent, the final totals.

        Args:
            option_outcomes: (H, D, B, B) probabilities of missing by 0.. tricks.
        """
        outcomes = checked_outcomes(option_outcomes, len(self.states.quota))
        return occupancy_of(self.states, self.tally(picked(outcomes, self.denominations)))


@dataclass(frozen=True, eq=False)
class IndexOrder(Order):
    """Spends, of the bids left in state s, the one with the largest keys[h, b] + ahead[s - b].

    Equal sums: the smaller bid.

    Attributes:
        keys: (H, B) what speaks for a bid now.
        ahead: (S,) what speaks for the state that it leads to.
    """

    keys: NDArray[np.float64]
    ahead: NDArray[np.float64]

    def tally(self, payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
        states = self.states
        tallies = np.zeros((*states.left.shape, payoffs.shape[2]))
        by_bid = np.ascontiguousarray(payoffs.transpose(1, 0, 2))
        keys = np.ascontiguousarray(self.keys.T)
        _tally(keys, self.ahead, self.weights, states.left, states.strides, by_bid, tallies)
        return tallies

    def choose(self, left: ArrayLike, hand: ArrayLike) -> tuple[Any, Any]:
        """The bid to spend and its denomination, one decision or a batch.

        Args:
            left: (..., B) how many of each bid are unspent.
            hand: (...,) hand classes.

        Returns:
            bids and denominations, int64 arrays of the hands' shape.

        Raises:
            ValueError: a pyramid that is empty or does not fit the quota, an unknown hand.
        """
        hands = np.asarray(hand)
        if np.any(hands < 0) or np.any(hands >= len(self.weights)):
            raise ValueError(f"hand: not all in 0..{len(self.weights) - 1}")
        index = self.states.index(left)
        if np.any(index == 0):
            raise ValueError("left: no bid is left to choose from")
        index, hands = np.broadcast_arrays(index, hands)
        rest = self.ahead[np.maximum(index[..., None] - self.states.strides, 0)]
        sums = np.where(self.states.left[index] > 0, self.keys[hands] + rest, -np.inf)
        bids = sums.argmax(axis=-1)
        return bids, self.denominations[hands, bids].astype(np.int64)

    def play(self, sequences: ArrayLike) -> NDArray[np.int8]:
        """(count, turns, 2) bid and denomination for each hand of sequences (count, turns)."""
        hands = checked_sequences(sequences, self.states, len(self.weights))
        declarations = np.empty((*hands.shape, 2), np.int8)
        states = self.states
        _play(
            np.ascontiguousarray(self.keys),
            self.ahead,
            self.denominations,
            states.left,
            states.strides,
            hands,
            declarations,
        )
        return declarations


@dataclass(frozen=True, eq=False)
class UniformOrder(Order):
    """Spends each of the distinct numbers that are left with equal chance, whatever the hand."""

    def tally(self, payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
        means = np.einsum("h,hbk->bk", self.weights, payoffs)
        tallies: NDArray[np.float64] = self.shares()[:, :, None] * means
        return tallies

    def shares(self) -> NDArray[np.float64]:
        unspent = (self.states.left > 0).astype(np.float64)
        shares: NDArray[np.float64] = unspent / np.maximum(unspent.sum(axis=1, keepdims=True), 1.0)
        return shares

    def play(self, sequences: ArrayLike, seed: int) -> NDArray[np.int8]:
        """One drawn order for each sequence: (count, turns, 2) bid and denomination."""
        hands = checked_sequences(sequences, self.states, len(self.weights))
        draws = np.random.default_rng(seed).random(hands.shape)
        declarations = np.empty((*hands.shape, 2), np.int8)
        state = np.full(len(hands), self.states.full)
        for turn in range(hands.shape[1]):
            unspent = self.states.left[state] > 0
            place = (draws[:, turn] * unspent.sum(axis=1)).astype(np.int64)
            bids = (np.cumsum(unspent, axis=1) > place[:, None]).argmax(axis=1)
            declarations[:, turn, 0] = bids
            declarations[:, turn, 1] = self.denominations[hands[:, turn], bids]
            state = state - self.states.strides[bids]
        return declarations
