"""Gymnasium's own checks pass, and its registry makes the envs, one or many at a time."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from bidwise import envs

IDS = ("bidwise/Pyramid-v0", "bidwise/Spades-v0")
GAMES = ("pyramid", "spades")

every_id = pytest.mark.parametrize("env_id", IDS)


@pytest.mark.parametrize("decide", ["all", "bids", "cards"])
@pytest.mark.parametrize("game", GAMES)
def test_check_env_passes(game: str, decide: str) -> None:
    """It samples without a mask."""
    env = envs.seat_env(game, decide=decide, illegal="penalise", deals=1 if decide != "bids" else 4)
    check_env(env, skip_render_check=True)


@every_id
def test_check_env_passes_for_what_the_registry_makes(env_id: str) -> None:
    env = gymnasium.make(env_id, illegal="penalise", deals=1, render_mode="ansi")
    check_env(env.unwrapped)
    env.close()


@every_id
def test_gymnasium_makes_the_env_with_keywords(env_id: str) -> None:
    rules = "inventor" if "Pyramid" in env_id else "standard"
    env = gymnasium.make(
        env_id, rules=rules, seat=3, decide="cards", deals=2, reward="points", illegal="terminate"
    )
    assert env.spec is not None
    assert env.spec.id == env_id
    learner = env.unwrapped
    assert isinstance(learner, envs.SeatEnv)
    assert learner.rules == type(learner.rules).preset(rules)
    view, info = env.reset(seed=1)
    assert info["seat"] == 3
    assert env.observation_space.contains(view)
    over, steps = False, 0
    while not over:
        view, reward, terminated, truncated, info = env.step(int(view["action_mask"].argmax()))
        assert isinstance(reward, float)
        assert env.observation_space.contains(view)
        over, steps = terminated or truncated, steps + 1
    assert steps == 2 * (6 if "Pyramid" in env_id else 13)


@every_id
def test_gymnasium_makes_many_at_once(env_id: str) -> None:
    env = gymnasium.make_vec(env_id, num_envs=5, seat=1, deals=1, reward="points")
    assert isinstance(env.unwrapped, envs.SeatVectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.num_envs == 5
    views, _ = env.reset(seed=1)
    assert env.observation_space.contains(views)
    assert env.action_space.shape == (5,)
    for _ in range(40):
        views, rewards, terminated, truncated, _ = env.step(views["action_mask"].argmax(axis=1))
        assert env.observation_space.contains(views)
        assert rewards.shape == terminated.shape == truncated.shape == (5,)
        assert rewards.dtype == np.float64
        assert terminated.dtype == truncated.dtype == np.bool_
    env.close()


@every_id
def test_gymnasiums_own_vector_of_single_envs_plays_as_ours(env_id: str) -> None:
    """Table 0 of the seed, in a SyncVectorEnv of one and in ours of one."""
    ways: list[Any] = []
    for mode in ("sync", "vector_entry_point"):
        settings = (
            {"vector_kwargs": {"autoreset_mode": AutoresetMode.SAME_STEP}} if mode == "sync" else {}
        )
        env = gymnasium.make_vec(
            env_id, num_envs=1, vectorization_mode=mode, deals=1, seat=2, **settings
        )
        views, _ = env.reset(seed=9)
        seen = []
        for _ in range(25):
            views, rewards, terminated, truncated, infos = env.step(
                views["action_mask"].argmax(axis=1)
            )
            final = infos["final_obs"] if terminated[0] else None
            if final is not None and mode == "sync":
                final = {name: part[None] for name, part in final[0].items()}
            seen.append((views, rewards, terminated, truncated, final))
        ways.append(seen)
    np.testing.assert_equal(ways[0], ways[1])


@every_id
def test_a_mask_samples_from_the_action_space(env_id: str) -> None:
    env = gymnasium.make(env_id)
    view, _ = env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(20):
        action = env.action_space.sample(mask=view["action_mask"])
        view, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            view, _ = env.reset()


@every_id
def test_gymnasiums_statistics_are_the_episodes_rewards(env_id: str) -> None:
    """The recorder of the vector env needs to know the autoreset mode, and is told it."""
    plain = gymnasium.make_vec(env_id, num_envs=4, deals=1, reward="points", seat=1)
    env = RecordEpisodeStatistics(
        gymnasium.make_vec(env_id, num_envs=4, deals=1, reward="points", seat=1)
    )
    views, _ = env.reset(seed=2)
    plain.reset(seed=2)
    sums, episodes = np.zeros(4), 0
    while episodes < 8:
        actions = views["action_mask"].argmax(axis=1)
        views, _, terminated, _, infos = env.step(actions)
        _, rewards, *_ = plain.step(actions)
        sums += rewards
        for table in np.flatnonzero(terminated):
            told = infos["final_info"] if "episode" in infos.get("final_info", {}) else infos
            assert told["episode"]["r"][table] == pytest.approx(sums[table])
            sums[table] = 0.0
            episodes += 1


@pytest.mark.parametrize("game", GAMES)
def test_a_vector_of_none_is_refused(game: str) -> None:
    for count in (0, -1):
        with pytest.raises(ValueError, match="num_"):
            envs.SeatVectorEnv(count, game=game)
    with pytest.raises(ValueError, match="render_mode"):
        envs.SeatVectorEnv(2, game=game, render_mode="ansi")
