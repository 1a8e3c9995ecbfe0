"""Rules from the command line: a preset, and single switches changed in it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, get_type_hints

from bidwise.envs.games import get_game

__all__ = ["chosen_rules"]

_NOTHING = ("none", "off", "never")
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def chosen_rules(game: str, preset: str | None, switches: Sequence[str] = ()) -> Any:
    """The rules dataclass of a preset with ``field=value`` switches.

    Args:
        game: its name.
        preset: its name; None for the game's default.
        switches: such as ``"following=suit"``, ``"no_trump=true"``, ``"mercy=none"`` or
            ``"quota=1,1,1,1,0,0,0"``.

    Raises:
        ValueError: a switch that does not exist, or a value that it cannot have.
    """
    the_game = get_game(game)
    rules = the_game.get_rules(the_game.default_preset if preset is None else preset)
    kinds = get_type_hints(type(rules))
    values: dict[str, Any] = {}
    for switch in switches:
        name, equals, text = switch.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise ValueError(f"rule: {switch!r} is not of the form field=value")
        if name not in kinds:
            known = ", ".join(field.name for field in dataclasses.fields(rules))
            raise ValueError(f"rule: {game} has no {name!r}, only {known}")
        values[name] = _parsed(name, text.strip(), kinds[name])
    return dataclasses.replace(rules, **values)


def _parsed(name: str, text: str, kind: Any) -> Any:
    if kind is str:
        return text
    if kind is bool:
        if text.lower() not in _FLAGS:
            raise ValueError(f"{name}: expected true or false, got {text!r}")
        return _FLAGS[text.lower()]
    if kind == int | None and text.lower() in _NOTHING:
        return None
    try:
        if kind in (int, int | None):
            return int(text)
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        wanted = "a whole number" if kind in (int, int | None) else "whole numbers, such as 1,2,3"
        raise ValueError(f"{name}: expected {wanted}, got {text!r}") from None
