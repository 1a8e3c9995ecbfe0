"""Why Spades forbids an action: the words for an IllegalActionError."""

from __future__ import annotations

from typing import Any

from bidwise.envs.core.cards import DECK_52, SPADES, SUIT_NAMES
from bidwise.envs.spades.actions import DOUBLE_NIL_ACTION, NUM_ACTIONS, action_name, decode_action
from bidwise.envs.spades.engine import is_blind, lowest_bid
from bidwise.envs.spades.rules import SPADE_LEADS
from bidwise.envs.spades.state import BID, CARD, DECISIONS, LOOK, NUM_RANKS, read_rules

__all__ = ["why_illegal"]

_WANTED = ("nobody is to act", "look or bid double nil", "bid", "play a card")


def _why_no_bid(state: Any, bid: int) -> str:
    """Why the player to act may not bid so many tricks, either nil being 0."""
    partner = max(0, int(state["bids"][(state["player"] + 2) & 3]))
    if bid < lowest_bid(state):
        return f"the pair must bid {state['pair_bid_min']} together; the partner bid {partner}"
    return f"the pair may bid {state['pair_bid_cap']} together; the partner bid {partner}"


def _why_not_offered(state: Any, action: int) -> str:
    """Why there was no double nil to say, where its price is to be far enough behind."""
    player = int(state["player"])
    rules = read_rules(state)
    if action != DOUBLE_NIL_ACTION or rules.double_nil == "off" or is_blind(state, player):
        return ""
    behind = int(state["totals"][1 - player % 2] - state["totals"][player % 2])
    return (
        f"; double nil is for a pair {rules.double_nil_behind} behind, this one is {max(behind, 0)}"
    )


def why_illegal(state: Any, action: int) -> str:
    """The rule that forbids an illegal action to the player to act, with what it rests on."""
    if not 0 <= action < NUM_ACTIONS:
        return f"action {action} is not one of 0..{NUM_ACTIONS - 1}"
    name, what = action_name(action), decode_action(action)
    decision = int(state["decision"])
    kind = {"double_nil": "look"}.get(what.kind, what.kind)
    if kind != DECISIONS[decision]:
        why = _why_not_offered(state, action) if decision == BID else ""
        return f"{name}: the decision is to {_WANTED[decision]}{why}"
    if decision in (LOOK, BID):
        return f"{name}: {_why_no_bid(state, what.bid or 0)}"
    assert decision == CARD
    hand = int(state["hands"][state["player"]])
    if not hand >> action & 1:
        return f"{name} is not held; holds {DECK_52.names(DECK_52.cards(hand))}"
    others = [card for card in DECK_52.cards(hand) if card < SPADES * NUM_RANKS]
    first_trick = int(state["tricks_played"]) == 0
    if int(state["trick_size"]) == 0:
        if first_trick and read_rules(state).first_lead == "two_of_clubs" and hand & 1:
            return f"{name}: the two of clubs must be led"
        if first_trick and not state["first_trick_spades"]:
            return f"{name}: no spade on the first trick; holds {DECK_52.names(others)}"
        rule = SPADE_LEADS[int(state["spade_leads"])]
        why = "spades are not broken" if rule == "broken" else "only when nothing else is held"
        return f"{name}: no spade may be led, {why}; holds {DECK_52.names(others)}"
    led = (int(state["trick"][state["leader"]]) - 1) // NUM_RANKS
    suit = [card for card in DECK_52.cards(hand) if card // NUM_RANKS == led]
    if not suit:
        return f"{name}: no spade on the first trick; holds {DECK_52.names(others)}"
    return f"{name}: must follow {SUIT_NAMES[led]}; holds {DECK_52.names(suit)}"
