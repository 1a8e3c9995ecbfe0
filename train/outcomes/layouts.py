"""Layouts for outcome tables: a row's hand at seat 0, the other cards dealt to the others.

Layout `l` of row `r` is a function of (seed, r, l) alone, whatever else is dealt.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.order.compilation import compiled
from bidwise.agents.outcomes.hands import (
    NUM_TRUMP_CLASSES,
    TRUMP,
    class_hands,
    trump_class_hands,
)
from bidwise.agents.outcomes.table import NUM_DISTANCES
from bidwise.envs.core.cards import NO_TRUMP
from bidwise.envs.core.rng import below, draw, stream
from bidwise.envs.pyramid.state import HAND_SIZE, NUM_CARDS

__all__ = ["count_distances", "deal_layouts", "row_hands", "row_trumps"]

_LAYOUTS = np.uint64(0x6C61796F757473)
"""The name, in the place of a deal's number, of the streams that deal layouts."""

_HALF = np.uint64(32)
_BIT = np.uint32(1)


def row_hands(rows: NDArray[np.int64]) -> NDArray[np.uint32]:
    """(N,) uint32: the representative hand of each row of an outcome table."""
    hands = np.concatenate([trump_class_hands(), class_hands()])
    return hands[rows]


def row_trumps(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """(N,) int64: the trump of each row, 3 (♠), or 4 for no trump."""
    return np.where(rows < NUM_TRUMP_CLASSES, TRUMP, NO_TRUMP)


def deal_layouts(
    rows: NDArray[np.int64], layouts: int, num_players: int, seed: int
) -> NDArray[np.uint32]:
    """Deals for some rows of an outcome table.

    Args:
        rows: (N,) row numbers.
        layouts: L, how many a row.
        num_players: P; with 2 or 3 players the rest is out of the deal.
        seed: 0..2**64-1.

    Returns:
        (N, L, P) uint32: each seat's hand as a bit mask, the row's own at seat 0.
    """
    deals = np.zeros((len(rows), layouts, num_players), np.uint32)
    _deal(rows.astype(np.uint64), row_hands(rows), np.uint64(seed), deals)
    return deals


@compiled
def _deal(rows: Any, hands: Any, seed: Any, deals: Any) -> None:
    """Card after card goes to a place chosen uniformly among those still free, which makes every
    division of the cards equally likely."""
    num_players = deals.shape[2]
    free = np.empty(num_players, np.int64)
    for i in range(len(rows)):
        for layout in range(deals.shape[1]):
            key = stream(seed, rows[i], np.uint64(layout), _LAYOUTS)
            deal = deals[i, layout]
            deal[0] = hands[i]
            for seat in range(1, num_players):
                free[seat] = HAND_SIZE
            left = NUM_CARDS - HAND_SIZE
            for card in range(NUM_CARDS):
                bit = _BIT << np.uint32(card)
                if hands[i] & bit:
                    continue
                bits = draw(key, np.uint64(left))
                place = int(below(bits >> _HALF, np.uint64(left)))
                left -= 1
                for seat in range(1, num_players):
                    if place < free[seat]:
                        free[seat] -= 1
                        deal[seat] |= bit
                        break
                    place -= free[seat]


def count_distances(distances: NDArray[np.int64]) -> NDArray[np.int64]:
    """Counts (2, N, 7, 7) of distances (N, L, 7): layout k belongs to fold k % 2."""
    kinds = np.arange(NUM_DISTANCES)
    folds = [
        (distances[:, fold::2, :, None] == kinds).sum(axis=1, dtype=np.int64) for fold in (0, 1)
    ]
    return np.stack(folds)
