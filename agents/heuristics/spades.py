"""Spades ``basic-v1``: a rule sheet.

**Bids.** Always look. Count

- a side ace 1, a side king with another card of its suit 3/4;
- the ace, king, queen of spades 1 each that is guarded: for every higher spade that others
  hold, I hold a spade below it (the ace always counts, the king beside the ace too);
- each spade past the third 1.

Round down; at least 1, never nil. Where the pair's cap forbids that bid, the highest allowed;
where it leaves only nil, nil; where the pair's minimum forbids all of these, the lowest allowed.

**Cards.** The pair needs tricks while those that count towards its contract are fewer than the
contract. Then

- leading: the cheapest sure winner, a card that no unseen card of its suit beats; without one,
  the lowest legal card;
- following: the lowest if the partner holds the trick, else the cheapest winner, the lowest
  legal card that beats the best on the table; without one, the lowest.

When the pair needs none, the lowest legal card. "Low" and "cheap" go by rank, then by suit
♣ ♦ ♥; spades come last.

**Nil.** A nil stands while its bidder has no trick.

- Who bid nil: the highest legal card that does not beat the best on the table; the lowest when
  leading or when all would win. So too after the nil has failed where its tricks only fill the
  bag; where they count towards the contract, such a player plays on for the pair.
- Whose partner bid nil: while the nil stands and the partner holds the trick, the cheapest
  winner, needed or not; else the lowest. Tricks of a nil that failed count for the pair only
  where the rules say so.

Nothing else is looked at: not the bag, not the totals, not the others' bids.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.agents.compilation import compiled
from bidwise.agents.heuristics.cards import (
    read_cards,
    standing,
    strongest,
    sure_winners,
    weakest,
    winners,
)
from bidwise.envs.core.cards import BIT, SPADES, bit
from bidwise.envs.core.instructions import popcount
from bidwise.envs.spades.actions import FIRST_BID, LOOK_ACTION
from bidwise.envs.spades.observation import LAYOUT
from bidwise.envs.spades.rules import FAILED_NIL_TRICKS
from bidwise.envs.spades.state import BID, LOOK, NUM_CARDS, NUM_RANKS

__all__ = ["basic", "count_tricks"]

_HAND = LAYOUT.offsets["hand"]
_BY = LAYOUT.offsets["played_by"]
_TRICK = LAYOUT.offsets["trick"]
_TAKEN = LAYOUT.offsets["tricks_taken"]
_BIDS = LAYOUT.offsets["bids"]
_LEADER = LAYOUT.offsets["leader"]
_DECISION = LAYOUT.offsets["decision"]
_FAILED_NIL = LAYOUT.offsets["failed_nil_tricks"]
_CONTRACT = FAILED_NIL_TRICKS.index("contract")

_NONE = np.uint64(0)
_SUIT = np.uint64((1 << NUM_RANKS) - 1)
_ACE = NUM_RANKS - 1
_KING = NUM_RANKS - 2
_QUEEN = NUM_RANKS - 3
_PARTNER = 2


@compiled
def basic(observation: Any, action_mask: Any, bits: Any) -> int:
    """The action of ``basic-v1``; `bits` are not used."""
    decision = observation[_DECISION]
    if decision == LOOK:
        return LOOK_ACTION
    if decision == BID:
        bid = max(count_tricks(read_cards(observation, _HAND, NUM_CARDS)) // 4, 1)
        while bid > 0 and action_mask[FIRST_BID + bid] == 0:
            bid -= 1
        while action_mask[FIRST_BID + bid] == 0:
            bid += 1
        return FIRST_BID + bid
    return _choose_card(observation, read_cards(action_mask, 0, NUM_CARDS))


@compiled
def count_tricks(hand: Any) -> int:
    """The tricks that a hand (uint64) counts for, in quarters."""
    quarters = 0
    for suit in range(SPADES):
        ranks = (hand >> np.uint64(suit * NUM_RANKS)) & _SUIT
        if ranks & bit(_ACE) != _NONE:
            quarters += 4
        if ranks & bit(_KING) != _NONE and popcount(ranks) > 1:
            quarters += 3
    spades = (hand >> np.uint64(SPADES * NUM_RANKS)) & _SUIT
    missing = 0
    for rank in (_ACE, _KING, _QUEEN):
        if spades & bit(rank) == _NONE:
            missing += 1
        elif popcount(spades & (bit(rank) - BIT)) >= missing:
            quarters += 4
    return quarters + 4 * max(popcount(spades) - 3, 0)


@compiled
def _choose_card(observation: Any, legal: Any) -> int:
    leader = int(observation[_LEADER])
    best, holder = standing(observation, _TRICK, leader, 4, SPADES, NUM_RANKS)
    lowest = weakest(legal, SPADES, NUM_RANKS)
    beating = _NONE if best < 0 else winners(legal, best, SPADES, NUM_RANKS)
    all_count = observation[_FAILED_NIL] == _CONTRACT
    own_bid = int(observation[_BIDS]) - 1
    own_taken = int(observation[_TAKEN])
    partner_bid = int(observation[_BIDS + _PARTNER]) - 1
    partner_taken = int(observation[_TAKEN + _PARTNER])

    if own_bid == 0 and (own_taken == 0 or not all_count):
        safe = legal & ~beating
        if best < 0 or safe == _NONE:
            return lowest
        return strongest(safe, SPADES, NUM_RANKS)

    if holder == _PARTNER and partner_bid == 0 and partner_taken == 0:
        return lowest if beating == _NONE else weakest(beating, SPADES, NUM_RANKS)

    partner_counts = partner_bid != 0 or all_count
    needed = own_bid + partner_bid - own_taken
    if partner_counts:
        needed -= partner_taken
    if needed <= 0 or (holder == _PARTNER and partner_counts):
        return lowest
    if best < 0:
        seen = read_cards(observation, _HAND, NUM_CARDS)
        seen |= read_cards(observation, _BY, NUM_CARDS)
        beating = sure_winners(legal, ~seen, NUM_RANKS)
    return lowest if beating == _NONE else weakest(beating, SPADES, NUM_RANKS)
