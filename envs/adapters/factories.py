"""Environments by game: what `envs.pyramid_env`, `envs.spades_env` and `envs.seat_env` are."""

from __future__ import annotations

from typing import Any

from bidwise.envs.adapters.aec import CardGameEnv
from bidwise.envs.adapters.seat import SeatEnv

__all__ = ["pyramid_env", "seat_env", "spades_env"]


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
