"""Whole random matches of Spades: the product against the reference, step by step."""

from __future__ import annotations

import dataclasses
from collections import Counter
from random import Random
from typing import Any

import pytest
from reference import spades

from bidwise import envs
from bidwise.envs.spades.rules import SpadesRules

from .driver import Choose, Pair

DEALS = 600
LONG_DEALS = 20_000
REWARDS = ("win", "points", "relative")
ENDS = {"target", "mercy", "max_deals", "max_deals, level", "level at the end, played on"}

AMOUNTS = pytest.mark.parametrize(
    "deals", [DEALS, pytest.param(LONG_DEALS, marks=pytest.mark.long)]
)


def any_legal(match: spades.Match, rng: Random) -> int:
    return rng.choice(match.legal())


def near_the_hands_worth(match: spades.Match, rng: Random) -> int:
    """Bids close to what random play takes with the hand, now and then a nil; any legal card."""
    legal = match.legal()
    assert match.player is not None
    if match.decision == "look":
        blind = rng.random() < 0.1 and spades.SAY_DOUBLE_NIL in legal
        return spades.SAY_DOUBLE_NIL if blind else spades.LOOK
    if match.decision == "bid":
        if rng.random() < 0.1 and spades.FIRST_BID in legal:
            return spades.FIRST_BID
        hand = [spades.card_of(card) for card in match.hands[match.player]]
        aces = sum(card.rank == 12 for card in hand)
        num_spades = sum(card.suit == "S" for card in hand)
        worth = (aces + num_spades) // 2 + rng.choice([-1, 0, 0, 1])
        return min(legal, key=lambda action: abs(action - spades.FIRST_BID - worth))
    return rng.choice(legal)


def random_rules(rng: Random) -> dict[str, Any]:
    rules = {
        "bid_order": rng.choice(["pairs", "clockwise"]),
        "double_nil": rng.choice(["blind", "off"]),
        "first_lead": rng.choice(["right", "left", "two_of_clubs"]),
        "spade_leads": rng.choice(["broken", "last_resort"]),
        "overtrick_points": rng.choice([-1, 0, 0, 1]),
        "bag_limit": rng.choice([2, 5, 10, 11, None]),
        "bag_after": rng.choice(["zero", "carry"]),
        "failed_nil_tricks": rng.choice(["bag", "contract"]),
        "target": rng.choice([20, 50, 100, 200]),
        "mercy": rng.choice([None, -20, -100, -200]),
        "max_deals": rng.choice([None, 1, 2, 5, 20]),
        "pair_bid_cap": rng.choice([0, 1, 2, 5, 13, 13, 13, 20, 26]),
        "nil_points": rng.choice([0, 50, 100, 1000]),
        "double_nil_points": rng.choice([0, 200, 300, 1000]),
        "double_nil_behind": rng.choice([0, 0, 1, 30, 100]),
        "bag_fine": rng.choice([0, 50, 100, 1000]),
        "first_trick_spades": rng.choice([True, False]),
    }
    rules["pair_bid_min"] = min(rng.choice([0, 0, 1, 4, 11, 13]), rules["pair_bid_cap"])
    if rules["mercy"] is None and rules["max_deals"] is None:
        rules["max_deals"] = 50  # nothing else is sure to end such a match
    return rules


def play_match(
    rules: dict[str, Any],
    seed: int,
    choose: Choose,
    *,
    reward: str,
    options: dict[str, Any] | None = None,
    deals: int | None = None,
) -> Pair:
    env = envs.spades_env(
        rules=SpadesRules(**rules), deals="match" if deals is None else deals, reward=reward
    ).unwrapped
    env.reset(seed=seed, options=options)
    options = options or {}
    match = spades.Match(rules, dealer=int(env.dealer))
    match.scores = list(options.get("totals", match.scores))
    match.bags = list(options.get("bags", match.bags))
    match.deal([[int(card) for card in hand] for hand in env.hands])
    where = {"seed": seed, "rules": rules, "options": options}
    pair = Pair(env, match, full_hand=spades.HAND_SIZE, reward=reward, where=where, deals=deals)
    pair.agree("hands asked for", options.get("hands", match.hands), match.hands)
    pair.agree("dealer asked for", options.get("dealer", match.dealer), match.dealer)
    pair.play(choose, Random(seed))
    return pair


@pytest.mark.parametrize("preset", sorted(spades.PRESETS))
def test_presets_are_the_rules_pages(preset: str) -> None:
    assert dataclasses.asdict(SpadesRules.preset(preset)) == spades.PRESETS[preset]


@pytest.mark.parametrize("choose", [any_legal, near_the_hands_worth])
@pytest.mark.parametrize("preset", sorted(spades.PRESETS))
def test_a_whole_match_of_each_preset_is_the_references(preset: str, choose: Choose) -> None:
    pair = play_match(spades.PRESETS[preset], 500, choose, reward="win")
    assert pair.match.result is not None


def test_random_play_under_standard_is_truncated_after_a_hundred_deals() -> None:
    pair = play_match(spades.PRESETS["standard"], 1, any_legal, reward="relative")
    assert (pair.match.deals_played, pair.match.result) == (100, "truncated")


@AMOUNTS
def test_matches_under_random_rules_are_the_references_and_end_in_every_way(deals: int) -> None:
    rng = Random(52)
    ends: Counter[str] = Counter()
    played = seed = 0
    while played < deals:
        choose = rng.choice([any_legal, near_the_hands_worth, near_the_hands_worth])
        pair = play_match(random_rules(rng), seed, choose, reward=REWARDS[seed % 3])
        ends += pair.ends
        played += pair.match.deals_played
        seed += 1
    assert set(ends) == ENDS


def random_ending(rng: Random) -> dict[str, Any]:
    """Options for a deal of few cards in a match that has gone on for a while."""
    size = rng.randint(1, spades.HAND_SIZE)
    cards = rng.sample(range(52), size * 4)
    return {
        "hands": [sorted(cards[seat * size : (seat + 1) * size]) for seat in range(4)],
        "dealer": rng.randrange(4),
        "totals": [10 * rng.randint(-19, 49) for _ in range(2)],
        "bags": [rng.randrange(10) for _ in range(2)],
    }


@AMOUNTS
def test_matches_taken_up_in_the_middle_are_the_references(deals: int) -> None:
    rng = Random(13)
    played = seed = 0
    while played < deals:
        rules = {
            **random_rules(rng),
            "bag_limit": rng.choice([10, 11, None]),
            "target": 500,
            "mercy": -200,
            "max_deals": 40,
        }
        length = rng.choice([None, 1, 1, 2, 3])
        pair = play_match(
            rules,
            seed,
            near_the_hands_worth,
            reward=REWARDS[seed % 3],
            options=random_ending(rng),
            deals=length,
        )
        played += pair.match.deals_played
        seed += 1
