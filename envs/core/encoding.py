"""The part of an observation that every trick game shares: whose cards were played when."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.envs.core.compilation import compiled, load_word, store_half, store_word

__all__ = ["hundreds", "relative_seat", "store_bytes", "store_four", "store_seats"]

_ONES = np.uint64(0x0101010101010101)
_FILL = np.uint64(0x7F7F7F7F7F7F7F7F)
_SEVENS = np.uint64(0x0707070707070707)
_3 = np.uint64(3)
_7 = np.uint64(7)
_255 = np.uint64(255)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


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


@compiled
def store_seats(
    source: Any, count: int, observer: int, num_players: int, row: Any, offset: int
) -> None:
    """Write `count` bytes "seat plus 1, or 0" of a record as relative seats plus 1, or 0.

    `count` is at least eight; bytes that make no whole word are written with those before.
    """
    me = np.uint64(observer)
    players = np.uint64(num_players)
    for k in range(count // 8):
        store_word(row, offset + 8 * k, _turn(load_word(source, 8 * k), me, players))
    if count % 8:
        last = count - 8
        store_word(row, offset + last, _turn(load_word(source, last), me, players))


@compiled
def store_bytes(source: Any, first: int, count: int, row: Any, offset: int) -> None:
    """Copy `count` bytes of a record, at least eight, from `first` on."""
    for k in range(count // 8):
        store_word(row, offset + 8 * k, load_word(source, first + 8 * k))
    if count % 8:
        last = count - 8
        store_word(row, offset + last, load_word(source, first + last))


@compiled
def store_four(source: Any, observer: int, row: Any, offset: int) -> None:
    """Write four bytes of a record, one a seat of four players, as seats from the observer on."""
    word = load_word(source, 0) & _LOW
    turned = np.uint64(8 * observer)
    store_half(row, offset, (word >> turned) | (word << (_HALF - turned)))
