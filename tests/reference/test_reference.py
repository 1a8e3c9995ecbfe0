"""The reference against the cases of an independent implementation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from . import pyramid, spades

CASES = Path(__file__).parents[1] / "cases"


def cases(name: str) -> list[dict[str, Any]]:
    with (CASES / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_every_pyramid_playthrough_is_reproduced() -> None:
    played = cases("pyramid_playthroughs.jsonl")
    assert len(played) == 120
    for number, case in enumerate(played):
        rules = {**pyramid.PRESETS[case["preset"]], **case["overrides"]}
        match = pyramid.Match(rules, len(case["hands"]), dealer=case["dealer"])
        left = case["declarer_quota_left"]
        used = [quota - rest for quota, rest in zip(rules["quota"], left, strict=True)]
        match.spent = [list(used) for _ in case["hands"]]
        match.deal(case["hands"])
        for step, (seat, legal, action) in enumerate(case["steps"]):
            assert (match.player, match.legal()) == (seat, legal), (number, step)
            match.play(action)
        assert match.player is None, number
        assert match.tricks_taken == case["tricks_taken"], number
        declarer = (case["dealer"] + 1) % len(case["hands"])
        points = [0] * len(case["hands"])
        points[declarer] = case["points"]
        assert match.deal_points == points, number


def test_every_spades_playthrough_is_reproduced() -> None:
    played = cases("spades_playthroughs.jsonl")
    assert len(played) == 120
    for number, case in enumerate(played):
        match = spades.Match(spades.PRESETS[case["preset"]], dealer=case["dealer"])
        match.bags = list(case["bags_before"])
        match.deal(case["hands"])
        for step, (seat, legal, action) in enumerate(case["steps"]):
            assert (match.player, match.legal()) == (seat, legal), (number, step)
            match.play(action)
        assert match.player is None, number
        assert match.tricks_taken == case["tricks_taken"], number
        assert match.deal_points == case["pair_points"] * 2, number
        assert match.bags == case["bags_after"], number


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.long)])
def test_double_dummy_values_are_reproduced(every: int) -> None:
    solved = [case for case in cases("pyramid_double_dummy.jsonl") if is_quickly_solved(case)]
    solved = solved[::every]
    assert {case["following"] for case in solved} == {"any", "suit", "suit_then_trump"}
    for case in solved:
        players = len(case["hands"])
        rules = {**pyramid.PRESETS["inventor"], "following": case["following"]}
        match = pyramid.Match(rules, players, dealer=players - 1)
        match.deal(case["hands"])
        match.play(pyramid.FIRST_DECLARATION + case["trump"])
        assert scores_by_bid(match, {}) == case["score_by_bid"], case


def is_quickly_solved(case: dict[str, Any]) -> bool:
    players, cards = len(case["hands"]), len(case["hands"][0])
    return cards == 3 or (players == 2 and case["following"] != "any")


def scores_by_bid(match: pyramid.Match, known: dict[Any, list[int]]) -> list[int]:
    """For each bid, what the declarer in seat 0 scores when all see all hands and play best."""
    if match.player is None:
        bids = range(sum(match.tricks_taken) + 1)
        return [pyramid.declarer_score(bid, match.tricks_taken[0]) for bid in bids]
    position = (str(match.hands), str(match.trick), match.player, match.tricks_taken[0])
    if position not in known:
        columns = []
        for card in match.legal():
            next_match = match.copy()
            next_match.play(card)
            columns.append(scores_by_bid(next_match, known))
        best = max if match.player == 0 else min
        known[position] = [best(values) for values in zip(*columns, strict=True)]
    return known[position]
