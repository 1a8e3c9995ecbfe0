"""Sequences of hands, and what a choice of bids earns on them by a table.

All strategies are compared on the same sequences. The hands of one are independent: each deal
is dealt anew.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidwise.agents.order.scores import checked_scores, shares
from bidwise.agents.order.states import States, states_of

__all__ = ["checked_declarations", "checked_sequences", "sample_sequences", "value_declarations"]


def sample_sequences(weights: ArrayLike, length: int, count: int, seed: int) -> NDArray[np.int32]:
    """(count, length) hand classes, each drawn with its weight (H,); the same for one seed."""
    if length < 1 or count < 1:
        raise ValueError(f"sequences: {count} of length {length} cannot be drawn")
    steps = np.cumsum(shares(weights, len(np.asarray(weights))))
    draws = np.random.default_rng(seed).random((count, length)) * steps[-1]
    hands: NDArray[np.int32] = np.searchsorted(steps, draws, side="right").astype(np.int32)
    return hands


def checked_sequences(sequences: ArrayLike, states: States, num_hands: int) -> NDArray[np.int64]:
    """The sequences as (count, turns) int64.

    Raises:
        ValueError: another shape than the quota's turns, or an unknown hand class.
    """
    hands = np.asarray(sequences)
    if hands.ndim != 2 or hands.shape[1] != states.turns or hands.dtype.kind not in "iu":
        raise ValueError(
            f"sequences: expected integers of shape (count, {states.turns}), "
            f"got {hands.dtype} of {hands.shape}"
        )
    if hands.size and (hands.min() < 0 or hands.max() >= num_hands):
        raise ValueError(f"sequences: hand classes not all in 0..{num_hands - 1}")
    return hands.astype(np.int64)


def checked_declarations(
    declarations: ArrayLike, states: States, count: int, num_denominations: int
) -> NDArray[np.int64]:
    """The choices as (count, turns, 2) int64.

    Raises:
        ValueError: another shape, an unknown bid or denomination, or a row that spends a bid
            more often than the quota holds it; the message names the row and the bid.
    """
    values = np.asarray(declarations)
    if values.shape != (count, states.turns, 2) or values.dtype.kind not in "iu":
        raise ValueError(
            f"declarations: expected integers of shape ({count}, {states.turns}, 2), "
            f"got {values.dtype} of {values.shape}"
        )
    values = values.astype(np.int64)
    bids, denominations = values[:, :, 0], values[:, :, 1]
    for name, numbers, top in (
        ("bid", bids, len(states.quota)),
        ("denomination", denominations, num_denominations),
    ):
        wrong = (numbers < 0) | (numbers >= top)
        if wrong.any():
            row, turn = np.argwhere(wrong)[0]
            raise ValueError(
                f"declarations: row {row}, turn {turn}: {name} {numbers[row, turn]} "
                f"is not in 0..{top - 1}"
            )
    for bid, quota in enumerate(states.quota):
        spent = (bids == bid).sum(axis=1)
        if np.any(spent > quota):
            row = int(np.argmax(spent > quota))
            raise ValueError(
                f"declarations: row {row} spends bid {bid} {spent[row]} times, the quota is {quota}"
            )
    return values


def value_declarations(
    declarations: ArrayLike, sequences: ArrayLike, option_scores: ArrayLike, quota: tuple[int, ...]
) -> NDArray[np.float64]:
    """What each sequence earns by a table when its hands are bid as chosen.

    Args:
        declarations: (count, turns, 2) bid and denomination of each turn, of any agent.
        sequences: (count, turns) hand classes.
        option_scores: (H, D, B) mean scores. They flatter choices that were made from them.
        quota: (B,) how often each bid must be spent.

    Returns:
        (count,) sums of the table's scores, points.

    Raises:
        ValueError: a shape that does not fit, an overspent bid, an unknown hand, bid or trump.
    """
    states = states_of(quota)
    scores = checked_scores(option_scores, len(states.quota))
    hands = checked_sequences(sequences, states, len(scores))
    chosen = checked_declarations(declarations, states, len(hands), scores.shape[1])
    values: NDArray[np.float64] = scores[hands, chosen[:, :, 1], chosen[:, :, 0]].sum(axis=1)
    return values
