"""Spades as text: the table, and what each pair has."""

from __future__ import annotations

from typing import Any

from bidwise.envs.core.cards import DECK_52
from bidwise.envs.core.drawing import (
    card_text,
    draw_hand,
    draw_seats,
    hide_hand,
    join_lines,
    join_names,
    last_trick,
    preset_name,
    seat_name,
    to_act,
)
from bidwise.envs.core.vocabulary import RUNNING, TRUNCATED
from bidwise.envs.spades.observation import has_looked
from bidwise.envs.spades.state import BID, CARD, LOOK, read_rules

__all__ = ["draw_table"]

_TO_DO = {
    LOOK: "is to look, or to bid double nil",
    BID: "is to bid",
    CARD: "is to play a card",
}

_NOT_YET = "–"


def _bid_text(state: Any, seat: int) -> str:
    bid = int(state["bids"][seat])
    if bid < 0:
        return _NOT_YET
    if state["double_nils"][seat]:
        return "double nil"
    return str(bid) if bid else "nil"


def _draw_seat(state: Any, seat: int, viewer: int | None) -> list[str]:
    hand = DECK_52.cards(int(state["hands"][seat]))
    shown = viewer is None or (viewer == seat and has_looked(state, seat))
    turn = "▸ " if state["status"] == RUNNING and seat == state["player"] else ""
    bid = _bid_text(state, seat)
    facts = [] if bid == _NOT_YET else [bid if "nil" in bid else f"bid {bid}"]
    return [
        turn + seat_name(seat) + (" (dealer)" if seat == state["dealer"] else ""),
        ", ".join([*facts, f"took {state['tricks_taken'][seat]}"]),
        *(draw_hand(DECK_52, hand) if shown else hide_hand(len(hand))),
    ]


def _pair_name(pair: int) -> str:
    return f"{seat_name(pair)} and {seat_name(pair + 2)}"


def _headlines(state: Any) -> list[str]:
    rules = read_rules(state)
    lines = [
        f"Spades, {preset_name(rules)}, to {rules.target}: deal {int(state['deal_number']) + 1}"
        + (", spades are broken" if state["broken"] else "")
    ]
    if state["status"] == RUNNING:
        return [*lines, to_act(state, _TO_DO)]
    totals = [int(total) for total in state["totals"]]
    best = [_pair_name(k) for k in range(2) if totals[k] == max(totals)]
    over = "Cut off" if state["status"] == TRUNCATED else "Over"
    verb = "win" if len(best) == 1 else "share the win"
    lines.append(f"{over}: {join_names(best)} {verb}, {max(totals)} to {min(totals)}")
    return lines


def _draw_pairs(state: Any) -> list[str]:
    limit = read_rules(state).bag_limit
    width = 10 if limit is not None else 14
    lines = [f"{'':21}  {'bids':^23}  contract  tricks  {'bag':>{width}}  total"]
    for pair in range(2):
        seats = (pair, pair + 2)
        bids = [int(state["bids"][seat]) for seat in seats]
        texts = " + ".join(_bid_text(state, seat) for seat in seats)
        contract = str(sum(bids)) if min(bids) >= 0 else _NOT_YET
        tricks = sum(int(state["tricks_taken"][seat]) for seat in seats)
        bag = f"{state['bags'][pair]} of {'no limit' if limit is None else limit}"
        lines.append(
            f"{_pair_name(pair)}  {texts:^23}  {contract:>8}  {tricks:>6}  {bag:>{width}}  "
            f"{int(state['totals'][pair]):>5}"
        )
    return lines


def draw_table(state: Any, viewer: int | None = None) -> str:
    """The table as text.

    Args:
        state: a Spades record.
        viewer: a seat, which is drawn at the bottom and sees no more than it may (its own
            hand only once it has looked); None shows every hand, seat 0 at the bottom.
    """
    trick = [int(card) - 1 for card in state["trick"]]
    lines = _headlines(state)
    lines.append("")
    lines += draw_seats(
        [_draw_seat(state, seat, viewer) for seat in range(4)],
        [card_text(DECK_52, card) if card >= 0 else "" for card in trick],
        viewer or 0,
    )
    lines += last_trick(DECK_52, state)
    return join_lines([*lines, "", *_draw_pairs(state)])
