"""`bidwise train`: what a run leaves, how it goes on, and what it refuses."""

from __future__ import annotations

import dataclasses
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bidwise import agents
from bidwise.envs import SeatTables
from bidwise.train.learning.callbacks import Budget
from bidwise.train.learning.checkpoint import CHECKPOINT, load_checkpoint
from bidwise.train.learning.config import TrainConfig
from bidwise.train.learning.curves import PROGRESS
from bidwise.train.learning.publishing import policy_tensors, publish_model
from bidwise.train.learning.training import EVALUATIONS, make_env, make_model, train

SMALL: dict[str, Any] = {
    "num_tables": 8,
    "n_steps": 4,
    "batch_size": 16,
    "n_epochs": 1,
    "hidden": (16,),
    "deals": "4",
    "steps": 96,
    "eval_every": 0,
    "final_matches": 2,
    "baselines": ("random",),
    "opponents": "random",
    "own": "random",
    "threads": 1,
}


def small(out: Path, **changes: Any) -> TrainConfig:
    return TrainConfig(**{**SMALL, "out": out, **changes})


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[TrainConfig, Any]:
    """One small run, ended by its number of decisions."""
    config = small(tmp_path_factory.mktemp("run"), eval_every=64, eval_matches=2)
    return config, train(config)


def test_a_run_leaves_an_agent_curves_evaluations_and_its_provenance(
    finished: tuple[TrainConfig, Any],
) -> None:
    config, trained = finished
    assert (trained.steps, trained.interrupted) == (96, False)
    agent = agents.make(config.out / "agent", game="pyramid")
    assert agent.name == "pyramid-bids-ppo"
    card = json.loads((config.out / "agent" / "card.json").read_text())
    assert card["training"]["seed"] == config.seed
    assert card["training"]["steps"] == 96
    assert card["results"]["random"]["differences"]["declaring"]["units"] == 2
    assert [line["step"] for line in lines(config.out / EVALUATIONS)] == [64, 96]
    progress = lines(config.out / PROGRESS)
    assert any("rollout/ep_rew_mean" in line for line in progress)
    assert any("eval/random/declaring_low" in line for line in progress)
    shares = [line["time/env_share"] for line in progress if "time/env_share" in line]
    assert all(0 < share < 1 for share in shares)
    assert list((config.out / "tensorboard").iterdir())
    run = json.loads((config.out / "run.json").read_text())
    assert 0 < run["results"]["env_share"] < 1


def test_a_checkpoint_holds_the_networks_weights_and_continues_from_its_step_count(
    finished: tuple[TrainConfig, Any], tmp_path: Path
) -> None:
    config, trained = finished
    checkpoint = load_checkpoint(config.out)
    assert (checkpoint.steps, checkpoint.config) == (trained.steps, config)
    model = make_model(config, make_env(config), Budget(1, None))
    checkpoint.restore(model)
    published = agents.load(config.out / "agent").network.tensors
    for name, tensor in policy_tensors(model).items():
        np.testing.assert_array_equal(tensor, published[name])
    state = model.policy.optimizer.state_dict()["state"]
    assert state[0]["exp_avg"].abs().sum() > 0
    assert int(state[0]["step"]) == checkpoint.updates * 2  # two batches a pass
    np.testing.assert_array_equal(torch.get_rng_state(), checkpoint.arrays["random.torch"])


def test_resume_counts_on_and_appends_to_the_curves(tmp_path: Path) -> None:
    config = small(tmp_path / "run", steps=64)
    train(config)
    before = load_checkpoint(config.out)
    trained = train(TrainConfig(resume=config.out, steps=160))
    after = load_checkpoint(config.out)
    assert (before.steps, trained.steps, after.steps) == (64, 160, 160)
    assert (before.updates, after.updates) == (2, 5)
    assert after.config.hidden == config.hidden
    assert [line["step"] for line in lines(config.out / EVALUATIONS)] == [64, 160]
    steps = [line["step"] for line in lines(config.out / PROGRESS)]
    assert steps == sorted(steps)
    with pytest.raises(ValueError, match=r"steps: .* has learned from 160"):
        train(TrainConfig(resume=config.out))


def test_a_run_is_not_overwritten_unless_told_so(finished: tuple[TrainConfig, Any]) -> None:
    config, _ = finished
    with pytest.raises(ValueError, match=r"out: .* holds a run"):
        train(config)


def test_resume_refuses_what_is_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"resume: .* holds no {CHECKPOINT}"):
        train(TrainConfig(resume=tmp_path))
    (tmp_path / CHECKPOINT).write_bytes(b"\x80\x04 a pickle, say")
    with pytest.raises(ValueError, match=r"resume: .* cannot be read"):
        train(TrainConfig(resume=tmp_path))


