"""Rules and arguments: an unknown or inconsistent value raises at once and names its field."""

from __future__ import annotations

import dataclasses
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from tabletop import GAMES, aec

from bidwise import envs
from bidwise.envs import PyramidRules, SpadesRules

every_game = pytest.mark.parametrize("game", GAMES)

BAD_PYRAMID: list[tuple[str, dict[str, Any]]] = [
    ("following", {"following": "trump"}),
    ("following", {"following": ""}),
    ("following", {"following": None}),
    ("following", {"following": 0}),
    ("following", {"following": ["any"]}),
    ("no_trump", {"no_trump": "yes"}),
    ("no_trump", {"no_trump": 1}),
    ("no_trump", {"no_trump": None}),
    ("conference", {"conference": "closed"}),
    ("conference", {"conference": True}),
    ("quota", {"deals_per_player": 15}),
    ("quota", {"deals_per_player": 1}),
    ("deals_per_player", {"deals_per_player": 0}),
    ("deals_per_player", {"deals_per_player": -1}),
    ("deals_per_player", {"deals_per_player": 17}),
    ("deals_per_player", {"deals_per_player": 17, "quota": (2, 2, 3, 4, 3, 2, 1)}),
    ("deals_per_player", {"deals_per_player": 16.0}),
    ("deals_per_player", {"deals_per_player": "16"}),
    ("deals_per_player", {"deals_per_player": None}),
    ("deals_per_player", {"deals_per_player": True, "quota": (1, 0, 0, 0, 0, 0, 0)}),
    ("quota", {"quota": (1, 2, 3, 4, 3, 2)}),
    ("quota", {"quota": (1, 2, 3, 4, 3, 2, 0, 1)}),
    ("quota", {"quota": (1, 2, 3, 4, 3, 2, 2)}),
    ("quota", {"quota": (0, 0, 0, 0, 0, 0, 0)}),
    ("quota", {"quota": (-1, 4, 3, 4, 3, 2, 1)}),
    ("quota", {"quota": (1.0, 2, 3, 4, 3, 2, 1)}),
    ("quota", {"quota": (True, 2, 3, 4, 3, 2, 1)}),
    ("quota", {"quota": "1234321"}),
    ("quota", {"quota": None}),
    ("quota", {"quota": 16}),
]

BAD_SPADES: list[tuple[str, dict[str, Any]]] = [
    ("bid_order", {"bid_order": "counterclockwise"}),
    ("bid_order", {"bid_order": None}),
    ("double_nil", {"double_nil": "on"}),
    ("double_nil", {"double_nil": True}),
    ("first_lead", {"first_lead": "dealer"}),
    ("spade_leads", {"spade_leads": "any"}),
    ("overtrick_points", {"overtrick_points": 101}),
    ("overtrick_points", {"overtrick_points": -101}),
    ("overtrick_points", {"overtrick_points": 1.0}),
    ("overtrick_points", {"overtrick_points": None}),
    ("bag_limit", {"bag_limit": 0}),
    ("bag_limit", {"bag_limit": 101}),
    ("bag_limit", {"bag_limit": "10"}),
    ("bag_after", {"bag_after": "keep"}),
    ("failed_nil_tricks", {"failed_nil_tricks": "partner"}),
    ("target", {"target": 0}),
    ("target", {"target": -500}),
    ("target", {"target": 12_001}),
    ("target", {"target": 500.0}),
    ("target", {"target": None}),
    ("mercy", {"mercy": 0}),
    ("mercy", {"mercy": 1}),
    ("mercy", {"mercy": -12_001}),
    ("mercy", {"mercy": False}),
    ("mercy", {"mercy": "-200"}),
    ("max_deals", {"max_deals": 0}),
    ("max_deals", {"max_deals": 12_001}),
    ("max_deals", {"max_deals": 1.5}),
    ("max_deals", {"max_deals": True}),
    ("pair_bid_cap", {"pair_bid_cap": -1}),
    ("pair_bid_cap", {"pair_bid_cap": 27}),
    ("pair_bid_cap", {"pair_bid_cap": None}),
    ("pair_bid_min", {"pair_bid_min": -1}),
    ("pair_bid_min", {"pair_bid_min": 14, "pair_bid_cap": 26}),
    ("pair_bid_min", {"pair_bid_min": 5, "pair_bid_cap": 4}),
    ("pair_bid_min", {"pair_bid_min": None}),
    ("nil_points", {"nil_points": -1}),
    ("nil_points", {"nil_points": 1001}),
    ("double_nil_points", {"double_nil_points": 1001}),
    ("double_nil_points", {"double_nil_points": True}),
    ("double_nil_behind", {"double_nil_behind": -1}),
    ("double_nil_behind", {"double_nil_behind": 12_001}),
    ("double_nil_behind", {"double_nil_behind": None}),
    ("bag_fine", {"bag_fine": -1}),
    ("bag_fine", {"bag_fine": 1001}),
    ("bag_limit", {"bag_limit": False}),
    ("first_trick_spades", {"first_trick_spades": 1}),
    ("first_trick_spades", {"first_trick_spades": None}),
]


