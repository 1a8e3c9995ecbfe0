"""The agent ``"random"``: every legal action is equally likely."""

from __future__ import annotations

from typing import Any

from bidwise.agents.base import KernelAgent, Setting
from bidwise.agents.compilation import compiled
from bidwise.envs.batch.policies import choose_uniformly

__all__ = ["RANDOM", "make_random", "random_action"]

RANDOM = "random"


@compiled
def random_action(observation: Any, action_mask: Any, bits: Any) -> int:
    """A uniformly random legal action, from 64 random bits."""
    return choose_uniformly(action_mask, bits)


def make_random(setting: Setting) -> KernelAgent:
    """The agent ``"random"``."""
    return KernelAgent(RANDOM, setting.game, random_action, setting.seed)
