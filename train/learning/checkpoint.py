"""A training run's state in one safetensors file, to go on from; nothing in it is unpickled.

Restored are the network, Adam's moments, the numbers of decisions and updates, and the random
streams of torch and numpy, which draw the actions and shuffle the batches. Not restored are
the tables, which begin new matches of their own numbers, and the averages for the log. A run
that was interrupted therefore goes on as well as one that was not, but not bit by bit alike.
"""

from __future__ import annotations

import dataclasses
import json
import os
import typing
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from sb3_contrib import MaskablePPO

from bidwise.train.learning.config import TrainConfig

__all__ = ["CHECKPOINT", "Checkpoint", "load_checkpoint", "save_checkpoint"]

CHECKPOINT = "checkpoint.safetensors"
"""Its name in a run's folder."""

_FORMAT = "bidwise-checkpoint-1"
_POLICY, _MOMENTS = "policy.", "optimizer."
_TORCH_STREAM, _NUMPY_STREAM = "random.torch", "random.numpy"


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """What the file holds.

    Attributes:
        config: the run's.
        steps: decisions learned from so far.
        updates: passes over the decisions so far, as SB3 counts them.
        tensors: everything else by name.
    """

    config: TrainConfig
    steps: int
    updates: int
    numpy_position: int
    tensors: dict[str, torch.Tensor]

    def restore(self, model: Any) -> None:
        """Give a model built from `config` the checkpoint's state."""
        policy = model.policy
        policy.load_state_dict(_under(_POLICY, self.tensors))
        moments: dict[int, dict[str, torch.Tensor]] = {}
        for name, tensor in _under(_MOMENTS, self.tensors).items():
            number, kind = name.split(".")
            moments.setdefault(int(number), {})[kind] = tensor
        state: dict[str, Any] = policy.optimizer.state_dict()
        policy.optimizer.load_state_dict({**state, "state": moments})
        model.num_timesteps = self.steps
        model._n_updates = self.updates
        torch.set_rng_state(self.tensors[_TORCH_STREAM])
        words = self.tensors[_NUMPY_STREAM].numpy().astype(np.uint32)
        np.random.set_state(  # noqa: NPY002  # SB3 shuffles with the global stream
            ("MT19937", words, self.numpy_position, 0, 0.0)
        )


def save_checkpoint(folder: Path, model: MaskablePPO, config: TrainConfig, steps: int) -> Path:
    """Write the checkpoint whole or not at all; returns its path."""
    stream: Any = np.random.get_state()  # noqa: NPY002  # SB3 shuffles with the global stream
    tensors = {_POLICY + name: value for name, value in model.policy.state_dict().items()}
    optimizer: dict[str, Any] = model.policy.optimizer.state_dict()
    for number, moments in optimizer["state"].items():
        for kind, value in moments.items():
            tensors[f"{_MOMENTS}{number}.{kind}"] = value
    tensors[_TORCH_STREAM] = torch.get_rng_state()
    tensors[_NUMPY_STREAM] = torch.from_numpy(np.asarray(stream[1]).astype(np.int64))
    about = {
        "format": _FORMAT,
        "config": {
            name: str(value) if isinstance(value, Path) else value
            for name, value in dataclasses.asdict(config).items()
        },
        "steps": steps,
        "updates": model._n_updates,
        "numpy_position": int(stream[2]),
    }
    path = folder / CHECKPOINT
    partial = path.with_name(f".{CHECKPOINT}.{os.getpid()}.partial")
    try:
        save_file(
            {name: value.contiguous() for name, value in tensors.items()},
            partial,
            {"bidwise": json.dumps(about)},
        )
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    return path


def load_checkpoint(folder: Path) -> Checkpoint:
    """Read a run's checkpoint.

    Raises:
        ValueError: there is none, or it is not one of this library's.
    """
    path = folder / CHECKPOINT
    if not path.is_file():
        raise ValueError(f"resume: {folder} holds no {CHECKPOINT}")
    try:
        with safe_open(path, "pt") as file:
            text = (file.metadata() or {}).get("bidwise", "{}")
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(f"resume: {path} cannot be read: {error}") from None
    about = json.loads(text)
    if about.get("format") != _FORMAT:
        raise ValueError(f"resume: {path} is {about.get('format')!r}, expected {_FORMAT!r}")
    return Checkpoint(
        config=_config(about["config"]),
        steps=about["steps"],
        updates=about["updates"],
        numpy_position=about["numpy_position"],
        tensors=tensors,
    )


def _config(values: dict[str, Any]) -> TrainConfig:
    """The dataclass from JSON, where tuples are lists and paths texts."""
    kinds = typing.get_type_hints(TrainConfig)
    given: dict[str, Any] = {}
    for name, value in values.items():
        if name not in kinds:
            raise ValueError(f"resume: the checkpoint's config has {name!r}, unknown here")
        if value is not None and kinds[name] in (Path, Path | None):
            value = Path(value)
        given[name] = tuple(value) if isinstance(value, list) else value
    return TrainConfig(**given)


def _under(prefix: str, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name[len(prefix) :]: t for name, t in tensors.items() if name.startswith(prefix)}
