"""Reset's options that both games know: every refusal names the option."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bidwise.envs.core.cards import Deck
from bidwise.envs.core.checks import check_int

__all__ = ["whole_numbers", "write_hands"]


def whole_numbers(option: str, values: Any, count: int, low: int, high: int) -> list[int]:
    """Exactly `count` whole numbers in low..high, each inclusive."""
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str | bytes):
        raise ValueError(f"{option}: expected a list of {count} whole numbers, got {values!r}")
    if len(values) != count:
        raise ValueError(f"{option}: expected {count} whole numbers, got {len(values)}")
    for value in values:
        check_int(option, value, low, high)
    return [int(value) for value in values]


def write_hands(state: Any, hands: Any, deck: Deck, most: int) -> None:
    """Put given hands of equal length, 1..`most` cards, into a record."""
    num_players = int(state["num_players"])
    if not isinstance(hands, Sequence | np.ndarray) or isinstance(hands, str | bytes):
        raise ValueError(f"hands: expected a list of hands, got {hands!r}")
    if len(hands) != num_players:
        raise ValueError(f"hands: {len(hands)} hands for {num_players} players")
    for hand in hands:
        if not isinstance(hand, Sequence | np.ndarray) or isinstance(hand, str | bytes):
            raise ValueError(f"hands: expected a list of card ids, got {hand!r}")
    lengths = [len(hand) for hand in hands]
    if len(set(lengths)) != 1 or not 1 <= lengths[0] <= most:
        raise ValueError(f"hands: lengths {lengths}, expected all equal, 1..{most}")
    rows = [whole_numbers("hands", hand, lengths[0], 0, deck.num_cards - 1) for hand in hands]
    try:
        deck.mask(card for hand in rows for card in hand)
    except ValueError as error:
        raise ValueError(f"hands: {error}") from None
    state["hands"] = [deck.mask(hand) for hand in rows] + [0] * (4 - num_players)
    state["hand_size"] = lengths[0]
