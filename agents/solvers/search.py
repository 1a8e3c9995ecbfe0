"""The search: the declarer against all others as one, all hands open, every bid at once.

A position between tricks is asked a *question*, a word of the intervals whose truth matters, and
answers with those that the declarer can hold. Within a trick the declarer's choice joins answers,
a defender's choice intersects them, and a node is left when its question is settled. Positions of
few tricks are looked up (:mod:`bidwise.agents.solvers.endings`); above them answers are kept for
the deal in hand, and before a position is played out, what is sure may settle it
(:mod:`bidwise.agents.solvers.bounds`).

One loop walks the tree with its frames in plain arrays: nothing is allocated, and threads share
only arrays whose entries are written whole, each with the one value it can have. The module is over
300 lines long because numba inlines no call in that loop for free: it stays in one piece.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.agents.solvers.bounds import certain_answers, certain_by_a_card
from bidwise.agents.solvers.compilation import compiled
from bidwise.agents.solvers.intervals import (
    NEEDED,
    answer_after,
    interval,
    question_after,
)
from bidwise.agents.solvers.lookup import keep_ending, known_ending, word_of
from bidwise.agents.solvers.trick import legal_cards, strength_of, suit_of
from bidwise.agents.solvers.workspace import (
    DEAL,
    FRAME,
    HANDS,
    KEYS,
    MEMO,
    MEMO_SHIFT,
    PLIES,
    TABLE,
    TABLE_SHIFT,
    TRICKS,
    worth_trying,
)
from bidwise.envs.core.instructions import lowest_bit

__all__ = ["walk"]

MAX_PLAYERS = 4

# A ply's frame: candidates, the question, what of it is open, seat, best card's strength and
# seat before the ply, cards in play before the ply, who won the trick that was entered last.
CANDIDATES, ASKED, OPEN, SEAT, STRENGTH, AHEAD, LIVE, WINNER = range(8)
# A trick's frame: leader, the question put to its position, what of it is searched, what holds
# without, where the answer goes (-1: nowhere), the cards worth trying, the suit led.
LEADER, WANTED, SOUGHT, SURE, SLOT, WORTH, LED = range(7)

ENTER, PLY, NEXT, BACK, FINISH = range(5)
WON_LAST, LOST_LAST = interval(1, 1), interval(0, 0)
HASH = 0x9E3779B1

VALUE_BITS = 12
"""Of an ending's value in the memo: with 4 tricks to come twelve intervals are needed."""

LAST_PLACE = 255
"""Of the plies' frames: an index cut to so many bits is not negative, as compilers see."""


