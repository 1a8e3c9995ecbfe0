"""What a Spades seat sees: the table of fields, and the encoder that fills it."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.envs.core.cards import store_flags
from bidwise.envs.core.compilation import compiled, inlined
from bidwise.envs.core.encoding import (
    hundreds,
    relative_seat,
    store_four,
    store_history,
    swap_pairs,
)
from bidwise.envs.core.layout import Field, Layout
from bidwise.envs.core.vocabulary import EVERYTHING
from bidwise.envs.spades.engine import is_blind
from bidwise.envs.spades.state import HAND_SIZE, NUM_CARDS

__all__ = ["LAYOUT", "observe"]

LAYOUT = Layout(
    (
        Field("hand", (NUM_CARDS,), 0, 1, "1: I hold this card and have looked"),
        Field("played_by", (NUM_CARDS,), 0, 4, "0 not played, else relative seat + 1"),
        Field("played_trick", (NUM_CARDS,), 0, HAND_SIZE, "0 not played, else trick 1.."),
        Field("played_place", (NUM_CARDS,), 0, 4, "0 not played, else place in the trick 1.."),
        Field("trick", (4,), 0, NUM_CARDS, "card + 1 on the table by relative seat, 0 none"),
        Field("tricks_taken", (4,), 0, HAND_SIZE, "tricks by relative seat"),
        Field("bids", (4,), 0, 14, "bid + 1 by relative seat, nil 1, 0 not yet"),
        Field("double_nils", (4,), 0, 1, "1: that bid is a double nil"),
        Field("bags", (2,), 0, 100, "tricks in my pair's bag, and in the others', below a hundred"),
        Field("bags_hundreds", (2,), 0, 127, "hundreds of the bags; with a bag_limit always 0"),
        Field("totals_hundreds", (2,), -127, 127, "hundreds of the totals, mine first"),
        Field("totals_rest", (2,), -99, 99, "what is left of the totals"),
        Field("dealer", (1,), 0, 3, "relative seat of the dealer"),
        Field(
            "leader",
            (1,),
            0,
            3,
            "relative seat that leads or led this trick; two_of_clubs: in the bids left of dealer",
        ),
        Field("player", (1,), 0, 3, "relative seat that is to act"),
        Field("decision", (1,), 0, 3, "0 over, 1 look, 2 bid, 3 card"),
        Field("broken", (1,), 0, 1, "1: a spade has been played"),
        Field("deal_number", (2,), 0, 127, "deals before this one: hundreds, rest"),
        Field("bid_order", (1,), 0, 1, "0 pairs, 1 clockwise"),
        Field("double_nil", (1,), 0, 1, "0 off, 1 blind"),
        Field("first_lead", (1,), 0, 2, "0 left, 1 right, 2 two_of_clubs"),
        Field("spade_leads", (1,), 0, 1, "0 broken, 1 last_resort"),
        Field("overtrick_points", (1,), -100, 100, "points of an overtrick"),
        Field("bag_limit", (1,), 0, 100, "tricks in a bag that cost bag_fine, 0 never"),
        Field("bag_after", (1,), 0, 1, "0 zero, 1 carry"),
        Field("failed_nil_tricks", (1,), 0, 1, "0 bag, 1 contract"),
        Field("pair_bid_cap", (1,), 0, 26, "most a pair may bid"),
        Field("pair_bid_min", (1,), 0, 13, "least a pair may bid"),
        Field("first_trick_spades", (1,), 0, 1, "0: none to the first trick if avoidable"),
        Field("nil_points", (2,), 0, 99, "hundreds and rest"),
        Field("double_nil_points", (2,), 0, 99, "hundreds and rest"),
        Field("double_nil_behind", (2,), 0, 120, "points behind that it needs: hundreds and rest"),
        Field("bag_fine", (2,), 0, 99, "hundreds and rest"),
        Field("target", (2,), 0, 120, "hundreds and rest"),
        Field("mercy", (2,), 0, 120, "points below zero: hundreds and rest, 0 0 never"),
        Field("max_deals", (2,), 0, 120, "hundreds and rest, 0 0 never"),
        Field("hand_size", (1,), 1, HAND_SIZE, "cards dealt to each player"),
    )
)

_HAND = LAYOUT.offsets["hand"]
_BY = LAYOUT.offsets["played_by"]
_TRICK = LAYOUT.offsets["trick"]
_TRICKS_TAKEN = LAYOUT.offsets["tricks_taken"]
_BIDS = LAYOUT.offsets["bids"]
_DOUBLE_NILS = LAYOUT.offsets["double_nils"]
_BAGS = LAYOUT.offsets["bags"]
_BAGS_HUNDREDS = LAYOUT.offsets["bags_hundreds"]
_HUNDREDS = LAYOUT.offsets["totals_hundreds"]
_REST = LAYOUT.offsets["totals_rest"]
_DEALER = LAYOUT.offsets["dealer"]
_LEADER = LAYOUT.offsets["leader"]
_PLAYER = LAYOUT.offsets["player"]
_DECISION = LAYOUT.offsets["decision"]
_BROKEN = LAYOUT.offsets["broken"]
_DEAL = LAYOUT.offsets["deal_number"]
_RULES = LAYOUT.offsets["bid_order"]
_NIL_POINTS = LAYOUT.offsets["nil_points"]
_DOUBLE_NIL_POINTS = LAYOUT.offsets["double_nil_points"]
_BEHIND = LAYOUT.offsets["double_nil_behind"]
_BAG_FINE = LAYOUT.offsets["bag_fine"]
_TARGET = LAYOUT.offsets["target"]
_MERCY = LAYOUT.offsets["mercy"]
_MAX_DEALS = LAYOUT.offsets["max_deals"]
_HAND_SIZE = LAYOUT.offsets["hand_size"]

# The four fields of bags and totals lie side by side, as swap_pairs needs them.
assert _REST + 2 - _BAGS == 8

_LOOK = 1
_NONE = np.uint64(0)


@compiled
def has_looked(state: Any, seat: int) -> bool:
    """Whether a seat has seen its own hand: it has bid, has said "look" or need not."""
    if state.bids[seat] >= 0 or not is_blind(state, seat):
        return True
    return bool(seat == state.player and state.decision != _LOOK)


@inlined
def observe(state: Any, seat: int, row: Any, changed: int) -> None:
    """Write what `seat` sees into an int8 row (F,).

    `changed`: what the row, else an observation of the same table, may not have right yet.
    """
    dealer = relative_seat(int(state.dealer), seat, 4)
    if changed == EVERYTHING:
        _observe_rules(state, row)
    if changed < 0:
        turned = 0
        _observe_totals(state, seat, row)
    else:
        turned = (row[_DEALER] - dealer) & 3
        swap_pairs(row, _BAGS, turned)
    hand = state.hands[seat] if has_looked(state, seat) else _NONE
    store_flags(row, _HAND, hand, NUM_CARDS)
    store_history(state, NUM_CARDS, 4, seat, changed, turned, row, _BY)
    store_four(state.trick, seat, row, _TRICK)
    store_four(state.tricks_taken, seat, row, _TRICKS_TAKEN)
    store_four(state.double_nils, seat, row, _DOUBLE_NILS)
    for k in range(4):
        row[_BIDS + k] = state.bids[(seat + k) & 3] + 1
    row[_DEALER] = dealer
    row[_LEADER] = relative_seat(int(state.leader), seat, 4)
    row[_PLAYER] = relative_seat(int(state.player), seat, 4)
    row[_DECISION] = state.decision
    row[_BROKEN] = state.broken


@compiled
def _observe_totals(state: Any, seat: int, row: Any) -> None:
    """Bags and totals, the observer's pair first; no play within a deal changes them."""
    for k in range(2):
        pair = (seat + k) & 1
        bag = int(state.bags[pair])
        full = bag // 100
        row[_BAGS_HUNDREDS + k] = min(full, 127)
        row[_BAGS + k] = bag - 100 * full
        total = int(state.totals[pair])
        part = hundreds(total)
        row[_HUNDREDS + k] = min(max(part, -127), 127)
        row[_REST + k] = total - 100 * part


