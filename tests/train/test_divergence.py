"""Learning that leaves the finite numbers, or all measure, is noticed at the update that does."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from bidwise.train import cli
from bidwise.train.learning import callbacks, checkpoint, training
from bidwise.train.learning.callbacks import Budget
from bidwise.train.learning.checkpoint import load_checkpoint, save_checkpoint
from bidwise.train.learning.config import TrainConfig
from bidwise.train.learning.health import Diverged
from bidwise.train.learning.publishing import publish_model
from bidwise.train.learning.training import make_env, make_model, train

SMALL: dict[str, Any] = {
    "num_tables": 8,
    "n_steps": 4,
    "batch_size": 16,
    "n_epochs": 2,
    "hidden": (16,),
    "deals": "4",
    "steps": 32 * 6,
    "eval_every": 0,
    "final_matches": 2,
    "baselines": ("random",),
    "opponents": "random",
    "own": "random",
    "threads": 1,
    "checkpoint_every": 32,
}


def _small(out: Path, **changes: Any) -> TrainConfig:
    return TrainConfig(**{**SMALL, "out": out, **changes})


def _after_update(
    patch: pytest.MonkeyPatch, number: int, spoil: Callable[[MaskablePPO], None]
) -> None:
    """Let learning go wrong in its update of that number."""
    learn = MaskablePPO.train
    done = 0

    def spoilt(model: MaskablePPO) -> None:
        nonlocal done
        learn(model)
        done += 1
        if done == number:
            spoil(model)

    patch.setattr(MaskablePPO, "train", spoilt)


def _fill(tensor: torch.Tensor, value: float) -> None:
    with torch.no_grad():
        tensor.fill_(value)


SPOILT: dict[str, Callable[[Any], None]] = {
    r"the policy's weights \(action_net.bias\) are": (
        lambda model: _fill(model.policy.action_net.bias, math.nan)
    ),
    "Adam's moments are": (
        lambda model: _fill(model.policy.optimizer.state_dict()["state"][0]["exp_avg"], math.inf)
    ),
    r"the loss \(train/value_loss\) is": (
        lambda model: model.logger.record("train/value_loss", math.nan)
    ),
    # Finite weights, whose sums are not.
    "the policy's logits are": lambda model: _fill(model.policy.action_net.weight, 3e38),
}


@pytest.mark.parametrize("found", SPOILT)
def test_the_update_that_diverged_is_named_and_the_run_goes_on_from_the_one_before(
    found: str, tmp_path: Path
) -> None:
    train(_small(tmp_path / "whole"))
    run = tmp_path / "run"
    with pytest.MonkeyPatch.context() as patch:
        _after_update(patch, 3, SPOILT[found])
        with pytest.raises(Diverged, match=rf"{found} not finite after update 3 \(decision 96\)"):
            train(_small(run))
    assert load_checkpoint(run).steps == 64
    assert not (run / "agent").exists()
    train(TrainConfig(resume=run, threads=1))
    weights = Path("agent", "weights.safetensors")
    assert (run / weights).read_bytes() == (tmp_path / "whole" / weights).read_bytes()


@pytest.mark.parametrize("rate", ["1e30", "1e38", "1e39", "1e308"])
def test_a_learning_rate_beyond_all_numbers_ends_with_one_line_and_status_1(
    rate: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--learning-rate", rate, "--out", str(tmp_path)]
    for name, value in SMALL.items():
        values = value if isinstance(value, tuple) else (value,)
        arguments += [f"--{name.replace('_', '-')}", *map(str, values)]
    assert cli.main(["train", *arguments]) == 1
    error = capsys.readouterr().err
    assert error.startswith("bidwise: learning diverged: ")
    assert f"not finite after update 1 (decision 32) with learning_rate {float(rate):g};" in error
    assert error.count("\n") == 1
    assert not list(tmp_path.rglob("*.safetensors"))


@pytest.mark.parametrize("rate", [1.0, 10.0])
def test_a_policy_thrown_far_away_is_said_once_and_noted_for_good(
    rate: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trained = train(_small(tmp_path, learning_rate=rate))
    assert trained.steps == SMALL["steps"]
    assert trained.warning is not None
    assert trained.warning.startswith("update 1 moved the policy by a KL divergence of ")
    assert f"learning_rate {rate:g} is probably too high" in trained.warning
    assert capsys.readouterr().out.count("Warning: update 1 moved the policy") == 1
    train(TrainConfig(resume=tmp_path, steps=32 * 8, threads=1))
    assert "Warning" not in capsys.readouterr().out
    noted = json.loads((tmp_path / "run.json").read_text())["results"]["warning"]
    assert noted == trained.warning


def test_a_second_jump_is_not_said_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in (2, 4):
        _after_update(
            monkeypatch, number, lambda model: model.logger.record("train/approx_kl", math.inf)
        )
    trained = train(_small(tmp_path))
    assert str(trained.warning).startswith("update 2 moved the policy by a KL divergence of inf")
    assert capsys.readouterr().out.count("Warning: ") == 1


@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_of_ordinary_learning_nothing_is_said(game: str, tmp_path: Path) -> None:
    config = _small(
        tmp_path,
        game=game,
        deals="1",
        decide="all",
        partner="random",
        steps=32 * 40,
        learning_rate=1e-2,  # ten times the default
        checkpoint_every=0,
    )
    trained = train(config)
    assert trained.warning is None
    assert json.loads((tmp_path / "run.json").read_text())["results"]["warning"] is None


def test_a_network_that_is_not_finite_is_neither_saved_nor_published_nor_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = _small(tmp_path)
    model = make_model(config, make_env(config), Budget(1, None))
    _fill(model.policy.action_net.bias[3:4], math.nan)
    model.env.reset()
    moving = {"x": np.zeros(1)}
    with pytest.raises(ValueError, match=r"is not written: policy\.action_net\.bias holds numbers"):
        save_checkpoint(tmp_path, model, config, 0, moving=moving)
    with pytest.raises(ValueError, match=r"logits\.bias holds numbers that are not finite"):
        publish_model(config, model, 0, {})
    assert list(tmp_path.iterdir()) == []
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "_require_finite", lambda arrays, otherwise: None)
        path = save_checkpoint(tmp_path, model, config, 0, moving=moving)
    with pytest.raises(ValueError, match=r"is refused: policy\.action_net\.bias holds") as caught:
        load_checkpoint(tmp_path)
    assert str(path) in str(caught.value)


def test_a_checkpoint_is_due_after_so_many_seconds_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = 0.0

    def later(model: MaskablePPO) -> None:
        nonlocal clock
        clock += 10.0

    for number in range(1, 8):
        _after_update(monkeypatch, number, later)
    monkeypatch.setattr(callbacks, "time", SimpleNamespace(perf_counter=lambda: clock))
    saved: list[int] = []

    def save(*args: Any, **values: Any) -> Path:
        saved.append(args[3])
        return save_checkpoint(*args, **values)

    monkeypatch.setattr(training, "save_checkpoint", save)
    train(_small(tmp_path, steps=32 * 7, checkpoint_every=0, checkpoint_seconds=25.0))
    # After 30 and 60 seconds, and at the end: before the last evaluation and after it.
    assert saved == [32 * 3, 32 * 6, 32 * 7, 32 * 7]


@pytest.mark.parametrize(
    ("field", "allowed"),
    [
        ("learning_rate", "a finite number above 0"),
        ("clip", "a finite number above 0"),
        ("reward_scale", "a finite number above 0"),
        ("minutes", "a finite number above 0"),
        ("ent_coef", "a finite number of 0 or more"),
        ("checkpoint_seconds", "a finite number of 0 or more"),
        ("gamma", "a number in 0..1"),
        ("gae_lambda", "a number in 0..1"),
    ],
)
@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, -1.0, True, "1", 10**400])
def test_a_wild_amount_is_refused_with_what_is_allowed(
    field: str, allowed: str, value: Any
) -> None:
    told = re.escape(f"{field}: expected {allowed}, got {value!r}")
    with pytest.raises(ValueError, match=f"^{told}$"):
        TrainConfig(**{field: value})
    if "above 0" in allowed:
        with pytest.raises(ValueError, match=f"{field}: expected {allowed}, got 0.0"):
            TrainConfig(**{field: 0.0})
    else:
        TrainConfig(**{field: 0.0})


def test_the_command_line_refuses_a_wild_amount_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["train", "--learning-rate", "nan"]) == 2
    told = "bidwise: learning_rate: expected a finite number above 0, got nan\n"
    assert capsys.readouterr().err == told
