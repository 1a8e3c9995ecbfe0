"""Whole random matches of Pyramid: the product against the reference, step by step."""

from __future__ import annotations

import dataclasses
from collections import Counter
from random import Random
from typing import Any

import pytest
from reference import pyramid

from bidwise import envs
from bidwise.envs.pyramid.rules import PyramidRules

from .driver import Pair

DEALS = 400
LONG_DEALS = 20_000
REWARDS = ("win", "points", "relative")

AMOUNTS = pytest.mark.parametrize(
    "deals", [DEALS, pytest.param(LONG_DEALS, marks=pytest.mark.long)]
)


def any_legal(match: pyramid.Match, rng: Random) -> int:
    return rng.choice(match.legal())


def random_rules(rng: Random) -> dict[str, Any]:
    deals_per_player = rng.randint(1, 16)
    bids = [rng.randrange(7) for _ in range(deals_per_player)]
    return {
        "following": rng.choice(["any", "suit", "suit_then_trump"]),
        "no_trump": rng.choice([False, True]),
        "conference": rng.choice(["open", "signals", "silent"]),
        "deals_per_player": deals_per_player,
        "quota": tuple(bids.count(bid) for bid in range(7)),
    }


def play_match(
    rules: dict[str, Any],
    players: int,
    seed: int,
    *,
    reward: str,
    options: dict[str, Any] | None = None,
    deals: int | None = None,
) -> Pair:
    env = envs.pyramid_env(
        num_players=players,
        rules=PyramidRules(**rules),
        deals="match" if deals is None else deals,
        reward=reward,
    ).unwrapped
    env.reset(seed=seed, options=options)
    options = options or {}
    match = pyramid.Match(rules, players, dealer=int(env.dealer))
    match.spent = [list(counts) for counts in options.get("spent", match.spent)]
    match.scores = list(options.get("totals", match.scores))
    match.deal([[int(card) for card in hand] for hand in env.hands])
    where = {"seed": seed, "rules": rules, "players": players, "options": options}
    pair = Pair(env, match, full_hand=pyramid.HAND_SIZE, reward=reward, where=where, deals=deals)
    pair.agree("hands asked for", options.get("hands", match.hands), match.hands)
    pair.agree("dealer asked for", options.get("dealer", match.dealer), match.dealer)
    pair.play(any_legal, Random(seed))
    return pair


@pytest.mark.parametrize("preset", sorted(pyramid.PRESETS))
def test_presets_are_the_rules_pages(preset: str) -> None:
    assert dataclasses.asdict(PyramidRules.preset(preset)) == pyramid.PRESETS[preset]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("preset", sorted(pyramid.PRESETS))
def test_a_whole_match_of_each_preset_is_the_references(preset: str, players: int) -> None:
    pair = play_match(pyramid.PRESETS[preset], players, players, reward="win")
    assert pair.match.deals_played == 16 * players
    assert pair.match.result == "terminated"


@pytest.mark.parametrize("conference", ["open", "signals", "silent"])
@pytest.mark.parametrize("following", ["any", "suit", "suit_then_trump"])
def test_a_whole_match_under_each_switch_is_the_references(following: str, conference: str) -> None:
    rules = {**pyramid.PRESETS["inventor"], "following": following, "conference": conference}
    assert play_match(rules, 4, 0, reward="relative").match.deals_played == 64


@AMOUNTS
def test_matches_under_random_rules_are_the_references(deals: int) -> None:
    rng = Random(1979)
    ends: Counter[str] = Counter()
    played = seed = 0
    while played < deals:
        pair = play_match(random_rules(rng), rng.choice([2, 3, 4]), seed, reward=REWARDS[seed % 3])
        ends += pair.ends
        played += pair.match.deals_played
        seed += 1
    assert set(ends) == {"sole win", "shared win"}


def random_ending(rng: Random, rules: dict[str, Any], players: int) -> dict[str, Any]:
    """Options for a deal of few cards in a match that has gone on for a while."""
    size = rng.randint(1, pyramid.HAND_SIZE)
    cards = rng.sample(range(24), size * players)
    first_dealer = rng.randrange(players)
    deals_behind = rng.randrange(players * rules["deals_per_player"])
    piles = [
        rng.sample([b for b in range(7) for _ in range(rules["quota"][b])], k=16)
        for _ in range(players)
    ]
    spent = [[0] * 7 for _ in range(players)]
    totals = [0] * players
    for deal in range(deals_behind):
        declarer = (first_dealer + 1 + deal) % players
        bid = piles[declarer].pop()
        spent[declarer][bid] += 1
        totals[declarer] += pyramid.declarer_score(bid, rng.randrange(7))
    return {
        "hands": [sorted(cards[seat * size : (seat + 1) * size]) for seat in range(players)],
        "dealer": (first_dealer + deals_behind) % players,
        "spent": spent,
        "totals": totals,
    }


@AMOUNTS
def test_matches_taken_up_in_the_middle_are_the_references(deals: int) -> None:
    rng = Random(24)
    played = seed = 0
    while played < deals:
        players = rng.choice([2, 3, 4])
        rules = {
            **random_rules(rng),
            "deals_per_player": 16,
            "quota": pyramid.PRESETS["piramida"]["quota"],
        }
        options = random_ending(rng, rules, players)
        left = 16 * players - sum(map(sum, options["spent"]))
        length = rng.choice([None, *range(1, min(left, 5) + 1)])
        reward = REWARDS[seed % 3]
        pair = play_match(rules, players, seed, reward=reward, options=options, deals=length)
        played += pair.match.deals_played
        seed += 1
