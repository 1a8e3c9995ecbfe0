"""Commands that were killed with -9, given again, end as if nothing had been."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from order_tables import made_up_table
from trained import card_of, published, random_weights

from bidwise import agents
from bidwise.envs import PyramidRules
from bidwise.train.benchmarks import command as benches
from bidwise.train.benchmarks.command import Bench, bench
from bidwise.train.cli import main
from bidwise.train.compare import evaluate as evaluations
from bidwise.train.compare.duplicate import Comparison, duplicate
from bidwise.train.compare.evaluate import Evaluate, evaluate
from bidwise.train.compare.seatings import Cells
from bidwise.train.run.chunks import Chunks

KILLED = """
import os, signal, sys
from bidwise.train.cli import main

replace = os.replace

def killed(source, target):
    if str(target).endswith(sys.argv[1] + ".chunk"):
        os.kill(os.getpid(), signal.SIGKILL)
    replace(source, target)

os.replace = killed
main(sys.argv[2:])
"""
"""The command, killed with -9 while it writes the chunk whose name ends so."""


def kill(chunk: str, *arguments: str) -> None:
    command = [sys.executable, "-c", KILLED, chunk, *arguments]
    process = subprocess.run(command, capture_output=True, check=False)
    assert process.returncode == -signal.SIGKILL, process.stderr.decode()


def contents(folder: Path) -> dict[str, Any]:
    """What lies in a folder, apart from when it was made."""
    found: dict[str, Any] = {path.name: path.read_bytes() for path in folder.iterdir()}
    if "run.json" in found:
        found["run.json"] = json.loads(found["run.json"])
        del found["run.json"]["started"], found["run.json"]["seconds"]
    return found


PLAYED = ["evaluate", "random", "basic", "--matches", "7", "--batch", "2", "--seed", "3"]


@pytest.mark.parametrize(
    ("arguments", "chunk", "said"),
    [
        ([*PLAYED, "--game", "pyramid"], "-00000004", "4 of 7 matches"),
        ([*PLAYED, "--game", "spades"], "-00000006", "6 of 7 matches"),
        (["outcomes", "--num-players", "2", "--layouts", "2"], "-00512", "2 of 98 blocks"),
    ],
)
def test_a_killed_command_ends_with_the_same_figures(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    chunk: str,
    said: str,
) -> None:
    whole, broken = tmp_path / "whole/out", tmp_path / "broken/out"
    file = "table.npz" if arguments[0] == "outcomes" else ""
    main([*arguments, "--out", str(whole / file)])
    kill(chunk, *arguments, "--out", str(broken / file))
    (left,) = broken.iterdir()
    assert left.suffix == ".chunks"
    capsys.readouterr()
    main([*arguments, "--out", str(broken / file)])
    assert f"Going on: {said} are kept in" in capsys.readouterr().out
    assert contents(broken) == contents(whole)


def test_a_killed_study_ends_with_the_same_bytes(tmp_path: Path) -> None:
    rules = PyramidRules(deals_per_player=7, quota=(1,) * 7)
    table = tmp_path / "made-up.npz"
    made_up_table(rules, 3, provenance={"command": "made up"}).save(table)
    arguments = ["study", "--table", str(table), "--agents", "basic", "random", "--sequences", "50"]
    arguments += ["--confer", "2"]
    whole, broken = tmp_path / "whole/out", tmp_path / "broken/out"
    main([*arguments, "--out", str(whole)])
    kill("win-1", *arguments, "--out", str(broken))
    kept = {path.stem.partition("-")[2] for path in broken.glob("*.chunks/*.chunk")}
    assert {"bids-0-00000000", "bids-1-00000000", "played-open-00000", "win-0"} <= kept
    main([*arguments, "--out", str(broken)])
    assert contents(broken) == contents(whole)


MEASURED = ["bench", "--suites", "aec,state", "--seconds", "0.01", "--rounds", "3"]


def test_a_killed_bench_keeps_its_finished_rounds(tmp_path: Path) -> None:
    kill("rates-0002", *MEASURED, "--out", str(tmp_path))
    rounds = []
    for path in sorted(tmp_path.glob("*.chunks/*.chunk")):
        with np.load(io.BytesIO(path.read_bytes()[32:])) as arrays:
            rounds.append({name: float(arrays[name]) for name in arrays})
    assert len(rounds) == 2
    main([*MEASURED, "--out", str(tmp_path)])
    rates = json.loads((tmp_path / "bench.json").read_text())["rates"]
    for name, rate in rates.items():
        assert rate["values"][:2] == [figures[name] for figures in rounds]
        assert len(rate["values"]) == 3
    assert {path.name for path in tmp_path.iterdir()} == {"bench.json", "run.json"}


@pytest.mark.parametrize("changed", ["machine_facts", "code_digest"])
def test_rounds_of_another_machine_or_code_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    pytest.importorskip("pygame")
    config = Bench(suites="aec", seconds=0.0, rounds=2, out=tmp_path)
    chunks = benches._chunks(config)
    for number in range(2):
        names = ("pyramid AEC", "spades AEC", "tictactoe")
        chunks.write(f"rates-{number:04d}", {name: np.array(-1.0) for name in names})
    monkeypatch.setattr(benches, changed, lambda: "another")
    assert bench(config)["rates"]["spades AEC"]["low"] > 0
    monkeypatch.undo()
    assert bench(config)["rates"]["spades AEC"]["values"] == [-1.0, -1.0]


# Chunks of duplicate play


class Player:
    """Counts batches that are played; interrupts before one of them, as Ctrl-C would."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, interrupt_at: int | None = None) -> None:
        self.calls = 0
        play = Cells.play

        def counted(cells: Cells, *arguments: Any) -> Any:
            if self.calls == interrupt_at:
                raise KeyboardInterrupt
            self.calls += 1
            return play(cells, *arguments)

        monkeypatch.setattr(Cells, "play", counted)


