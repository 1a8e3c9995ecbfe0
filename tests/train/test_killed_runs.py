"""A run that was killed and continued ends as one that was not."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

SETTINGS = [
    "--game",
    "spades",
    "--decide",
    "all",
    "--steps",
    "49152",
    "--num-tables",
    "64",
    "--n-steps",
    "16",
    "--batch-size",
    "256",
    "--hidden",
    "32",
    "--eval-every",
    "8192",
    "--eval-matches",
    "2",
    "--final-matches",
    "2",
    "--checkpoint-every",
    "2048",
    "--threads",
    "1",
    "--seed",
    "3",
]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "bidwise.train", "train", *arguments]


def weights(folder: Path) -> str:
    return hashlib.sha256((folder / "agent" / "weights.safetensors").read_bytes()).hexdigest()


def steps_told(folder: Path, name: str) -> list[int]:
    lines = (folder / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["step"] for line in lines]


def test_killed_at_three_random_moments_a_run_ends_with_the_same_bytes(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    subprocess.run(command(*SETTINGS, "--out", str(whole)), check=True, capture_output=True)
    moments = random.Random(10)
    arguments = [*SETTINGS, "--out", str(broken)]
    kills = 0
    for _ in range(3):
        run = subprocess.Popen(
            command(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        saved = broken / "checkpoint.safetensors"
        before = saved.stat().st_mtime_ns if saved.exists() else 0
        while run.poll() is None and not (saved.exists() and saved.stat().st_mtime_ns > before):
            time.sleep(0.01)
        time.sleep(moments.uniform(0.0, 0.4))
        if run.poll() is None:
            os.kill(run.pid, signal.SIGKILL)
            kills += 1
        run.wait()
        arguments = ["--resume", str(broken), "--steps", "49152", "--threads", "1"]
    assert kills == 3
    subprocess.run(command(*arguments), check=True, capture_output=True)
    assert weights(broken) == weights(whole)
    for name in ("progress.jsonl", "evaluations.jsonl"):
        assert steps_told(broken, name) == steps_told(whole, name)
