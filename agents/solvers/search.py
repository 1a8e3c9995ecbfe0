"""The search: the declarer against all others as one, all hands open, every bid at once.

A position between tricks is asked a *question*, a word of the intervals whose truth matters, and
answers with those that the declarer can hold. Within a trick the declarer's choice joins answers,
a defender's choice intersects them, and a node is left when its question is settled. Positions of
few tricks are looked up (:mod:`bidwise.agents.solvers.endings`); above them answers are kept for
the deal in hand. Before a position is played out, two facts may settle it:

- Every trump is played in some trick and loses only to a higher one, which it can lose to once.
  So the declarer takes at least as many tricks as trumps of his stay unmatched from above.
- Where any card may be played, a declarer who does not lead loses a trick whenever he holds a
  card, no trump, that is of another suit than the one led or the lowest left of its suit; the
  defenders then lead again.

One loop walks the tree with its frames in plain arrays: nothing is allocated, and threads share
only arrays whose entries are written whole, each with the one value it can have.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from bidwise.agents.solvers.intervals import (
    IMPLIED,
    MAX_TRICKS,
    NEEDED,
    STAGES,
    answer_after,
    interval,
    question_after,
)
from bidwise.agents.solvers.jit import compiled
from bidwise.envs.jit import borrow, lowest_bit

__all__ = ["Workspace", "new_workspace", "search"]

MAX_PLAYERS = 4

# A ply's frame: candidates, the question, what of it is open, seat, best card's strength and
# seat before the ply, cards in play before the ply, who won the trick that was entered last.
CANDIDATES, ASKED, OPEN, SEAT, STRENGTH, AHEAD, LIVE, WINNER = range(8)
# A trick's frame: leader, the question put to its position, what of it is searched, where the
# answer goes, the cards worth trying, the suit led.
LEADER, WANTED, SOUGHT, SURE, SLOT, WORTH, LED = range(7)
FRAME = 8

ENTER, PLY, NEXT, BACK, FINISH = range(5)
WON_LAST, LOST_LAST = interval(1, 1), interval(0, 0)
HASH = 0x9E3779B1
WINS = 0x0101010101010100

MEMO_SIZE, MEMO_SHIFT = 1 << 15, 17
TABLE_SIZE, TABLE_SHIFT = 1 << 14, 18
VALUE_BITS = 12
LAST_DEAL = (1 << 24) - 1
KNOWN = 1 << 62


class Workspace(NamedTuple):
    """What one thread needs to search.

    Attributes:
        suits: (1024,) by suit and subset of its cards: sort key of the owners' row; the lowest
            card of each run of one owner; side cards of the declarer's (count, and count without
            the lowest of the suit); trumps sure to win.
        memo: (MEMO_SIZE,) endings met in this deal: deal, cards in play, leader, squeezed value.
        table: (3 * TABLE_SIZE,) positions above: deal, cards and leader; true; false intervals.
        plies: (24 * FRAME,) frames of the plies.
        tricks: (6 * FRAME,) frames of the tricks.
        hands: (4,) the players' cards, the declarer's first.
        owner: (24,) who holds or played each card of the deal.
        ready: (1,) 1 while `suits` is of the cards in `hands`.
        keys, trick: (4,) for the loop over a batch.
        deal: (1,) number of the deal, which tells old entries from new ones.
        counts: (16,) positions entered and played out, by tricks to come.
    """

    suits: NDArray[np.int64]
    memo: NDArray[np.int64]
    table: NDArray[np.int64]
    plies: NDArray[np.int64]
    tricks: NDArray[np.int64]
    hands: NDArray[np.int64]
    owner: NDArray[np.int64]
    ready: NDArray[np.int64]
    keys: NDArray[np.int64]
    trick: NDArray[np.int64]
    deal: NDArray[np.int64]
    counts: NDArray[np.int64]


def new_workspace() -> Workspace:
    """A workspace; 0.7 MB."""
    return Workspace(
        np.zeros(1280, np.int64),
        np.zeros(MEMO_SIZE, np.int64),
        np.zeros(3 * TABLE_SIZE, np.int64),
        np.zeros(256, np.int64),
        np.zeros(MAX_TRICKS * FRAME, np.int64),
        np.zeros(MAX_PLAYERS, np.int64),
        np.zeros(24, np.int64),
        np.zeros(1, np.int64),
        np.zeros(4, np.int64),
        np.zeros(4, np.int64),
        np.zeros(1, np.int64),
        np.zeros(16, np.int64),
    )


@compiled
def prepare(owner: Any, suits: Any) -> None:
    """Fill a workspace's `suits` for the owners (24,) of the deal's cards; 0 is the declarer."""
    for suit in range(4):
        base = 64 * suit
        suits[base] = suits[256 + base] = suits[512 + base] = suits[768 + base] = suits[
            1024 + base
        ] = 0
        for rank in range(6):
            who = owner[6 * suit + rank]
            top = 1 << rank
            for mask in range(top):
                key = suits[base + mask]
                length = key >> 12
                last = (key >> (2 * (length - 1))) & 3 if length else -1
                both = base + top + mask
                suits[both] = ((length + 1) << 12) | (key & 0xFFF) | (who << (2 * length))
                suits[256 + both] = suits[256 + base + mask] | (top if last != who else 0)
                side = suits[512 + base + mask]
                if who == 0:
                    # The lowest of the suit are those with none but the declarer's below.
                    side += 256 if (key & 0xFFF) == 0 else 257
                suits[512 + both] = side
        for mask in range(1, 64):
            # From the top: cards of theirs that still beat one below, and sure winners.
            low = mask & -mask
            above = suits[768 + base + mask - low]
            if owner[6 * suit + lowest_bit(np.uint64(low))]:
                above += 1
            elif above & 7:
                above -= 1
            else:
                above += 8
            suits[768 + base + mask] = above
            # The same for each defender's against the declarer's: three bytes, and the most.
            theirs = suits[1024 + base + mask - low] & 0xFFFFFF
            who = owner[6 * suit + lowest_bit(np.uint64(low))]
            most = 0
            for player in range(1, 4):
                shift = 8 * (player - 1)
                one = (theirs >> shift) & 0xFF
                theirs ^= one << shift
                if who == 0:
                    one += 1
                elif who == player:
                    one += -1 if one & 7 else 8
                theirs |= one << shift
                most = max(most, one >> 3)
            suits[1024 + base + mask] = (most << 24) | theirs


@compiled
def number_of(
    numbers: Any, players: int, n: int, trump: int, a: int, b: int, c: int, d: int, leader: int
) -> int:
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
        narrow[number & 0x7FFFFFF] = squeeze(word, n) ^ 1
    elif n == 4:
        middle[number & 0x7FFFFFF] = squeeze(word, n) ^ 1
    else:
        wide[number & 0x7FFFFFF] = word | KNOWN


@compiled
def worth_trying(suits: Any, live: int) -> int:
    """The lowest card of each run of cards in play that one player holds: the rest are equal."""
    return (
        suits[256 + (live & 63)]
        | (suits[320 + ((live >> 6) & 63)] << 6)
        | (suits[384 + ((live >> 12) & 63)] << 12)
        | (suits[448 + ((live >> 18) & 63)] << 18)
    )


@compiled
def strength_of(card: int, led: int, trump: int) -> int:
    """A card's strength in a trick; negative if it cannot win."""
    suit = (43 * card) >> 8
    if suit == trump:
        return card + 32
    return card if suit == led else -1


