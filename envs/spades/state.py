"""Spades' record: one table's whole state, at most 512 bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bidwise.envs.core.cards import DECK_52
from bidwise.envs.core.checks import check_int, check_names
from bidwise.envs.core.options import whole_numbers, write_hands
from bidwise.envs.core.vocabulary import OVER
from bidwise.envs.game import common_fields
from bidwise.envs.spades.rules import (
    BAG_AFTER,
    BID_ORDER,
    DOUBLE_NIL,
    FAILED_NIL_TRICKS,
    FIRST_LEAD,
    SPADE_LEADS,
    SpadesRules,
)
from bidwise.envs.spades.scoring import NO_BAG_LIMIT, match_status

__all__ = [
    "BID",
    "CARD",
    "DECISIONS",
    "DTYPE",
    "HAND_SIZE",
    "LOOK",
    "NO_DEALS_LIMIT",
    "NO_MERCY",
    "NUM_CARDS",
    "NUM_RANKS",
    "OPTIONS",
    "apply_options",
    "read_rules",
    "write_rules",
]

NUM_CARDS = DECK_52.num_cards
NUM_RANKS = DECK_52.num_ranks
HAND_SIZE = 13

LOOK, BID, CARD = 1, 2, 3
DECISIONS = ("over", "look", "bid", "card")
assert DECISIONS[OVER] == "over"

NO_MERCY = 0
NO_DEALS_LIMIT = 0

DTYPE = np.dtype(
    [
        *common_fields(NUM_CARDS),
        ("bids", np.int8, (4,)),  # -1 before the bid
        ("double_nils", np.int8, (4,)),
        ("num_bids", np.int8),
        ("broken", np.int8),
        ("points", np.int32, (2,)),  # a pair's, of the deal that ended last
        ("totals", np.int32, (2,)),  # a pair's
        ("bags", np.int32, (2,)),  # a pair's
        ("bid_order", np.int8),
        ("double_nil", np.int8),
        ("first_lead", np.int8),
        ("spade_leads", np.int8),
        ("overtrick_points", np.int8),
        ("bag_limit", np.int8),  # 0: none
        ("bag_after", np.int8),
        ("failed_nil_tricks", np.int8),
        ("pair_bid_cap", np.int8),
        ("pair_bid_min", np.int8),
        ("first_trick_spades", np.int8),
        ("nil_points", np.int16),
        ("double_nil_points", np.int16),
        ("double_nil_behind", np.int16),
        ("bag_fine", np.int16),
        ("target", np.int16),
        ("mercy", np.int16),  # 0: never
        ("max_deals", np.int16),  # 0: never
    ],
    align=True,
)

OPTIONS = ("hands", "dealer", "totals", "bags")

_MOST_UNFINED = 10_000
"""The fullest bag that reset takes where no limit empties bags."""


def write_rules(state: Any, rules: SpadesRules, num_players: int) -> None:
    """Write the switches into a record."""
    state["num_players"] = num_players
    state["bid_order"] = BID_ORDER.index(rules.bid_order)
    state["double_nil"] = DOUBLE_NIL.index(rules.double_nil)
    state["first_lead"] = FIRST_LEAD.index(rules.first_lead)
    state["spade_leads"] = SPADE_LEADS.index(rules.spade_leads)
    state["overtrick_points"] = rules.overtrick_points
    state["bag_limit"] = NO_BAG_LIMIT if rules.bag_limit is None else rules.bag_limit
    state["bag_after"] = BAG_AFTER.index(rules.bag_after)
    state["failed_nil_tricks"] = FAILED_NIL_TRICKS.index(rules.failed_nil_tricks)
    state["pair_bid_cap"] = rules.pair_bid_cap
    state["pair_bid_min"] = rules.pair_bid_min
    state["first_trick_spades"] = rules.first_trick_spades
    state["nil_points"] = rules.nil_points
    state["double_nil_points"] = rules.double_nil_points
    state["double_nil_behind"] = rules.double_nil_behind
    state["bag_fine"] = rules.bag_fine
    state["target"] = rules.target
    state["mercy"] = NO_MERCY if rules.mercy is None else rules.mercy
    state["max_deals"] = NO_DEALS_LIMIT if rules.max_deals is None else rules.max_deals


def read_rules(state: Any) -> SpadesRules:
    """The switches that a record plays by."""
    mercy, max_deals = int(state["mercy"]), int(state["max_deals"])
    bag_limit = int(state["bag_limit"])
    return SpadesRules(
        bid_order=BID_ORDER[state["bid_order"]],
        double_nil=DOUBLE_NIL[state["double_nil"]],
        first_lead=FIRST_LEAD[state["first_lead"]],
        spade_leads=SPADE_LEADS[state["spade_leads"]],
        overtrick_points=int(state["overtrick_points"]),
        bag_limit=None if bag_limit == NO_BAG_LIMIT else bag_limit,
        bag_after=BAG_AFTER[state["bag_after"]],
        failed_nil_tricks=FAILED_NIL_TRICKS[state["failed_nil_tricks"]],
        target=int(state["target"]),
        mercy=None if mercy == NO_MERCY else mercy,
        max_deals=None if max_deals == NO_DEALS_LIMIT else max_deals,
        pair_bid_cap=int(state["pair_bid_cap"]),
        pair_bid_min=int(state["pair_bid_min"]),
        nil_points=int(state["nil_points"]),
        double_nil_points=int(state["double_nil_points"]),
        double_nil_behind=int(state["double_nil_behind"]),
        bag_fine=int(state["bag_fine"]),
        first_trick_spades=bool(state["first_trick_spades"]),
    )


def apply_options(state: Any, options: Mapping[str, Any]) -> None:
    """Change a freshly started record to what reset's `options` ask for.

    The caller has the engine begin the deal anew. Raises ValueError, naming the option, for
    what cannot be; the record is then worthless.
    """
    check_names(list(options), OPTIONS, "options")
    if options.get("dealer") is not None:
        check_int("dealer", options["dealer"], 0, 3)
        state["dealer"] = options["dealer"]
    if options.get("totals") is not None:
        totals = whole_numbers("totals", options["totals"], 2, -1_000_000, 1_000_000)
        target, mercy = int(state["target"]), int(state["mercy"])
        if match_status(totals[0], totals[1], target, mercy):
            raise ValueError(f"totals: at {totals} the match is already over")
        state["totals"] = totals
    if options.get("bags") is not None:
        limit = int(state["bag_limit"])
        most = _MOST_UNFINED if limit == NO_BAG_LIMIT else limit - 1
        state["bags"] = whole_numbers("bags", options["bags"], 2, 0, most)
    if options.get("hands") is not None:
        write_hands(state, options["hands"], DECK_52, HAND_SIZE)