@pytest.mark.parametrize(("field", "values"), BAD_PYRAMID, ids=str)
def test_pyramid_rules_refuse_by_name(field: str, values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"^{field}\\b"):
        PyramidRules(**values)
    with pytest.raises(ValueError, match=f"^{field}\\b"):
        dataclasses.replace(PyramidRules.preset("piramida"), **values)


@pytest.mark.parametrize(("field", "values"), BAD_SPADES, ids=str)
def test_spades_rules_refuse_by_name(field: str, values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"^{field}\\b"):
        SpadesRules(**values)
    with pytest.raises(ValueError, match=f"^{field}\\b"):
        dataclasses.replace(SpadesRules.preset("zone"), **values)


def test_the_default_preset_is_the_source_text() -> None:
    assert PyramidRules() == PyramidRules.preset("piramida") == aec("pyramid").rules
    assert SpadesRules() == SpadesRules.preset("piki") == aec("spades").rules


def test_presets_are_the_rules_pages_tables() -> None:
    assert PyramidRules.presets() == ("piramida", "inventor")
    table = {
        "piramida": ("any", False, "open"),
        "inventor": ("suit_then_trump", True, "silent"),
    }
    for name, values in table.items():
        rules = PyramidRules.preset(name)
        assert (rules.following, rules.no_trump, rules.conference) == values
        assert rules.deals_per_player == 16
        assert rules.quota == (1, 2, 3, 4, 3, 2, 1)
    assert SpadesRules.presets() == ("piki", "zone", "standard", "openspiel")
    spades_table = {
        "piki": ("pairs", "blind", "right", -1, 11, "zero", "bag", -200),
        "zone": ("clockwise", "blind", "left", 1, 10, "zero", "bag", -200),
        "standard": ("clockwise", "off", "left", 1, 10, "carry", "bag", None),
        "openspiel": ("clockwise", "off", "left", 1, 10, "carry", "contract", -350),
    }
    for name, values in spades_table.items():
        rules = SpadesRules.preset(name)
        given = dataclasses.asdict(rules)
        assert given.pop("spade_leads") == ("last_resort" if name == "openspiel" else "broken")
        assert [given.pop(name) for name in ("target", "max_deals", "pair_bid_cap")] == [
            500,
            100,
            13,
        ]
        further = {
            "pair_bid_min": 0,
            "nil_points": 100,
            "double_nil_points": 200,
            "double_nil_behind": 0,
            "bag_fine": 100,
            "first_trick_spades": True,
        }
        assert {name: given.pop(name) for name in further} == further
        assert tuple(given.values()) == values


@every_game
def test_rules_are_frozen_and_can_be_replaced(game: str) -> None:
    rules = aec(game).rules
    name = dataclasses.fields(rules)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(rules, name, "any")
    assert dataclasses.replace(rules) == rules
    assert hash(dataclasses.replace(rules)) == hash(rules)


def test_a_quota_may_be_given_as_a_list_and_numbers_by_numpy() -> None:
    rules = PyramidRules(deals_per_player=np.int64(2), quota=[0, 0, np.int8(2), 0, 0, 0, 0])
    assert rules.quota == (0, 0, 2, 0, 0, 0, 0)
    assert hash(rules) == hash(PyramidRules(deals_per_player=2, quota=(0, 0, 2, 0, 0, 0, 0)))


@every_game
def test_unknown_fields_and_presets_are_refused_by_name(game: str) -> None:
    rules = type(aec(game).rules)
    with pytest.raises(TypeError, match="bagg"):
        rules(bagg=3)
    for name in ("poker", "", None, 3):
        with pytest.raises(ValueError, match="rules"):
            rules.preset(name)
    other = "piki" if game == "pyramid" else "piramida"
    for given in ("poker", other, "", 7, {}, rules):
        with pytest.raises(ValueError, match="rules"):
            aec(game, rules=given)
        with pytest.raises(ValueError, match="rules"):
            envs.Tables(game, 2, rules=given)
        with pytest.raises(ValueError, match="rules"):
            envs.seat_env(game, rules=given)
    other_rules = SpadesRules() if game == "pyramid" else PyramidRules()
    with pytest.raises(ValueError, match="rules"):
        aec(game, rules=other_rules)


