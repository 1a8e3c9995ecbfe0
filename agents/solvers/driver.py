"""A whole answer: every interval that matters, asked in an order that asks for little."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.agents.solvers.compilation import compiled
from bidwise.agents.solvers.intervals import IMPLIED, NEEDED, QUESTION_ORDER
from bidwise.agents.solvers.search import walk
from bidwise.agents.solvers.trick import trick_so_far
from bidwise.agents.solvers.workspace import DEAL, HANDS, MEMO, worth_trying
from bidwise.envs.core.instructions import lowest_bit

__all__ = ["search"]

LAST_DEAL = (1 << 24) - 1
"""Deals that tell a memo's entries apart."""


@compiled
def search(
    numbers: Any,
    narrow: Any,
    middle: Any,
    wide: Any,
    work: Any,
    exact: int,
    players: int,
    following: int,
    trump: int,
    n: int,
    leader: int,
    trick: Any,
    on_table: int,
) -> int:
    """Which intervals the declarer, player 0, can hold: a complete word.

    Args:
        numbers, narrow, middle, wide: of so many players and this kind of trump.
        work: of the calling thread; HANDS are the cards held, and SUITS is prepared.
        exact: tricks to come up to which positions are kept.
        players: 2..4.
        following: index into FOLLOWING.
        trump: 0..3, 4 for none.
        n: tricks to come, the current one included.
        leader: who led, or is to lead.
        trick: (4,) ids of the cards of the current trick, in order.
        on_table: how many of them there are.
    """
    work[DEAL] += 1
    if work[DEAL] > LAST_DEAL:
        work[MEMO:] = 0
        work[DEAL] = 1
    live = work[HANDS]
    for player in range(1, players):
        live |= work[HANDS + player]
    led, strength, ahead = trick_so_far(trick, on_table, leader, players, trump)
    # Cards on the table still part those in hand.
    start = live
    for place in range(on_table):
        start |= 1 << int(trick[place])
    worth = worth_trying(work, start)
    held = 0
    sought = NEEDED[n]
    stage = 0
    staged = following == 0 and n - 1 > exact
    while sought:
        asked = sought
        if staged:
            asked = QUESTION_ORDER[n, stage]
            stage += 1
            if asked & sought == 0:
                continue
        answer = walk(
            numbers,
            narrow,
            middle,
            wide,
            work,
            exact,
            players,
            following,
            trump,
            n,
            live,
            leader,
            on_table,
            led,
            strength,
            ahead,
            worth,
            asked,
        )
        if staged:
            place = lowest_bit(np.uint64(asked))
            if answer:
                held |= IMPLIED[place, 1] & NEEDED[n]
                sought &= ~IMPLIED[place, 1]
            else:
                sought &= ~IMPLIED[place, 0]
        else:
            held |= answer
            sought = 0
    return held
