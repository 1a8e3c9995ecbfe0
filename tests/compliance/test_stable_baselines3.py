"""stable-baselines3 checks the seat env, and sb3-contrib learns from it without a wrapper."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch

from bidwise import envs

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what these two import is not ours to mend
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.vec_env import DummyVecEnv

# By which no match ends within the few deals played here.
RULES = {"pyramid": "inventor", "spades": "standard"}

every_game = pytest.mark.parametrize("game", ["pyramid", "spades"])


@every_game
def test_check_env_passes(game: str) -> None:
    """It samples without a mask."""
    check_env(envs.seat_env(game, illegal="penalise", deals=1), warn=True, skip_render_check=True)


@every_game
def test_action_masks_are_found_without_an_action_masker(game: str) -> None:
    vector = DummyVecEnv([lambda: envs.seat_env(game, deals=1) for _ in range(3)])
    assert is_masking_supported(vector)
    vector.seed(1)
    views = vector.reset()
    for _ in range(30):
        masks = get_action_masks(vector)
        assert masks.dtype == np.bool_
        np.testing.assert_array_equal(masks, views["action_mask"] == 1)
        views, _, dones, infos = vector.step(masks.argmax(axis=1))
        for done, info in zip(dones, infos, strict=True):
            assert done == ("terminal_observation" in info)
            assert not done or not info["terminal_observation"]["action_mask"].any()


@every_game
def test_maskable_ppo_learns_without_an_illegal_action_and_stores_what_it_saw(game: str) -> None:
    """With ``illegal="raise"`` one would end the run. MaskablePPO stores an observation after
    the step that follows it: over a buffer rewritten in place it would store the wrong one."""
    seen: list[bytes] = []

    class Watched(envs.SeatEnv):
        def _observation(self) -> dict[str, np.ndarray]:
            view = super()._observation()
            seen.append(view["observation"].tobytes())
            return view

    torch.set_num_threads(1)
    model = MaskablePPO(
        "MultiInputPolicy",
        DummyVecEnv([lambda: Watched(game, rules=RULES[game], illegal="raise")]),
        n_steps=48,
        batch_size=48,
        n_epochs=1,
        seed=1,
        device="cpu",
    )
    model.learn(48)
    stored = model.rollout_buffer.observations["observation"].reshape(48, -1).astype(np.int8)
    assert [row.tobytes() for row in stored] == seen[:48]
    masks = model.rollout_buffer.action_masks.reshape(48, -1)
    actions = model.rollout_buffer.actions.reshape(48).astype(int)
    assert (masks[np.arange(48), actions] == 1).all()
