"""What a declarer can force, for every bid at once, as the bits of one word.

With n tricks to come, bit 8·low + high says that the declarer can hold the tricks still to be
taken within low..high. A bid and an allowed distance make such an interval, cut off at 0 and n,
so that the words need only the intervals in ``NEEDED[n]``: those that touch an end and those
around a middle. The declarer's choice is then an OR of words, the defenders' an AND.

Words are 56 bits wide and kept in int64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.solvers.compilation import compiled

__all__ = [
    "IMPLIED",
    "MAX_TRICKS",
    "NEEDED",
    "QUESTION_ORDER",
    "answer_after",
    "interval",
    "question_after",
    "scores_of_words",
]

MAX_TRICKS = 6


def interval(low: int, high: int) -> int:
    """The bit of "between low and high tricks"."""
    return 1 << (8 * low + high)


def _needed(tricks: int) -> int:
    word = 0
    for bid in range(tricks + 1):
        for distance in range(tricks + 1):
            low, high = max(bid - distance, 0), min(bid + distance, tricks)
            if (low, high) != (0, tricks):
                word |= interval(low, high)
    return word


NEEDED: NDArray[np.int64] = np.array([_needed(n) for n in range(MAX_TRICKS + 1)], np.int64)
"""(7,) the intervals worth knowing with so many tricks to come; 0..n itself is always held."""


def _bounds(bit: int) -> tuple[int, int]:
    return divmod(bit.bit_length() - 1, 8)


def _intervals(tricks: int) -> list[int]:
    """The needed intervals, one bit each, the widest first."""
    bits = [1 << place for place in range(56) if int(NEEDED[tricks]) >> place & 1]
    return sorted(bits, key=lambda bit: (_bounds(bit)[0] - _bounds(bit)[1], _bounds(bit)))


QUESTION_ORDER: NDArray[np.int64] = np.zeros((MAX_TRICKS + 1, 24), np.int64)
"""(7, 24) the needed intervals in the order in which a search asks them, 0 behind the last.

A wide interval is shown to hold by few lines of play, and one that does not hold answers for
all within it."""

IMPLIED: NDArray[np.int64] = np.zeros((64, 2), np.int64)
"""(64, 2) by place of an interval's bit: the intervals within it (false if it is), and those
around it (true if it is)."""

for _tricks in range(MAX_TRICKS + 1):
    for _place, _bit in enumerate(_intervals(_tricks)):
        QUESTION_ORDER[_tricks, _place] = _bit
for _low in range(MAX_TRICKS + 1):
    for _high in range(_low, MAX_TRICKS + 1):
        for _l in range(MAX_TRICKS + 1):
            for _h in range(_l, MAX_TRICKS + 1):
                if _low <= _l and _h <= _high:
                    IMPLIED[8 * _low + _high, 0] |= interval(_l, _h)
                if _l <= _low and _high <= _h:
                    IMPLIED[8 * _low + _high, 1] |= interval(_l, _h)

_ROW = 0xFF


@compiled
def _column(n: int) -> int:
    """The bits of "low to n" for every low up to n."""
    return (0x0101010101010101 & ((1 << (8 * n + 8)) - 1)) << n


@compiled
def question_after(question: int, n: int, won: bool) -> Any:
    """What to ask of the position behind a trick, so that a question about n tricks is settled.

    A trick won makes low..high into low-1..high-1 of n-1 tricks. What the trick itself settles
    is not asked.
    """
    if won:
        return ((question >> 9) | ((question & _ROW) >> 1)) & NEEDED[n - 1]
    last = question & _column(n)
    return ((question ^ last) | (last >> 1)) & NEEDED[n - 1]


@compiled
def answer_after(answer: int, n: int, won: bool) -> int:
    """A position's answer as that of the n tricks of which the first was just won or lost."""
    held = answer | (1 << (n - 1))
    if won:
        return (held << 9) | ((held & _ROW) << 1)
    return held | ((held & _column(n - 1)) << 1)


@compiled
def scores_of_words(words: Any, tricks: int, scores: Any) -> None:
    """Write the declarer's score for every bid 0..tricks, from complete words.

    Args:
        words: (N,) int64.
        tricks: those to come.
        scores: (N, tricks + 1) int8, written.
    """
    for row in range(len(words)):
        word = words[row]
        for bid in range(tricks + 1):
            distance = 0
            while True:
                low = max(bid - distance, 0)
                high = min(bid + distance, tricks)
                if (low == 0 and high == tricks) or (word >> (8 * low + high)) & 1:
                    break
                distance += 1
            scores[row, bid] = 10 - 2 * distance
