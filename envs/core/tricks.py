"""Dealing, following and winning tricks: one truth for both games."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.envs.core.cards import BIT, bit
from bidwise.envs.core.compilation import compiled, inlined
from bidwise.envs.core.instructions import load_half, store_half
from bidwise.envs.core.rng import FIRST_DEALER, below, draw, stream

__all__ = [
    "beats",
    "cards_of_suit",
    "clear_table",
    "deal_hands",
    "draw_dealer",
    "put_card",
    "seat_after",
]

_NONE = np.uint64(0)
_HALF = np.uint64(32)


@compiled
def beats(card: int, best: int, trump: int, num_ranks: int) -> bool:
    """Whether `card`, played later, beats the `best` card of the trick so far.

    Within a suit the higher card wins; a trump beats any other suit; anything else cannot
    win. `trump` 4 is no suit.
    """
    suit = card // num_ranks
    same = suit == best // num_ranks
    # No branch: which card wins is what a processor cannot foresee.
    return bool((same & (card > best)) | ((not same) & (suit == trump)))


@compiled
def cards_of_suit(suit: int, num_ranks: int) -> Any:
    """Bit mask (uint64) of all cards of a suit."""
    width = np.uint64(num_ranks)
    return ((BIT << width) - BIT) << (np.uint64(suit) * width)


@compiled
def seat_after(seat: int, steps: int, num_players: int) -> int:
    """The seat `steps` (0..players) to the left of a seat."""
    there = seat + steps
    return there - num_players if there >= num_players else there


@compiled
def draw_dealer(state: Any) -> int:
    """The first dealer of the record's match, at random."""
    key = stream(state.seed, state.table, state.match, FIRST_DEALER)
    return int(below(draw(key, _NONE), np.uint64(state.num_players)))


@compiled
def deal_hands(state: Any, num_cards: int, hand_size: int) -> None:
    """Deal the record's deal: `hand_size` cards a seat, the rest unseen.

    Card after card goes to a place chosen uniformly among those still free, which makes
    every division of the deck equally likely. `end_s` counts the free places of seats 0..s.
    """
    key = stream(state.seed, state.table, state.match, np.uint64(state.deal_number))
    size = np.uint64(hand_size)
    players = np.uint64(state.num_players)
    end_0 = size
    end_1 = end_0 + size
    end_2 = end_1 + (size if players > np.uint64(2) else _NONE)
    end_3 = end_2 + (size if players > np.uint64(3) else _NONE)
    hand_0 = hand_1 = hand_2 = hand_3 = _NONE
    bits = _NONE
    for card in range(num_cards):
        if card & 1:
            bits = bits >> _HALF
        else:
            bits = draw(key, np.uint64(card >> 1))
        place = below(bits, np.uint64(num_cards - card))
        to_0 = np.uint64(place < end_0)
        to_1 = np.uint64(place < end_1)
        to_2 = np.uint64(place < end_2)
        to_3 = np.uint64(place < end_3)
        shift = np.uint64(card)
        hand_0 |= to_0 << shift
        hand_1 |= (to_1 - to_0) << shift
        hand_2 |= (to_2 - to_1) << shift
        hand_3 |= (to_3 - to_2) << shift
        end_0 -= to_0
        end_1 -= to_1
        end_2 -= to_2
        end_3 -= to_3
    state.hands[0] = hand_0
    state.hands[1] = hand_1
    state.hands[2] = hand_2
    state.hands[3] = hand_3
    state.hand_size = hand_size


@compiled
def clear_table(state: Any, num_cards: int) -> None:
    """Forget the play of the deal before."""
    for card in range(num_cards):
        state.played_by[card] = 0
        state.played_trick[card] = 0
        state.played_place[card] = 0
    for seat in range(4):
        state.trick[seat] = 0
        state.tricks_taken[seat] = 0
    state.trick_size = 0
    state.tricks_played = 0
    state.winning_seat = 0
    state.winning_card = 0


@compiled
def _place(seat: int) -> Any:
    """Where a seat's byte begins among four bytes, in bits (uint64)."""
    return np.uint64(8 * seat)


@inlined
def put_card(state: Any, card: int, trump: int, num_ranks: int) -> bool:
    """The player to act puts a held card on the table; whether that completed a trick.

    Then the winner has taken the trick and is to lead, and the table is empty.
    """
    seat = int(state.player)
    state.hands[seat] ^= bit(card)
    state.played_by[card] = seat + 1
    state.played_trick[card] = state.tricks_played + 1
    size = state.trick_size + 1
    state.played_place[card] = size
    best, holder = int(state.winning_card), int(state.winning_seat)
    better = (size == 1) | beats(card, best, trump, num_ranks)
    state.winning_card = card if better else best
    state.winning_seat = seat if better else holder
    if size < state.num_players:
        # By all four bytes, as they are read next.
        store_half(
            state.trick, 0, load_half(state.trick, 0) | (np.uint64(card + 1) << _place(seat))
        )
        state.trick_size = size
        state.player = seat_after(seat, 1, int(state.num_players))
        return False
    winner = state.winning_seat
    store_half(state.tricks_taken, 0, load_half(state.tricks_taken, 0) + (BIT << _place(winner)))
    state.tricks_played += 1
    state.leader = winner
    state.player = winner
    state.trick_size = 0
    store_half(state.trick, 0, _NONE)
    return True
