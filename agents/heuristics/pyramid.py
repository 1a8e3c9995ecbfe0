"""Pyramid ``basic-v1``: a rule sheet.

**Declaration.** With a suit as trump, a hand expects, in tricks: trump ace or king 1, any other
trump 3/4; side ace 1/2, side king 1/4. The trump is the longest suit; of equally long ones the
stronger, which has the higher top card, or else the higher next one, and so on; of equal ones the
first of ♣ ♦ ♥ ♠; never no trump. The bid is the unspent number nearest to what the hand expects
with it, the lower of two equally near.

**Cards.** The declarer wants tricks while short of the bid; the defenders too want them then, so
as to deny them. Who wants a trick plays

- leading: the cheapest sure winner, a card that no unseen card of its suit beats (cards that
  fellow defenders show are seen); without one, the lowest legal card;
- following: a defender the lowest if a fellow defender holds the trick; else the cheapest
  winner, the lowest legal card that beats the best on the table; without one, the lowest.

Once the declarer has the bid, everyone plays the lowest legal card: the declarer to take no
more, the defenders to leave more to the declarer. "Low" and "cheap" go by rank, then by suit
♣ ♦ ♥ ♠; trumps come last.

**Signals.** Always token 0: it means nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.agents.compilation import compiled
from bidwise.agents.heuristics.cards import read_cards, standing, sure_winners, weakest, winners
from bidwise.envs.core.cards import BIT
from bidwise.envs.core.instructions import popcount
from bidwise.envs.pyramid.actions import (
    FIRST_DECLARATION,
    FIRST_SIGNAL,
    NUM_DENOMINATIONS,
)
from bidwise.envs.pyramid.observation import LAYOUT
from bidwise.envs.pyramid.rules import NUM_BIDS
from bidwise.envs.pyramid.state import DECLARE, NUM_CARDS, NUM_RANKS, SIGNAL

__all__ = ["basic", "expected_tricks", "longest_suit"]

_HAND = LAYOUT.offsets["hand"]
_SHARED = LAYOUT.offsets["shared_hands"]
_BY = LAYOUT.offsets["played_by"]
_TRICK = LAYOUT.offsets["trick"]
_TAKEN = LAYOUT.offsets["tricks_taken"]
_DECLARER = LAYOUT.offsets["declarer"]
_BID = LAYOUT.offsets["bid"]
_DENOMINATION = LAYOUT.offsets["denomination"]
_LEADER = LAYOUT.offsets["leader"]
_DECISION = LAYOUT.offsets["decision"]
_NUM_PLAYERS = LAYOUT.offsets["num_players"]

_NONE = np.uint64(0)
_SUIT = np.uint64((1 << NUM_RANKS) - 1)
_ACE = np.uint64(NUM_RANKS - 1)
_KING = np.uint64(NUM_RANKS - 2)


@compiled
def basic(observation: Any, action_mask: Any, bits: Any) -> int:
    """The action of ``basic-v1``; `bits` are not used."""
    decision = observation[_DECISION]
    if decision == SIGNAL:
        return FIRST_SIGNAL
    if decision == DECLARE:
        return _declare(read_cards(observation, _HAND, NUM_CARDS), action_mask)
    return _choose_card(observation, read_cards(action_mask, 0, NUM_CARDS))


@compiled
def expected_tricks(hand: Any, trump: int) -> int:
    """The tricks that a hand (uint64) expects with a suit as trump, in quarters."""
    quarters = 0
    for suit in range(4):
        ranks = (hand >> np.uint64(suit * NUM_RANKS)) & _SUIT
        ace = int((ranks >> _ACE) & BIT)
        king = int((ranks >> _KING) & BIT)
        if suit == trump:
            quarters += 3 * popcount(ranks) + ace + king
        else:
            quarters += 2 * ace + king
    return quarters


@compiled
def longest_suit(hand: Any) -> int:
    """The suit that is declared trump."""
    trump = 0
    most = -1
    for suit in range(4):
        ranks = (hand >> np.uint64(suit * NUM_RANKS)) & _SUIT
        # As a number, a set of ranks is greater the higher its top card, then its next.
        worth = (popcount(ranks) << NUM_RANKS) + int(ranks)
        if worth > most:
            most = worth
            trump = suit
    return trump


@compiled
def _declare(hand: Any, action_mask: Any) -> int:
    trump = longest_suit(hand)
    expected = expected_tricks(hand, trump)
    declaration = -1
    nearest = 4 * NUM_BIDS
    for bid in range(NUM_BIDS):
        action = FIRST_DECLARATION + NUM_DENOMINATIONS * bid + trump
        distance = abs(4 * bid - expected)
        if action_mask[action] != 0 and distance < nearest:
            nearest = distance
            declaration = action
    return declaration


@compiled
def _choose_card(observation: Any, legal: Any) -> int:
    trump = int(observation[_DENOMINATION]) - 1
    declarer = int(observation[_DECLARER])
    lowest = weakest(legal, trump, NUM_RANKS)
    if int(observation[_TAKEN + declarer]) >= int(observation[_BID]) - 1:
        return lowest
    best, holder = standing(
        observation,
        _TRICK,
        int(observation[_LEADER]),
        int(observation[_NUM_PLAYERS]),
        trump,
        NUM_RANKS,
    )
    if best < 0:
        seen = read_cards(observation, _HAND, NUM_CARDS)
        seen |= read_cards(observation, _BY, NUM_CARDS)
        if declarer != 0:
            for k in range(3):
                seen |= read_cards(observation, _SHARED + k * NUM_CARDS, NUM_CARDS)
        beating = sure_winners(legal, ~seen, NUM_RANKS)
    elif declarer != 0 and holder != declarer:
        return lowest
    else:
        beating = winners(legal, best, trump, NUM_RANKS)
    return lowest if beating == _NONE else weakest(beating, trump, NUM_RANKS)
