"""The games' ids in PettingZoo's and Gymnasium's registries.

Entry points are told by name, so that registering loads no engine.
"""

from __future__ import annotations

import gymnasium
import pettingzoo

from bidwise.envs.core.vocabulary import ENV_IDS

__all__ = ["register_gymnasium", "register_pettingzoo"]


def register_pettingzoo() -> None:
    """Make ``pettingzoo.make("aec", "bidwise/Pyramid-v0", ...)`` work."""
    for game, env_id in ENV_IDS.items():
        if env_id not in pettingzoo.aec_registry:
            pettingzoo.register(
                "aec",
                env_id,
                entry_point="bidwise.envs.adapters.aec:CardGameEnv",
                kwargs={"game": game},
            )


def register_gymnasium() -> None:
    """Make ``gymnasium.make("bidwise/Spades-v0", ...)`` and ``make_vec`` work."""
    for game, env_id in ENV_IDS.items():
        if env_id not in gymnasium.registry:
            gymnasium.register(
                env_id,
                entry_point="bidwise.envs.adapters.seat:SeatEnv",
                vector_entry_point="bidwise.envs.adapters.vector:SeatVectorEnv",
                kwargs={"game": game},
            )
