"""What the command says to arguments that it cannot take, checked for every option there is."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from bidwise.train import cli
from bidwise.train.run.arguments import fault, parse_settings


def settings_of(command: str) -> Any:
    module, _, name = cli.COMMANDS[command].settings.partition(":")
    return getattr(importlib.import_module(module), name)


NEEDED = {"evaluate": ["random"], "outcomes": ["--out", "table.npz"]}
"""Arguments without which a command cannot be parsed."""


def refusal(command: str, arguments: list[str]) -> str | None:
    """What a command says to arguments, or None where it takes them."""
    try:
        parse_settings(settings_of(command), command, arguments, ())
    except ValueError as error:
        return str(error)
    return None


def numbers(command: str) -> dict[str, Any]:
    """The options of a command whose values are numbers, or may be, by field."""
    found = {}
    for name, hint in get_type_hints(settings_of(command), include_extras=True).items():
        kind = get_args(hint)[0] if hasattr(hint, "__metadata__") else hint
        kinds = {kind, *get_args(kind)}
        words = [getattr(mark, "metavar", "") for mark in getattr(hint, "__metadata__", ())]
        is_one_in_words = kinds & {str} and any(word in ("{match,N}",) for word in words)
        if kinds & {int, float} or is_one_in_words or name == "seat":
            found[name] = float if float in kinds else int
    return found


NUMBERS = [(command, name) for command in cli.COMMANDS for name in numbers(command)]
ZERO_IS_FINE = {"seed", "eval_seed", "eval_every", "checkpoint_every", "checkpoint_seconds"}
ZERO_IS_FINE |= {"gamma", "gae_lambda", "ent_coef", "seat", "confer", "total", "spare", "after"}
ZERO_IS_FINE |= {"seconds", "warm_up"}


def test_there_are_numbers_to_check() -> None:
    assert {("train", "seed"), ("train", "seat"), ("bench", "warm_up")} < set(NUMBERS)
    assert len(NUMBERS) > 45


def refused_by_settings(command: str, name: str, value: str) -> str | None:
    """What the dataclass itself says, without the parser, which takes longer."""
    settings = settings_of(command)
    needed = {"evaluate": {"a": "random"}, "outcomes": {"out": Path("table.npz")}}
    is_text = (command, name) in {("train", "seat"), ("train", "deals")}
    number = value if is_text else numbers(command)[name](value)
    is_many = isinstance(getattr(settings, name, None), tuple)
    try:
        settings(**needed.get(command, {}), **{name: (number,) if is_many else number})
    except ValueError as error:
        return str(error)
    return None


def check_refused(command: str, name: str, value: str) -> None:
    settings, option = settings_of(command), f"--{name.replace('_', '-')}"
    said = fault(settings, [*NEEDED.get(command, ()), f"{option}={value}"])
    said = said or refused_by_settings(command, name, value)
    assert said is not None, f"{command} {option} {value} is taken"
    assert said.startswith(f"{name}: "), said
    shown = value if value in said else str(float(value)) if "n" in value else value
    assert shown in said, said
    assert any(words in said for words in ("is not", "is neither", "expected")), said
    assert "\n" not in said


@pytest.mark.parametrize(("command", "name"), NUMBERS)
def test_a_number_out_of_range_is_refused_by_option_value_and_range(
    command: str, name: str
) -> None:
    if name != "total":
        check_refused(command, name, "-1")
    if name not in ZERO_IS_FINE:
        check_refused(command, name, "0")
    if numbers(command)[name] is int:
        check_refused(command, name, "1" + 30 * "0")
    else:
        for value in ("nan", "inf", "-inf"):
            check_refused(command, name, value)


@pytest.mark.parametrize(("command", "name"), NUMBERS)
def test_what_is_no_number_is_refused_by_option_and_value(command: str, name: str) -> None:
    check_refused(command, name, "x")
    check_refused(command, name, "")
    if numbers(command)[name] is int:
        check_refused(command, name, "1.5")


@pytest.mark.parametrize("command", cli.COMMANDS)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--xyzzy"], "option: there is no --xyzzy"),
        (["--xyzzy=3"], "option: there is no --xyzzy"),
        (["-x", "3"], "option: there is no -x"),
        (["--hepl"], "option: there is no --hepl, did you mean --help?"),
        (["one", "two", "three"], "is one too many"),
    ],
)
def test_every_command_refuses_in_one_line(
    command: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([command, *NEEDED.get(command, ()), *arguments]) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert error.startswith("bidwise: ")
    assert said in error
    assert error.endswith(f"; bidwise {command} --help shows all options\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("train --sede 3", "option: there is no --sede, did you mean --seed?"),
        ("train --eval_evry 3", "option: there is no --eval_evry, did you mean --eval-every?"),
        ("train --overwrite=3", "overwrite: takes no value, got '3'"),
        ("train --seed", "seed: a value is missing, give --seed N"),
        ("train --out --seed 3", "out: a value is missing, give --out FOLDER"),
        ("train --hidden 64 x", "hidden: 'x' is not a whole number"),
        ("train --num-players two", "num_players: 'two' is not one of 2, 3, 4"),
        ("train --minutes soon", "minutes: 'soon' is not a number"),
        ("study --win", "option: there is no --win, did you mean --no-win?"),
        ("evaluate", "a: missing, give AGENT"),
        ("outcomes --seed 3", "out: missing, give --out FILE"),
        ("rules pyramid spades", "argument: 'spades' is one too many"),
    ],
)
def test_faults_are_named(line: str, said: str) -> None:
    command, *arguments = line.split()
    assert refusal(command, arguments) == f"{said}; bidwise {command} --help shows all options"


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_examples_are_taken_and_no_fault_is_found(command: str) -> None:
    for example in cli.COMMANDS[command].examples:
        _, name, *arguments = example.split()
        assert name == command
        assert fault(settings_of(command), arguments) is None
        if command != "agents":  # whose example is a folder of another
            parse_settings(settings_of(command), command, arguments, ())


def test_values_may_look_like_options() -> None:
    assert parse_settings(settings_of("study"), "study", ["--total", "-7"], ()).total == -7
    assert fault(settings_of("study"), ["--total", "-7", "--players=2"]) is None
