"""Divergence noticed at the update that made it, before anything of it is saved."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.utils import obs_as_tensor

from bidwise.train.learning.checkpoint import CHECKPOINT
from bidwise.train.learning.config import TrainConfig

__all__ = ["Diverged", "explain", "require_health", "require_healthy_rollout"]

_LOSSES = ("train/loss", "train/value_loss", "train/policy_gradient_loss", "train/entropy_loss")


class Diverged(ValueError):
    """Learning has left the finite numbers."""


def require_health(model: Any, config: TrainConfig) -> None:
    """Refuse a model whose last update left something that is not finite.

    Raises:
        Diverged: it names what, the update, and where the last good checkpoint is.
    """
    found = _ill_network(model) or _ill_loss(model)
    if found is not None:
        raise Diverged(_message(found, model, config))


def require_healthy_rollout(model: Any, config: TrainConfig) -> None:
    """The same for what the network said while the last decisions were collected.

    Raises:
        Diverged: as :func:`require_health`.
    """
    buffer = model.rollout_buffer
    for what, array in (("logits", buffer.log_probs), ("values", buffer.values)):
        if not np.isfinite(array).all():
            raise Diverged(_message(f"the policy's {what} are", model, config))


def explain(model: Any, config: TrainConfig) -> Diverged | None:
    """Why learning stopped with an error, if that is because it diverged."""
    found = _ill_network(model) or _ill_loss(model) or _ill_logits(model)
    return None if found is None else Diverged(_message(found, model, config))


def _ill_network(model: Any) -> str | None:
    for name, tensor in model.policy.state_dict().items():
        if not bool(torch.isfinite(tensor).all()):
            return f"the policy's weights ({name}) are"
    for moments in model.policy.optimizer.state.values():
        if not all(bool(torch.isfinite(moment).all()) for moment in moments.values()):
            return "Adam's moments are"
    return None


def _ill_loss(model: Any) -> str | None:
    values = model.logger.name_to_value
    for name in _LOSSES:
        if name in values and not math.isfinite(values[name]):
            return f"the loss ({name}) is"
    return None


def _ill_logits(model: Any) -> str | None:
    if model._last_obs is None:
        return None
    policy = model.policy
    with torch.no_grad():
        features = policy.extract_features(obs_as_tensor(model._last_obs, model.device))
        latent = policy.mlp_extractor.forward_actor(features)
        finite = bool(torch.isfinite(policy.action_net(latent)).all())
    return None if finite else "the policy's logits are"


def _message(found: str, model: Any, config: TrainConfig) -> str:
    update = model.num_timesteps // (model.n_envs * model.n_steps)
    path: Path = config.out / CHECKPOINT
    kept = (
        f"the last good checkpoint stays at {path}"
        if path.is_file()
        else "there is no checkpoint yet"
    )
    return (
        f"learning diverged: {found} not finite after update {update} (decision "
        f"{model.num_timesteps:,}) with learning_rate {config.learning_rate:g}; try a smaller "
        f"one. Nothing of it was saved: {kept}"
    )
