"""From a learner to a published agent: the policy's tensors by their public names, and a card."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from bidwise import agents
from bidwise.train.compare.duplicate import Comparison
from bidwise.train.learning.config import TrainConfig
from bidwise.train.run.provenance import platform_facts, to_json, versions

__all__ = ["AGENT", "policy_tensors", "publish_model"]

AGENT = "agent"
"""The published folder's name in a run's folder."""


def policy_tensors(model: MaskablePPO) -> dict[str, NDArray[np.float32]]:
    """The policy's layers as :mod:`bidwise.agents.network` names them; the critic stays here."""
    policy = model.policy
    layers: dict[str, Any] = {"logits": policy.action_net}
    hidden = [layer for layer in policy.mlp_extractor.policy_net if hasattr(layer, "weight")]
    layers |= {f"hidden.{k}": layer for k, layer in enumerate(hidden)}
    return {
        f"{name}.{kind}": getattr(layer, kind).detach().cpu().numpy().copy()
        for name, layer in layers.items()
        for kind in ("weight", "bias")
    }


def publish_model(
    config: TrainConfig, model: MaskablePPO, steps: int, results: Mapping[str, Comparison]
) -> Path:
    """Write the agent's folder with what was measured of it; returns the folder."""
    card = agents.Card(
        name=f"{config.game}-{config.decide}-ppo",
        game=config.the_game,
        rules=config.the_rules,
        num_players=config.players,
        hidden=tuple(config.hidden),
        activation=config.activation,
        decide=config.decide,
        rest=config.own,
        training={
            "algorithm": "MaskablePPO",
            "seed": config.seed,
            "steps": steps,
            "config": to_json(config),
            "versions": versions(),
            "platform": platform_facts(),
        },
        results={name: to_json(comparison) for name, comparison in results.items()},
    )
    return agents.publish(config.out / AGENT, policy_tensors(model), card)
