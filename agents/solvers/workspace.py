"""What a searching thread keeps: the deal in hand, prepared, and the search's own arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.solvers.compilation import compiled
from bidwise.envs.core.instructions import lowest_bit

__all__ = [
    "CERTAIN_LOSSES",
    "CERTAIN_WINS",
    "DEAL",
    "FRAME",
    "HANDS",
    "KEYS",
    "MEMO",
    "MEMO_SHIFT",
    "OWNER",
    "PLIES",
    "READY",
    "SIDES",
    "TABLE",
    "TABLE_SHIFT",
    "TRICK",
    "TRICKS",
    "TRUMP",
    "new_workspace",
    "prepare",
    "prepare_trumps",
    "worth_trying",
]

FRAME = 8
"""Entries of a frame."""

MEMO_SHIFT, TABLE_SHIFT = 17, 18
"""What cuts a hash of 32 bits down to a place among the memo's and the table's entries."""

# The sections of a workspace, one int64 array so that compiled calls have few arguments.
#   SUITS   4 x 64 by suit and subset of its cards: the sort key of the owners' row; at RUNS the
#           lowest card of each run of one owner; at SIDES the declarer's cards (how many, and
#           how many without the lowest of the suit); at SURE_WINS by subset of the trumps the
#           tricks that the declarer's win for certain; at SURE_LOSSES those of a defender.
#   HANDS   the players' cards, the declarer's first.
#   KEYS    sort keys of the four suits; TRICK ids of the cards on the table.
#   OWNER   who holds or played each card of the deal.
#   READY   1 while SUITS is of the cards in HANDS; TRUMP the trump that it is of.
#   DEAL    number of the deal, which tells old entries from new ones.
#   PLIES   frames of the plies; TRICKS frames of the tricks.
#   MEMO    endings met in this deal: deal, cards in play, leader, squeezed value.
#   TABLE   positions above: deal, cards and leader; intervals that hold; that do not.
SUITS, HANDS, KEYS, TRICK, OWNER = 0, 896, 900, 904, 908
READY, TRUMP, DEAL = 932, 933, 934
RUNS, SIDES, CERTAIN_WINS, CERTAIN_LOSSES = 256, 512, 768, 832
PLIES, TRICKS, MEMO = 1024, 1280, 1344
TABLE = MEMO + (1 << (32 - MEMO_SHIFT))
SIZE = TABLE + (3 << (32 - TABLE_SHIFT))


def new_workspace() -> NDArray[np.int64]:
    """A workspace, 0.7 MB; each thread and kind of game needs its own."""
    return np.zeros(SIZE, np.int64)


@compiled
def prepare(owner: Any, suits: Any) -> None:
    """Fill a workspace's SUITS for the owners (24,) of the deal's cards; 0 is the declarer."""
    for suit in range(4):
        base = 64 * suit
        suits[base] = suits[RUNS + base] = suits[SIDES + base] = 0
        for rank in range(6):
            who = owner[6 * suit + rank]
            top = 1 << rank
            for mask in range(top):
                key = suits[base + mask]
                length = key >> 12
                last = (key >> (2 * (length - 1))) & 3 if length else -1
                both = base + top + mask
                suits[both] = ((length + 1) << 12) | (key & 0xFFF) | (who << (2 * length))
                suits[RUNS + both] = suits[RUNS + base + mask] | (top if last != who else 0)
                side = suits[SIDES + base + mask]
                if who == 0:
                    # The lowest of the suit are those with none but the declarer's below.
                    side += 256 if (key & 0xFFF) == 0 else 257
                suits[SIDES + both] = side


@compiled
def prepare_trumps(owner: Any, trump: int, suits: Any) -> None:
    """Fill the last rows of a workspace's SUITS, which are of the trump suit.

    From the top down a trump of theirs beats one of the declarer's that is lower, once; what is
    left unmatched wins. And each defender's against the declarer's alike.
    """
    suits[CERTAIN_WINS] = suits[CERTAIN_LOSSES] = 0
    for mask in range(1, 64):
        low = mask & -mask
        who = owner[6 * trump + lowest_bit(np.uint64(low))]
        # Three bits count the trumps that can still beat one; above them, the sure tricks.
        mine = suits[CERTAIN_WINS + mask - low]
        if who > 0:
            mine += 1
        else:
            mine += -1 if mine & 7 else 8
        suits[CERTAIN_WINS + mask] = mine
        theirs = suits[CERTAIN_LOSSES + mask - low]
        most = theirs >> 24
        if who == 0:
            theirs += 0x010101
        else:
            shift = 8 * (who - 1)
            one = theirs >> shift
            theirs += (-1 << shift) if one & 7 else (8 << shift)
            most = max(most, ((theirs >> shift) & 0xFF) >> 3)
        suits[CERTAIN_LOSSES + mask] = (most << 24) | (theirs & 0xFFFFFF)


@compiled
def worth_trying(suits: Any, live: int) -> Any:
    """The lowest card of each run of cards in play that one player holds: the rest are equal."""
    return (
        suits[RUNS + (live & 63)]
        | (suits[RUNS + 64 + ((live >> 6) & 63)] << 6)
        | (suits[RUNS + 128 + ((live >> 12) & 63)] << 12)
        | (suits[RUNS + 192 + ((live >> 18) & 63)] << 18)
    )
