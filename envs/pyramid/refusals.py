"""Why Pyramid forbids an action: the words for an IllegalActionError."""

from __future__ import annotations

from typing import Any

from bidwise.envs.core.cards import DECK_24, SUIT_NAMES
from bidwise.envs.pyramid.actions import FIRST_DECLARATION, NUM_ACTIONS, action_name, decode_action
from bidwise.envs.pyramid.rules import FOLLOWING
from bidwise.envs.pyramid.state import CARD, DECISIONS, DECLARE, NUM_RANKS

__all__ = ["why_illegal"]


def why_illegal(state: Any, action: int) -> str:
    """The rule that forbids an illegal action to the player to act, with what it rests on."""
    if not 0 <= action < NUM_ACTIONS:
        return f"action {action} is not one of 0..{NUM_ACTIONS - 1}"
    name, what = action_name(action), decode_action(action)
    decision = int(state["decision"])
    kind = {"declaration": "declare"}.get(what.kind, what.kind)
    if kind != DECISIONS[decision]:
        return f"{name} is a {what.kind}, but the decision is to {DECISIONS[decision]}"
    if decision == DECLARE and what.bid is not None:
        if what.denomination == 4 and not state["no_trump"]:
            return f"{name}: these rules have no no-trump"
        quota = int(state["quota"][what.bid])
        return f"{name}: the bid {what.bid} is spent ({quota} of {quota})"
    assert decision == CARD
    assert action < FIRST_DECLARATION
    hand = int(state["hands"][state["player"]])
    if not hand >> action & 1:
        return f"{name} is not held; holds {DECK_24.names(DECK_24.cards(hand))}"
    led = (int(state["trick"][state["leader"]]) - 1) // NUM_RANKS
    suit = [card for card in DECK_24.cards(hand) if card // NUM_RANKS == led]
    if suit:
        return f"{name}: must follow {SUIT_NAMES[led]}; holds {DECK_24.names(suit)}"
    trump = int(state["denomination"])
    trumps = [card for card in DECK_24.cards(hand) if card // NUM_RANKS == trump]
    following = FOLLOWING[int(state["following"])]
    return (
        f"{name}: void in {SUIT_NAMES[led]} must play a trump ({following}); "
        f"holds {DECK_24.names(trumps)}"
    )
