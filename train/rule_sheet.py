"""`bidwise rules`: presets side by side, and every switch with its values and meaning.

All of it is read from the rules dataclasses: what a switch means stands under its field, which
values it takes in the checks that refuse others.
"""

from __future__ import annotations

import ast
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Annotated, Any, get_args, get_type_hints

import tyro
from rich.table import Table
from rich.text import Text

from bidwise.envs.core.checks import check_names
from bidwise.envs.core.vocabulary import ENV_IDS
from bidwise.envs.games import get_game
from bidwise.train.run.field_texts import class_body, field_texts
from bidwise.train.run.options import choices, option
from bidwise.train.run.provenance import console

__all__ = ["RuleSheet", "show_rules", "values"]


@dataclass(frozen=True)
class RuleSheet:
    """Show the presets of each game side by side, and what every switch means.

    On the command line a preset is chosen by --rules PRESET, and a switch is changed by
    --rule FIELD=VALUE.

    Raises:
        ValueError: a game that there is not.
    """

    game: Annotated[
        tyro.conf.Positional[str | None], option(f"[{choices(ENV_IDS)}]", "both games")
    ] = None
    """The game whose rules are shown."""

    def __post_init__(self) -> None:
        if self.game is not None:
            check_names([self.game], list(ENV_IDS), "game")


def show_rules(config: RuleSheet) -> None:
    """Run the command: print a table of presets and a list of switches for each game."""
    for name in ENV_IDS if config.game is None else (config.game,):
        rules = get_game(name).rules
        console.print(_presets_table(name, rules))
        meaning, allowed = field_texts(rules), values(rules)
        for switch in meaning:
            console.print(Text(f"{switch}: {allowed[switch]}", style="bold"))
            console.print(Text(textwrap.indent(textwrap.fill(meaning[switch], 76), "    ")))
        console.print()


def values(rules: type[Any]) -> dict[str, str]:
    """Which values each switch takes, as its checks say."""
    found = {}
    kinds = get_type_hints(rules)
    checks = dict(_checks(rules))
    for field in fields(rules):
        kind = kinds[field.name]
        text = checks.get(field.name, getattr(kind, "__name__", str(kind)))
        if type(None) in get_args(kind):
            text += ", or none"
        if isinstance(field.default, tuple):
            text = f"{len(field.default)} numbers, each {text}"
        found[field.name] = text
    return found


def _checks(rules: type[Any]) -> Iterator[tuple[str, str]]:
    """Switches and their values, from the calls of `check_choice`, `check_int`, `check_flag`."""
    module = vars(sys.modules[rules.__module__])

    def value(node: ast.expr) -> Any:
        return eval(compile(ast.Expression(node), rules.__module__, "eval"), module)

    for node in (node for part in class_body(rules) for node in ast.walk(part)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if not node.args or not isinstance(node.args[0], ast.Constant):
            continue
        field = str(node.args[0].value)
        if node.func.id == "check_choice":
            yield field, " | ".join(value(node.args[2]))
        elif node.func.id == "check_int":
            yield field, f"{value(node.args[2])}..{value(node.args[3])}"
        elif node.func.id == "check_flag":
            yield field, "true | false"


def _presets_table(game: str, rules: type[Any]) -> Table:
    presets = {name: rules.preset(name) for name in rules.presets()}
    default = get_game(game).default_preset
    table = Table(title=f"{game.capitalize()}: presets, by default {default}")
    table.add_column("switch", no_wrap=True)
    for name in presets:
        table.add_column(name)
    for field in fields(rules):
        table.add_row(
            field.name, *(_written(getattr(chosen, field.name)) for chosen in presets.values())
        )
    return table


def _written(value: Any) -> str:
    """A value as --rule takes it."""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return (
        "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    )
