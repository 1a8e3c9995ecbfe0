"""Pyramid's 67 actions: 0..23 cards, 24..58 declarations, 59..66 signals."""

from __future__ import annotations

from dataclasses import dataclass

from bidwise.envs.core.cards import DECK_24, SUIT_LETTERS

__all__ = [
    "FIRST_DECLARATION",
    "FIRST_SIGNAL",
    "NUM_ACTIONS",
    "NUM_DENOMINATIONS",
    "NUM_TOKENS",
    "Action",
    "action_name",
    "decode_action",
    "encode_action",
    "parse_action",
]

NUM_DENOMINATIONS = 5
NUM_TOKENS = 8
FIRST_DECLARATION = DECK_24.num_cards
FIRST_SIGNAL = FIRST_DECLARATION + 7 * NUM_DENOMINATIONS
NUM_ACTIONS = FIRST_SIGNAL + NUM_TOKENS

_DENOMINATIONS = (*SUIT_LETTERS, "NT")


@dataclass(frozen=True)
class Action:
    """What an action id means: just one of card, bid with denomination, or token."""

    kind: str
    """``"card"``, ``"declaration"`` or ``"signal"``."""
    card: int | None = None
    bid: int | None = None
    denomination: int | None = None
    """Trump suit 0..3, or 4 for no trump."""
    token: int | None = None


def decode_action(action: int) -> Action:
    """What an action id means."""
    if 0 <= action < FIRST_DECLARATION:
        return Action("card", card=int(action))
    if FIRST_DECLARATION <= action < FIRST_SIGNAL:
        bid, denomination = divmod(int(action) - FIRST_DECLARATION, NUM_DENOMINATIONS)
        return Action("declaration", bid=bid, denomination=denomination)
    if FIRST_SIGNAL <= action < NUM_ACTIONS:
        return Action("signal", token=int(action) - FIRST_SIGNAL)
    raise ValueError(f"action {action} is not one of 0..{NUM_ACTIONS - 1}")


def encode_action(action: Action) -> int:
    """The id of an action; the inverse of :func:`decode_action`."""
    match action:
        case Action("card", card=int(card)):
            code = card
        case Action("declaration", bid=int(bid), denomination=int(denomination)):
            code = FIRST_DECLARATION + NUM_DENOMINATIONS * bid + denomination
        case Action("signal", token=int(token)):
            code = FIRST_SIGNAL + token
        case _:
            raise ValueError(f"{action} names no action")
    if not 0 <= code < NUM_ACTIONS or decode_action(code) != action:
        raise ValueError(f"{action} names no action")
    return code


def action_name(action: int) -> str:
    """Text of an action: ``"AS"``, ``"4:S"``, ``"3:NT"``, ``"say:5"``."""
    what = decode_action(action)
    if what.card is not None:
        return DECK_24.name(what.card)
    if what.bid is not None and what.denomination is not None:
        return f"{what.bid}:{_DENOMINATIONS[what.denomination]}"
    return f"say:{what.token}"


_BY_NAME = {action_name(action): action for action in range(NUM_ACTIONS)}


def parse_action(text: str) -> int:
    """The id of an action's text; the inverse of :func:`action_name`."""
    try:
        return _BY_NAME[text]
    except KeyError:
        raise ValueError(f"{text!r} is no action of Pyramid") from None
