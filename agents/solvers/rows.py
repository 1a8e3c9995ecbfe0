"""Many positions, one after the other: what a thread of a batch runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.agents.solvers.intervals import answer_after, interval
from bidwise.agents.solvers.jit import compiled
from bidwise.agents.solvers.search import known_ending, prepare, search, strength_of, word_of
from bidwise.envs.jit import lowest_bit, popcount

__all__ = ["legal_cards", "solve_rows"]

WON_LAST, LOST_LAST = interval(1, 1), interval(0, 0)


@compiled
def legal_cards(hand: int, led: int, trump: int, following: int) -> int:
    """The cards of a hand that may follow a lead of suit `led`; -1: the hand leads."""
    if led >= 0 and following > 0:
        same = hand & (63 << (6 * led))
        if same:
            return same
        if following == 2 and trump < 4 and hand & (63 << (6 * trump)):
            return hand & (63 << (6 * trump))
    return hand


@compiled
def _load(hands: Any, declarer: int, trick: Any, leader: int, work: Any) -> int:
    """Put a row's hands into the workspace, the declarer first; how many cards are on the table.

    `work.ready` tells whether `work.suits` fits the cards: those of the row before, often.
    """
    players = len(hands)
    same = work.ready[0] == 1
    for player in range(players):
        hand = np.int64(hands[(declarer + player) % players])
        same = same and work.hands[player] == hand
        work.hands[player] = hand
    on_table = 0
    while on_table < players and trick[on_table] >= 0:
        on_table += 1
    if same and on_table == 0:
        return 0
    work.ready[0] = 0
    for player in range(players):
        left = work.hands[player]
        while left:
            low = left & -left
            work.owner[lowest_bit(np.uint64(low))] = player
            left ^= low
    for place in range(on_table):
        work.owner[trick[place]] = (leader + place) % players
    return on_table


@compiled
def _prepare(work: Any, on_table: int) -> None:
    if work.ready[0] == 0:
        prepare(work.owner, work.suits)
        # With cards on the table the same hands may come from another deal.
        work.ready[0] = 0 if on_table else 1


@compiled
def _known_root(
    numbers: Any,
    narrow: Any,
    middle: Any,
    wide: Any,
    work: Any,
    n: int,
    exact: int,
    players: int,
    trump: int,
    leader: int,
) -> int:
    """The word of a position between tricks if it is kept, else -1; nothing need be prepared."""
    keys = work.keys
    live = 0
    for player in range(players):
        live |= work.hands[player]
    for suit in range(4):
        row = 0
        length = 0
        left = (live >> (6 * suit)) & 63
        while left:
            low = left & -left
            row |= work.owner[6 * suit + lowest_bit(np.uint64(low))] << (2 * length)
            length += 1
            left ^= low
        keys[suit] = (length << 12) | row
    value = known_ending(
        numbers, narrow, middle, wide, players, n, trump, keys[0], keys[1], keys[2], keys[3], leader
    )
    return word_of(numbers, n, value) if value >= 0 else -1


@compiled
def solve_rows(
    numbers: Any,
    narrow: Any,
    middle: Any,
    wide: Any,
    work: Any,
    exact: int,
    following: int,
    has_trump: bool,
    hands: Any,
    trumps: Any,
    declarers: Any,
    leaders: Any,
    tricks: Any,
    words: Any,
    card_words: Any,
    first: int,
    last: int,
) -> None:
    """Solve rows first..last-1 of a batch, those whose trump is of the kind that is asked for.

    Args:
        numbers, narrow, middle, wide: of so many players and this kind of trump.
        work: of the calling thread.
        exact: tricks to come up to which positions are kept.
        following: index into FOLLOWING.
        has_trump: rows with a trump suit, or rows without.
        hands: (N, players) masks of the cards held.
        trumps: (N,) 0..3, 4 for none.
        declarers, leaders: (N,) seats.
        tricks: (N, 4) ids of the cards on the table in order, -1 behind the last.
        words: (N,) int64, written: what the declarer can hold.
        card_words: (N, 24) int64, written: the same after each legal card, -1 where a card may
            not be played; (0, 24) if not wanted.
    """
    players = hands.shape[1]
    for row in range(first, last):
        trump = np.int64(trumps[row])
        if (trump < 4) != has_trump:
            continue
        declarer = np.int64(declarers[row])
        leader = np.int64(leaders[row]) - declarer
        if leader < 0:
            leader += players
        trick = tricks[row]
        on_table = _load(hands[row], declarer, trick, leader, work)
        n = 0
        for player in range(players):
            n = max(n, popcount(np.uint64(work.hands[player])))
        word = -1
        if on_table == 0 and n <= exact and n > 1:
            word = _known_root(
                numbers, narrow, middle, wide, work, n, exact, players, trump, leader
            )
        if word < 0:
            _prepare(work, on_table)
            word = search(
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
                leader,
                trick,
                on_table,
            )
        words[row] = word
        if len(card_words):
            _solve_cards(
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
                leader,
                trick,
                on_table,
                card_words[row],
            )


@compiled
def _solve_cards(
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
    card_words: Any,
) -> None:
    """What the declarer can hold after each card of the player to move."""
    _prepare(work, on_table)
    table = work.trick
    led = -1
    strength = -1
    ahead = 0
    for place in range(on_table):
        table[place] = trick[place]
        if place == 0:
            led = np.int64(trick[0]) // 6
        own = strength_of(np.int64(trick[place]), led, trump)
        if own > strength:
            strength = own
            ahead = (leader + place) % players
    player = (leader + on_table) % players
    hand = work.hands[player]
    legal = legal_cards(hand, led, trump, following)
    for card in range(24):
        if (legal >> card) & 1 == 0:
            card_words[card] = -1
            continue
        work.hands[player] = hand ^ (1 << card)
        if on_table < players - 1:
            table[on_table] = card
            card_words[card] = search(
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
                leader,
                table,
                on_table + 1,
            )
        else:
            winner = player if strength_of(card, led, trump) > strength else ahead
            if n == 1:
                card_words[card] = WON_LAST if winner == 0 else LOST_LAST
            else:
                word = search(
                    numbers,
                    narrow,
                    middle,
                    wide,
                    work,
                    exact,
                    players,
                    following,
                    trump,
                    n - 1,
                    winner,
                    table,
                    0,
                )
                card_words[card] = answer_after(word, n, winner == 0)
        work.hands[player] = hand
