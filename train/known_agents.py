"""`bidwise agents`: the agents that there are, by name and in folders."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from bidwise.agents.builtin import names
from bidwise.agents.published import CARD, WEIGHTS, load
from bidwise.agents.registry import options_of
from bidwise.envs.core.drawing import preset_name
from bidwise.train.run.options import option
from bidwise.train.run.provenance import console

__all__ = ["Agents", "agent_lines", "list_agents", "published_lines"]

_WIDTH = 10


@dataclass(frozen=True)
class Agents:
    """List the agents there are: by name with their options, and published in folders.

    Every line begins with what other commands take as AGENT.

    Raises:
        ValueError: a folder that does not exist.
    """

    folder: Annotated[tyro.conf.Positional[Path], option("[FOLDER]")] = Path("runs")
    """Folder in which published agents are looked for, at any depth."""

    def __post_init__(self) -> None:
        if self.folder != Path("runs") and not self.folder.is_dir():
            raise ValueError(f"folder: {str(self.folder)!r} is not a folder that exists")


def list_agents(config: Agents) -> None:
    """Run the command: print the agents."""
    _say("Agents by name, and their options:")
    for line in agent_lines():
        _say(f"  {line}")
    _say(f"\nPublished agents in {config.folder}/ (option of each: sample=false):")
    for line in list(published_lines(config.folder)) or ["none"]:
        _say(f"  {line}")


def agent_lines() -> Iterator[str]:
    """A line for each agent with a name: its options with their defaults."""
    for name in names():
        options = (
            f"{key}" + (" (not set)" if default is None else f"={default}".lower())
            for key, default in options_of(name).items()
        )
        yield f"{name:<{_WIDTH}}{', '.join(options) or 'no options'}"


def published_lines(folder: Path) -> Iterator[str]:
    """A line for each published agent under a folder: what its card says, or what is broken."""
    for place in _published(folder):
        try:
            card = load(place).card
        except (ValueError, OSError) as error:
            yield f"{place}  broken: {' '.join(str(error).removeprefix(f'{place}: ').split())}"
            continue
        yield (
            f"{place}  {card.name}: {card.game.name}, {card.num_players} players, "
            f"decides {card.decide}, {preset_name(card.rules)}"
        )


def _published(folder: Path) -> Iterator[Path]:
    """Folders with a card or with weights, in alphabetical order."""
    for place, folders, files in os.walk(folder):
        folders.sort()
        if CARD in files or WEIGHTS in files:
            yield Path(place)


def _say(line: str) -> None:
    console.print(line, markup=False, soft_wrap=True)