def test_ctrl_c_saves_publishes_says_so_and_exits_with_130(tmp_path: Path) -> None:
    settings = SMALL | {"steps": 10**9, "out": tmp_path}
    arguments = []
    for name, value in settings.items():
        values = value if isinstance(value, tuple) else (value,)
        arguments += [f"--{name.replace('_', '-')}", *map(str, values)]
    process = subprocess.Popen(
        [sys.executable, "-m", "bidwise.train", "train", *arguments],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        while not (tmp_path / PROGRESS).exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Interrupted" in output
    assert "--resume" in output
    checkpoint = load_checkpoint(tmp_path)
    assert checkpoint.steps % 32 == 0  # whole updates only
    assert checkpoint.updates * 32 == checkpoint.steps
    card = json.loads((tmp_path / "agent" / "card.json").read_text())
    assert card["training"]["steps"] == checkpoint.steps


@pytest.mark.parametrize("game", ["pyramid", "spades"])
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_a_published_agent_plays_what_the_network_plays_near_ties_included(
    game: str, activation: str, tmp_path: Path
) -> None:
    config = small(tmp_path, game=game, activation=activation, decide="all", hidden=(64, 32))
    env = make_env(config)
    model = make_model(config, env, Budget(1, None))
    # Fresh logits lie within 0.02 of each other; here every second one all but repeats another.
    with torch.no_grad():
        weight = model.policy.action_net.weight
        noise = torch.randn(weight[1::2].shape, generator=torch.Generator().manual_seed(0))
        weight[1::2] = weight[: 2 * len(noise) : 2] + 1e-5 * noise
    folder = publish_model(config, model, 0, {})
    agent = agents.make(folder, game=game)
    assert isinstance(agent, agents.NetworkAgent)
    tables = SeatTables(game, 64, deals=2, threads=1)
    tables.reset()
    rng = np.random.default_rng(0)
    states = close = 0
    for _ in range(60):
        observations, masks = tables.observations, tables.action_masks
        expected, _ = model.predict(
            agent.network.features(observations), deterministic=True, action_masks=masks
        )
        played = agent.act_batch(observations, masks)
        logits = np.where(masks == 1, agent.network.forward(observations), -np.inf)
        best = np.sort(logits, axis=1)
        gap = best[:, -1] - best[:, -2]
        # Log-probabilities near -4 are 5e-7 apart in float32: below some such steps it is luck.
        differ = (played != expected) & (gap > 1e-6)
        assert not differ.any(), gap[differ]
        states += len(masks)
        close += int(((gap > 1e-6) & (gap < 1e-4)).sum())
        tables.step((rng.random(masks.shape) * masks).argmax(axis=1))
    assert states > 3000
    assert close > 30


def test_training_plays_no_illegal_action(tmp_path: Path) -> None:
    # The tables raise at an illegal action, so that finishing is the proof.
    config = small(tmp_path, game="spades", decide="all", partner="random", steps=1024, n_steps=64)
    assert make_env(config).tables.illegal == "raise"
    assert train(config).steps == 1024


@pytest.mark.long
def test_two_minutes_make_a_pyramid_bidder_clearly_better_than_basic(tmp_path: Path) -> None:
    config = TrainConfig(
        out=tmp_path,
        steps=250_000,
        hidden=(128, 128),
        eval_every=0,
        final_matches=200,
        baselines=("basic-v1",),
    )
    assert train(config).results["basic-v1"].differences["declaring"].low > 0.2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("game", "whist"),
        ("rules", "poker"),
        ("num_players", 5),
        ("decide", "nothing"),
        ("seat", "north"),
        ("seat", "4"),
        ("deals", "few"),
        ("reward", "money"),
        ("reward_scale", 0.0),
        ("steps", 0),
        ("minutes", -1.0),
        ("num_tables", 0),
        ("batch_size", 17),
        ("learning_rate", float("nan")),
        ("gamma", 1.5),
        ("hidden", ()),
        ("activation", "gelu"),
        ("seed", -1),
        ("eval_matches", 1),
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_name(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=field):
        TrainConfig(**{field: value})


def test_an_agent_that_does_not_exist_is_refused_before_training(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="agent: 'nobody'"):
        train(small(tmp_path, opponents="nobody"))
    with pytest.raises(ValueError, match="agent: 'nobody'"):
        train(small(tmp_path, baselines=("nobody",)))
    assert not (tmp_path / CHECKPOINT).exists()


def test_the_config_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        TrainConfig().seed = 1  # type: ignore[misc]
