"""How Spades is played: dealing, bidding, what is legal, what happens."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.envs.core.cards import CLUBS, SPADES, bit
from bidwise.envs.core.compilation import compiled, inlined
from bidwise.envs.core.tricks import (
    cards_of_suit,
    clear_table,
    deal_hands,
    draw_dealer,
    put_card,
    seat_after,
)
from bidwise.envs.core.vocabulary import OVER, RUNNING, TERMINATED, TRUNCATED
from bidwise.envs.spades.actions import DOUBLE_NIL_ACTION, FIRST_BID, LOOK_ACTION, NUM_BIDS
from bidwise.envs.spades.rules import BID_ORDER, DOUBLE_NIL, FIRST_LEAD, SPADE_LEADS
from bidwise.envs.spades.scoring import match_status, pair_score
from bidwise.envs.spades.state import BID, CARD, HAND_SIZE, LOOK, NUM_CARDS, NUM_RANKS

__all__ = ["begin_deal", "deal", "is_blind", "legal", "legal_cards", "lowest_bid", "play", "start"]

_PAIRS = BID_ORDER.index("pairs")
_BLIND = DOUBLE_NIL.index("blind")
_RIGHT = FIRST_LEAD.index("right")
_TWO_OF_CLUBS = FIRST_LEAD.index("two_of_clubs")
_BROKEN = SPADE_LEADS.index("broken")
_NONE = np.uint64(0)
_TWO = np.uint64(1 << (CLUBS * NUM_RANKS))
_SPADES = np.uint64(((1 << NUM_RANKS) - 1) << (SPADES * NUM_RANKS))
_LOOK_OR_NOT = np.uint64(0b11 << (LOOK_ACTION - 64))
_ONLY_LOOK = np.uint64(0b1 << (LOOK_ACTION - 64))


@compiled
def start(state: Any) -> None:
    """Begin the match that the record names: no points, a first dealer, a first deal."""
    for pair in range(2):
        state.totals[pair] = 0
        state.bags[pair] = 0
        state.points[pair] = 0
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
    state.dealer = seat_after(int(state.dealer), 1, 4)
    deal_hands(state, NUM_CARDS, HAND_SIZE)
    begin_deal(state)


@compiled
def begin_deal(state: Any) -> None:
    """Hands and dealer stand: the player left of the dealer is to bid."""
    clear_table(state, NUM_CARDS)
    for seat in range(4):
        state.bids[seat] = -1
        state.double_nils[seat] = 0
    state.num_bids = 0
    state.broken = 0
    state.leader = seat_after(int(state.dealer), 3 if state.first_lead == _RIGHT else 1, 4)
    _ask_bidder(state)


@compiled
def is_blind(state: Any, seat: int) -> bool:
    """Whether a seat is asked, before it looks, for a double nil: its pair is far enough behind."""
    if state.double_nil != _BLIND:
        return False
    if state.double_nil_behind == 0:
        return True
    pair = seat & 1
    return bool(state.totals[1 - pair] - state.totals[pair] >= state.double_nil_behind)


@compiled
def lowest_bid(state: Any) -> int:
    """The least that the player to act may bid: a pair's second bidder lifts it to its minimum."""
    partner_bid = int(state.bids[(state.player + 2) & 3])
    return max(int(state.pair_bid_min) - partner_bid, 0) if partner_bid >= 0 else 0


@compiled
def _ask_bidder(state: Any) -> None:
    """Whose bid is next, looking first where double nil is played; after four, the lead."""
    turn = int(state.num_bids)
    if turn == 4:
        if state.first_lead == _TWO_OF_CLUBS:
            # Only now: who leads is public, and would tell the bidders who holds the card.
            for seat in range(4):
                if state.hands[seat] & _TWO != _NONE:
                    state.leader = seat
        state.player = state.leader
        state.decision = CARD
        return
    steps = turn + 1
    if state.bid_order == _PAIRS and (turn == 1 or turn == 2):
        steps = 4 - turn
    state.player = (state.dealer + steps) & 3
    state.decision = LOOK if is_blind(state, int(state.player)) else BID


@inlined
def legal_cards(state: Any) -> Any:
    """The cards (uint64) that the player to act may play."""
    hand = state.hands[state.player]
    if state.trick_size == 0:
        if state.first_lead == _TWO_OF_CLUBS and state.tricks_played == 0 and hand & _TWO != _NONE:
            return _TWO
        if state.spade_leads == _BROKEN and state.broken:
            return hand
        others = hand & ~_SPADES
        return others if others != _NONE else hand
    led = int(state.trick[state.leader] - 1) // NUM_RANKS
    following = hand & cards_of_suit(led, NUM_RANKS)
    if following != _NONE:
        return following
    if state.tricks_played == 0 and not state.first_trick_spades and hand & ~_SPADES != _NONE:
        return hand & ~_SPADES
    return hand


@inlined
def legal(state: Any) -> tuple[Any, Any]:
    """The legal actions of the player to act: ids 0..63 and 64.. (two uint64)."""
    if state.decision == CARD:
        return legal_cards(state), _NONE
    if state.decision == LOOK:
        return _NONE, _LOOK_OR_NOT if lowest_bid(state) == 0 else _ONLY_LOOK
    if state.decision != BID:
        return _NONE, _NONE
    partner_bid = max(int(state.bids[(state.player + 2) & 3]), 0)
    highest = min(NUM_BIDS - 1, max(int(state.pair_bid_cap) - partner_bid, 0))
    bids = bit(highest + 1) - bit(lowest_bid(state))
    return bids << np.uint64(FIRST_BID), bids >> np.uint64(64 - FIRST_BID)


@inlined
def play(state: Any, action: int) -> bool:
    """Apply a legal action; whether it ended the deal."""
    if state.decision == CARD:
        if action >= SPADES * NUM_RANKS:
            # A lead later in this trick cannot be; a spade counts from the next trick on.
            state.broken = 1
        if put_card(state, action, SPADES, NUM_RANKS) and state.tricks_played == state.hand_size:
            _end_deal(state)
            return True
        return False
    if action == LOOK_ACTION:
        state.decision = BID
        return False
    seat = int(state.player)
    if action == DOUBLE_NIL_ACTION:
        state.bids[seat] = 0
        state.double_nils[seat] = 1
    else:
        state.bids[seat] = action - FIRST_BID
    state.num_bids += 1
    _ask_bidder(state)
    return False


@compiled
def _end_deal(state: Any) -> None:
    for pair in range(2):
        partner = pair + 2
        score, bag = pair_score(
            (int(state.bids[pair]), int(state.bids[partner])),
            (state.double_nils[pair] != 0, state.double_nils[partner] != 0),
            (int(state.tricks_taken[pair]), int(state.tricks_taken[partner])),
            int(state.bags[pair]),
            (int(state.nil_points), int(state.double_nil_points)),
            int(state.overtrick_points),
            int(state.bag_limit),
            int(state.bag_fine),
            int(state.bag_after),
            int(state.failed_nil_tricks),
        )
        state.points[pair] = score
        state.totals[pair] += score
        state.bags[pair] = bag
    state.deals_played += 1
    total_0, total_1 = int(state.totals[0]), int(state.totals[1])
    if match_status(total_0, total_1, int(state.target), int(state.mercy)):
        state.status = TERMINATED
    elif state.deal_number + 1 == state.max_deals:
        state.status = TRUNCATED
    elif state.deals_played == state.episode_deals:
        state.status = TERMINATED
    if state.status != RUNNING:
        state.decision = OVER
