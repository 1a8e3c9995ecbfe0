"""PettingZoo's own checks pass, and its registry makes the envs."""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from bidwise import envs

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # importing the checks warns about examples they bring along
    from pettingzoo.test import api_test, performance_benchmark, seed_test

IDS = ("bidwise/Pyramid-v0", "bidwise/Spades-v0")

MAKERS: dict[str, Callable[..., envs.CardGameEnv]] = {
    "pyramid": envs.pyramid_env,
    "pyramid of two": lambda **keywords: envs.pyramid_env(num_players=2, **keywords),
    "pyramid with signals": lambda **keywords: envs.pyramid_env(
        num_players=3, rules=envs.PyramidRules(conference="signals"), **keywords
    ),
    "spades": envs.spades_env,
    "spades, standard": lambda **keywords: envs.spades_env(rules="standard", **keywords),
}

every_env = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)

# The two that api_test has for any Dict observation of an env that it does not know by name.
DICT_OBSERVATION = (
    "Observation space for each agent probably should be gymnasium.spaces.box",
    "Observation is not a NumPy array",
)


@pytest.mark.parametrize("deals", [1, 3, "match"])
@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_api_test_passes_and_warns_of_nothing_but_dict_observations(
    game: str, deals: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(envs.CardGameEnv(game, deals=deals), num_cycles=1000)
    assert "Passed API test" in capsys.readouterr().out
    told = {str(warning.message) for warning in caught}
    assert told
    assert all(text.startswith(DICT_OBSERVATION) for text in told), told


@every_env
def test_api_test_passes_with_every_number_of_players_and_signals(
    make: Callable[..., envs.CardGameEnv],
) -> None:
    env = make(deals=2)
    with warnings.catch_warnings():
        for text in DICT_OBSERVATION:
            warnings.filterwarnings("ignore", message=text)
        api_test(env, num_cycles=200)


@every_env
def test_seed_test_passes(make: Callable[..., envs.CardGameEnv]) -> None:
    seed_test(make, num_cycles=100)


def test_performance_benchmark_runs_through_many_episodes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # It draws from the global generator, and its five seconds are cut short.
    clock = iter(range(0, 10**9))
    monkeypatch.setattr(time, "time", lambda: next(clock) / 200)
    monkeypatch.setattr(random, "choice", Random(0).choice)
    performance_benchmark(envs.spades_env(deals=1))
    assert "turns per second" in capsys.readouterr().out


@pytest.mark.parametrize("env_id", IDS)
def test_pettingzoo_makes_the_envs_with_keywords(env_id: str) -> None:
    rules = "inventor" if "Pyramid" in env_id else "zone"
    env = pettingzoo.make("aec", env_id, rules=rules, deals=2, reward="points", illegal="penalise")
    env.reset(seed=1)
    table = env.unwrapped
    assert isinstance(table, envs.CardGameEnv)
    assert table.rules == type(table.rules).preset(rules)
    assert env.metadata["name"] == env_id
    direct = envs.CardGameEnv(
        table.game.name, rules=rules, deals=2, reward="points", illegal="penalise"
    )
    direct.reset(seed=1)
    agent = env.agent_selection
    np.testing.assert_equal(env.observe(agent), direct.observe(agent))
    env.close()


def test_pettingzoo_makes_pyramids_for_two() -> None:
    env = pettingzoo.make("aec", "bidwise/Pyramid-v0", num_players=2)
    env.reset(seed=1)
    assert env.possible_agents == ["player_0", "player_1"]


def test_rendering_without_a_mode_warns_and_draws_nothing() -> None:
    for make in MAKERS.values():
        env = make()
        env.reset(seed=1)
        with pytest.warns(UserWarning, match="render_mode"):
            assert env.render() is None
        env.close()


@every_env
def test_pettingzoos_wrappers_fit(make: Callable[..., envs.CardGameEnv]) -> None:
    table = make(deals=1)
    env = OrderEnforcingWrapper(TerminateIllegalWrapper(AssertOutOfBoundsWrapper(table), -1))
    rng = Random(3)
    env.reset(seed=3)
    for _ in env.agent_iter():
        view, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        legal = np.flatnonzero(view["action_mask"]).tolist()
        env.step(None if over else rng.choice(legal))
    assert not env.agents
    env.reset(seed=3)
    offender = env.agent_selection
    env.last()
    env.step(0)
    assert env.rewards[offender] == -1
    assert all(env.terminations.values())


def test_agents_die_one_after_another_at_the_end() -> None:
    env = envs.spades_env(deals=1)
    env.reset(seed=1)
    rng = Random(1)
    alive = set(env.possible_agents)
    for agent in env.agent_iter():
        view, reward, terminated, truncated, info = env.last()
        assert info == {}
        assert isinstance(reward, float)
        assert (type(terminated), type(truncated)) == (bool, bool)
        if terminated:
            env.step(None)
            alive.remove(agent)
            assert set(env.agents) == alive
            for names in (env.rewards, env.terminations, env.truncations, env.infos):
                assert set(names) == alive
        else:
            env.step(rng.choice(np.flatnonzero(view["action_mask"]).tolist()))
    assert not alive
