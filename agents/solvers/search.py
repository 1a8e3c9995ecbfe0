"""The search: the declarer against all others as one, all hands open, every bid at once.

A position between tricks is asked a *question*, a word of the intervals whose truth matters, and
answers with those that the declarer can hold. Within a trick the declarer's choice joins answers,
a defender's choice intersects them, and a node is left when its question is settled. Positions of
few tricks are looked up (:mod:`bidwise.agents.solvers.endings`); above them answers are kept for
the deal in hand, and before a position is played out, what is sure may settle it
(:mod:`bidwise.agents.solvers.sure`).

One loop walks the tree with its frames in plain arrays: nothing is allocated, and threads share
only arrays whose entries are written whole, each with the one value it can have.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.agents.solvers.intervals import (
    IMPLIED,
    NEEDED,
    STAGES,
    answer_after,
    interval,
    question_after,
)
from bidwise.agents.solvers.jit import compiled
from bidwise.agents.solvers.lookup import keep_ending, known_ending, word_of
from bidwise.agents.solvers.sure import strength_of, sure_answers, sure_by_a_card
from bidwise.agents.solvers.workspace import (
    COUNTS,
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
from bidwise.envs.jit import lowest_bit

__all__ = ["search", "trick_so_far"]

MAX_PLAYERS = 4

# A ply's frame: candidates, the question, what of it is open, seat, best card's strength and
# seat before the ply, cards in play before the ply, who won the trick that was entered last.
CANDIDATES, ASKED, OPEN, SEAT, STRENGTH, AHEAD, LIVE, WINNER = range(8)
# A trick's frame: leader, the question put to its position, what of it is searched, where the
# answer goes, the cards worth trying, the suit led.
LEADER, WANTED, SOUGHT, SURE, SLOT, WORTH, LED = range(7)

ENTER, PLY, NEXT, BACK, FINISH = range(5)
WON_LAST, LOST_LAST = interval(1, 1), interval(0, 0)
HASH = 0x9E3779B1

VALUE_BITS = 12
LAST_DEAL = (1 << 24) - 1


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
    """Those of the intervals asked that the declarer can hold; see :func:`search`."""
    suits, hands, counts = work[:HANDS], work[HANDS:KEYS], work[COUNTS:PLIES]
    plies, tricks, memo, table = (
        work[PLIES:TRICKS],
        work[TRICKS:MEMO],
        work[MEMO:TABLE],
        work[TABLE:],
    )
    deal = work[DEAL]
    trumps = 0 if trump == 4 else 63 << (6 * trump)
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
            sure = 0
            sought = asked
            counts[n] += 1
            if asked == 0:
                answer = 0
                mode = BACK
            elif n <= exact:
                if n > 1:
                    answer = known_ending(
                        numbers,
                        narrow,
                        middle,
                        wide,
                        players,
                        n,
                        trump,
                        suits[live & 63],
                        suits[64 + ((live >> 6) & 63)],
                        suits[128 + ((live >> 12) & 63)],
                        suits[192 + ((live >> 18) & 63)],
                        leader,
                    )
                    if answer >= 0:
                        answer = word_of(numbers, n, answer) & asked
                        mode = BACK
                    else:
                        sought = NEEDED[n]
            else:
                sure = sure_answers(suits, live, leader == 0, True, following, trump, n)
                wrong = 0
                if depth > 0:
                    position = (live << 2) | leader
                    slot = 3 * ((position * HASH & 0xFFFFFFFF) >> TABLE_SHIFT)
                    if table[slot] == (deal << 26) | position:
                        sure |= table[slot + 1]
                        wrong = table[slot + 2]
                answer = asked & sure
                sought = asked & ~(sure | wrong)
                if sought == 0:
                    mode = BACK
            if mode == ENTER:
                counts[8 + n] += 1
                at = depth * FRAME
                tricks[at + LEADER] = leader
                tricks[at + WANTED] = asked
                tricks[at + SOUGHT] = sought
                tricks[at + SURE] = sure
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
            cards = live & hands[seat]
            if ply > 0 and following > 0:
                same = cards & (63 << (6 * led))
                if same:
                    cards = same
                elif following == 2 and cards & trumps:
                    cards &= trumps
            cards &= tricks[at + WORTH]
            still = asked
            mode = NEXT
            if seat == 0 and n > 2 and ply < players - 1:
                later = live & ~hands[0]
                for place in range(ply):
                    who = tricks[at + LEADER] + place
                    later &= ~hands[who - players if who >= players else who]
                still &= ~sure_by_a_card(
                    suits, live, cards, later, led, strength, following, trump, n
                )
                if still == 0:
                    result = asked
                    mode = FINISH
            if mode == NEXT and ply == players - 1 and n - 1 <= exact:
                mode = FINISH
                while cards and still:
                    low = cards & -cards
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
                            sure = sure_answers(
                                suits, left, winner == 0, True, following, trump, n - 1
                            )
                            if still & ~answer_after(sure, n, winner == 0) == 0:
                                cards ^= low
                                if seat == 0:
                                    still = 0
                                continue
                            answer = known_ending(
                                numbers,
                                narrow,
                                middle,
                                wide,
                                players,
                                n - 1,
                                trump,
                                suits[left & 63],
                                suits[64 + ((left >> 6) & 63)],
                                suits[128 + ((left >> 12) & 63)],
                                suits[192 + ((left >> 18) & 63)],
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
                plies[(frame + CANDIDATES) & 255] = cards
                plies[(frame + ASKED) & 255] = asked
                plies[(frame + OPEN) & 255] = still
                plies[(frame + SEAT) & 255] = seat
                plies[(frame + STRENGTH) & 255] = strength
                plies[(frame + AHEAD) & 255] = ahead
                plies[(frame + LIVE) & 255] = live

        if mode == BACK:
            # A position's answer, for the player who ended the trick before it.
            if depth == 0:
                return answer
            depth -= 1
            n += 1
            ply = players - 1
            frame = (depth * MAX_PLAYERS + ply) * FRAME
            answer = answer_after(answer, n, plies[(frame + WINNER) & 255] == 0)
            if plies[(frame + SEAT) & 255] == 0:
                plies[(frame + OPEN) & 255] &= ~answer
            else:
                plies[(frame + OPEN) & 255] &= answer
            mode = NEXT

        if mode == NEXT:
            cards = plies[(frame + CANDIDATES) & 255]
            asked = plies[(frame + OPEN) & 255]
            seat = plies[(frame + SEAT) & 255]
            if cards == 0 or asked == 0:
                result = plies[(frame + ASKED) & 255] & ~asked if seat == 0 else asked
                live = plies[(frame + LIVE) & 255]
                mode = FINISH
            else:
                low = cards & -cards
                card = lowest_bit(np.uint64(low))
                plies[(frame + CANDIDATES) & 255] = cards ^ low
                strength = plies[(frame + STRENGTH) & 255]
                ahead = plies[(frame + AHEAD) & 255]
                live = plies[(frame + LIVE) & 255] ^ low
                at = depth * FRAME
                if ply == 0:
                    tricks[at + LED] = (43 * card) >> 8
                led = tricks[at + LED]
                own = strength_of(card, led, trump)
                if own > strength:
                    strength = own
                    ahead = seat
                if ply < players - 1:
                    ply += 1
                    mode = PLY
                else:
                    plies[(frame + WINNER) & 255] = ahead
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
                if plies[(frame + SEAT) & 255] == 0:
                    plies[(frame + OPEN) & 255] &= ~result
                else:
                    plies[(frame + OPEN) & 255] &= result
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


@compiled
def trick_so_far(
    trick: Any, on_table: int, leader: int, players: int, trump: int
) -> tuple[int, int, int]:
    """The suit led, the best card's strength and its player; -1, -1 and 0 before the lead."""
    led = -1
    strength = -1
    ahead = 0
    for place in range(on_table):
        card = int(trick[place])
        if place == 0:
            led = card // 6
        own = strength_of(card, led, trump)
        if own > strength:
            strength = own
            ahead = (leader + place) % players
    return led, strength, ahead


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
            asked = STAGES[n, stage]
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
