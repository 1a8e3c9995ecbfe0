"""Deals recorded from an independent implementation: every seat, legal set and result."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bidwise import envs

CASES = Path(__file__).parents[1] / "cases"


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / name).read_text().splitlines()]


def follow(env: envs.CardGameEnv, steps: list[Any]) -> list[int]:
    """Play a recorded deal, comparing seat and legal set before each action; the tricks taken."""
    taken = [0] * env.num_players
    for seat, legal, action in steps:
        agent = f"player_{seat}"
        assert env.agent_selection == agent
        assert np.flatnonzero(env.observe(agent)["action_mask"]).tolist() == legal
        before = env.tricks_taken
        env.step(action)
        after = env.tricks_taken
        taken = after if sum(after) >= sum(before) else before
    return taken


def spend(quota: tuple[int, ...], count: int) -> list[int]:
    """Some `count` bids of a pyramid, as counts."""
    counts = [0] * len(quota)
    for bid, most in enumerate(quota):
        counts[bid] = min(most, count - sum(counts))
    return counts


@pytest.mark.parametrize("number", range(120))
def test_a_recorded_pyramid_deal_is_played_alike(number: int) -> None:
    case = read("pyramid_playthroughs.jsonl")[number]
    players = len(case["hands"])
    rules = dataclasses.replace(envs.PyramidRules.preset(case["preset"]), **case["overrides"])
    declarer = (case["dealer"] + 1) % players
    spent_by_declarer = [
        most - left for most, left in zip(rules.quota, case["declarer_quota_left"], strict=True)
    ]
    spent = [spend(rules.quota, sum(spent_by_declarer)) for _ in range(players)]
    spent[declarer] = spent_by_declarer
    env = envs.pyramid_env(num_players=players, rules=rules, deals=1)
    env.reset(seed=0, options={"hands": case["hands"], "dealer": case["dealer"], "spent": spent})
    assert follow(env, case["steps"]) == case["tricks_taken"]
    assert env.scores[declarer] == case["points"]
    assert all(env.terminations.values())


@pytest.mark.parametrize("number", range(120))
def test_a_recorded_spades_deal_is_played_alike(number: int) -> None:
    case = read("spades_playthroughs.jsonl")[number]
    env = envs.spades_env(rules=case["preset"], deals=1)
    env.reset(
        seed=0,
        options={"hands": case["hands"], "dealer": case["dealer"], "bags": case["bags_before"]},
    )
    assert follow(env, case["steps"]) == case["tricks_taken"]
    assert env.scores == case["pair_points"]
    assert env.bags == case["bags_after"]
