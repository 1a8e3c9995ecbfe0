"""Where nothing can be written: one line says so, before the work if it can; nothing is lost."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bidwise import agents, envs
from bidwise.envs.core.files import require_writable
from bidwise.train import cli

SMALL = (
    "--game pyramid --decide bids --opponents random --own random --baselines random --hidden 16 "
    "--num-tables 8 --n-steps 4 --batch-size 16 --deals 4 --eval-every 0 --final-matches 2 "
    "--threads 1 --checkpoint-every 32"
)
ROOM = 4096
"""Bytes a file may have where the disk is full: less than a checkpoint, more than a line."""


def _no_room() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that it is an error of the write
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


def _train(*arguments: str, full: bool = False) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bidwise.train", "train", *arguments],
        preexec_fn=_no_room if full else None,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_full_disk_costs_no_checkpoint_and_the_run_goes_on_once_there_is_room(
    tmp_path: Path,
) -> None:
    run = tmp_path / "run"
    assert _train(*SMALL.split(), "--steps", "96", "--out", str(run)).returncode == 0
    kept = (run / "checkpoint.safetensors").read_bytes()
    resume = ("--resume", str(run), "--steps", "320", "--threads", "1")
    failed = _train(*resume, full=True)
    assert failed.returncode == 2
    assert failed.stderr.startswith("bidwise: ")
    assert failed.stderr.count("\n") == 1
    assert "cannot be written: File too large" in failed.stderr
    assert str(run) in failed.stderr
    assert (run / "checkpoint.safetensors").read_bytes() == kept
    assert not list(run.rglob("*.partial"))
    done = _train(*resume)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["train"],
        ["evaluate", "random", "random"],
        ["study"],
        ["bench"],
        ["demo"],
    ],
    ids=lambda command: command[0],
)
def test_a_place_that_takes_nothing_is_refused_before_the_work(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    place = tmp_path / "file" / "out"
    assert cli.main([*command, "--out", str(place)]) == 2
    printed = capsys.readouterr()
    assert printed.err == f"bidwise: out: nothing can be written in {place}: Not a directory\n"
    assert printed.out == ""


def test_looking_whether_a_place_can_be_written_leaves_nothing(tmp_path: Path) -> None:
    require_writable(tmp_path / "new" / "out", "out")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "there").mkdir()
    require_writable(tmp_path / "there", "out")
    assert [path.name for path in tmp_path.rglob("*")] == ["there"]


def test_a_table_that_cannot_be_written_is_refused_before_it_is_built(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert cli.main(["outcomes", "--out", str(tmp_path / "file" / "table.npz")]) == 2
    assert "out: nothing can be written in" in capsys.readouterr().err


def test_publishing_names_the_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("in the way")
    game = envs.get_game("pyramid")
    card = agents.Card("x", game, game.rules.preset("piramida"), 4, (), "tanh")
    weights = {
        "logits.weight": np.zeros((game.num_actions, game.layout.size), np.float32),
        "logits.bias": np.zeros(game.num_actions, np.float32),
    }
    with pytest.raises(OSError, match="agent"):
        agents.publish(tmp_path / "agent", weights, card)
    (tmp_path / "agent").unlink()
    (tmp_path / "agent" / "card.json").mkdir(parents=True)
    with pytest.raises(OSError, match=r"card\.json cannot be written: Is a directory"):
        agents.publish(tmp_path / "agent", weights, card)
