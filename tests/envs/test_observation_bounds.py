"""Every byte of an observation lies within its field's bounds, whatever the rules."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from tabletop import GAMES, aec, any_legal, is_over, some_rules

from bidwise import envs
from bidwise.envs import CardGameEnv, PyramidRules, SpadesRules

every_game = pytest.mark.parametrize("game", GAMES)


def assert_within(env: CardGameEnv) -> None:
    layout = env.game.layout
    for agent in env.possible_agents:
        view = env.observe(agent)
        row = view["observation"]
        if not ((layout.low <= row) & (row <= layout.high)).all():
            fields, low, high = map(layout.views, (row, layout.low, layout.high))
            wrong = {
                name: part.tolist()
                for name, part in fields.items()
                if ((part < low[name]) | (part > high[name])).any()
            }
            raise AssertionError(f"{agent}: {wrong} out of bounds, rules {env.rules}")
    agent = env.agent_selection
    assert env.observation_space(agent).contains(env.observe(agent))


@every_game
def test_observations_of_every_preset_lie_within_their_bounds(game: str) -> None:
    rng = Random(1)
    for preset in aec(game).rules.presets():
        for players in (2, 3, 4) if game == "pyramid" else (4,):
            env = aec(game, rules=preset, num_players=players, deals=3)
            env.reset(seed=players)
            assert_within(env)
            while not is_over(env):
                env.step(any_legal(env, rng))
                assert_within(env)


@every_game
def test_observations_under_random_switches_lie_within_their_bounds(game: str) -> None:
    rng = Random(2)
    for number in range(25):
        rules = some_rules(game, rng)
        env = aec(game, rules=rules, num_players=rng.choice((2, 3, 4)))
        options: dict[str, Any] = {}
        if game == "pyramid":
            options["totals"] = [
                rng.choice((-999_999, -12_701, 0, 12_799, 999_999))
            ] * env.num_players
        else:
            options["bags"] = [(rules.bag_limit or 10_001) - 1, 0]
        env.reset(seed=number, options=options)
        for _ in range(120):
            assert_within(env)
            if is_over(env):
                env.reset()
            env.step(any_legal(env, rng))


def test_the_ends_of_every_spades_range_are_within_bounds() -> None:
    for overtrick_points, bag_limit, target, mercy, max_deals, cap in (
        (-100, 100, 12_000, -12_000, 12_000, 26),
        (100, 1, 1, -1, 1, 0),
        (0, None, 99, None, None, 13),
    ):
        most = overtrick_points == -100
        rules = SpadesRules(
            overtrick_points=overtrick_points,
            bag_limit=bag_limit,
            target=target,
            mercy=mercy,
            max_deals=max_deals,
            pair_bid_cap=cap,
            pair_bid_min=min(cap, 13),
            nil_points=1000 if most else 0,
            double_nil_points=1000 if most else 0,
            double_nil_behind=12_000 if most else 0,
            bag_fine=1000 if most else 0,
            first_trick_spades=most,
            first_lead="two_of_clubs",
        )
        env = aec("spades", rules=rules)
        env.reset(options={"bags": [(bag_limit or 10_001) - 1] * 2})
        assert_within(env)
        assert env.game.read_rules(env.state) == rules


def test_totals_far_beyond_the_target_are_within_bounds_while_they_are_level() -> None:
    env = aec("spades")
    for total in (500, 12_799, 12_800, -200, -12_800, -1_000_000, 1_000_000):
        env.reset(options={"totals": [total, total]})
        assert_within(env)


@pytest.mark.parametrize("quota", [(16, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 16)])
def test_the_ends_of_every_pyramid_range_are_within_bounds(quota: tuple[int, ...]) -> None:
    rng = Random(4)
    rules = PyramidRules(quota=quota, conference="signals")
    env = aec("pyramid", rules=rules, num_players=3)
    env.reset(seed=1)
    while not is_over(env):
        assert_within(env)
        env.step(any_legal(env, rng))
    assert_within(env)


@every_game
def test_learners_and_batches_are_shown_observations_within_bounds(game: str) -> None:
    layout = envs.get_game(game).layout
    tables = envs.Tables(game, 32, seed=1, deals=1)
    vector = envs.SeatVectorEnv(32, game=game, deals=1, seat="random")
    views, _ = vector.reset(seed=1)
    assert vector.observation_space.contains(views)
    for _ in range(90):
        tables.step(tables.sample_actions())
        views, _, _, _, infos = vector.step(views["action_mask"].argmax(axis=1))
        rows = [tables.observations, tables.final_observations, views["observation"]]
        if "final_obs" in infos:
            rows.append(infos["final_obs"]["observation"][infos["_final_obs"]])
        # Rows of tables whose first episode is still on are not filled yet.
        for row in np.concatenate(rows):
            assert not row.any() or ((layout.low <= row) & (row <= layout.high)).all()
    assert vector.observation_space.contains(views)


@every_game
def test_the_space_is_the_layout_and_samples_of_it_have_its_shape(game: str) -> None:
    env = aec(game)
    layout = env.game.layout
    space = env.observation_space("player_0")
    assert set(space.spaces) == {"observation", "action_mask"}
    np.testing.assert_array_equal(space["observation"].low, layout.low)
    np.testing.assert_array_equal(space["observation"].high, layout.high)
    assert space["observation"].dtype == space["action_mask"].dtype == np.int8
    assert space["action_mask"].shape == (env.game.num_actions,)
    assert env.action_space("player_0").n == env.game.num_actions


@every_game
def test_fields_lie_one_after_another_and_views_are_no_copies(game: str) -> None:
    layout = envs.get_game(game).layout
    ends = 0
    for entry in layout.fields:
        assert layout.offsets[entry.name] == ends
        assert -128 <= entry.low <= entry.high <= 127
        assert entry.high > 0  # learners scale by it
        ends += entry.size
    assert ends == layout.size
    assert len({entry.name for entry in layout.fields}) == len(layout.fields)
    rows = np.zeros((3, layout.size), np.int8)
    for name, part in layout.views(rows).items():
        assert np.shares_memory(part, rows)
        assert part.shape == (3, *{entry.name: entry.shape for entry in layout.fields}[name])
    with pytest.raises(ValueError, match="bytes"):
        layout.views(rows[:, 1:])
    for entry in layout.fields:
        assert f"`{entry.name}`" in layout.markdown()
    tables = envs.Tables(game, 3)
    for name, part in tables.views().items():
        np.testing.assert_array_equal(part, layout.views(tables.observations)[name])
