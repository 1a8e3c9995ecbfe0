"""Where nothing can be written: one line says so, before the work if it can; nothing is lost."""

from __future__ import annotations

import dataclasses
import json
import resource
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from disk import room
from order_tables import made_up_table

from bidwise import agents, envs
from bidwise.agents.outcomes import table as outcomes
from bidwise.envs.core.files import require_writable
from bidwise.train import cli
from bidwise.train.compare.intervals import Estimate
from bidwise.train.learning import curves
from bidwise.train.learning.checkpoint import load_checkpoint
from bidwise.train.learning.curve_plot import learning_figure

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


def _train_on_a_full_disk(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bidwise.train", "train", *arguments],
        preexec_fn=_no_room,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_full_disk_costs_no_checkpoint_and_the_run_goes_on_once_there_is_room(
    tmp_path: Path,
) -> None:
    run = tmp_path / "run"
    assert cli.main(["train", *SMALL.split(), "--steps", "96", "--out", str(run)]) == 0
    kept = (run / "checkpoint.safetensors").read_bytes()
    resume = ("--resume", str(run), "--steps", "320", "--threads", "1")
    failed = _train_on_a_full_disk(*resume)
    assert failed.returncode == 2
    assert failed.stderr.startswith("bidwise: ")
    assert failed.stderr.count("\n") == 1
    assert "cannot be written: File too large" in failed.stderr
    assert str(run) in failed.stderr
    assert (run / "checkpoint.safetensors").read_bytes() == kept
    assert not list(run.rglob("*.partial"))
    assert cli.main(["train", *resume]) == 0


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


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _steps(path: Path) -> list[int]:
    return [json.loads(line)["step"] for line in path.read_text().splitlines()]


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (["evaluate", "random", "random", "--deals", "2", "--threads", "1"], "comparison.json"),
        (
            ["bench", "--suites", "state", "--rounds", "1"],
            "bench.json",
        ),
        (["demo"], "events.out.tfevents"),
        (["train", *SMALL.split()], "events.out.tfevents"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_ends_with_one_line_and_what_stood_there_stands(
    arguments: list[str], file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "comparison.json").write_text("older")
    (tmp_path / "bench.json").write_text("older")
    before = _contents(tmp_path)
    with room(16):
        assert cli.main([*arguments, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"bidwise: {tmp_path}")
    assert file in error
    assert error.endswith(" cannot be written: File too large\n")
    assert error.count("\n") == 1
    assert _contents(tmp_path) == before


def test_a_table_on_a_full_disk_leaves_the_one_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.npz"
    path.write_bytes(b"an older table")
    build = ["outcomes", "--num-players", "2", "--layouts", "2", "--threads", "1", "--overwrite"]
    with room(16):
        assert cli.main([*build, "--out", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"bidwise: {path}.chunks")
    assert error.endswith(" cannot be written: File too large\n")
    assert _contents(tmp_path) == {path: b"an older table"}
    made = agents.order.shipped(4, "inventor")
    with room(4096), pytest.raises(OSError, match=r"table\.npz cannot be written: File too large"):
        made.save(path)
    assert _contents(tmp_path) == {path: b"an older table"}


def test_a_study_on_a_full_disk_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table, out = tmp_path / "table.npz", tmp_path / "out"
    made_up_table("inventor", 2).save(table)
    out.mkdir()
    for name in ("pyramid.txt", "report.json", "run.json", "answers.md", "bids.png"):
        (out / name).write_text("older")
    before = _contents(out)
    monkeypatch.setattr(outcomes, "TABLES", tmp_path)  # without any that come with bidwise
    options = ["--sequences", "100", "--confer", "0", "--no-win"]
    with room(16):
        assert cli.main(["study", "--table", str(table), *options, "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"bidwise: {out}")
    assert error.endswith(" cannot be written: File too large\n")
    assert error.count("\n") == 1
    assert _contents(out) == before


def test_a_picture_on_a_full_disk_leaves_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "curve.png"
    path.write_bytes(b"an older picture")
    level = Estimate(1.0, 0.5, 1.5, 2)
    with room(1000), pytest.raises(OSError, match=r"curve\.png cannot be written: File too large"):
        learning_figure(
            path, [(1, level)], {}, {"a": level}, agent="a", reference="b", title="", note=""
        )
    assert _contents(tmp_path) == {path: b"an older picture"}


@pytest.mark.parametrize("file", ["progress.jsonl", "events.out.tfevents", "evaluations.jsonl"])
def test_a_curve_on_a_full_disk_costs_no_checkpoint_and_resumed_the_run_ends_the_same(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = [*SMALL.replace("--eval-every 0", "--eval-every 64").split(), "--eval-matches", "2"]
    whole, run = tmp_path / "whole", tmp_path / "run"
    assert cli.main(["train", *settings, "--steps", "256", "--out", str(whole)]) == 0
    append = curves.append_chunks
    times = 0

    def full(path: Path, chunks: Iterable[bytes]) -> None:
        nonlocal times
        times += path.name.startswith(file)
        if not path.name.startswith(file) or times < (2 if file == "evaluations.jsonl" else 6):
            return append(path, chunks)
        with room(path.stat().st_size + 10):  # ten bytes of the line find room
            return append(path, chunks)

    monkeypatch.setattr(curves, "append_chunks", full)
    capsys.readouterr()
    assert cli.main(["train", *settings, "--steps", "256", "--out", str(run)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"bidwise: {run}")
    assert file in error
    assert error.endswith(" cannot be written: File too large\n")
    assert error.count("\n") == 1
    assert 0 < load_checkpoint(run).steps < 256
    for name in ("progress.jsonl", "evaluations.jsonl"):
        assert (run / name).read_bytes().endswith(b"\n")
    monkeypatch.undo()
    assert cli.main(["train", "--resume", str(run), "--threads", "1"]) == 0
    weights = Path("agent", "weights.safetensors")
    assert (run / weights).read_bytes() == (whole / weights).read_bytes()
    for name in ("progress.jsonl", "evaluations.jsonl"):
        assert _steps(run / name) == _steps(whole / name)


@pytest.mark.parametrize("left", ["more than the checkpoint knows", "less"])
def test_a_line_that_was_cut_in_the_middle_is_taken_off_at_resume(
    left: str, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    assert cli.main(["train", *SMALL.split(), "--steps", "96", "--out", str(run)]) == 0
    path = run / "progress.jsonl"
    content = path.read_bytes()
    steps = _steps(path)
    path.write_bytes(content[:-5] if left == "less" else content + content[:50])
    assert cli.main(["train", "--resume", str(run), "--steps", "160", "--threads", "1"]) == 0
    kept = steps[:-1] if left == "less" else steps
    assert _steps(path)[: len(kept) + 1] == [*kept, 128]


def test_tensorboard_shows_every_step_and_after_a_resume_none_twice(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    def learn(steps: Iterable[int], purge: int | None = None) -> None:
        logger = curves.curves(tmp_path, purge)
        for step in steps:
            logger.record("a", 10.0 * step + (purge or 0))
            logger.dump(step)

    learn([1, 2, 3])
    learn([3, 4], purge=2)
    found: Any = EventAccumulator(str(tmp_path / "tensorboard"))
    found.Reload()
    shown = [(event.step, event.value) for event in found.Scalars("a")]
    assert shown == [(1, 10.0), (2, 20.0), (3, 32.0), (4, 42.0)]


def test_publishing_on_a_full_disk_leaves_the_agent_before(tmp_path: Path) -> None:
    game = envs.get_game("pyramid")
    card = agents.Card("x", game, game.rules.preset("piramida"), 4, (), "tanh")
    weights = {
        "logits.weight": np.zeros((game.num_actions, game.layout.size), np.float32),
        "logits.bias": np.zeros(game.num_actions, np.float32),
    }
    folder = agents.publish(tmp_path / "agent", weights, card)
    before = _contents(tmp_path)
    large = dataclasses.replace(card, results={"x": "y" * 2 * sum(map(len, before.values()))})
    weights["logits.bias"] += 1
    with (
        room(sum(map(len, before.values()))),  # enough for the weights, not for the card
        pytest.raises(OSError, match=r"card\.json cannot be written: File too large"),
    ):
        agents.publish(folder, weights, large)
    assert _contents(tmp_path) == before
    with room(16), pytest.raises(OSError, match=r"weights\.safetensors cannot be written"):
        agents.publish(folder, weights, card)
    assert _contents(tmp_path) == before


def test_a_full_disk_where_standard_output_goes_is_named(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("the system has no /dev/full")
    with full.open("w") as output:
        run = subprocess.run(
            [sys.executable, "-m", "bidwise.train", "rules"],
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert run.returncode == 2
    assert run.stderr == ("bidwise: standard output cannot be written: No space left on device\n")