@compiled
def _store_split(row: Any, offset: int, value: int) -> None:
    part = hundreds(value)
    row[offset] = part
    row[offset + 1] = value - 100 * part


@compiled
def _observe_rules(state: Any, row: Any) -> None:
    _store_split(row, _DEAL, min(int(state.deal_number), 12_799))
    row[_RULES] = state.bid_order
    row[_RULES + 1] = state.double_nil
    row[_RULES + 2] = state.first_lead
    row[_RULES + 3] = state.spade_leads
    row[_RULES + 4] = state.overtrick_points
    row[_RULES + 5] = state.bag_limit
    row[_RULES + 6] = state.bag_after
    row[_RULES + 7] = state.failed_nil_tricks
    row[_RULES + 8] = state.pair_bid_cap
    row[_RULES + 9] = state.pair_bid_min
    row[_RULES + 10] = state.first_trick_spades
    _store_split(row, _NIL_POINTS, int(state.nil_points))
    _store_split(row, _DOUBLE_NIL_POINTS, int(state.double_nil_points))
    _store_split(row, _BEHIND, int(state.double_nil_behind))
    _store_split(row, _BAG_FINE, int(state.bag_fine))
    _store_split(row, _TARGET, int(state.target))
    _store_split(row, _MERCY, -int(state.mercy))
    _store_split(row, _MAX_DEALS, int(state.max_deals))
    row[_HAND_SIZE] = state.hand_size
