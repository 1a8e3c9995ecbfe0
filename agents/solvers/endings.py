"""Every ending of a few tricks has a number, so that its value is kept in a plain array.

Between tricks only this matters: who leads, and for each suit whose the cards still in play are,
from the lowest up (cards that are gone leave no gap). Suits other than trumps can be named in any
order, so they are sorted. What is left is one of few *shapes* (how many cards each suit has) and a
row of owners, one a card, in which every player stands equally often. The row is cut in two halves;
a half's number among the halves of the same content is looked up, and a first half's content
tells what the second must hold. One array thus serves all deals, trumps and bids.

Values are words of :mod:`bidwise.agents.solvers.intervals`, squeezed to the intervals needed.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.solvers.intervals import MAX_TRICKS, NEEDED
from bidwise.envs.pyramid.state import NUM_RANKS

__all__ = ["EXACT_TRICKS", "Endings", "Numbering", "ending_numbering", "new_endings"]

FIRST_AT, SECOND_AT, SHAPES_AT, WORDS_AT, CUT, ROWS, BASE = range(7)
ROW = 8
EXACT_TRICKS = {2: 6, 3: 4, 4: 3}
"""Tricks to come at which every position is kept, by number of players."""


class Numbering(NamedTuple):
    """How positions with up to EXACT_TRICKS tricks to come are numbered, in one array.

    Attributes:
        numbers: row n (0..6) of ROW entries holds where the tables of n tricks begin: of first
            halves, of second halves, of shapes by the lengths of the first three suits (8·8·8),
            of words by squeezed value (n up to 4); twice the cards of a second half; how many
            rows of owners there are; the number of the first position among those of its width.
        sizes: entries in the arrays of 8, 16 and 64 bits.
    """

    numbers: NDArray[np.int64]
    sizes: tuple[int, int, int]


class Endings(NamedTuple):
    """Values of endings, 0 where not known yet; by the width that n tricks to come need.

    Attributes:
        narrow: uint8, n = 1..3.
        middle: uint16, n = 4.
        wide: int64, n = 5 and 6.
    """

    narrow: NDArray[np.uint8]
    middle: NDArray[np.uint16]
    wide: NDArray[np.int64]


def _halves(length: int, players: int, each: int) -> list[tuple[int, tuple[int, ...]]]:
    """(code, cards of each player) of all rows of owners, in order of their codes."""
    rows = []
    for owners in product(range(players), repeat=length):
        counts = tuple(owners.count(player) for player in range(players))
        if max(counts) <= each:
            code = 0
            for owner in owners:
                code = 4 * code + owner
            rows.append((code, counts))
    return rows


def _number_halves(players: int, tricks: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Tables of first and second halves by their codes, and how many rows of owners there are."""
    cards = players * tricks
    second_length = cards // 2
    second: NDArray[np.int64] = np.zeros(4**second_length, np.int64)
    found: dict[tuple[int, ...], int] = {}
    for code, counts in _halves(second_length, players, tricks):
        second[code] = found.get(counts, 0)
        found[counts] = found.get(counts, 0) + 1
    first: NDArray[np.int64] = np.zeros(4 ** (cards - second_length), np.int64)
    base = 0
    for code, counts in _halves(cards - second_length, players, tricks):
        first[code] = base
        base += found[tuple(tricks - count for count in counts)]
    assert base == factorial(cards) // factorial(tricks) ** players
    return first, second, base


def _shapes(cards: int, has_trump: bool) -> dict[tuple[int, int, int, int], int]:
    """Numbers of the suits' lengths: trumps first, the others from the longest down."""
    shapes: dict[tuple[int, int, int, int], int] = {}
    for a, b, c, d in product(range(NUM_RANKS + 1), repeat=4):
        if a + b + c + d == cards and b >= c >= d and (has_trump or a >= b):
            shapes[a, b, c, d] = len(shapes)
    return shapes


@cache
def ending_numbering(players: int, has_trump: bool) -> Numbering:
    """The numbering for so many players, with a trump suit or without."""
    heads: NDArray[np.int64] = np.zeros((MAX_TRICKS + 1, ROW), np.int64)
    parts: list[NDArray[np.int64]] = [heads.ravel()]
    sizes = [0, 0, 0]

    def append(part: NDArray[np.int64]) -> int:
        place = sum(map(len, parts))
        parts.append(part)
        return place

    for n in range(1, MAX_TRICKS + 1):
        head = heads[n]
        if n <= 4:
            head[WORDS_AT] = append(_words(n))
        if n > EXACT_TRICKS[players]:
            continue
        first, second, head[ROWS] = _number_halves(players, n)
        head[FIRST_AT], head[SECOND_AT] = append(first), append(second)
        head[CUT] = 2 * (players * n // 2)
        shapes: NDArray[np.int64] = np.zeros((8, 8, 8), np.int64)
        numbers = _shapes(players * n, has_trump)
        for lengths, number in numbers.items():
            shapes[lengths[:3]] = number
        head[SHAPES_AT] = append(shapes.ravel())
        width = 0 if n <= 3 else 1 if n == 4 else 2
        head[BASE] = sizes[width]
        sizes[width] += len(numbers) * int(head[ROWS]) * players
    return Numbering(np.concatenate(parts), (sizes[0], sizes[1], sizes[2]))


def _words(tricks: int) -> NDArray[np.int64]:
    """The word of every squeezed value."""
    bits = [bit for bit in range(63) if int(NEEDED[tricks]) >> bit & 1]
    values = np.arange(1 << len(bits), dtype=np.int64)
    words: NDArray[np.int64] = np.zeros(len(values), np.int64)
    for place, bit in enumerate(bits):
        words |= (values >> place & 1) << bit
    return words


def new_endings(numbering: Numbering) -> Endings:
    """Arrays in which nothing is known; memory is taken as they fill."""
    narrow, middle, wide = (max(size, 1) for size in numbering.sizes)
    return Endings(
        np.zeros(narrow, np.uint8), np.zeros(middle, np.uint16), np.zeros(wide, np.int64)
    )
