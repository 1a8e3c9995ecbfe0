"""Agents that follow a short rule sheet; both are frozen baselines.

``"basic-v1"`` never changes: strengths are quoted against it. A better rule sheet gets a new
name; ``"basic"`` is the newest version.
"""

from __future__ import annotations

from bidwise.agents.base import KernelAgent, Setting
from bidwise.agents.heuristics import pyramid, spades

__all__ = ["BASIC", "make_basic"]

BASIC = "basic-v1"

_FUNCTIONS = {"pyramid": pyramid.basic, "spades": spades.basic}


def make_basic(setting: Setting) -> KernelAgent:
    """The agent ``"basic-v1"`` of a game that has a rule sheet."""
    game = setting.game
    if game.name not in _FUNCTIONS:
        raise ValueError(
            f"{BASIC}: has rule sheets for {', '.join(_FUNCTIONS)}, none for {game.name}"
        )
    return KernelAgent(BASIC, game, _FUNCTIONS[game.name], setting.seed)