@compiled
def sure_answers(
    suits: Any, live: int, leads: bool, settled: bool, following: int, trump: int, n: int
) -> int:
    """Intervals that hold without search.

    Args:
        leads: whether the declarer is to lead.
        settled: between tricks; False while defenders may still play cards out of `live`.
    """
    losses = 0
    sure = 0
    if trump < 4:
        mask = 64 * trump + ((live >> (6 * trump)) & 63)
        if settled:
            losses = suits[1024 + mask] >> 24
        wins = suits[768 + mask] >> 3
        # At least 1, 2, .. of n: bits 8 + n, 16 + n, ..
        sure = (WINS & ((1 << (8 * wins + 8)) - 1)) << n
    if following == 0 and not leads:
        total = 0
        stuck = 0
        for suit in range(4):
            if suit != trump:
                side = suits[512 + 64 * suit + ((live >> (6 * suit)) & 63)]
                total += side >> 8
                stuck = max(stuck, side & 0xFF)
        losses = max(losses, total - stuck)
    # At most n - 1, n - 2, .. of n: the bits n - 1, n - 2, .. of row 0.
    return sure | (((1 << losses) - 1) << (n - losses))


@compiled
def known_ending(
    numbers: Any,
    narrow: Any,
    middle: Any,
    wide: Any,
    players: int,
    n: int,
    trump: int,
    a: int,
    b: int,
    c: int,
    d: int,
    leader: int,
) -> int:
    """An ending's value, from its suits' sort keys, for :func:`word_of`; -1 if not known yet."""
    number = number_of(numbers, players, n, trump, a, b, c, d, leader)
    # A squeezed value of 1 (none taken holds, one at most does not) cannot be: it marks 0.
    if n <= 3:
        held = np.int64(narrow[number & 0x7FFFFFF])
    elif n == 4:
        held = np.int64(middle[number & 0x7FFFFFF])
    else:
        held = wide[number & 0x7FFFFFF]
        return held ^ KNOWN if held else -1
    return held ^ 1 if held else -1


