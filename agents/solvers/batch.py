"""Many positions, one after the other: what a thread of a batch runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.agents.solvers.compilation import compiled
from bidwise.agents.solvers.driver import search
from bidwise.agents.solvers.intervals import answer_after
from bidwise.agents.solvers.lookup import number_of, value_at, word_of
from bidwise.agents.solvers.trick import legal_cards, strength_of, trick_so_far
from bidwise.agents.solvers.workspace import (
    HANDS,
    KEYS,
    OWNER,
    READY,
    TRICK,
    TRUMP,
    prepare,
    prepare_trumps,
)
from bidwise.envs.core.instructions import borrow, lowest_bit, popcount

__all__ = ["solve_range"]


@compiled
def _load(hands: Any, declarer: int, trick: Any, leader: int, work: Any) -> int:
    """Put a row's hands into the workspace, the declarer first; how many cards are on the table.

    READY tells whether SUITS fits the cards: those of the row before, often.
    """
    players = len(hands)
    same = work[READY] == 1
    for player in range(players):
        hand = np.int64(hands[(declarer + player) % players])
        same = same and work[HANDS + player] == hand
        work[HANDS + player] = hand
    on_table = 0
    while on_table < players and trick[on_table] >= 0:
        on_table += 1
    if same and on_table == 0:
        return 0
    work[READY] = 0
    for player in range(players):
        left = work[HANDS + player]
        while left:
            low = left & -left
            work[OWNER + lowest_bit(np.uint64(low))] = player
            left ^= low
    for place in range(on_table):
        work[OWNER + trick[place]] = (leader + place) % players
    return on_table


@compiled
def _prepare(work: Any, trump: int) -> None:
    if work[READY] == 0:
        prepare(work[OWNER:READY], work)
        work[TRUMP] = -1
        work[READY] = 1
    if trump < 4 and work[TRUMP] != trump:
        prepare_trumps(work[OWNER:READY], trump, work)
        work[TRUMP] = trump


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
    keys = work[KEYS:TRICK]
    live = 0
    for player in range(players):
        live |= work[HANDS + player]
    for suit in range(4):
        row = 0
        length = 0
        left = (live >> (6 * suit)) & 63
        while left:
            low = left & -left
            row |= work[OWNER + 6 * suit + lowest_bit(np.uint64(low))] << (2 * length)
            length += 1
            left ^= low
        keys[suit] = (length << 12) | row
    number = number_of(numbers, players, n, trump, keys[0], keys[1], keys[2], keys[3], leader)
    value = value_at(narrow, middle, wide, n, number)
    return word_of(numbers, n, value) if value >= 0 else -1


@compiled
def solve_range(
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
    work = borrow(work)
    players = hands.shape[1]
    table = work[TRICK:OWNER]
    last_card = 24 if len(card_words) else 0
    for row in range(first, last):
        trump = int(trumps[row])
        if (trump < 4) != has_trump:
            continue
        declarer = int(declarers[row])
        leader = int(leaders[row]) - declarer
        if leader < 0:
            leader += players
        on_table = _load(hands[row], declarer, tricks[row], leader, work)
        n = 0
        for player in range(players):
            n = max(n, popcount(np.uint64(work[HANDS + player])))
        word = -1
        if on_table == 0 and 1 < n <= exact:
            word = _known_root(
                numbers, narrow, middle, wide, work, n, exact, players, trump, leader
            )
        if word >= 0:
            words[row] = word
            if last_card == 0:
                continue
        _prepare(work, trump)
        for place in range(on_table):
            table[place] = tricks[row, place]
        led, strength, ahead = trick_so_far(table, on_table, leader, players, trump)
        player = (leader + on_table) % players
        hand = work[HANDS + player]
        legal = legal_cards(hand, led, trump, following) if last_card else 0
        # The position itself, and then what each card makes of it.
        for card in range(-1 if word < 0 else 0, last_card):
            left, head, played = n, leader, on_table
            winner = -1
            if card >= 0:
                if (legal >> card) & 1 == 0:
                    card_words[row, card] = -1
                    continue
                work[HANDS + player] = hand ^ (1 << card)
                table[on_table] = card
                played += 1
                if played == players:
                    winner = player if strength_of(card, led, trump) > strength else ahead
                    left, head, played = n - 1, winner, 0
            word = 0
            if left > 0:
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
                    left,
                    head,
                    table,
                    played,
                )
            if card < 0:
                words[row] = word
            else:
                card_words[row, card] = answer_after(word, n, winner == 0) if winner >= 0 else word
                work[HANDS + player] = hand
