"""Spades' 68 actions: 0..51 cards, 52..65 bids 0..13, 66 look, 67 double nil."""

from __future__ import annotations

from dataclasses import dataclass

from bidwise.envs.core.cards import DECK_52

__all__ = [
    "DOUBLE_NIL_ACTION",
    "FIRST_BID",
    "LOOK_ACTION",
    "NUM_ACTIONS",
    "NUM_BIDS",
    "Action",
    "action_name",
    "decode_action",
    "encode_action",
    "parse_action",
]

NUM_BIDS = 14
FIRST_BID = DECK_52.num_cards
LOOK_ACTION = FIRST_BID + NUM_BIDS
DOUBLE_NIL_ACTION = LOOK_ACTION + 1
NUM_ACTIONS = DOUBLE_NIL_ACTION + 1


@dataclass(frozen=True)
class Action:
    """What an action id means."""

    kind: str
    """``"card"``, ``"bid"``, ``"look"`` or ``"double_nil"``."""
    card: int | None = None
    bid: int | None = None


def decode_action(action: int) -> Action:
    """What an action id means."""
    if 0 <= action < FIRST_BID:
        return Action("card", card=int(action))
    if FIRST_BID <= action < LOOK_ACTION:
        return Action("bid", bid=int(action) - FIRST_BID)
    if action == LOOK_ACTION:
        return Action("look")
    if action == DOUBLE_NIL_ACTION:
        return Action("double_nil")
    raise ValueError(f"action {action} is not one of 0..{NUM_ACTIONS - 1}")


def encode_action(action: Action) -> int:
    """The id of an action; the inverse of :func:`decode_action`."""
    match action:
        case Action("card", card=int(card)):
            code = card
        case Action("bid", bid=int(bid)):
            code = FIRST_BID + bid
        case Action("look"):
            code = LOOK_ACTION
        case Action("double_nil"):
            code = DOUBLE_NIL_ACTION
        case _:
            raise ValueError(f"{action} names no action")
    if not 0 <= code < NUM_ACTIONS or decode_action(code) != action:
        raise ValueError(f"{action} names no action")
    return code


def action_name(action: int) -> str:
    """Text of an action: ``"AS"``, ``"bid:4"``, ``"nil"``, ``"look"``, ``"double-nil"``."""
    what = decode_action(action)
    if what.card is not None:
        return DECK_52.name(what.card)
    if what.bid is not None:
        return "nil" if what.bid == 0 else f"bid:{what.bid}"
    return "look" if what.kind == "look" else "double-nil"


_BY_NAME = {action_name(action): action for action in range(NUM_ACTIONS)}


def parse_action(text: str) -> int:
    """The id of an action's text; the inverse of :func:`action_name`."""
    try:
        return _BY_NAME[text]
    except KeyError:
        raise ValueError(f"{text!r} is no action of Spades") from None
