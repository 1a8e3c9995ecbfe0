"""Published agents: a folder with ``weights.safetensors`` and ``card.json``.

Nothing in such a folder is ever unpickled or executed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as tensors_from_bytes
from safetensors.numpy import save as tensors_to_bytes

from bidwise.agents.card import Card, read_card, write_card
from bidwise.agents.network import Network
from bidwise.envs.core.files import write_together

__all__ = ["CARD", "WEIGHTS", "Published", "load", "publish"]

CARD = "card.json"
WEIGHTS = "weights.safetensors"


@dataclass(frozen=True)
class Published:
    """What a folder held."""

    card: Card
    network: Network


def publish(
    folder: str | os.PathLike[str], weights: Mapping[str, NDArray[np.float32]], card: Card
) -> Path:
    """Write an agent's folder; what is refused by :func:`load` is refused here.

    Each file appears whole or not at all, and neither before both are on the disk: where it is
    full, the agent that was there stays. The card, named last, holds the hash of the weights: a
    folder left half rewritten is refused, never mixed up.

    Args:
        folder: made if need be; an agent already there is replaced.
        weights: tensors by name, as :mod:`bidwise.agents.network` says.
        card: what the agent is; the hashes are added here.

    Returns:
        the folder.
    """
    tensors = {name: np.ascontiguousarray(tensor) for name, tensor in weights.items()}
    Network(card.game, card.hidden, card.activation, tensors)
    content = tensors_to_bytes(tensors)
    text = write_card(card, hashlib.sha256(content).hexdigest())
    path = Path(folder)
    write_together({path / WEIGHTS: content, path / CARD: text.encode()})
    return path


def load(folder: str | os.PathLike[str]) -> Published:
    """Read an agent's folder.

    Raises:
        ValueError: it names the folder and the reason: a file is missing or broken, was made
            for another version of the env, or the weights do not fit the card.
    """
    path = Path(folder)
    try:
        return _load(path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _load(path: Path) -> Published:
    try:
        text = _read(path / CARD).decode()
    except UnicodeDecodeError:
        raise ValueError(f"{CARD} is not UTF-8 text") from None
    try:
        card, digest = read_card(text)
    except ValueError as error:
        raise ValueError(f"{CARD}: {error}") from None
    content = _read(path / WEIGHTS)
    if hashlib.sha256(content).hexdigest() != digest:
        raise ValueError(f"{WEIGHTS} is not the file that {CARD} was written for")
    try:
        tensors = tensors_from_bytes(content)
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{WEIGHTS} is broken: {error}") from None
    try:
        network = Network(card.game, card.hidden, card.activation, tensors)
    except ValueError as error:
        raise ValueError(f"{WEIGHTS}: {error}") from None
    return Published(card, network)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise ValueError(f"{file.name} is missing") from None
