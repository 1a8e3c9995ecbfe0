"""Weak and strong cards, winners and sure winners: what both games' rule sheets speak of.

Sets of cards are uint64 bit masks. Cards are compared by rank, then by suit ♣ ♦ ♥ ♠; every
trump counts as stronger than any other card. `trump` 4 is no suit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.agents.compilation import compiled
from bidwise.envs.core.cards import BIT, bit
from bidwise.envs.core.instructions import load_word, lowest_bit, popcount
from bidwise.envs.core.tricks import beats, cards_of_suit

__all__ = ["read_cards", "standing", "strongest", "sure_winners", "weakest", "winners"]

_NONE = np.uint64(0)
_ONES = np.uint64(0x0101010101010101)
_FILL = np.uint64(0x7F7F7F7F7F7F7F7F)
_GATHER = np.uint64(0x0102040810204080)
_SHIFTS = (np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(8))
_7 = np.uint64(7)
_56 = np.uint64(56)


@compiled
def read_cards(row: Any, offset: int, count: int) -> Any:
    """The cards (uint64) whose byte, of `count` from `offset` on, is not 0.

    Bytes are 0..127; the row goes on at least to the next multiple of eight.
    """
    cards = _NONE
    for k in range((count + 7) // 8):
        flags = ((load_word(row, offset + 8 * k) + _FILL) >> _7) & _ONES
        cards |= ((flags * _GATHER) >> _56) << np.uint64(8 * k)
    return cards & (bit(count) - BIT)


@compiled
def _up_to_highest(ranks: Any) -> Any:
    """All ranks up to the highest of a set of at most 16 (uint64)."""
    for shift in _SHIFTS:
        ranks |= ranks >> shift
    return ranks


@compiled
def weakest(cards: Any, trump: int, num_ranks: int) -> int:
    """The weakest of some cards; -1 if there are none."""
    card = -1
    least = 2 * num_ranks
    every = bit(num_ranks) - BIT
    for suit in range(4):
        ranks = (cards >> np.uint64(suit * num_ranks)) & every
        if ranks != _NONE:
            rank = lowest_bit(ranks)
            strength = rank + num_ranks if suit == trump else rank
            if strength < least:
                least = strength
                card = suit * num_ranks + rank
    return card


@compiled
def strongest(cards: Any, trump: int, num_ranks: int) -> int:
    """The strongest of some cards; -1 if there are none."""
    card = -1
    most = -1
    every = bit(num_ranks) - BIT
    for suit in range(4):
        ranks = (cards >> np.uint64(suit * num_ranks)) & every
        if ranks != _NONE:
            rank = popcount(_up_to_highest(ranks)) - 1
            strength = rank + num_ranks if suit == trump else rank
            if strength >= most:
                most = strength
                card = suit * num_ranks + rank
    return card


@compiled
def winners(cards: Any, best: int, trump: int, num_ranks: int) -> Any:
    """Those of some cards (uint64) that beat the best card on the table."""
    suit = best // num_ranks
    above = cards & cards_of_suit(suit, num_ranks) & ~(bit(best + 1) - BIT)
    if suit != trump and trump < 4:
        above |= cards & cards_of_suit(trump, num_ranks)
    return above


@compiled
def sure_winners(cards: Any, unseen: Any, num_ranks: int) -> Any:
    """Those of some cards (uint64) that no unseen card of their suit beats; trumps may."""
    sure = _NONE
    every = bit(num_ranks) - BIT
    for suit in range(4):
        place = np.uint64(suit * num_ranks)
        sure |= cards & ((every & ~_up_to_highest((unseen >> place) & every)) << place)
    return sure


@compiled
def standing(
    row: Any, trick: int, leader: int, num_players: int, trump: int, num_ranks: int
) -> tuple[int, int]:
    """The best card on the table and the relative seat that played it; (-1, -1) if none.

    `trick` is the offset of the field of that name, `leader` a relative seat.
    """
    best = -1
    holder = -1
    seat = leader
    for _ in range(num_players):
        card = int(row[trick + seat]) - 1
        if card < 0:
            break
        if best < 0 or beats(card, best, trump, num_ranks):
            best = card
            holder = seat
        seat += 1
        if seat == num_players:
            seat = 0
    return best, holder
