"""The command: what it imports, and how it refuses."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bidwise.train import cli

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
    assert "--out" in capsys.readouterr().out


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
        (["bench", "--parts", "speed"], "parts: 'speed'"),
    ],
)
def test_bad_input_is_one_line_and_code_2(arguments, message, capsys, tmp_path):
    assert cli.main([*arguments, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("bidwise: ")
    assert error.count("\n") == 1
    assert message in error


def test_settings_that_do_not_exist_end_with_code_2(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["evaluate", "random", "--no-such-thing", "1"])
    assert end.value.code == 2
    assert "no-such-thing" in capsys.readouterr().err


def test_what_is_not_installed_is_named(monkeypatch, capsys):
    def missing(name):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr(cli.importlib, "import_module", missing)
    assert cli.main(["train"]) == 1
    assert "this needs torch: pip install 'bidwise[train]'" in capsys.readouterr().err


def test_ctrl_c_ends_with_130(monkeypatch, capsys):
    def interrupt(config):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_carry_out", interrupt)
    assert cli.main(["bench"]) == 130
    assert capsys.readouterr().err == "bidwise: interrupted\n"
