"""A training run's state in one safetensors file, to go on from; nothing in it is unpickled.

It holds all that the run's future depends on: the network, Adam's moments, the numbers of
decisions and updates, the tables with the episodes under way, the random streams of torch,
numpy and the agents, when the last evaluation was, and how long the curves were. A run that
was killed and goes on therefore ends with the same weights, byte by byte, as one that was not,
on one machine, with one thread of the tables and one of torch, and the same `steps`. With
`minutes` the learning rate follows the clock, and an agent registered by others may keep a
state that only it knows: there a run goes on as well, but not bit by bit alike.

The last two checkpoints are kept. Where the newer is broken, the older is used.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_bytes
from sb3_contrib import MaskablePPO

from bidwise.envs.core.files import cause_of, write_bytes
from bidwise.train.learning.config import TrainConfig
from bidwise.train.learning.state import Arrays, give_back, learned, relearn, take
from bidwise.train.run.provenance import console

__all__ = ["CHECKPOINT", "PREVIOUS", "Checkpoint", "load_checkpoint", "save_checkpoint"]

CHECKPOINT = "checkpoint.safetensors"
"""Its name in a run's folder."""

PREVIOUS = "checkpoint.previous.safetensors"
"""The one before."""

_FORMAT = "bidwise-checkpoint-2"


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """What the file holds.

    Attributes:
        path: the file.
        config: the run's.
        steps: decisions learned from so far.
        updates: passes over the decisions so far, as SB3 counts them.
        evaluated: decisions at the last evaluation on the way.
        complete: all decisions are learned from, and the agent was measured and published.
        curves: bytes of each file of lines by its name.
        pending: metrics of the last update that no line holds yet.
        warning: what was said of the run, or None.
        arrays: everything else by name.
    """

    path: Path
    config: TrainConfig
    steps: int
    updates: int
    evaluated: int
    complete: bool
    curves: dict[str, int]
    pending: dict[str, float]
    warning: str | None
    arrays: Arrays

    def restore(self, model: Any) -> None:
        """Give a model built from `config`, and its tables, the checkpoint's state.

        Raises:
            ValueError: the file does not fit the model; it names the file and the reason.
        """
        try:
            relearn(model, self.arrays)
            give_back(model, self.arrays)
        except ValueError as error:
            raise ValueError(f"resume: {self.path} does not fit its settings: {error}") from None
        model.num_timesteps = self.steps
        model._n_updates = self.updates


def save_checkpoint(
    folder: Path,
    model: MaskablePPO,
    config: TrainConfig,
    steps: int,
    *,
    evaluated: int = 0,
    complete: bool = False,
    curves: Mapping[str, int] | None = None,
    moving: Arrays | None = None,
    warning: str | None = None,
) -> Path:
    """Write the checkpoint whole or not at all, and keep the one before; returns its path.

    Args:
        moving: what :func:`~bidwise.train.learning.state.take` took at so many steps; taken
            now if not given.

    Raises:
        ValueError: a number of the network is not finite; nothing was written.
        OSError: it names the file and the cause; the checkpoint before is intact.
    """
    path = folder / CHECKPOINT
    network = learned(model)
    _require_finite(network, f"{path} is not written")
    arrays = network | (take(model) if moving is None else moving)
    # The logger exists once learning has begun, and a model may be saved before.
    logger = getattr(model, "_logger", None)
    values = {} if logger is None else logger.name_to_value
    about = {
        "format": _FORMAT,
        "config": {
            name: str(value) if isinstance(value, Path) else value
            for name, value in dataclasses.asdict(config).items()
        },
        "steps": steps,
        "updates": model._n_updates,
        "evaluated": evaluated,
        "complete": complete,
        "curves": dict(curves or {}),
        "pending": {name: float(value) for name, value in values.items() if math.isfinite(value)},
        "warning": warning,
        "digest": _digest(arrays),
    }
    content = to_bytes(
        {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in arrays.items()},
        {"bidwise": json.dumps(about)},
    )
    write_bytes(path, content, keep=folder / PREVIOUS)
    return path


def load_checkpoint(folder: Path) -> Checkpoint:
    """Read a run's newest checkpoint; the one before it, and say so, if that is broken.

    Raises:
        ValueError: there is none, or none that is whole and one of this library's.
    """
    path, previous = folder / CHECKPOINT, folder / PREVIOUS
    try:
        return _load(path)
    except ValueError as error:
        if not previous.is_file():
            raise
        try:
            checkpoint = _load(previous)
        except ValueError:
            raise error from None
        console.print(
            f"{error}. {previous.name}, of {checkpoint.steps:,} decisions, is used instead.",
            markup=False,
        )
        return checkpoint


def _load(path: Path) -> Checkpoint:
    if not path.is_file():
        raise ValueError(f"resume: {path.parent} holds no {path.name}")
    try:
        with safe_open(path, "np") as file:
            text = (file.metadata() or {}).get("bidwise", "{}")
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        about = json.loads(text)
    except (SafetensorError, TypeError, ValueError) as error:
        raise ValueError(f"resume: {path} cannot be read: {error}") from None
    except OSError as error:
        raise ValueError(f"resume: {path} cannot be read: {cause_of(error)}") from None
    if not isinstance(about, dict) or about.get("format") != _FORMAT:
        found = about.get("format") if isinstance(about, dict) else None
        raise ValueError(f"resume: {path} is {found!r}, expected {_FORMAT!r}")
    if about.get("digest") != _digest(arrays):
        raise ValueError(f"resume: {path} is broken: its numbers are not those that were saved")
    _require_finite(arrays, f"resume: {path} is refused")
    try:
        return Checkpoint(
            path=path,
            config=_config(about["config"]),
            steps=int(about["steps"]),
            updates=int(about["updates"]),
            evaluated=int(about["evaluated"]),
            complete=bool(about["complete"]),
            curves={str(name): int(size) for name, size in about["curves"].items()},
            pending={str(name): float(value) for name, value in about["pending"].items()},
            warning=None if about.get("warning") is None else str(about["warning"]),
            arrays=arrays,
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"resume: {path} cannot be used: {error}") from None


def _digest(arrays: Arrays) -> str:
    """Of every name, shape, type and byte: safetensors itself notices only a wrong length."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype} {array.shape} ".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _require_finite(arrays: Arrays, otherwise: str) -> None:
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{otherwise}: {name} holds numbers that are not finite")


def _config(values: dict[str, Any]) -> TrainConfig:
    """The dataclass from JSON, where tuples are lists and paths texts."""
    kinds = typing.get_type_hints(TrainConfig)
    given: dict[str, Any] = {}
    for name, value in values.items():
        if name not in kinds:
            raise ValueError(f"its config has {name!r}, unknown here")
        if value is not None and kinds[name] in (Path, Path | None):
            value = Path(value)
        given[name] = tuple(value) if isinstance(value, list) else value
    return TrainConfig(**given)
