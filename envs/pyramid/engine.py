"""How Pyramid is played: dealing, what is legal, what happens."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.envs.core.cards import BIT, bit
from bidwise.envs.core.compilation import compiled, inlined
from bidwise.envs.core.tricks import (
    cards_of_suit,
    clear_table,
    deal_hands,
    draw_dealer,
    put_card,
    seat_after,
)
from bidwise.envs.core.vocabulary import OVER, RUNNING, TERMINATED
from bidwise.envs.pyramid.actions import FIRST_DECLARATION, FIRST_SIGNAL, NUM_DENOMINATIONS
from bidwise.envs.pyramid.rules import CONFERENCE, FOLLOWING, NUM_BIDS
from bidwise.envs.pyramid.scoring import declarer_points
from bidwise.envs.pyramid.state import CARD, DECLARE, HAND_SIZE, NUM_CARDS, NUM_RANKS, SIGNAL, SLOTS

__all__ = ["begin_deal", "deal", "legal", "legal_cards", "play", "start"]

_ANY = FOLLOWING.index("any")
_SUIT = FOLLOWING.index("suit")
_SIGNALS = CONFERENCE.index("signals")
_NONE = np.uint64(0)
_NO_TRUMP = 4

# Ids 59..66 lie across the two words of legal actions.
_SIGNALS_LOW = np.uint64((0xFF << FIRST_SIGNAL) & (2**64 - 1))
_SIGNALS_HIGH = np.uint64(0xFF >> (64 - FIRST_SIGNAL))


@compiled
def start(state: Any) -> None:
    """Begin the match that the record names: empty pyramids, a first dealer, a first deal."""
    for seat in range(4):
        state.totals[seat] = 0
        state.num_announced[seat] = 0
    for k in range(4 * NUM_BIDS):
        state.spent[k] = 0
    for k in range(4 * SLOTS):
        state.announced[k] = 0
        state.taken[k] = 0
    state.points = 0
    state.deal_number = 0
    state.deals_played = 0
    state.status = RUNNING
    state.dealer = draw_dealer(state)
    deal_hands(state, NUM_CARDS, HAND_SIZE)
    begin_deal(state)


@compiled
def deal(state: Any) -> None:
    """Deal the match's next deal; the deal passes clockwise."""
    state.deal_number += 1
    state.dealer = seat_after(int(state.dealer), 1, int(state.num_players))
    deal_hands(state, NUM_CARDS, HAND_SIZE)
    begin_deal(state)


@compiled
def begin_deal(state: Any) -> None:
    """Hands and dealer stand: the player left of the dealer is to declare."""
    clear_table(state, NUM_CARDS)
    for k in range(HAND_SIZE * 4):
        state.signals[k] = 0
    declarer = seat_after(int(state.dealer), 1, int(state.num_players))
    state.declarer = declarer
    state.leader = declarer
    state.player = declarer
    state.bid = -1
    state.denomination = -1
    state.decision = DECLARE


@inlined
def legal_cards(state: Any) -> Any:
    """The cards (uint64) that the player to act may play."""
    hand = state.hands[state.player]
    if state.trick_size == 0 or state.following == _ANY:
        return hand
    led = int(state.trick[state.leader] - 1) // NUM_RANKS
    following = hand & cards_of_suit(led, NUM_RANKS)
    if following != _NONE:
        return following
    if state.following == _SUIT or state.denomination == _NO_TRUMP:
        return hand
    trumps = hand & cards_of_suit(int(state.denomination), NUM_RANKS)
    return trumps if trumps != _NONE else hand


@inlined
def legal(state: Any) -> tuple[Any, Any]:
    """The legal actions of the player to act: ids 0..63 and 64.. (two uint64)."""
    if state.decision == CARD:
        return legal_cards(state), _NONE
    if state.decision == SIGNAL:
        return _SIGNALS_LOW, _SIGNALS_HIGH
    declarations = _NONE
    if state.decision == DECLARE:
        count = NUM_DENOMINATIONS if state.no_trump else NUM_DENOMINATIONS - 1
        denominations = bit(count) - BIT
        for bid in range(NUM_BIDS):
            if state.spent[state.declarer * NUM_BIDS + bid] < state.quota[bid]:
                declarations |= denominations << np.uint64(
                    FIRST_DECLARATION + NUM_DENOMINATIONS * bid
                )
    return declarations, _NONE


@inlined
def play(state: Any, action: int) -> bool:
    """Apply a legal action; whether it ended the deal."""
    if state.decision == DECLARE:
        _declare(state, action - FIRST_DECLARATION)
        return False
    if state.decision == SIGNAL:
        place = int(state.tricks_played) * 4 + int(state.player)
        state.signals[place] = action - FIRST_SIGNAL + 1
        state.decision = CARD
        return False
    trick_over = put_card(state, action, int(state.denomination), NUM_RANKS)
    if trick_over and state.tricks_played == state.hand_size:
        _end_deal(state)
        return True
    _ask(state)
    return False


@compiled
def _declare(state: Any, declaration: int) -> None:
    declarer = int(state.declarer)
    bid = declaration // NUM_DENOMINATIONS
    state.bid = bid
    state.denomination = declaration - bid * NUM_DENOMINATIONS
    state.spent[declarer * NUM_BIDS + bid] += 1
    state.announced[declarer * SLOTS + state.num_announced[declarer]] = bid + 1
    state.num_announced[declarer] += 1
    state.decision = CARD


@compiled
def _ask(state: Any) -> None:
    """A defender who may signal does so before the card."""
    if state.conference == _SIGNALS and state.num_players > 2 and state.player != state.declarer:
        state.decision = SIGNAL
    else:
        state.decision = CARD


@compiled
def _end_deal(state: Any) -> None:
    declarer = int(state.declarer)
    taken = int(state.tricks_taken[declarer])
    points = declarer_points(int(state.bid), taken)
    state.points = points
    state.totals[declarer] += points
    state.taken[declarer * SLOTS + state.num_announced[declarer] - 1] = taken + 1
    state.deals_played += 1
    match_over = state.deal_number + 1 == state.num_players * state.deals_per_player
    if match_over or state.deals_played == state.episode_deals:
        state.status = TERMINATED
        state.decision = OVER
