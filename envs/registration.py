"""The games' ids in PettingZoo's and Gymnasium's registries, and factories by name."""

from __future__ import annotations

from typing import Any

import gymnasium
import pettingzoo

from bidwise.envs.aec import CardGameEnv
from bidwise.envs.game import GAMES
from bidwise.envs.seat import SeatEnv

__all__ = ["pyramid_env", "register_gymnasium", "register_pettingzoo", "seat_env", "spades_env"]


def pyramid_env(
    num_players: int = 4,
    rules: Any = "piramida",
    deals: str | int = "match",
    reward: str = "relative",
    illegal: str = "raise",
    render_mode: str | None = None,
) -> CardGameEnv:
    """A Pyramid table as a PettingZoo AEC env; arguments as :class:`CardGameEnv`."""
    return CardGameEnv(
        "pyramid",
        num_players=num_players,
        rules=rules,
        deals=deals,
        reward=reward,
        illegal=illegal,
        render_mode=render_mode,
    )


def spades_env(
    rules: Any = "piki",
    deals: str | int = "match",
    reward: str = "relative",
    illegal: str = "raise",
    render_mode: str | None = None,
) -> CardGameEnv:
    """A Spades table as a PettingZoo AEC env; arguments as :class:`CardGameEnv`."""
    return CardGameEnv(
        "spades",
        rules=rules,
        deals=deals,
        reward=reward,
        illegal=illegal,
        render_mode=render_mode,
    )


def seat_env(game: str, **arguments: Any) -> SeatEnv:
    """One learning seat as a Gymnasium env; arguments as :class:`SeatEnv`."""
    return SeatEnv(game, **arguments)


def register_pettingzoo() -> None:
    """Make ``pettingzoo.make("aec", "bidwise/Pyramid-v0", ...)`` work."""
    for game in GAMES.values():
        if game.env_id not in pettingzoo.aec_registry:
            pettingzoo.register(
                "aec", game.env_id, entry_point=CardGameEnv, kwargs={"game": game.name}
            )


def register_gymnasium() -> None:
    """Make ``gymnasium.make("bidwise/Spades-v0", ...)`` and ``make_vec`` work."""
    for game in GAMES.values():
        if game.env_id not in gymnasium.registry:
            gymnasium.register(
                game.env_id,
                entry_point="bidwise.envs.seat:SeatEnv",
                vector_entry_point="bidwise.envs.vector:SeatVectorEnv",
                kwargs={"game": game.name},
            )