@compiled
def word_of(numbers: Any, n: int, value: int) -> int:
    """The word of an ending's value."""
    return value if n > 4 else numbers[numbers[ROW * n + WORDS_AT] + value]


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
    suits, memo, table = borrow(work.suits), borrow(work.memo), borrow(work.table)
    plies, tricks, hands = borrow(work.plies), borrow(work.tricks), borrow(work.hands)
    counts = borrow(work.counts)
    deal = work.deal[0]
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
                # A card that wins or loses for certain may settle it by what is then sure.
                later = live & ~hands[0]
                for place in range(ply):
                    who = tricks[at + LEADER] + place
                    if who >= players:
                        who -= players
                    later &= ~hands[who]
                left = cards
                while left and still:
                    low = left & -left
                    left ^= low
                    card = lowest_bit(np.uint64(low))
                    own = strength_of(card, led if ply else (43 * card) >> 8, trump)
                    if own <= strength:
                        answer = sure_answers(
                            suits, live ^ low, False, False, following, trump, n - 1
                        )
                        still &= ~answer_after(answer, n, False)
                    else:
                        suit = (43 * card) >> 8
                        beating = later & ((((63 << (6 * suit)) & -low) ^ low) | trumps)
                        if suit == trump:
                            beating &= -low
                        if beating == 0:
                            answer = sure_answers(
                                suits, live ^ low, True, False, following, trump, n - 1
                            )
                            still &= ~answer_after(answer, n, True)
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
        work: of the calling thread; `hands` are the cards held, and `suits` is prepared.
        exact: tricks to come up to which positions are kept.
        players: 2..4.
        following: index into FOLLOWING.
        trump: 0..3, 4 for none.
        n: tricks to come, the current one included.
        leader: who led, or is to lead.
        trick: (4,) ids of the cards of the current trick, in order.
        on_table: how many of them there are.
    """
    work.deal[0] += 1
    if work.deal[0] > LAST_DEAL:
        work.memo[:] = 0
        work.table[:] = 0
        work.deal[0] = 1
    live = 0
    for player in range(players):
        live |= work.hands[player]
    start = live
    strength = -1
    ahead = 0
    led = -1
    for place in range(on_table):
        card = np.int64(trick[place])
        start |= 1 << card
        if place == 0:
            led = card // 6
        own = strength_of(card, led, trump)
        if own > strength:
            strength = own
            ahead = leader + place
            if ahead >= players:
                ahead -= players
    worth = worth_trying(work.suits, start) if on_table else 0
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
