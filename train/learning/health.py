"""Divergence noticed at the update that made it, before anything of it is saved.

There are two kinds. What is no longer finite can never learn again nor play: the run stops. But
with a learning rate of 10 all stays finite: the first update throws the policy so far away that
it takes one action whatever it sees, with an entropy and a gradient of 0, and the run would go on
like this to its end. This shows in the KL divergence of the update: 250 to 1e8 with learning
rates of 0.3 to 10, below 0.1 in ordinary runs of both games. SB3 logs it and says nothing. Here
it is said once, at that update, and noted in ``run.json``; the run goes on, since a policy may
come back, and whether to wait for that is not for a threshold to decide.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.utils import obs_as_tensor

from bidwise.train.learning.checkpoint import CHECKPOINT
from bidwise.train.learning.config import TrainConfig
from bidwise.train.run.provenance import console

__all__ = ["Diverged", "Jumps", "explain", "require_health", "require_healthy_rollout"]

_LOSSES = ("train/loss", "train/value_loss", "train/policy_gradient_loss", "train/entropy_loss")


_MOST_KL = 10.0
"""Of an ordinary update; a hundred times what was seen of such, a 25th of what did harm."""


class Diverged(ValueError):
    """Learning has left the finite numbers. The command ends with `exit_code`: what was asked
    for could be tried, so it is not that of a refused option."""

    exit_code = 1


class Jumps:
    """Says once when an update has moved the policy beyond all measure.

    Args:
        warning: what an earlier process of the run said.

    Attributes:
        warning: what was said; None as long as there was no reason.
    """

    def __init__(self, config: TrainConfig, warning: str | None = None) -> None:
        self.warning = warning
        self._config = config

    def look(self, model: Any) -> None:
        """Look at the model's last update."""
        moved = model.logger.name_to_value.get("train/approx_kl", 0.0)
        if self.warning is None and moved > _MOST_KL:
            self.warning = (
                f"update {_updates(model)} moved the policy by a KL divergence of {moved:,.0f}, an "
                f"ordinary one by less than 0.1: learning_rate {self._config.learning_rate:g} is "
                f"probably too high, and such a policy seldom learns again"
            )
            console.print(f"Warning: {self.warning}. The run goes on.", soft_wrap=True)


def require_health(model: Any, config: TrainConfig) -> None:
    """Refuse a model whose last update left something that is not finite.

    Raises:
        Diverged: it names what, the update, and where the last good checkpoint is.
    """
    found = _ill_network(model) or _ill_loss(model) or _ill_logits(model)
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


def explain(error: Exception, model: Any, config: TrainConfig) -> Diverged | None:
    """Why learning stopped with an error, if that is because it diverged."""
    found = _ill_network(model) or _ill_loss(model) or _ill_logits(model)
    if found is None and "overflow" in str(error):  # where Adam turns its step into a float32
        found = "Adam's step is"
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


def _updates(model: Any) -> int:
    return int(model.num_timesteps // (model.n_envs * model.n_steps))


def _message(found: str, model: Any, config: TrainConfig) -> str:
    path: Path = config.out / CHECKPOINT
    kept = (
        f"the last good checkpoint stays at {path}"
        if path.is_file()
        else "there is no checkpoint yet"
    )
    return (
        f"learning diverged: {found} not finite after update {_updates(model)} (decision "
        f"{model.num_timesteps:,}) with learning_rate {config.learning_rate:g}; try a smaller "
        f"one. Nothing of it was saved: {kept}"
    )
