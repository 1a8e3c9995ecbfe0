"""Why Spades forbids an action: the words for an IllegalActionError."""

from __future__ import annotations

from typing import Any

from bidwise.envs.core.cards import DECK_52, SUIT_NAMES
from bidwise.envs.spades.actions import NUM_ACTIONS, action_name, decode_action
from bidwise.envs.spades.rules import SPADE_LEADS
from bidwise.envs.spades.state import BID, CARD, DECISIONS, NUM_RANKS

__all__ = ["why_illegal"]

_WANTED = ("nobody is to act", "look or bid double nil", "bid", "play a card")


def why_illegal(state: Any, action: int) -> str:
    """The rule that forbids an illegal action to the player to act, with what it rests on."""
    if not 0 <= action < NUM_ACTIONS:
        return f"action {action} is not one of 0..{NUM_ACTIONS - 1}"
    name, what = action_name(action), decode_action(action)
    decision = int(state["decision"])
    kind = {"double_nil": "look"}.get(what.kind, what.kind)
    if kind != DECISIONS[decision]:
        return f"{name}: the decision is to {_WANTED[decision]}"
    if decision == BID:
        partner = max(0, int(state["bids"][(state["player"] + 2) & 3]))
        cap = int(state["pair_bid_cap"])
        return f"{name}: the pair may bid {cap} together; the partner bid {partner}"
    assert decision == CARD
    hand = int(state["hands"][state["player"]])
    if not hand >> action & 1:
        return f"{name} is not held; holds {DECK_52.names(DECK_52.cards(hand))}"
    if int(state["trick_size"]) == 0:
        rule = SPADE_LEADS[int(state["spade_leads"])]
        why = "spades are not broken" if rule == "broken" else "only when nothing else is held"
        others = [card for card in DECK_52.cards(hand) if card < 3 * NUM_RANKS]
        return f"{name}: no spade may be led, {why}; holds {DECK_52.names(others)}"
    led = (int(state["trick"][state["leader"]]) - 1) // NUM_RANKS
    suit = [card for card in DECK_52.cards(hand) if card // NUM_RANKS == led]
    return f"{name}: must follow {SUIT_NAMES[led]}; holds {DECK_52.names(suit)}"
