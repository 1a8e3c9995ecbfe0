"""Spades' further switches at the table: prices, minimum, who may bid blind, the first trick."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tabletop import aec, legal, seat_to_act

from bidwise.agents import make
from bidwise.envs import CardGameEnv, IllegalActionError, SpadesRules
from bidwise.envs.records.notation import parse_deal, write_deal

STANDARD = {"bid_order": "clockwise", "double_nil": "off", "first_lead": "left"}
SCORED = {"overtrick_points": 1, "bag_limit": 10, "bag_after": "carry"}


def table(hands: str | None = None, **fields: Any) -> CardGameEnv:
    """Dealer 3 under `standard` but for these switches and reset's totals and bags."""
    options = {name: fields.pop(name) for name in ("totals", "bags") if name in fields}
    rules = SpadesRules(**{**STANDARD, **SCORED, "mercy": None, **fields})
    env = aec("spades", rules=rules)
    if hands is not None:
        options["hands"] = [
            [env.game.parse_action(card) for card in hand.split()] for hand in hands.split("|")
        ]
    env.reset(seed=1, options={"dealer": 3, **options})
    return env


def say(env: CardGameEnv, texts: str) -> None:
    for text in texts.split():
        env.step(env.game.parse_action(text))


def names(env: CardGameEnv) -> list[str]:
    return [env.game.action_name(action) for action in legal(env)]


def refusal(env: CardGameEnv, text: str) -> str:
    with pytest.raises(IllegalActionError) as refused:
        env.step(env.game.parse_action(text))
    return str(refused.value)


TWO = "AC KC | 2C 3C | AD KD | 2D 3D"
"""Seat 0 takes both tricks where it leads clubs."""


@pytest.mark.parametrize(
    ("switches", "bids", "total", "bag"),
    [
        ({}, "bid:1 nil nil nil", 10 + 1 + 100, 1),
        ({"nil_points": 50}, "bid:2 nil nil nil", 70, 0),
        ({"nil_points": 50}, "nil nil bid:2 nil", -50 - 20, 2),
        ({"nil_points": 1000}, "bid:1 nil nil nil", 1011, 1),
        ({"bags": [9, 0], "bag_limit": None}, "bid:1 nil nil nil", 111, 10),
        ({"bags": [10_000, 0], "bag_limit": None}, "bid:1 nil nil nil", 111, 10_001),
        ({"bags": [9, 0], "bag_fine": 50}, "bid:1 nil nil nil", 111 - 50, 0),
        ({"bags": [9, 0], "bag_fine": 0}, "bid:1 nil nil nil", 111, 0),
    ],
)
def test_prices_of_nils_and_bags(switches: Any, bids: str, total: int, bag: int) -> None:
    env = table(TWO, target=12_000, **switches)
    say(env, f"{bids} AC 2C AD 2D")
    last = env.state.copy()
    say(env, "KC 3C KD 3D")
    assert env.scores[0] == total
    assert env.bags[0] == bag
    assert int(last["bags"][0]) == switches.get("bags", [0, 0])[0]


def test_double_nil_has_a_price_of_its_own() -> None:
    env = table(TWO, double_nil="blind", double_nil_points=300)
    say(env, "look bid:2 look nil double-nil look bid:1 AC 2C AD 2D KC 3C KD 3D")
    assert env.scores == [320, 90]


def test_a_full_unfined_bag_is_shown_without_loss_and_drawn() -> None:
    env = table(bag_limit=None, bags=[1234, 99])
    fields = env.game.layout.views(env.observe("player_0")["observation"])
    assert (fields["bags_hundreds"].tolist(), fields["bags"].tolist()) == ([12, 0], [34, 99])
    assert fields["bag_limit"].tolist() == [0]
    drawn = env.game.draw_table(env.state)
    assert "1234 of no limit" in drawn
    for bags in ([10_001, 0], [-1, 0]):
        with pytest.raises(ValueError, match="bags"):
            table(bag_limit=None, bags=bags)


@pytest.mark.parametrize(
    ("first", "lowest", "highest"), [("bid:2", 2, 11), ("nil", 4, 13), ("bid:4", 0, 9)]
)
def test_a_pairs_second_bid_reaches_its_minimum(first: str, lowest: int, highest: int) -> None:
    env = table(pair_bid_min=4)
    assert legal(env) == list(range(52, 66))
    say(env, f"{first} bid:4")
    assert legal(env) == list(range(52 + lowest, 52 + highest + 1))


def test_refusals_tell_of_the_minimum() -> None:
    env = table(pair_bid_min=4)
    say(env, "bid:2 bid:4")
    assert "bid:1: the pair must bid 4 together; the partner bid 2" in refusal(env, "bid:1")
    assert "nil: the pair must bid 4 together; the partner bid 2" in refusal(env, "nil")
    assert "the pair may bid 13 together; the partner bid 2" in refusal(env, "bid:12")
    env = table(pair_bid_min=4, double_nil="blind")
    say(env, "double-nil look bid:4")
    assert names(env) == ["look"]
    assert "double-nil: the pair must bid 4 together; the partner bid 0" in refusal(
        env, "double-nil"
    )
    say(env, "look bid:4")
    assert names(env) == ["look", "double-nil"]