@compiled
def walk(
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
    live: int,
    leader: int,
    first_ply: int,
    led: int,
    strength: int,
    ahead: int,
    worth: int,
    asked: int,
) -> int:
    """Those of the intervals asked that the declarer can hold; see `solvers.stages`."""
    suits, hands = work[:HANDS], work[HANDS:KEYS]
    plies, tricks, memo, table = (
        work[PLIES:TRICKS],
        work[TRICKS:MEMO],
        work[MEMO:TABLE],
        work[TABLE:],
    )
    deal = work[DEAL]
    sides = -1 if trump == 4 else ~(63 << (6 * trump))
    depth = 0
    ply = first_ply
    answer = 0
    result = 0
    frame = 0
    mode = ENTER
    if first_ply:
        mode = PLY
        tricks[LEADER] = leader
        tricks[WANTED] = asked
        tricks[SOUGHT] = asked
        tricks[SURE] = 0
        tricks[SLOT] = -1
        tricks[WORTH] = worth
        tricks[LED] = led
    while True:
        if mode == ENTER:
            # A position between tricks: n, live, leader and what is asked of it.
            slot = -1
            certain = 0
            sought = asked
            if asked == 0:
                answer = 0
                mode = BACK
            elif n <= exact:
                if n > 1:
                    answer = known_ending(
                        numbers, narrow, middle, wide, suits, players, n, trump, live, leader
                    )
                    if answer >= 0:
                        answer = word_of(numbers, n, answer) & asked
                        mode = BACK
                    else:
                        sought = NEEDED[n]
            else:
                certain = certain_answers(suits, live, leader == 0, True, following, trump, n)
                wrong = 0
                if depth > 0:
                    position = (live << 2) | leader
                    slot = 3 * ((position * HASH & 0xFFFFFFFF) >> TABLE_SHIFT)
                    if table[slot] == (deal << 26) | position:
                        certain |= table[slot + 1]
                        wrong = table[slot + 2]
                answer = asked & certain
                sought = asked & ~(certain | wrong)
                if sought == 0:
                    mode = BACK
            if mode == ENTER:
                at = depth * FRAME
                tricks[at + LEADER] = leader
                tricks[at + WANTED] = asked
                tricks[at + SOUGHT] = sought
                tricks[at + SURE] = certain
                tricks[at + SLOT] = slot
                tricks[at + WORTH] = worth_trying(suits, live)
                asked = sought
                ply = 0
                led = -1
                strength = -1
                ahead = 0
                mode = PLY

        if mode == PLY:
            # The next player of the trick: which cards, and the last one's at once.
            at = depth * FRAME
            frame = (depth * MAX_PLAYERS + ply) * FRAME
            seat = tricks[at + LEADER] + ply
            if seat >= players:
                seat -= players
            cards = legal_cards(live & hands[seat], led, trump, following) & tricks[at + WORTH]
            still = asked
            mode = NEXT
            if seat == 0 and n > 2 and ply < players - 1:
                later = live & ~hands[0]
                for place in range(ply):
                    who = tricks[at + LEADER] + place
                    later &= ~hands[who - players if who >= players else who]
                still &= ~certain_by_a_card(
                    suits, live, cards, later, led, strength, following, trump, n
                )
                if still == 0:
                    result = asked
                    mode = FINISH
            if mode == NEXT and ply == players - 1 and n - 1 <= exact:
                mode = FINISH
                while cards and still:
                    first = cards & sides if cards & sides else cards
                    low = first & -first
                    own = strength_of(lowest_bit(np.uint64(low)), led, trump)
                    winner = seat if own > strength else ahead
                    if n == 1:
                        answer = WON_LAST if winner == 0 else LOST_LAST
                    else:
                        answer = -1
                        left = live ^ low
                        position = (left << 2) | winner
                        place = (position * HASH & 0xFFFFFFFF) >> MEMO_SHIFT
                        entry = memo[place]
                        if entry >> VALUE_BITS == (deal << 26) | position:
                            answer = entry & ((1 << VALUE_BITS) - 1)
                        elif n > 2:
                            certain = certain_answers(
                                suits, left, winner == 0, True, following, trump, n - 1
                            )
                            if still & ~answer_after(certain, n, winner == 0) == 0:
                                cards ^= low
                                if seat == 0:
                                    still = 0
                                continue
                            answer = known_ending(
                                numbers,
                                narrow,
                                middle,
                                wide,
                                suits,
                                players,
                                n - 1,
                                trump,
                                left,
                                winner,
                            )
                            if answer >= 0 and n <= 5:
                                memo[place] = (((deal << 26) | position) << VALUE_BITS) | answer
                        if answer < 0:
                            mode = NEXT
                            break
                        answer = answer_after(word_of(numbers, n - 1, answer), n, winner == 0)
                    cards ^= low
                    if seat == 0:
                        still &= ~answer
                    else:
                        still &= answer
                if mode == FINISH:
                    result = asked & ~still if seat == 0 else still
            if mode == NEXT:
                plies[(frame + CANDIDATES) & LAST_PLACE] = cards
                plies[(frame + ASKED) & LAST_PLACE] = asked
                plies[(frame + OPEN) & LAST_PLACE] = still
                plies[(frame + SEAT) & LAST_PLACE] = seat
                plies[(frame + STRENGTH) & LAST_PLACE] = strength
                plies[(frame + AHEAD) & LAST_PLACE] = ahead
                plies[(frame + LIVE) & LAST_PLACE] = live

        if mode == BACK:
            # A position's answer, for the player who ended the trick before it.
            if depth == 0:
                return answer
            depth -= 1
            n += 1
            ply = players - 1
            frame = (depth * MAX_PLAYERS + ply) * FRAME
            answer = answer_after(answer, n, plies[(frame + WINNER) & LAST_PLACE] == 0)
            if plies[(frame + SEAT) & LAST_PLACE] == 0:
                plies[(frame + OPEN) & LAST_PLACE] &= ~answer
            else:
                plies[(frame + OPEN) & LAST_PLACE] &= answer
            mode = NEXT

        if mode == NEXT:
            cards = plies[(frame + CANDIDATES) & LAST_PLACE]
            asked = plies[(frame + OPEN) & LAST_PLACE]
            seat = plies[(frame + SEAT) & LAST_PLACE]
            if cards == 0 or asked == 0:
                result = plies[(frame + ASKED) & LAST_PLACE] & ~asked if seat == 0 else asked
                live = plies[(frame + LIVE) & LAST_PLACE]
                mode = FINISH
            else:
                # Trumps last, and low cards first: most replies that refute are discards.
                first = cards & sides if cards & sides else cards
                low = first & -first
                card = lowest_bit(np.uint64(low))
                plies[(frame + CANDIDATES) & LAST_PLACE] = cards ^ low
                strength = plies[(frame + STRENGTH) & LAST_PLACE]
                ahead = plies[(frame + AHEAD) & LAST_PLACE]
                live = plies[(frame + LIVE) & LAST_PLACE] ^ low
                at = depth * FRAME
                if ply == 0:
                    tricks[at + LED] = suit_of(card)
                led = tricks[at + LED]
                own = strength_of(card, led, trump)
                if own > strength:
                    strength = own
                    ahead = seat
                if ply < players - 1:
                    ply += 1
                    mode = PLY
                else:
                    plies[(frame + WINNER) & LAST_PLACE] = ahead
                    asked = question_after(asked, n, ahead == 0)
                    n -= 1
                    depth += 1
                    leader = ahead
                    mode = ENTER

        if mode == FINISH:
            # All that a player could do is weighed.
            if ply > (first_ply if depth == 0 else 0):
                ply -= 1
                frame = (depth * MAX_PLAYERS + ply) * FRAME
                if plies[(frame + SEAT) & LAST_PLACE] == 0:
                    plies[(frame + OPEN) & LAST_PLACE] &= ~result
                else:
                    plies[(frame + OPEN) & LAST_PLACE] &= result
                mode = NEXT
            else:
                at = depth * FRAME
                leader = tricks[at + LEADER]
                sought = tricks[at + SOUGHT]
                slot = tricks[at + SLOT]
                answer = (result | tricks[at + SURE]) & tricks[at + WANTED]
                if slot >= 0:
                    tag = (deal << 26) | (live << 2) | leader
                    if table[slot] == tag:
                        table[slot + 1] |= result
                        table[slot + 2] |= sought & ~result
                    else:
                        table[slot] = tag
                        table[slot + 1] = result
                        table[slot + 2] = sought & ~result
                elif 1 < n <= exact and (depth > 0 or first_ply == 0):
                    keep_ending(
                        numbers,
                        narrow,
                        middle,
                        wide,
                        suits,
                        players,
                        n,
                        trump,
                        live,
                        leader,
                        result,
                    )
                mode = BACK
