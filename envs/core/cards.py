"""Decks: card ids, their text, hands as bit masks.

``card = suit * ranks + rank``; suits ♣ ♦ ♥ ♠ are 0..3, ranks run from low to high. A hand
is a uint64 in which bit `card` is set; a *word* of eight bytes holds one flag a byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bidwise.envs.core.compilation import compiled, inlined
from bidwise.envs.core.instructions import lowest_bit, store_word

__all__ = [
    "BIT",
    "CLUBS",
    "DECK_24",
    "DECK_52",
    "DIAMONDS",
    "HEARTS",
    "NO_TRUMP",
    "SPADES",
    "SUIT_LETTERS",
    "SUIT_NAMES",
    "SUIT_SYMBOLS",
    "Deck",
    "bit",
    "nth_bit",
    "store_flags",
]

CLUBS, DIAMONDS, HEARTS, SPADES, NO_TRUMP = range(5)
SUIT_LETTERS = "CDHS"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
SUIT_SYMBOLS = "♣♦♥♠"

BIT = np.uint64(1)
_BYTE = np.uint64(0xFF)
_SPREAD = np.array(
    [sum((flags >> k & 1) << 8 * k for k in range(8)) for flags in range(256)], np.uint64
)
"""Eight bits as eight bytes of 0 or 1."""

_NTH = np.array(
    [
        ([k for k in range(8) if flags >> k & 1] + [0] * 8)[n]
        for flags in range(256)
        for n in range(8)
    ],
    np.uint8,
)
"""At 8 * flags + n: the index of set bit number n of eight bits."""

_PAIRS = np.uint64(0x5555555555555555)
_FOURS = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x0101010101010101)
_HIGH_BITS = np.uint64(0x8080808080808080)
_1, _2, _3, _4, _7, _8 = (np.uint64(number) for number in (1, 2, 3, 4, 7, 8))


@dataclass(frozen=True)
class Deck:
    """Four suits of the given ranks, low to high."""

    ranks: str

    @property
    def num_ranks(self) -> int:
        return len(self.ranks)

    @property
    def num_cards(self) -> int:
        return 4 * len(self.ranks)

    def name(self, card: int) -> str:
        """Text of a card, rank first: ``"TH"`` is the ten of hearts."""
        if not 0 <= card < self.num_cards:
            raise ValueError(f"card {card} is not one of 0..{self.num_cards - 1}")
        suit, rank = divmod(card, self.num_ranks)
        return self.ranks[rank] + SUIT_LETTERS[suit]

    def parse(self, text: str) -> int:
        """Card id of a text such as ``"TH"``; the inverse of :meth:`name`."""
        rank = self.ranks.find(text[:1]) if len(text) == 2 else -1
        suit = SUIT_LETTERS.find(text[1:]) if len(text) == 2 else -1
        if rank < 0 or suit < 0:
            raise ValueError(f"{text!r} is no card of {self.ranks} in {SUIT_LETTERS}")
        return suit * self.num_ranks + rank

    def names(self, cards: Iterable[int]) -> str:
        """Texts of some cards, separated by spaces."""
        return " ".join(self.name(card) for card in cards)

    def cards(self, hand: int) -> list[int]:
        """Sorted card ids of a bit mask."""
        value = int(hand)
        return [card for card in range(self.num_cards) if value >> card & 1]

    def mask(self, cards: Iterable[int]) -> int:
        """Bit mask of some cards; a card outside the deck or given twice is refused."""
        value = 0
        for card in cards:
            name = self.name(card)
            if value >> card & 1:
                raise ValueError(f"card {name} is given twice")
            value |= 1 << card
        return value


DECK_24 = Deck("9TJQKA")
DECK_52 = Deck("23456789TJQKA")


@compiled
def bit(index: Any) -> Any:
    """The uint64 with only bit `index` set."""
    return BIT << np.uint64(index)


@inlined
def store_flags(row: Any, offset: int, flags: Any, count: int) -> None:
    """Write the low `count` bits of a uint64 as bytes of 0 or 1; at least eight."""
    for k in range(count // 8):
        store_word(row, offset + 8 * k, _SPREAD[(flags >> np.uint64(8 * k)) & _BYTE])
    if count % 8:
        last = count - 8
        store_word(row, offset + last, _SPREAD[(flags >> np.uint64(last)) & _BYTE])


@compiled
def nth_bit(word: Any, n: int) -> Any:
    """Index (int64) of set bit number `n` (from 0, lowest first) of a uint64 that has so many.

    No loop: how often one would go round is what a processor cannot foresee. Set bits are
    counted byte by byte, summed up from the lowest, and the first sum above `n` tells the byte.
    """
    sums = word - ((word >> _1) & _PAIRS)
    sums = (sums & _FOURS) + ((sums >> _2) & _FOURS)
    sums = ((sums + (sums >> _4)) & _NIBBLES) * _BYTES
    above = ((sums | _HIGH_BITS) - (np.uint64(n) + _1) * _BYTES) & _HIGH_BITS
    start = np.uint64(lowest_bit(above)) - _7
    left = np.uint64(n) - (((sums << _8) >> start) & _BYTE)
    return np.int64(start) + np.int64(_NTH[(((word >> start) & _BYTE) << _3) | left])
