"""Exact numbers of ways in which small deals can go: the whole tree of legal actions.

Each tree is walked three ways: through the env by setting its state, through copies of the
env, and by the independent reference. The numbers are pinned.
"""

from __future__ import annotations

import copy
import dataclasses
from math import factorial
from typing import Any

import pytest
from reference import pyramid, spades
from tabletop import aec, is_over, legal

from bidwise.envs import CardGameEnv, PyramidRules, SpadesRules


def count_by_state(env: CardGameEnv) -> int:
    """Sequences of legal actions to the end of the episode."""
    if is_over(env):
        return 1
    state, total = env.state, 0
    for action in legal(env):
        env.state = state
        env.step(action)
        total += count_by_state(env)
    return total


def count_by_copies(env: CardGameEnv) -> int:
    if is_over(env):
        return 1
    total = 0
    for action in legal(env):
        twin = copy.deepcopy(env)
        twin.step(action)
        total += count_by_copies(twin)
    return total


def cards(env: CardGameEnv, hands: str) -> list[list[int]]:
    return [[env.game.parse_action(card) for card in hand.split()] for hand in hands.split(" | ")]


ONE_BID = {"deals_per_player": 1, "quota": (0, 1, 0, 0, 0, 0, 0)}

STRICT = {"following": "suit_then_trump", **ONE_BID}
NILS = {"double_nil": "off", "pair_bid_cap": 0}

PYRAMID_TREES: list[tuple[str, dict[str, Any], int]] = [
    # Two hands of three, any card at any time: 7 bids, 4 suits, 3! · 3! orders.
    ("9C TC JC | 9D TD JD", {"following": "any"}, 7 * 4 * factorial(3) ** 2),
    ("9C TD JH | AC KD QS", {"following": "suit", "no_trump": True}, 490),
    ("9C TD JH | AC KS QS", STRICT, 68),
    ("9C TD JH AC | KC KD QS QC", {"following": "suit", **ONE_BID}, 536),
    ("9C TD JH AC | KC KD QS QC", {"no_trump": True, **STRICT}, 436),
    ("9C AD JH | AC KD QS | TC TD TH", {"following": "suit", **ONE_BID}, 68),
    ("9C AD JH QD | AC KS QS 9D | TC TD TH KH", STRICT, 1248),
    ("9C AD JH QD | AC KS QS 9D | TC TD TH KH | 9H 9S QC JD", {"no_trump": True, **STRICT}, 3800),
    # Three players of one card: each of the two defenders says one of 8 tokens first.
    ("9C | AC | TD", {"following": "suit", "conference": "signals", **ONE_BID}, 4 * 8 * 8),
    # With two players nobody signals: 2! · 2! orders for each of four suits.
    ("9C AH | AC TH", {"conference": "signals", **ONE_BID}, 4 * 2 * 2),
]

SPADES_TREES: list[tuple[str, dict[str, Any], int]] = [
    # Seat 2 leads: the four of clubs makes all else forced, the other lets three choose.
    ("2C 2S | 3C 3S | 4C 4D | 5C 5H", NILS, 1 + 2**3),
    # A pair bids nil and nil, nil and one, or one and nil; what follows is the same.
    ("2C 2S | 3C 3S | 4C 4D | 5C 5H", {"double_nil": "off", "pair_bid_cap": 1}, 9 * 3 * 3),
    ("2C 2H 2S | 3C 3D 3S | 4D 4H 4S | 5C 5D 5S", NILS, 58),
    # Each of four looks and bids nil, or bids double nil.
    ("2C 2H 2S | 3C 3D 3S | 4D 4H 4S | 5C 5D 5S", {"pair_bid_cap": 0}, 58 * 2**4),
    ("2C 2H 2S 9S | 3C 3D 3S AD | 4D 4H 4S KH | 5C 5D 5S QH", NILS, 1702),
    (
        "2C 2H 2S 9S | 3C 3D 3S AD | 4D 4H 4S KH | 5C 5D 5S QH",
        {"first_lead": "left", "bid_order": "clockwise", **NILS},
        1108,
    ),
    (
        "2C 2H 2S 9S | 3C 3D 3S AD | 4D 4H 4S KH | 5C 5D 5S QH",
        {"first_lead": "left", "bid_order": "clockwise", "spade_leads": "last_resort", **NILS},
        948,
    ),
    # A first bid of b leaves 0..4-b to the partner: 5 + 4 + 3 + 2 + 1 ways a pair.
    ("AS | KS | QS | JS", {"double_nil": "off", "pair_bid_cap": 4}, 15**2),
    # Nil and double nil, each before nil, 1, 2 or double nil; 1 before three; 2 before two.
    ("AS | KS | QS | JS", {"bid_order": "clockwise", "pair_bid_cap": 2}, 13**2),
]


@pytest.mark.parametrize(("hands", "switches", "ways"), PYRAMID_TREES)
def test_ways_in_which_a_pyramid_deal_can_go(
    hands: str, switches: dict[str, Any], ways: int
) -> None:
    rules = PyramidRules(**switches)
    players = hands.count("|") + 1
    env = aec("pyramid", rules=rules, num_players=players, deals=1)
    options = {"hands": cards(env, hands), "dealer": players - 1}
    env.reset(options=options)
    match = pyramid.Match(dataclasses.asdict(rules), players, dealer=players - 1)
    match.deal(options["hands"])
    assert pyramid.count_sequences(match) == ways
    assert count_by_state(env) == ways
    if ways <= 500:
        env.reset(options=options)
        assert count_by_copies(env) == ways


@pytest.mark.parametrize(("hands", "switches", "ways"), SPADES_TREES)
def test_ways_in_which_a_spades_deal_can_go(
    hands: str, switches: dict[str, Any], ways: int
) -> None:
    rules = SpadesRules(**switches)
    env = aec("spades", rules=rules, deals=1)
    options = {"hands": cards(env, hands), "dealer": 3}
    env.reset(options=options)
    match = spades.Match(dataclasses.asdict(rules), dealer=3)
    match.deal(options["hands"])
    assert spades.count_sequences(match) == ways
    assert count_by_state(env) == ways
    if ways <= 500:
        env.reset(options=options)
        assert count_by_copies(env) == ways
