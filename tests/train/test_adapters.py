"""SeatVecEnv: what stable-baselines3 is given, and when it may still look at it."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback

from bidwise.agents import scale
from bidwise.envs import SeatTables
from bidwise.train.learning.vec_env import SeatVecEnv

TABLES = 6


def make(**arguments: Any) -> SeatVecEnv:
    arguments = {
        "game": "pyramid",
        "num_tables": TABLES,
        "decide": "bids",
        "threads": 1,
    } | arguments
    return SeatVecEnv(**arguments)


def choose(rng: np.random.Generator, masks: NDArray[np.bool_]) -> NDArray[np.int64]:
    return (rng.random(masks.shape) * masks).argmax(axis=1)


@pytest.mark.parametrize("game", ["pyramid", "spades"])
@pytest.mark.parametrize("reward", ["points", "relative"])
def test_an_episodes_rewards_are_what_the_score_sheet_gives(game: str, reward: str) -> None:
    env = make(game=game, reward=reward, deals=8, seat=1, reward_scale=0.25)
    rng = np.random.default_rng(1)
    env.reset()
    sums, reported, expected = np.zeros(TABLES), [], []
    for _ in range(40):
        _, rewards, dones, infos = env.step(choose(rng, env.action_masks()))
        sums += rewards
        for table in np.flatnonzero(dones):
            totals = [int(total) for total in env.tables.final_scores[table]]
            reported.append((sums[table] / 0.25, infos[table]["episode"]["r"]))
            mine, count = totals.pop(1), len(totals)
            expected.append(mine - sum(totals) / count if reward == "relative" else mine)
            sums[table] = 0.0
    assert len(expected) >= TABLES
    for (summed, told), score in zip(reported, expected, strict=True):
        assert summed == pytest.approx(score, abs=1e-3)
        assert told == pytest.approx(score, abs=1e-4)


def test_terminal_observation_is_the_learners_last_view_scaled_by_each_fields_high() -> None:
    env = make(deals=4)
    raw = SeatTables("pyramid", TABLES, decide="bids", threads=1, deals=4)
    env.seed(3)
    env.reset()
    raw.reset([3 + table for table in range(TABLES)])
    rng = np.random.default_rng(2)
    high = np.maximum(env.game.layout.high, 1).astype(np.float32)
    ended = 0
    for _ in range(6):
        actions = choose(rng, env.action_masks())
        observations, _, dones, infos = env.step(actions)
        raw.step(actions)
        np.testing.assert_allclose(observations, raw.observations / high, rtol=1e-6)
        for table in np.flatnonzero(dones):
            info = infos[table]
            np.testing.assert_allclose(
                info["terminal_observation"], raw.final_observations[table] / high, rtol=1e-6
            )
            assert info["TimeLimit.truncated"] is False
            assert info["episode"]["l"] == 1  # of four deals each seat declares one
            ended += 1
    assert ended == 6 * TABLES


def test_a_match_cut_off_by_max_deals_is_truncated_in_sb3s_words() -> None:
    from bidwise.envs import SpadesRules

    env = make(game="spades", rules=SpadesRules(target=12_000, mercy=None, max_deals=2))
    rng = np.random.default_rng(4)
    env.reset()
    cut = []
    for _ in range(6):
        _, _, dones, infos = env.step(choose(rng, env.action_masks()))
        cut += [infos[table]["TimeLimit.truncated"] for table in np.flatnonzero(dones)]
    assert cut
    assert all(cut)


def test_an_observation_and_a_mask_held_across_a_step_do_not_change() -> None:
    env = make(decide="all")
    rng = np.random.default_rng(5)
    observations, masks = env.reset(), get_action_masks(env)
    for _ in range(12):
        held = observations.copy(), masks.copy()
        later, _, _, _ = env.step(choose(rng, masks))
        np.testing.assert_array_equal(observations, held[0])
        np.testing.assert_array_equal(masks, held[1])
        assert not np.array_equal(later, observations)
        observations, masks = later, get_action_masks(env)


def test_masks_are_one_array_of_the_tables_present_masks() -> None:
    env = make()
    env.reset()
    masks = env.env_method("action_masks")
    assert isinstance(masks, np.ndarray)
    assert masks.shape == (TABLES, env.game.num_actions)
    assert masks.dtype == np.bool_
    np.testing.assert_array_equal(masks, env.tables.action_masks)
    np.testing.assert_array_equal(env.env_method("action_masks", indices=[2, 0]), masks[[2, 0]])
    np.testing.assert_array_equal(env.env_method("action_masks", indices=4), masks[[4]])
    assert is_masking_supported(env)
    with pytest.raises(AttributeError, match="no method 'fly'"):
        env.env_method("fly")


class _Witness(BaseCallback):
    """Takes down each observation and mask as the learner meets it."""

    def __init__(self) -> None:
        super().__init__()
        self.observations: list[NDArray[np.float32]] = []
        self.masks: list[NDArray[np.bool_]] = []

    def _on_rollout_start(self) -> None:
        self._note()

    def _on_step(self) -> bool:
        self._note()
        return True

    def _note(self) -> None:
        env = self.training_env
        assert isinstance(env, SeatVecEnv)
        self.observations.append(env.tables.observations * scale(env.game.layout))
        self.masks.append(env.tables.action_masks == 1)


def test_maskable_ppo_stores_observations_0_to_n_minus_1_with_their_own_masks() -> None:
    env = make(decide="all")
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=8, batch_size=48, n_epochs=1, seed=0, device="cpu"
    )
    model._setup_learn(1)
    witness = _Witness()
    witness.init_callback(model)
    model.collect_rollouts(env, witness, model.rollout_buffer, 8)
    buffer = model.rollout_buffer
    np.testing.assert_array_equal(buffer.observations, np.stack(witness.observations[:8]))
    np.testing.assert_array_equal(buffer.action_masks == 1, np.stack(witness.masks[:8]))
    taken = buffer.actions.astype(np.int64)
    assert np.take_along_axis(buffer.action_masks, taken, axis=2).all()


def test_seeds_and_options_count_for_the_next_reset_only() -> None:
    env, twin = make(), make()
    assert list(env.seed(7)) == [7 + table for table in range(TABLES)]
    twin.seed(7)
    first = env.reset()
    np.testing.assert_array_equal(first, twin.reset())
    assert not np.array_equal(env.reset(), first)
    env.set_options({"dealer": 3})
    env.reset()
    assert list(env.tables.states["dealer"]) == [3] * TABLES
    env.set_options([{"dealer": 1}, *[{}] * (TABLES - 1)])
    with pytest.raises(ValueError, match="every table gets the same"):
        env.reset()


def test_the_info_shared_by_running_tables_is_cheap_and_refuses_to_be_written() -> None:
    env = make()
    env.reset()
    _, _, dones, infos = env.step(choose(np.random.default_rng(0), env.action_masks()))
    assert not dones.any()
    assert all(info is infos[0] for info in infos)
    assert infos[0].get("terminal_observation") is None
    assert infos[0]["TimeLimit.truncated"] is False
    with pytest.raises(TypeError, match="copy it before writing"):
        infos[0]["mine"] = 1
    for twin in (infos[0].copy(), copy.deepcopy(infos[0])):
        twin["mine"] = 1
    assert "mine" not in infos[0]


def test_sb3_contribs_evaluate_policy_masks_and_reads_whole_episodes_in_points() -> None:
    env = make(game="spades", deals=2, reward="points", reward_scale=0.01)
    model = MaskablePPO("MlpPolicy", env, n_steps=2, batch_size=12, seed=0, device="cpu")
    returns, lengths = evaluate_policy(model, env, 2 * TABLES, return_episode_rewards=True)
    assert len(returns) == 2 * TABLES
    assert all(total == round(total) for total in returns)
    assert max(abs(total) for total in returns) > 10
    # A look and a bid in each deal, or a double nil; one that fails may end the match at `mercy`.
    assert set(lengths) <= {1, 2, 3, 4}


def test_rewards_and_times_are_of_the_types_sb3_stores() -> None:
    env = make()
    observations = env.reset()
    assert env.observation_space.contains(observations[0])
    assert observations.dtype == np.float32
    _, rewards, dones, _ = env.step(choose(np.random.default_rng(0), env.action_masks()))
    assert (rewards.dtype, dones.dtype) == (np.dtype(np.float32), np.dtype(np.bool_))
    assert env.seconds > 0
