"""Marks of options on the command line: what stands for a value in help, and as the default.

Values of a fixed set stay plain text for the parser and are checked by the settings: so the
command and Python users read the same one-line refusal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import tyro

from bidwise.envs.core.checks import check_int, check_names
from bidwise.envs.core.vocabulary import DECIDE, ENV_IDS, REWARDS
from bidwise.envs.games import GAMES, get_game

__all__ = [
    "AgentName",
    "AgentNames",
    "Decide",
    "Folder",
    "GameName",
    "Players",
    "Preset",
    "PyramidPreset",
    "Reward",
    "Switches",
    "Threads",
    "Whole",
    "check_seconds",
    "check_table",
    "check_threads",
    "choices",
    "option",
]


def option(metavar: str, default: str | None = None, aliases: tuple[str, ...] = ()) -> Any:
    """A mark for ``Annotated``: `metavar` stands for the value, `default` says in words what
    happens without it."""
    hint = None if default is None else f"(default: {default})"
    return tyro.conf.arg(metavar=metavar, help_behavior_hint=hint, aliases=aliases or None)


def choices(values: Iterable[object]) -> str:
    """A fixed set as help shows it."""
    return "{" + ",".join(map(str, values)) + "}"


_COUNTS = sorted({count for game in GAMES.values() for count in game.player_counts})
_PRESETS = [name for game in ENV_IDS for name in get_game(game).rules.presets()]

Whole = Annotated[int, option("N")]
Folder = Annotated[Path, option("FOLDER")]
AgentName = Annotated[str, option("AGENT")]
AgentNames = Annotated[tuple[str, ...], option("[AGENT ...]")]
GameName = Annotated[str, option(choices(ENV_IDS))]
Decide = Annotated[str, option(choices(DECIDE))]
Reward = Annotated[str, option(choices(REWARDS))]
Players = Annotated[int | None, option(choices(_COUNTS), "the most that the game allows")]
Preset = Annotated[str | None, option(choices(_PRESETS), "the game's own, piramida or piki")]
PyramidPreset = Annotated[
    str | None, option(choices(get_game("pyramid").rules.presets()), "piramida")
]
Switches = Annotated[tuple[str, ...], option("[FIELD=VALUE ...]", "none")]
Threads = Annotated[int | None, option("N", "one for every core")]


def check_table(game: str, num_players: int | None) -> None:
    """Refuse a game that there is not, or a number of players that it does not take."""
    check_names([game], list(ENV_IDS), "game")
    counts = get_game(game).player_counts
    if num_players is not None and num_players not in counts:
        raise ValueError(
            f"num_players: {num_players!r} is not one of {', '.join(map(str, counts))}"
        )


def check_seconds(values: Mapping[str, float]) -> None:
    """Refuse a duration outside of an hour."""
    for name, seconds in values.items():
        if not 0 <= seconds <= 3600:
            raise ValueError(f"{name}: {seconds} is not in 0..3600 seconds")


def check_threads(threads: int | None) -> None:
    """Refuse a number of threads that no machine has."""
    if threads is not None:
        check_int("threads", threads, 1, 4096)