def settings(folder: Path, **changes: Any) -> Evaluate:
    values: dict[str, Any] = {
        "a": "random",
        "game": "pyramid",
        "num_players": 2,
        "deals": 8,
        "batch": 2,
        "out": folder,
    }
    return Evaluate(**(values | changes))


def interrupted(config: Evaluate) -> list[Path]:
    """Chunks of a comparison that was cut off after two batches."""
    assert config.out is not None
    with pytest.MonkeyPatch.context() as patch:
        Player(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            evaluate(config)
    return sorted((config.out / "comparison.json.chunks").iterdir())


def gone_on(config: Evaluate) -> tuple[int, Comparison]:
    """How many batches are played when a comparison goes on, and what it finds."""
    with pytest.MonkeyPatch.context() as patch:
        player = Player(patch)
        found = evaluate(config)
    return player.calls, found


def test_a_damaged_chunk_is_played_again(tmp_path: Path) -> None:
    config = settings(tmp_path / "out")
    chunks = interrupted(config)
    assert len(chunks) == 2
    content = chunks[0].read_bytes()
    chunks[0].write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert gone_on(config) == (3, evaluate(settings(tmp_path / "whole")))


@pytest.mark.parametrize(
    "changes",
    [{"seed": 1}, {"rule": ("following=suit",)}, {"batch": 3}, {"deals": 9}, {"b": "random"}],
)
def test_chunks_of_other_settings_are_not_used(tmp_path: Path, changes: dict[str, Any]) -> None:
    others = interrupted(settings(tmp_path, **changes))
    assert len(others) == 2
    assert gone_on(settings(tmp_path))[0] == 4
    # Whoever wants the other comparison does not begin anew.
    assert sorted(others[0].parent.iterdir()) == others


def test_chunks_of_other_weights_or_other_code_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = tmp_path / "agent"
    published(agent, "pyramid", num_players=2)
    config = settings(tmp_path / "out", a=f"{agent}:sample=true")
    interrupted(config)
    assert gone_on(config)[0] == 2
    interrupted(config)
    agents.publish(agent, random_weights("pyramid", seed=1), card_of("pyramid", num_players=2))
    assert gone_on(config)[0] == 4
    interrupted(config)
    monkeypatch.setattr(evaluations, "code_digest", lambda: "another")
    assert gone_on(config)[0] == 4


class Careless:
    """Chooses what may be illegal, and draws nothing."""

    def act_batch(self, observations: Any, action_masks: Any) -> Any:
        return np.full(len(observations), 5)


def test_replacements_of_illegal_actions_go_on_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compared(chunks: Chunks | None) -> Comparison:
        return duplicate(
            Careless(), Careless(), game="spades", deals=6, batch=2, seed=1, chunks=chunks
        )

    whole = compared(None)
    assert whole.illegal["A"] > 0
    chunks = Chunks(tmp_path / "x", {})
    with monkeypatch.context() as patch:
        Player(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            compared(chunks)
    assert chunks.count() == 2
    assert compared(chunks) == whole