@pytest.mark.parametrize(
    ("totals", "asked"), [([0, 0], ""), ([0, 99], ""), ([0, 100], "02"), ([250, 100], "13")]
)
def test_double_nil_is_for_those_behind(totals: list[int], asked: str) -> None:
    env = table(double_nil="blind", double_nil_behind=100, totals=totals)
    views = [env.observe(agent)["observation"] for agent in env.possible_agents]
    shown = [env.game.layout.views(view)["hand"].sum() for view in views]
    assert shown == [0 if str(seat) in asked else 13 for seat in range(4)]
    for seat in range(4):
        assert seat_to_act(env) == seat
        if str(seat) in asked:
            assert names(env) == ["look", "double-nil"]
            say(env, "look")
            assert refusal(env, "double-nil").endswith("the decision is to bid")
        elif totals == [0, 99] and seat == 0:
            assert "for a pair 100 behind, this one is 99" in refusal(env, "double-nil")
        say(env, "bid:1")


def test_the_two_of_clubs_is_led_by_its_holder() -> None:
    env = table("4C 5C|6C 7C|2C AC|8C 9C", first_lead="two_of_clubs")
    say(env, "nil nil nil nil")
    assert (seat_to_act(env), names(env)) == (2, ["2C"])
    assert "AC: the two of clubs must be led" in refusal(env, "AC")
    say(env, "2C 8C 5C 7C")
    assert (seat_to_act(env), names(env)) == (3, ["9C"])
    env = table("4C 5C|6C 7C|KC AC|8C 9C", first_lead="two_of_clubs")
    say(env, "nil nil nil nil")
    assert (seat_to_act(env), names(env)) == (0, ["4C", "5C"])


def test_nobody_learns_from_the_bids_who_holds_the_two_of_clubs() -> None:
    hands = "4C 5C|6C 7C|2C AC|8C 9C", "4C 5C|2C 7C|6C AC|8C 9C", "4C 5C|6C 7C|KC AC|2C 9C"
    tables = [table(each, first_lead="two_of_clubs") for each in hands]
    for _ in range(4):
        seen = [env.observe("player_0")["observation"] for env in tables]
        for other in seen[1:]:
            np.testing.assert_array_equal(other, seen[0])
        if seat_to_act(tables[0]) == 3:
            break
        for env in tables:
            say(env, "bid:1")
    for env, leader in zip(tables, (2, 1, 3), strict=True):
        say(env, "bid:1")
        assert seat_to_act(env) == leader


def test_no_spade_on_the_first_trick_but_from_a_hand_of_spades_or_to_follow_one() -> None:
    env = table("AC 2S|3S 3H|4S 5S|5C 6C", first_trick_spades=False)
    say(env, "nil nil nil nil")
    assert "2S: no spade on the first trick; holds AC" in refusal(env, "2S")
    say(env, "AC")
    assert names(env) == ["3H"]
    assert "3S: no spade on the first trick; holds 3H" in refusal(env, "3S")
    say(env, "3H")
    assert names(env) == ["4S", "5S"]
    say(env, "4S 5C 5S")
    assert names(env) == ["6C"]
    env = table("AS KS|3S 3H|4S 5S|5C 6C", first_trick_spades=False)
    say(env, "nil nil nil nil AS")
    assert names(env) == ["3S"]
    env = table("AC KC|2C 3S|2H 2D|3C 3D", first_trick_spades=False)
    say(env, "nil nil nil nil AC 2C 2H 3C KC")
    assert names(env) == ["3S"]


def test_a_deal_of_such_rules_is_text_and_back() -> None:
    line = (
        "spades standard dealer=3 first_lead=two_of_clubs bag_limit=None pair_bid_min=4 "
        "first_trick_spades=False bags=120,0 : 2C | 3C | 4C | 5C : bid:4 bid:4 nil nil / 2C"
    )
    assert parse_deal(write_deal(parse_deal(line))) == parse_deal(line)
    with pytest.raises(ValueError, match="the pair must bid 4 together; the partner bid 3"):
        parse_deal(line.replace("bid:4 bid:4 nil", "bid:3 bid:4 nil"))


@pytest.mark.parametrize("name", ["basic", "random"])
def test_agents_play_only_what_is_legal(name: str) -> None:
    for minimum, double_nil in ((4, "off"), (13, "blind")):
        rules = SpadesRules(
            pair_bid_min=minimum,
            double_nil=double_nil,
            first_lead="two_of_clubs",
            first_trick_spades=False,
            bag_limit=None,
            max_deals=20,
        )
        env = aec("spades", rules=rules)
        agent = make(name, game="spades", rules=rules, num_players=4)
        env.reset(seed=minimum)
        while (
            env.agents and not any(env.terminations.values()) and not any(env.truncations.values())
        ):
            seen = env.observe(env.agent_selection)
            action = agent.act(seen["observation"], seen["action_mask"])
            assert seen["action_mask"][action]
            env.step(action)
