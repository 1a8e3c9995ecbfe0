"""A copy of an env in the middle of a deal is an independent twin; what an env has handed out
stays as it was."""

from __future__ import annotations

import contextlib
import copy
import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from tabletop import GAMES, Weigher, aec, any_legal, is_over, play, values_of, weigh

from bidwise import envs
from bidwise.envs import KernelPolicy

every_game = pytest.mark.parametrize("game", GAMES)


def through_pickle(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


def through_state(env: envs.CardGameEnv) -> envs.CardGameEnv:
    twin = envs.CardGameEnv(env.game.name, deals=3)
    twin.state = env.state
    return twin


every_way = pytest.mark.parametrize("duplicate", [copy.deepcopy, through_pickle])


def trace(env: envs.CardGameEnv, rng: Random, steps: int) -> list[Any]:
    seen = []
    for _ in range(steps):
        if is_over(env):
            env.reset()
        env.step(any_legal(env, rng))
        agent = env.agent_selection
        view = env.observe(agent)
        seen.append(
            (agent, view["observation"].tobytes(), view["action_mask"].tobytes(), env.rewards)
        )
    return seen


@pytest.mark.parametrize("duplicate", [copy.deepcopy, through_pickle, copy.copy, through_state])
@every_game
def test_a_table_copied_in_the_middle_of_a_deal_has_an_independent_twin(
    game: str, duplicate: Callable[[Any], Any]
) -> None:
    env = aec(game, deals=3)
    env.reset(seed=6)
    play(env, Random(6), 30)
    twin = duplicate(env)
    assert twin.agent_selection == env.agent_selection
    before = values_of(env.state)
    there = trace(twin, Random(1), 140)
    assert values_of(env.state) == before
    assert trace(env, Random(1), 140) == there
    assert trace(env, Random(2), 9) != trace(twin, Random(3), 9)


@every_way
@every_game
def test_a_copied_table_keeps_rewards_that_its_agents_have_not_seen_yet(
    game: str, duplicate: Callable[[Any], Any]
) -> None:
    env = aec(game, deals=4, reward="points", rules="standard" if game == "spades" else "piramida")
    env.reset(seed=1)
    rng = Random(1)
    while not any(env._cumulative_rewards.values()):
        env.step(any_legal(env, rng))
    twin = duplicate(env)
    earned = []
    for table in (env, twin):
        sums = dict.fromkeys(table.possible_agents, 0.0)
        rng = Random(2)
        for agent in table.agent_iter():
            _, reward, terminated, truncated, _ = table.last()
            sums[agent] += reward
            table.step(None if terminated or truncated else any_legal(table, rng))
        earned.append(sums)
    assert earned[0] == earned[1]
    assert any(earned[0].values())


@every_way
@pytest.mark.parametrize("opponents", ["built in", "kernel", "external"])
@every_game
def test_a_copied_learner_has_an_independent_twin(
    game: str, opponents: str, duplicate: Callable[[Any], Any]
) -> None:
    policy = {"built in": None, "kernel": KernelPolicy(weigh), "external": Weigher()}[opponents]
    env = envs.seat_env(game, seat=2, opponents=policy, deals=2)
    view, _ = env.reset(seed=4)
    for _ in range(9):
        view, *_ = env.step(int(view["action_mask"].argmax()))
    twin = duplicate(env)
    mask = env.action_masks()

    def rest(table: envs.SeatEnv) -> list[Any]:
        seen, shown = [], table.action_masks()
        for _ in range(40):
            view, reward, terminated, truncated, info = table.step(int(shown.argmax()))
            seen.append((view["observation"].tobytes(), reward, terminated, truncated, str(info)))
            if terminated or truncated:
                view, _ = table.reset()
            shown = view["action_mask"]
        return seen

    there = rest(twin)
    np.testing.assert_array_equal(env.action_masks(), mask)
    assert rest(env) == there


@every_way
@every_game
def test_a_copied_vector_env_has_an_independent_twin(
    game: str, duplicate: Callable[[Any], Any]
) -> None:
    env = envs.SeatVectorEnv(5, game=game, seat="random", deals=1)
    views, _ = env.reset(seed=3)
    for _ in range(11):
        views, *_ = env.step(views["action_mask"].argmax(axis=1))
    twin = duplicate(env)

    def rest(table: envs.SeatVectorEnv) -> list[Any]:
        shown, seen = views, []
        for _ in range(40):
            shown, *told = table.step(shown["action_mask"].argmax(axis=1))
            seen.append((shown["observation"].tobytes(), [np.array(part) for part in told[:3]]))
        return seen

    there = rest(twin)
    np.testing.assert_equal(rest(env), there)


@every_way
@every_game
def test_copied_tables_have_an_independent_twin(game: str, duplicate: Callable[[Any], Any]) -> None:
    tables = envs.Tables(game, 7, seed=5, deals=1)
    for _ in range(20):
        tables.step(tables.sample_actions())
    twin = duplicate(tables)
    before = values_of(tables.states)

    def rest(batch: envs.Tables) -> list[bytes]:
        seen = []
        for _ in range(70):
            rewards, finished = batch.step(batch.sample_actions())
            seen += [batch.observations.tobytes(), rewards.tobytes(), finished.tobytes()]
        return seen

    there = rest(twin)
    assert values_of(tables.states) == before
    assert rest(tables) == there


@every_game
def test_saved_states_of_tables_can_be_restored(game: str, tmp_path: Any) -> None:
    """Saving is `np.save`."""
    tables = envs.Tables(game, 7, seed=5, deals=2)
    for _ in range(33):
        tables.step(tables.sample_actions())
    np.save(tmp_path / "states.npy", tables.states)
    other = envs.Tables(game, 7, seed=1, deals=2)
    other.restore(np.load(tmp_path / "states.npy"))
    for _ in range(90):
        np.testing.assert_array_equal(other.observations, tables.observations)
        np.testing.assert_array_equal(other.action_masks, tables.action_masks)
        np.testing.assert_array_equal(other.current_player, tables.current_player)
        actions = tables.sample_actions()
        rewards, finished = tables.step(actions)
        rewards_there, finished_there = other.step(actions)
        np.testing.assert_array_equal(rewards, rewards_there)
        np.testing.assert_array_equal(finished, finished_there)


@every_game
def test_a_state_that_was_read_is_a_copy(game: str) -> None:
    env = aec(game)
    env.reset(seed=1)
    state = env.state
    before = values_of(state)
    play(env, Random(1), 5)
    assert values_of(state) == before
    state["hands"] = 0
    assert all(env.hands)
    tables = envs.Tables(game, 2)
    tables.states["hands"] = 0
    assert tables.states["hands"].any()


@every_game
def test_a_state_of_another_game_or_table_is_refused(game: str) -> None:
    env = aec(game)
    env.reset(seed=1)
    before = values_of(env.state)
    other = aec("spades" if game == "pyramid" else "pyramid")
    other.reset(seed=1)
    wrong = [other.state, 7, None, np.zeros(3)]
    if game == "pyramid":
        small = aec(game, num_players=2)
        small.reset()
        wrong.append(small.state)
    for state in wrong:
        with pytest.raises(ValueError, match="state"):
            env.state = state
    assert values_of(env.state) == before


@every_game
def test_the_rules_told_are_the_rules_in_force_after_a_state_is_set(game: str) -> None:
    """A record carries its rules: one of other rules is refused, or changes what is told."""
    first, second = ("piramida", "inventor") if game == "pyramid" else ("piki", "zone")
    env, other = aec(game, rules=first), aec(game, rules=second)
    env.reset(seed=1)
    other.reset(seed=2)
    with contextlib.suppress(ValueError):
        env.state = other.state
    assert env.rules == env.game.read_rules(env.state)
    env.reset()
    assert env.rules == env.game.read_rules(env.state)
    tables, others = envs.Tables(game, 2, rules=first), envs.Tables(game, 2, rules=second)
    with contextlib.suppress(ValueError):
        tables.restore(others.states)
    assert tables.rules == tables.game.read_rules(tables.states[1])


@every_game
def test_a_game_at_its_end_can_be_saved_and_set(game: str) -> None:
    env = aec(game, deals=1)
    env.reset(seed=1)
    play(env, Random(1))
    twin = aec(game, deals=1)
    twin.reset(seed=2)
    twin.state = env.state
    assert is_over(twin)
    assert twin.scores == env.scores
    for agent in twin.agent_iter(10):
        assert twin.terminations[agent]
        twin.step(None)
    assert not twin.agents


# ---------------------------------------------------------------------- what was handed out


def held(parts: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    return parts, {name: part.copy() for name, part in parts.items()}


@every_game
def test_what_a_table_showed_is_unchanged_by_the_next_step(game: str) -> None:
    env = aec(game, deals=1)
    env.reset(seed=1)
    rng, kept = Random(1), []
    while not is_over(env):
        kept.append(held(env.last()[0]))
        env.step(any_legal(env, rng))
    env.reset()
    for shown, expected in kept:
        np.testing.assert_equal(shown, expected)


@every_game
def test_writing_into_what_a_table_showed_changes_nothing(game: str) -> None:
    env = aec(game)
    env.reset(seed=1)
    agent = env.agent_selection
    before = env.observe(agent)
    for part in env.observe(agent).values():
        part[:] = 7
    hands, scores = env.hands, env.scores
    hands[0].clear()
    scores[0] = 99
    np.testing.assert_equal(env.observe(agent), before)
    assert env.hands[0]
    assert env.scores[0] == 0


@every_game
def test_what_a_learner_was_shown_is_unchanged_by_the_next_step(game: str) -> None:
    env = envs.seat_env(game, deals=1)
    view, _ = env.reset(seed=1)
    kept, over = [held(view)], False
    masks = [held({"mask": env.action_masks()})]
    while not over:
        view, _, over, _, _ = env.step(int(view["action_mask"].argmax()))
        kept.append(held(view))
        masks.append(held({"mask": env.action_masks()}))
    env.reset()
    for shown, expected in kept + masks:
        np.testing.assert_equal(shown, expected)


@every_game
def test_what_a_vector_env_showed_is_unchanged_by_later_steps(game: str) -> None:
    env = envs.SeatVectorEnv(4, game=game, deals=1)
    views, infos = env.reset(seed=1)
    kept = [held(views), held({"seat": infos["seat"]})]
    for _ in range(45):
        views, rewards, terminated, truncated, infos = env.step(views["action_mask"].argmax(axis=1))
        kept.append(held(views))
        kept.append(held({"rewards": rewards, "over": terminated, "cut": truncated}))
        kept.append(held({"seat": infos["seat"]}))
        if "final_obs" in infos:
            kept.append(held(infos["final_obs"]))
            kept.append(held(infos["final_info"]))
            kept.append(held({"which": infos["_final_obs"]}))
    env.reset()
    for shown, expected in kept:
        np.testing.assert_equal(shown, expected)


@every_game
def test_the_buffers_of_tables_cannot_be_written_from_outside(game: str) -> None:
    tables = envs.Tables(game, 3)
    rewards, finished = tables.step(tables.sample_actions())
    shown = [
        tables.current_player,
        tables.observations,
        tables.action_masks,
        tables.final_observations,
        rewards,
        finished,
    ]
    for array in shown:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@every_game
def test_agents_of_one_table_share_no_list_with_what_is_possible(game: str) -> None:
    """PettingZoo's AgentSelector aliases the list it is given."""
    env = aec(game, deals=1)
    env.reset(seed=1)
    agents = env.possible_agents[:]
    play(env, Random(1))
    for _ in env.agent_iter(10):
        env.step(None)
    assert env.agents == []
    assert env.possible_agents == agents == [f"player_{seat}" for seat in range(4)]
    env.reset()
    assert env.agents == agents
