"""The command: what it imports, and how it refuses."""

from __future__ import annotations

import dataclasses
import importlib
import os
import signal
import subprocess
import sys
import time

import pytest
import trained

from bidwise.envs.games import get_game
from bidwise.train import cli
from bidwise.train.rule_sheet import values
from bidwise.train.run.field_texts import field_texts

_IMPORTED = """
import sys
from bidwise.train.cli import main
try:
    code = main({arguments!r})
except SystemExit as end:
    code = end.code
heavy = [name for name in ("torch", "stable_baselines3", "matplotlib") if name in sys.modules]
print("heavy:", *heavy)
raise SystemExit(code)
"""


def _heavy(*arguments):
    """The heavy modules that a command has imported in a fresh process."""
    result = subprocess.run(
        [sys.executable, "-c", _IMPORTED.format(arguments=list(arguments))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    last = result.stdout.strip().splitlines()[-1]
    assert last.startswith("heavy:")
    return last.split()[1:]


def test_help_does_not_wait_for_torch():
    assert _heavy("--help") == []


def test_help_of_train_does_not_wait_for_torch():
    assert _heavy("train", "--help") == []


def test_evaluate_does_not_wait_for_torch(tmp_path):
    assert _heavy("evaluate", "random", "random", "--matches", "2", "--out", str(tmp_path)) == []
    assert (tmp_path / "comparison.json").is_file()


def test_the_module_is_the_command():
    result = subprocess.run(
        [sys.executable, "-m", "bidwise.train", "evaluate", "--help"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0
    assert "usage: bidwise evaluate" in result.stdout


@pytest.mark.parametrize("command", sorted(cli.COMMANDS))
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main([command, "--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert f"usage: bidwise {command}" in text
    for mark in ("``", ":class:", "*", " STR", "|STR", " INT", " PATH", " FLOAT", "{None}"):
        assert mark not in text
    assert all(f"  {example}" in text for example in cli.COMMANDS[command].examples)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "random", "--game", "chess"], "game: 'chess' is not one of pyramid, spades"),
        (["evaluate", "random", "--rules", "zone"], "preset 'zone' is not one of piramida"),
        (["evaluate", "random", "--rule", "following=hearts"], "following: 'hearts'"),
        (["evaluate", "random", "--rule", "bags=3"], "rule: pyramid has no 'bags'"),
        (["evaluate", "random", "--num-players", "5"], "num_players: 5"),
        (["evaluate", "random", "--deals", "0"], "deals: 0"),
        (["evaluate", "random", "--deals", "5", "--matches", "5"], "either deals or matches"),
        (["evaluate", "nobody"], "nobody"),
        (["evaluate", "random", "--seed", "-1"], "seed: -1 is not in 0.."),
        (["evaluate", "random", "--batch", "0"], "batch: 0 is not in 1.."),
        (["evaluate", "random", "--threads", "0"], "threads: 0 is not in 1..4096"),
        (["bench", "--suites", "speed"], "suites: 'speed' is not one of tables"),
        (["bench", "--parts", "speed"], "suites: 'speed'"),
        (["bench", "--rounds", "0"], "rounds: 0 is not in 1..1000"),
        (["bench", "--seconds", "-1"], "seconds: -1.0 is not in 0..3600"),
        (["demo", "--seed", "-1"], "seed: -1 is not in 0..4294967295"),
        (["demo", "--steps", "0"], "steps: 0 is not in 1.."),
        (["demo", "--matches", "1"], "matches: 1 is not in 2.."),
        (["train", "--seed", "-1"], "seed: -1 is not in 0..4294967295"),
        (["train", "--decide", "tricks"], "decide: 'tricks' is not one of all, bids, cards"),
        (["train", "--activation", "gelu"], "activation: 'gelu' is not one of tanh, relu"),
        (["train", "--game", "spades", "--num-players", "3"], "num_players: 3 is not one of 4"),
        (["study", "--seed", "-1"], "seed: -1 is not in 0.."),
        (["study", "--players", "5"], "players: 5 is not in 2..4"),
        (["outcomes", "--seed", "-1"], "seed: -1 is not in 0.."),
    ],
)
def test_bad_input_is_one_line_and_code_2(arguments, message, capsys, tmp_path):
    assert cli.main([*arguments, "--out", str(tmp_path / "a.npz")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("bidwise: ")
    assert error.count("\n") == 1
    assert message in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rules", "chess"], "game: 'chess' is not one of pyramid, spades"),
        (["agents", "no/such/folder"], "folder: 'no/such/folder' is not a folder"),
        (["play"], "command: 'play' is not one of train, evaluate"),
        (["--verbose"], "option: '--verbose' is not one of --help, --version"),
    ],
)
def test_what_is_not_there_is_refused(arguments, message, capsys):
    assert cli.main(arguments) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("command", sorted(cli.COMMANDS))
def test_summaries_are_the_first_lines_of_the_settings(command):
    module, _, name = cli.COMMANDS[command].settings.partition(":")
    settings = getattr(importlib.import_module(module), name)
    assert settings.__doc__.splitlines()[0] == cli.COMMANDS[command].summary


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_no_library(option):
    code = (
        "import sys; from bidwise.train.cli import main; main([sys.argv[1]])\n"
        "print('heavy:', *sorted({'numpy', 'numba', 'tyro', 'rich'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, option], capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines()[-1] == "heavy:"


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes of POSIX")
@pytest.mark.parametrize(
    "arguments", [["--help"], ["train", "--help"], ["agents"], ["rules"], ["rules", "spades"]]
)
def test_a_closed_pipe_is_no_error(arguments):
    read, write = os.pipe()
    os.close(read)
    result = subprocess.run(
        [sys.executable, "-m", "bidwise.train", *arguments],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)
    assert (result.returncode, result.stderr) == (141, "")


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes of POSIX")
@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.2, 0.3])
def test_ctrl_c_while_libraries_load_leaves_no_traceback(delay):
    code = (
        "import sys; from bidwise.train.cli import main; print('ready', flush=True); "
        "sys.exit(main(['bench', '--seconds', '60']))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.01 + delay)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, error) == (130, "bidwise: interrupted\n")


def test_completion_is_printed(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["--tyro-print-completion", "bash"])
    assert not end.value.code
    assert "evaluate" in capsys.readouterr().out


def test_agents_are_listed_by_name_with_their_options(tmp_path, capsys):
    assert cli.main(["agents", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "  random    no options\n" in text
    assert "ordering  play=basic" in text
    assert text.endswith("\n  none\n")


def test_agents_in_folders_are_listed_in_a_line_each(tmp_path, capsys):
    whole = trained.published(tmp_path / "run" / "agent", "pyramid")
    broken = trained.published(tmp_path / "torn", "pyramid")
    (broken / "weights.safetensors").write_bytes(b"torn")
    unread = trained.published(tmp_path / "unread", "pyramid")
    (unread / "card.json").write_text("{}")
    assert cli.main(["agents", str(tmp_path)]) == 0
    first, *damaged = capsys.readouterr().out.splitlines()[-3:]
    assert first == f"  {whole}  learner: pyramid, 4 players, decides all, piramida rules"
    assert damaged[0].startswith(f"  {broken}  broken: weights.safetensors is not the file")
    assert damaged[1].startswith(f"  {unread}  broken: card.json: format")


@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_rules_tell_every_switch(game, capsys):
    rules = get_game(game).rules
    names = {field.name for field in dataclasses.fields(rules)}
    assert set(field_texts(rules)) == set(values(rules)) == names
    assert all(any(mark in value for mark in ("..", " | ")) for value in values(rules).values())
    assert cli.main(["rules", game]) == 0
    text = capsys.readouterr().out
    assert all(f"\n{name}: " in text for name in names)
    assert all(preset in text for preset in rules.presets())


def test_what_is_not_installed_is_named(monkeypatch, capsys):
    def missing(name):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr(cli.importlib, "import_module", missing)
    assert cli.main(["train"]) == 1
    assert "this needs torch: pip install 'bidwise[train]'" in capsys.readouterr().err


def test_ctrl_c_ends_with_130(monkeypatch, capsys):
    def interrupt(config):
        raise KeyboardInterrupt

    monkeypatch.setattr("bidwise.train.benchmarks.command.bench", interrupt)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # put back afterwards
    assert cli.main(["bench"]) == 130
    assert capsys.readouterr().err == "bidwise: interrupted\n"


class _Callback:
    """Interrupted where Python drops exceptions, as in the callbacks of the compiler."""

    def __del__(self):
        raise KeyboardInterrupt


def test_a_lost_ctrl_c_returns(monkeypatch, capsys):
    def work(config):
        _Callback()
        time.sleep(60)

    monkeypatch.setattr("bidwise.train.benchmarks.command.bench", work)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # put back afterwards
    assert cli.main(["bench"]) == 130
    assert capsys.readouterr().err == "bidwise: interrupted\n"


def test_an_error_that_follows_from_a_lost_ctrl_c_is_no_other(monkeypatch, capsys):
    def work(config):
        _Callback()
        raise RuntimeError("half built")

    monkeypatch.setattr("bidwise.train.benchmarks.command.bench", work)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # put back afterwards
    assert cli.main(["bench"]) == 130
    assert capsys.readouterr().err == "bidwise: interrupted\n"
