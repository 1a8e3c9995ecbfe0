"""A training run that was killed and goes on ends as if nothing had been."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bidwise.train.learning.callbacks import Budget
from bidwise.train.learning.checkpoint import CHECKPOINT, PREVIOUS, load_checkpoint
from bidwise.train.learning.config import TrainConfig
from bidwise.train.learning.curves import PROGRESS
from bidwise.train.learning.publishing import publish_model
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
    "eval_matches": 2,
    "final_matches": 2,
    "baselines": ("random",),
    "opponents": "random",
    "own": "random",
    "threads": 1,
}


def _small(out: Path, **changes: Any) -> TrainConfig:
    return TrainConfig(**{**SMALL, "out": out, **changes})


def _command(settings: dict[str, Any]) -> subprocess.Popen[str]:
    arguments = []
    for name, value in settings.items():
        values = value if isinstance(value, tuple) else (value,)
        arguments += [f"--{name.replace('_', '-')}", *map(str, values)]
    return subprocess.Popen(
        [sys.executable, "-m", "bidwise.train", "train", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _weights(run: Path) -> bytes:
    return (run / "agent" / "weights.safetensors").read_bytes()


def test_a_run_killed_three_times_ends_with_the_weights_of_one_that_was_not(
    tmp_path: Path,
) -> None:
    # Opponents that draw from a stream of their own, outside the engine.
    seed = _small(tmp_path / "opponent", decide="all")
    opponent = publish_model(seed, make_model(seed, make_env(seed), Budget(1, None)), 0, {})
    settings = SMALL | {
        "steps": 32 * 120,
        "opponents": f"{opponent}:sample=true",
        "eval_every": 32 * 30,
        "checkpoint_every": 32 * 7,
    }
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    train(TrainConfig(**settings, out=whole))
    dice = random.Random(0)
    killed = 0
    for number in range(4):
        again = {"resume": broken, "threads": 1}
        process = _command(again if number else settings | {"out": broken})
        try:
            if number < 3:
                path = broken / CHECKPOINT
                before = path.stat().st_mtime_ns if path.exists() else 0
                while not path.exists() or path.stat().st_mtime_ns == before:
                    assert process.poll() is None, process.communicate()[0]
                    time.sleep(0.01)
                time.sleep(0.3 * dice.random())
                process.send_signal(signal.SIGKILL)
            output, _ = process.communicate(timeout=60)
        finally:
            process.kill()
        killed += process.returncode == -signal.SIGKILL
    assert (killed, process.returncode) == (3, 0), output
    assert _weights(broken) == _weights(whole)
    for name in (PROGRESS, EVALUATIONS):
        steps = [
            [json.loads(line)["step"] for line in (run / name).read_text().splitlines()]
            for run in (whole, broken)
        ]
        assert steps[0] == steps[1]


def test_where_the_newer_checkpoint_is_broken_the_older_one_is_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    train(_small(whole, steps=160))
    train(_small(broken, checkpoint_every=32))
    newer = broken / CHECKPOINT
    newer.write_bytes(newer.read_bytes()[:-100])
    train(TrainConfig(resume=broken, threads=1, steps=96))
    assert f"{PREVIOUS}, of 96 decisions, is used instead" in " ".join(
        capsys.readouterr().out.split()
    )
    content = bytearray(newer.read_bytes())
    content[-1] ^= 1
    newer.write_bytes(content)
    assert load_checkpoint(broken).path.name == PREVIOUS
    (broken / PREVIOUS).unlink()
    with pytest.raises(ValueError, match="its numbers are not those that were saved"):
        load_checkpoint(broken)


def test_a_run_that_diverges_says_so_and_saves_nothing_of_it(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"learning diverged: .* after update \d+ \(decision"):
        train(_small(tmp_path, learning_rate=1e30, steps=32 * 50, checkpoint_every=32))
    if (tmp_path / CHECKPOINT).exists():
        arrays = load_checkpoint(tmp_path).arrays
        assert all(np.isfinite(a).all() for a in arrays.values() if a.dtype.kind == "f")