BAD_ARGUMENTS: list[tuple[str, Any]] = [
    ("num_players", 1),
    ("num_players", 5),
    ("num_players", 0),
    ("num_players", -4),
    ("num_players", "4"),
    ("num_players", 2.5),
    ("num_players", 3.0),
    ("num_players", [3]),
    ("deals", 0),
    ("deals", -1),
    ("deals", 1.0),
    ("deals", "all"),
    ("deals", "3"),
    ("deals", True),
    ("deals", None),
    ("reward", "score"),
    ("reward", None),
    ("reward", 0),
    ("reward", ["points"]),
    ("illegal", "ignore"),
    ("illegal", None),
    ("illegal", False),
    ("render_mode", "human"),
    ("render_mode", "rgb_array"),
    ("render_mode", 1),
]
BAD_LEARNERS: list[tuple[str, Any]] = [
    *[case for case in BAD_ARGUMENTS if case[0] != "render_mode"],
    ("seat", 4),
    ("seat", -1),
    ("seat", "left"),
    ("seat", 1.0),
    ("seat", True),
    ("seat", None),
    ("decide", "nothing"),
    ("decide", None),
    ("decide", 1),
    ("opponents", 5),
    ("opponents", "random"),
    ("opponents", [None]),
    ("opponents", [None] * 4),
    ("opponents", [None, 3, None]),
    ("own", 5),
    ("own", print),
]
BAD_BATCHES: list[tuple[str, Any]] = [
    ("threads", 0),
    ("threads", -1),
    ("threads", 1.5),
    ("num_tables", 0),
    ("num_tables", -1),
    ("num_tables", 2.0),
    ("num_tables", True),
]


@pytest.mark.parametrize(("name", "value"), BAD_ARGUMENTS, ids=repr)
def test_a_table_refuses_an_argument_by_name(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        envs.pyramid_env(**{name: value})
    if name != "num_players":
        with pytest.raises(ValueError, match=name):
            envs.spades_env(**{name: value})
    with pytest.raises(ValueError, match=name):
        pettingzoo.make("aec", "bidwise/Pyramid-v0", **{name: value})


@pytest.mark.parametrize(("name", "value"), BAD_LEARNERS, ids=repr)
def test_a_learners_env_refuses_an_argument_by_name(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        envs.seat_env("pyramid", **{name: value})
    with pytest.raises(ValueError, match=name):
        gymnasium.make("bidwise/Pyramid-v0", **{name: value})
    with pytest.raises(ValueError, match=name):
        envs.SeatVectorEnv(2, game="pyramid", **{name: value})


@pytest.mark.parametrize(("name", "value"), BAD_BATCHES, ids=repr)
@every_game
def test_a_batch_refuses_an_argument_by_name(game: str, name: str, value: Any) -> None:
    for make in (envs.Tables, envs.SeatTables):
        with pytest.raises(ValueError, match=name):
            make(game, **{"num_tables": 2, name: value})


def test_spades_is_for_four_and_its_opponents_are_two() -> None:
    for players in (2, 3, 5):
        with pytest.raises(ValueError, match="num_players"):
            envs.Tables("spades", 2, num_players=players)
        with pytest.raises(ValueError, match="num_players"):
            envs.seat_env("spades", num_players=players)
    with pytest.raises(ValueError, match="opponents"):
        envs.seat_env("spades", opponents=[None, None, None])
    with pytest.raises(ValueError, match="partner"):
        envs.seat_env("spades", partner=3)


def test_pyramid_has_no_partners() -> None:
    class Anybody:
        def act_batch(self, observations: Any, action_masks: Any) -> Any:
            raise AssertionError

    with pytest.raises(ValueError, match="partner"):
        envs.seat_env("pyramid", partner=Anybody())


def test_an_unknown_game_is_refused_by_name() -> None:
    for name in ("poker", "Spades", "", None):
        with pytest.raises(ValueError, match="game"):
            envs.get_game(name)
        with pytest.raises(ValueError, match="game"):
            envs.Tables(name, 2)
        with pytest.raises(ValueError, match="game"):
            envs.seat_env(name)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_pyramid_seats_two_three_or_four(players: int) -> None:
    env = envs.pyramid_env(num_players=players)
    env.reset(seed=1)
    assert env.possible_agents == [f"player_{seat}" for seat in range(players)]
    assert [len(hand) for hand in env.hands] == [6] * players
    assert len(env.scores) == len(env.tricks_taken) == players
    seats = {
        envs.seat_env("pyramid", num_players=players, seat=s).reset()[1]["seat"]
        for s in range(players)
    }
    assert seats == set(range(players))
    with pytest.raises(ValueError, match="seat"):
        envs.seat_env("pyramid", num_players=players, seat=players)
