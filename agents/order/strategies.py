"""Strategies to compare: ways to spend a pyramid, from blind to clairvoyant.

Each names bid *and* trump from one half of the layouts and is valued by the other half; both
directions are averaged. The trump is always the one that the deciding half likes best for the
hand and bid. No value comes from sampled play.

- ``random``: each of the distinct unspent numbers with equal chance;
- ``top-down``: 6 first, 0 last; ``bottom-up``: 0 first, 6 last;
- ``best-now``: the largest score among the unspent bids;
- ``above-mean``: the largest score above that bid's mean over all hands;
- ``dp``: the exact dynamic program;
- ``hindsight``: the best assignment once all hands of the sequence are known. By the table
  that decides, no order can do better on any sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidwise.agents.order.compilation import compiled
from bidwise.agents.order.optimal import solve
from bidwise.agents.order.orders import IndexOrder, Order, UniformOrder
from bidwise.agents.order.scores import checked_scores, picked, shares
from bidwise.agents.order.sequences import checked_sequences, value_declarations
from bidwise.agents.order.states import states_of

__all__ = ["STRATEGIES", "compare", "exact_means", "hindsight", "order_of", "value_agent"]

STRATEGIES = ("random", "top-down", "bottom-up", "best-now", "above-mean", "dp", "hindsight")
"""From the zero of the ordering skill index to the bound above it."""


@compiled
def _hindsight(
    scores: Any, left: Any, strides: Any, deals_left: Any, hands: Any, bids: Any
) -> None:
    """Best bids (count, turns) for sequences whose hands are known from the first deal on."""
    num_states, num_bids = left.shape
    turns = hands.shape[1]
    values = np.zeros(num_states)
    for i in range(len(hands)):
        for state in range(1, num_states):
            hand = hands[i, turns - deals_left[state]]
            best = -np.inf
            for bid in range(num_bids):
                if left[state, bid] > 0:
                    value = scores[hand, bid] + values[state - strides[bid]]
                    best = value if value > best else best
            values[state] = best
        state = num_states - 1
        for turn in range(turns):
            hand = hands[i, turn]
            best = -np.inf
            chosen = -1
            for bid in range(num_bids):
                if left[state, bid] > 0:
                    value = scores[hand, bid] + values[state - strides[bid]]
                    if value > best:
                        best = value
                        chosen = bid
            bids[i, turn] = chosen
            state -= strides[chosen]


def order_of(
    strategy: str, option_scores: ArrayLike, weights: ArrayLike, quota: Sequence[int]
) -> Order:
    """The order by which a strategy spends bids; all but ``"hindsight"``, which is none.

    Args:
        strategy: a name of :data:`STRATEGIES`.
        option_scores: (H, D, B) scores that decide.
        weights: (H,) how often each hand class is dealt.
        quota: (B,) how often each bid must be spent.

    Raises:
        ValueError: an unknown strategy, or one that is not an order.
    """
    if strategy not in STRATEGIES or strategy == "hindsight":
        known = ", ".join(name for name in STRATEGIES if name != "hindsight")
        raise ValueError(f"strategy: {strategy!r} is not an order; these are: {known}")
    if strategy == "dp":
        return solve(option_scores, weights, quota)
    states = states_of(quota)
    scores = checked_scores(option_scores, len(states.quota))
    dealt = shares(weights, len(scores))
    denominations = scores.argmax(axis=1).astype(np.int8)
    if strategy == "random":
        return UniformOrder(states, dealt, denominations)
    best = scores.max(axis=1)
    numbers = np.arange(best.shape[1], dtype=np.float64)
    keys = {
        "top-down": np.tile(numbers, (len(best), 1)),
        "bottom-up": np.tile(-numbers, (len(best), 1)),
        "best-now": best,
        "above-mean": best - dealt @ best,
    }[strategy]
    return IndexOrder(states, dealt, denominations, keys, np.zeros(len(states.left)))


def hindsight(
    option_scores: ArrayLike, sequences: ArrayLike, quota: Sequence[int]
) -> NDArray[np.int8]:
    """The best choices for whole sequences (count, turns): (count, turns, 2) bid, denomination.

    Args:
        option_scores: (H, D, B) scores that decide.
        sequences: (count, turns) hand classes.
        quota: (B,) how often each bid must be spent.
    """
    states = states_of(quota)
    scores = checked_scores(option_scores, len(states.quota))
    hands = checked_sequences(sequences, states, len(scores))
    bids = np.empty(hands.shape, np.int8)
    best = np.ascontiguousarray(scores.max(axis=1))
    _hindsight(best, states.left, states.strides, states.deals_left, hands, bids)
    denominations = scores.argmax(axis=1).astype(np.int8)[hands, bids]
    return np.stack([bids, denominations], axis=2)


def _values(
    strategy: str,
    decide: NDArray[np.float64],
    value: NDArray[np.float64],
    weights: ArrayLike,
    sequences: NDArray[Any],
    quota: tuple[int, ...],
) -> NDArray[np.float64]:
    if strategy == "hindsight":
        return value_declarations(hindsight(decide, sequences, quota), sequences, value, quota)
    order = order_of(strategy, decide, weights, quota)
    if isinstance(order, IndexOrder):
        return value_declarations(order.play(sequences), sequences, value, quota)
    # The mean over all random orders of the sequence's hands, instead of one that was drawn:
    # which number is spent when does not depend on the hands.
    spending = order.spending()
    scores = picked(value, order.denominations)
    values: NDArray[np.float64] = np.einsum("tb,itb->i", spending, scores[sequences])
    return values


def compare(
    scores_0: ArrayLike,
    scores_1: ArrayLike,
    weights: ArrayLike,
    sequences: ArrayLike,
    quota: Sequence[int],
    strategies: Sequence[str] = STRATEGIES,
) -> dict[str, NDArray[np.float64]]:
    """What each strategy earns on each sequence, (count,) points by its name.

    One half of the layouts decides and the other values, both ways, and the two are averaged.
    For ``"random"`` it is the mean over all random orders of the same hands.

    Args:
        scores_0: (H, D, B) mean scores over one half of the layouts.
        scores_1: (H, D, B) over the other.
        weights: (H,) how often each hand class is dealt.
        sequences: (count, turns) hand classes, the same for all.
        quota: (B,) how often each bid must be spent.
        strategies: names of :data:`STRATEGIES`.
    """
    states = states_of(quota)
    first = checked_scores(scores_0, len(states.quota))
    second = checked_scores(scores_1, len(states.quota))
    hands = checked_sequences(sequences, states, len(first))
    return {
        name: (
            _values(name, first, second, weights, hands, states.quota)
            + _values(name, second, first, weights, hands, states.quota)
        )
        / 2
        for name in strategies
    }


def exact_means(
    scores_0: ArrayLike, scores_1: ArrayLike, weights: ArrayLike, quota: Sequence[int]
) -> dict[str, float]:
    """Mean points of each strategy over all sequences, cross-fitted; all but hindsight."""
    means = {}
    for name in STRATEGIES:
        if name == "hindsight":
            continue
        first = order_of(name, scores_0, weights, quota).valued_by(scores_1)[-1]
        second = order_of(name, scores_1, weights, quota).valued_by(scores_0)[-1]
        means[name] = float(first + second) / 2
    return means


def value_agent(
    declarations: ArrayLike,
    sequences: ArrayLike,
    scores_0: ArrayLike,
    scores_1: ArrayLike,
    quota: Sequence[int],
) -> NDArray[np.float64]:
    """What an agent's own bids and trumps earn on each sequence: (count,) points, by both halves.

    Args:
        declarations: (count, turns, 2) bid and denomination. An agent that chose by this very
            table is flattered: let it choose by one half and take
            :func:`value_declarations` of the other.
        sequences: (count, turns) hand classes.
        scores_0: (H, D, B) mean scores over one half of the layouts.
        scores_1: (H, D, B) over the other.
        quota: (B,) how often each bid must be spent.

    Raises:
        ValueError: shapes that do not fit, or a sequence that overspends a bid.
    """
    counts = states_of(quota).quota
    first = value_declarations(declarations, sequences, scores_0, counts)
    return (first + value_declarations(declarations, sequences, scores_1, counts)) / 2
