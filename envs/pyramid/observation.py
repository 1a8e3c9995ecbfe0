"""What a Pyramid seat sees: the table of fields, and the encoder that fills it."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.envs.core.cards import store_flags
from bidwise.envs.core.compilation import compiled, inlined
from bidwise.envs.core.encoding import (
    hundreds,
    relative_seat,
    store_bytes,
    store_history,
    turn_four,
)
from bidwise.envs.core.layout import Field, Layout
from bidwise.envs.core.tricks import seat_after
from bidwise.envs.core.vocabulary import EVERYTHING
from bidwise.envs.pyramid.rules import CONFERENCE, MAX_DEALS_PER_PLAYER, NUM_BIDS
from bidwise.envs.pyramid.state import HAND_SIZE, NUM_CARDS, SLOTS

__all__ = ["LAYOUT", "observe"]

LAYOUT = Layout(
    (
        Field("hand", (NUM_CARDS,), 0, 1, "1: I hold this card"),
        Field(
            "shared_hands",
            (3, NUM_CARDS),
            0,
            1,
            "1: the fellow defender 1, 2, 3 to my left holds this card (conference open)",
        ),
        Field("played_by", (NUM_CARDS,), 0, 4, "0 not played, else relative seat + 1"),
        Field("played_trick", (NUM_CARDS,), 0, HAND_SIZE, "0 not played, else trick 1.."),
        Field("played_place", (NUM_CARDS,), 0, 4, "0 not played, else place in the trick 1.."),
        Field("trick", (4,), 0, NUM_CARDS, "card + 1 on the table by relative seat, 0 none"),
        Field("tricks_taken", (4,), 0, HAND_SIZE, "tricks by relative seat"),
        Field("announced", (4, SLOTS), 0, 7, "bid + 1 by relative seat and turn, 0 not yet"),
        Field("taken", (4, SLOTS), 0, 7, "tricks taken + 1 there, 0 not known"),
        Field("totals_hundreds", (4,), -127, 127, "hundreds of the totals, towards zero"),
        Field("totals_rest", (4,), -99, 99, "what is left of the totals"),
        Field("declarer", (1,), 0, 3, "relative seat of the declarer"),
        Field("bid", (1,), 0, 7, "this deal's bid + 1, 0 before the declaration"),
        Field("denomination", (1,), 0, 5, "trump suit + 1, 5 no trump, 0 before"),
        Field("dealer", (1,), 0, 3, "relative seat of the dealer"),
        Field("leader", (1,), 0, 3, "relative seat that leads or led this trick"),
        Field("player", (1,), 0, 3, "relative seat that is to act"),
        Field("decision", (1,), 0, 3, "0 over, 1 declare, 2 signal, 3 card"),
        Field("signals", (HAND_SIZE, 4), 0, 8, "token + 1 by trick and relative seat, 0 none"),
        Field("num_players", (1,), 2, 4, "players"),
        Field("following", (1,), 0, 2, "0 any, 1 suit, 2 suit_then_trump"),
        Field("no_trump", (1,), 0, 1, "1: no trump may be declared"),
        Field("conference", (1,), 0, 2, "0 open, 1 signals, 2 silent"),
        Field("deals_per_player", (1,), 1, MAX_DEALS_PER_PLAYER, "announcements a player"),
        Field("quota", (NUM_BIDS,), 0, MAX_DEALS_PER_PLAYER, "how often each bid is to be spent"),
        Field("hand_size", (1,), 1, HAND_SIZE, "cards dealt to each player"),
    )
)

_HAND = LAYOUT.offsets["hand"]
_SHARED = LAYOUT.offsets["shared_hands"]
_BY = LAYOUT.offsets["played_by"]
_TRICK = LAYOUT.offsets["trick"]
_TRICKS_TAKEN = LAYOUT.offsets["tricks_taken"]
_ANNOUNCED = LAYOUT.offsets["announced"]
_TAKEN = LAYOUT.offsets["taken"]
_HUNDREDS = LAYOUT.offsets["totals_hundreds"]
_REST = LAYOUT.offsets["totals_rest"]
_DECLARER = LAYOUT.offsets["declarer"]
_BID = LAYOUT.offsets["bid"]
_DENOMINATION = LAYOUT.offsets["denomination"]
_DEALER = LAYOUT.offsets["dealer"]
_LEADER = LAYOUT.offsets["leader"]
_PLAYER = LAYOUT.offsets["player"]
_DECISION = LAYOUT.offsets["decision"]
_SIGNALS = LAYOUT.offsets["signals"]
_RULES = LAYOUT.offsets["num_players"]
_QUOTA = LAYOUT.offsets["quota"]
_HAND_SIZE = LAYOUT.offsets["hand_size"]
_SIZE = LAYOUT.size

_OPEN = CONFERENCE.index("open")
_SIGNALLING = CONFERENCE.index("signals")
_NONE = np.uint64(0)


@inlined
def observe(state: Any, seat: int, row: Any, changed: int) -> None:
    """Write what `seat` sees into an int8 row (F,).

    `changed`: what the row, else an observation of the same table, may not have right yet.
    """
    num_players = int(state.num_players)
    dealer = relative_seat(int(state.dealer), seat, num_players)
    if changed == EVERYTHING:
        _observe_rules(state, row)
    if changed < 0:
        turned = 0
        _observe_totals(state, seat, num_players, row)
    else:
        turned = relative_seat(int(row[_DEALER]), dealer, num_players)
        turn_four(row, _HUNDREDS, turned, num_players, row, _HUNDREDS)
        turn_four(row, _REST, turned, num_players, row, _REST)
    declarer = int(state.declarer)
    store_flags(row, _HAND, state.hands[seat], NUM_CARDS)
    confers = state.conference == _OPEN and seat != declarer
    for k in range(1, 4):
        other = seat_after(seat, k, num_players)
        shown = confers and k < num_players and other != declarer
        cards = state.hands[other & 3] if shown else _NONE
        store_flags(row, _SHARED + (k - 1) * NUM_CARDS, cards, NUM_CARDS)
    store_history(state, NUM_CARDS, num_players, seat, changed, turned, row, _BY)
    turn_four(state.trick, 0, seat, num_players, row, _TRICK)
    turn_four(state.tricks_taken, 0, seat, num_players, row, _TRICKS_TAKEN)
    for k in range(num_players):
        other = seat_after(seat, k, num_players)
        store_bytes(state.announced, other * SLOTS, SLOTS, row, _ANNOUNCED + k * SLOTS)
        store_bytes(state.taken, other * SLOTS, SLOTS, row, _TAKEN + k * SLOTS)
    row[_DECLARER] = relative_seat(declarer, seat, num_players)
    row[_BID] = state.bid + 1
    row[_DENOMINATION] = state.denomination + 1
    row[_DEALER] = dealer
    row[_LEADER] = relative_seat(int(state.leader), seat, num_players)
    row[_PLAYER] = relative_seat(int(state.player), seat, num_players)
    row[_DECISION] = state.decision
    if state.conference == _SIGNALLING:
        for trick in range(HAND_SIZE):
            for k in range(num_players):
                other = seat_after(seat, k, num_players)
                row[_SIGNALS + trick * 4 + k] = state.signals[trick * 4 + other]


@compiled
def _observe_totals(state: Any, seat: int, num_players: int, row: Any) -> None:
    """Totals from the observer on; no play within a deal changes them."""
    for k in range(num_players):
        total = int(state.totals[seat_after(seat, k, num_players)])
        part = hundreds(total)
        row[_HUNDREDS + k] = min(max(part, -127), 127)
        row[_REST + k] = total - 100 * part


@compiled
def _observe_rules(state: Any, row: Any) -> None:
    for k in range(_SIZE):
        row[k] = 0
    row[_RULES] = state.num_players
    row[_RULES + 1] = state.following
    row[_RULES + 2] = state.no_trump
    row[_RULES + 3] = state.conference
    row[_RULES + 4] = state.deals_per_player
    for bid in range(NUM_BIDS):
        row[_QUOTA + bid] = state.quota[bid]
    row[_HAND_SIZE] = state.hand_size
