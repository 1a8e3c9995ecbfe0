"""Agents by name; :mod:`bidwise.agents.builtin` fills in those that come with bidwise."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bidwise.agents.base import Agent, Setting
from bidwise.agents.network import NetworkAgent
from bidwise.agents.published import load
from bidwise.envs.games import get_game

__all__ = ["Factory", "make", "names", "options_of", "register"]

Factory = Callable[..., Agent]
"""``factory(setting, **options)``: an agent for a :class:`~bidwise.agents.base.Setting`."""

_FACTORIES: dict[str, Factory] = {}
_CHEATS = {
    "double-dummy": "it looks at hidden cards, so it sits at no table; "
    "studies may use bidwise.agents.double_dummy.DoubleDummy"
}
"""Names that :func:`make` refuses, and why."""
_NAME = re.compile(r"[a-z][a-z0-9-]*")


def names() -> tuple[str, ...]:
    """The names that :func:`make` knows, sorted; a published agent's folder is a name too."""
    return tuple(sorted(_FACTORIES))


def options_of(name: str) -> dict[str, Any]:
    """The options of an agent that :func:`names` lists, with their defaults."""
    parameters = list(inspect.signature(_FACTORIES[name]).parameters.values())[1:]
    return {parameter.name: parameter.default for parameter in parameters}


def register(name: str, factory: Factory) -> None:
    """Make an agent known by a name of lower-case letters, digits and hyphens.

    Options are the factory's keyword parameters; each needs a default.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"name: {name!r} is not lower-case letters, digits and hyphens")
    if name in _FACTORIES or name in _CHEATS:
        raise ValueError(f"name: {name!r} is taken")
    _FACTORIES[name] = factory


def make(
    name: str | os.PathLike[str],
    *,
    game: str,
    rules: Any = None,
    num_players: int = 4,
    seed: int = 0,
) -> Agent:
    """An agent for a game.

    Args:
        name: one of :func:`names`, or the folder of a published agent; options may follow, as
            in ``"search:worlds=50,depth=2"`` (numbers, true, false or text).
        game: ``"pyramid"`` or ``"spades"``.
        rules: a preset's name or a rules dataclass; None for the game's default.
        num_players: players at the table.
        seed: 0..2**64-1, of the agent's own random stream.

    Raises:
        ValueError: an unknown name or option, or a published agent that is broken or does not
            fit the game, the rules or the number of players; it says why.
    """
    the_game = get_game(game)
    setting = Setting(
        the_game, the_game.default_preset if rules is None else rules, num_players, seed
    )
    text = os.fspath(name)
    head, _, options = text.partition(":")
    if head in _CHEATS:
        raise ValueError(f"{head}: {_CHEATS[head]}")
    factory = _FACTORIES.get(head)
    if factory is None:
        head, options = _split_folder(text)
        factory = _published_factory(Path(head))
    return factory(setting, **_parse_options(head, options, factory))


def _split_folder(text: str) -> tuple[str, str]:
    """A folder that exists and the options behind it; a colon may belong to the path."""
    head, _, options = text.rpartition(":")
    for folder, rest in ((text, ""), (head, options)):
        if folder and Path(folder).is_dir():
            return folder, rest
    raise ValueError(
        f"agent: {text!r} is not one of {', '.join(names())}, nor a published agent's folder"
    )


def _published_factory(folder: Path) -> Factory:
    def factory(setting: Setting, sample: bool = False) -> Agent:
        """A published agent; `sample`: draw its actions instead of taking the best."""
        published = load(folder)
        card = published.card
        reason = card.why_unfit(setting)
        if reason is not None:
            raise ValueError(f"{folder}: {reason}")
        rest = None
        if card.decide != "all":
            if card.rest not in _FACTORIES:
                raise ValueError(f"{folder}: rest {card.rest!r} is not one of {', '.join(names())}")
            rest = _FACTORIES[card.rest](setting)
        if not isinstance(sample, bool):
            raise ValueError(f"{folder}: sample is true or false, not {sample!r}")
        return NetworkAgent(
            card.name,
            published.network,
            decide=card.decide,
            rest=rest,
            sample=sample,
            seed=setting.seed,
        )

    return factory


def _parse_options(head: str, text: str, factory: Factory) -> dict[str, Any]:
    known = list(inspect.signature(factory).parameters)[1:]
    options: dict[str, Any] = {}
    for part in text.split(",") if text else ():
        key, equals, value = part.partition("=")
        if not equals or not value:
            raise ValueError(f"{head}: option {part!r} is not written key=value")
        if key not in known:
            listed = (
                f"is not one of {', '.join(known)}" if known else "is one too many: it has none"
            )
            raise ValueError(f"{head}: option {key!r} {listed}")
        if key in options:
            raise ValueError(f"{head}: option {key!r} is given twice")
        options[key] = _parse_value(value)
    return options


def _parse_value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
