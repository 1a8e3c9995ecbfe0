"""The games that there are. A further one is one more folder, and one more line here and in
:data:`~bidwise.envs.core.vocabulary.ENV_IDS`."""

from __future__ import annotations

import bidwise.envs.pyramid.game
import bidwise.envs.spades.game  # noqa: F401  # both register themselves
from bidwise.envs.game import GAMES, Game

__all__ = ["GAMES", "get_game"]


def get_game(name: str) -> Game:
    """A registered game by its name.

    Raises:
        ValueError: no game has that name.
    """
    try:
        return GAMES[name]
    except KeyError:
        raise ValueError(f"game: {name!r} is not one of {', '.join(sorted(GAMES))}") from None
