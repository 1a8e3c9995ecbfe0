"""Finding and keeping an ending's value in the arrays of `solvers.endings`."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.agents.solvers.compilation import compiled
from bidwise.agents.solvers.endings import (
    BASE,
    CUT,
    FIRST_AT,
    ROW,
    ROWS,
    SECOND_AT,
    SHAPES_AT,
    WORDS_AT,
)
from bidwise.agents.solvers.intervals import NEEDED

__all__ = ["keep_ending", "known_ending", "number_of", "squeeze", "value_at", "word_of"]

KNOWN = 1 << 62
PLACES = 0x7FFFFFF
"""More than any array holds: an index cut to so many bits is not negative, as compilers see."""


@compiled
def number_of(
    numbers: Any, players: int, n: int, trump: int, a: int, b: int, c: int, d: int, leader: int
) -> Any:
    """The number of a position, from its suits' sort keys, a of ♣ to d of ♠."""
    # Trumps first; the others by length and row.
    if trump == 1:
        a, b = b, a
    elif trump == 2:
        a, b, c = c, a, b
    elif trump == 3:
        a, b, c, d = d, a, b, c
    b, c = max(b, c), min(b, c)
    c, d = max(c, d), min(c, d)
    b, c = max(b, c), min(b, c)
    if trump == 4:
        a, b = max(a, b), min(a, b)
        b, c = max(b, c), min(b, c)
        c, d = max(c, d), min(c, d)
    second, third, fourth = b >> 12, c >> 12, d >> 12
    row = ((a & 0xFFF) << (2 * second)) | (b & 0xFFF)
    row = (row << (2 * third)) | (c & 0xFFF)
    row = (row << (2 * fourth)) | (d & 0xFFF)
    head = ROW * n
    cut = numbers[head + CUT]
    arrangement = (
        numbers[numbers[head + FIRST_AT] + (row >> cut)]
        + numbers[numbers[head + SECOND_AT] + (row & ((1 << cut) - 1))]
    )
    shape = numbers[numbers[head + SHAPES_AT] + 64 * (a >> 12) + 8 * second + third]
    return numbers[head + BASE] + (shape * numbers[head + ROWS] + arrangement) * players + leader


@compiled
def squeeze(word: int, n: int) -> int:
    """The bits of NEEDED[n] in a word, side by side."""
    bits = NEEDED[n]
    squeezed = 0
    place = 0
    while bits:
        low = bits & -bits
        if word & low:
            squeezed |= 1 << place
        place += 1
        bits ^= low
    return squeezed


@compiled
def value_at(narrow: Any, middle: Any, wide: Any, n: int, number: int) -> Any:
    """An ending's value, for :func:`word_of`; -1 if it is not known yet."""
    # A squeezed value of 1 (none taken holds, one at most does not) cannot be: it marks 0.
    if n <= 3:
        held = np.int64(narrow[number & PLACES])
    elif n == 4:
        held = np.int64(middle[number & PLACES])
    else:
        held = wide[number & PLACES]
        return held ^ KNOWN if held else -1
    return held ^ 1 if held else -1


@compiled
def known_ending(
    numbers: Any,
    narrow: Any,
    middle: Any,
    wide: Any,
    suits: Any,
    players: int,
    n: int,
    trump: int,
    live: int,
    leader: int,
) -> Any:
    """:func:`value_at` of the cards in play, by a workspace's sort keys."""
    number = number_of(
        numbers,
        players,
        n,
        trump,
        suits[live & 63],
        suits[64 + ((live >> 6) & 63)],
        suits[128 + ((live >> 12) & 63)],
        suits[192 + ((live >> 18) & 63)],
        leader,
    )
    return value_at(narrow, middle, wide, n, number)


@compiled
def word_of(numbers: Any, n: int, value: int) -> Any:
    """The word of an ending's value."""
    return value if n > 4 else numbers[numbers[ROW * n + WORDS_AT] + value]


@compiled
def keep_ending(
    numbers: Any,
    narrow: Any,
    middle: Any,
    wide: Any,
    suits: Any,
    players: int,
    n: int,
    trump: int,
    live: int,
    leader: int,
    word: int,
) -> None:
    """Write the word of an ending."""
    number = number_of(
        numbers,
        players,
        n,
        trump,
        suits[live & 63],
        suits[64 + ((live >> 6) & 63)],
        suits[128 + ((live >> 12) & 63)],
        suits[192 + ((live >> 18) & 63)],
        leader,
    )
    if n <= 3:
        narrow[number & PLACES] = squeeze(word, n) ^ 1
    elif n == 4:
        middle[number & PLACES] = squeeze(word, n) ^ 1
    else:
        wide[number & PLACES] = word | KNOWN
