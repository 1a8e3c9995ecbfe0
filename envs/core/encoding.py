"""The part of an observation that every trick game shares: whose cards were played when."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.envs.core.cards import BIT
from bidwise.envs.core.compilation import compiled, inlined
from bidwise.envs.core.instructions import load_half, load_word, store_half, store_word

__all__ = [
    "hundreds",
    "relative_seat",
    "store_bytes",
    "store_four",
    "store_history",
    "swap_pairs",
    "turn_four",
]

_ONES = np.uint64(0x0101010101010101)
_FILL = np.uint64(0x7F7F7F7F7F7F7F7F)
_SEVENS = np.uint64(0x0707070707070707)
_3 = np.uint64(3)
_7 = np.uint64(7)
_255 = np.uint64(255)
_8 = np.uint64(8)
_EVEN = np.uint64(0x00FF00FF00FF00FF)


@compiled
def relative_seat(seat: int, observer: int, num_players: int) -> int:
    """Seats counted from the observer: 0 me, 1 my left, …"""
    there = seat - observer
    return there + num_players if there < 0 else there


@compiled
def hundreds(total: int) -> int:
    """Hundreds of a total, truncated towards zero."""
    return total // 100 if total >= 0 else -((-total) // 100)


@compiled
def _turn(word: Any, observer: Any, num_players: Any) -> Any:
    """Eight bytes "absolute seat plus 1, or 0" turned to the observer's point of view."""
    present = ((word + _FILL) >> _7) & _ONES
    moved = word + _ONES * (_7 - observer)
    wrapped = _ONES - ((moved >> _3) & _ONES)
    return (moved + wrapped * num_players - _SEVENS) & (present * _255)


@inlined
def _turn_seats(
    source: Any, first: int, count: int, by: int, num_players: int, row: Any, offset: int
) -> None:
    """Write `count` bytes "seat plus 1, or 0" from `first` on as seats from `by` on, plus 1, or 0.

    `count` is at least eight. The source may be the row itself at the same place.
    """
    me = np.uint64(by)
    players = np.uint64(num_players)
    end = count - 8
    last = _turn(load_word(source, first + end), me, players)
    for k in range(count // 8):
        store_word(row, offset + 8 * k, _turn(load_word(source, first + 8 * k), me, players))
    store_word(row, offset + end, last)


@inlined
def store_history(
    state: Any,
    num_cards: int,
    num_players: int,
    seat: int,
    changed: int,
    turned: int,
    row: Any,
    offset: int,
) -> None:
    """Write by whom, in which trick and at which place each card was played: three fields.

    Args:
        changed: as in :func:`bidwise.envs.game.observe`.
        turned: how many seats to the left of the row's observer `seat` is; for an action only.
    """
    tricks, places = offset + num_cards, offset + 2 * num_cards
    if changed < 0:
        _turn_seats(state.played_by, 0, num_cards, seat, num_players, row, offset)
        store_bytes(state.played_trick, 0, num_cards, row, tricks)
        store_bytes(state.played_place, 0, num_cards, row, places)
        return
    # The record's bytes have just been written, and would have to be waited for as words.
    _turn_seats(row, offset, num_cards, turned, num_players, row, offset)
    if changed < num_cards:
        player = int(state.played_by[changed]) - 1
        row[offset + changed] = relative_seat(player, seat, num_players) + 1
        row[tricks + changed] = state.played_trick[changed]
        row[places + changed] = state.played_place[changed]


@inlined
def store_bytes(source: Any, first: int, count: int, row: Any, offset: int) -> None:
    """Copy `count` bytes of a record, at least eight, from `first` on."""
    for k in range(count // 8):
        store_word(row, offset + 8 * k, load_word(source, first + 8 * k))
    if count % 8:
        last = count - 8
        store_word(row, offset + last, load_word(source, first + last))


@inlined
def turn_four(source: Any, first: int, by: int, num_players: int, row: Any, offset: int) -> None:
    """Write four bytes, one a seat, as seats from `by` on; those of nobody stay where they are."""
    word = load_half(source, first)
    steps = np.uint64(8 * by)
    width = np.uint64(8 * num_players)
    used = (BIT << width) - BIT
    turned = ((word >> steps) | (word << (width - steps))) & used
    store_half(row, offset, turned | (word & ~used))


@inlined
def store_four(source: Any, observer: int, row: Any, offset: int) -> None:
    """Write four bytes of a record, one a seat of four players, as seats from the observer on."""
    turn_four(source, 0, observer, 4, row, offset)


@inlined
def swap_pairs(row: Any, offset: int, times: int) -> None:
    """Swap each two of eight bytes that stand side by side, so many times."""
    word = load_word(row, offset)
    # No branch: who wins a trick is what a processor cannot foresee.
    change = (word ^ (word >> _8)) & (_EVEN * np.uint64(times & 1))
    store_word(row, offset, word ^ change ^ (change << _8))
