"""Networks to publish in tests: random weights, and what they should play, recomputed plainly."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise import agents
from bidwise.envs import get_game

HIDDEN = (7, 5)


def random_weights(game: str, hidden: tuple[int, ...] = HIDDEN, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    sizes = [get_game(game).layout.size, *hidden, get_game(game).num_actions]
    names = [*(f"hidden.{k}" for k in range(len(hidden))), "logits"]
    weights = {}
    for name, width, size in zip(names, sizes, sizes[1:], strict=False):
        weights[f"{name}.weight"] = rng.normal(0, 0.3, (size, width)).astype(np.float32)
        weights[f"{name}.bias"] = rng.normal(0, 0.3, size).astype(np.float32)
    return weights


def card_of(game: str, **values: Any) -> agents.Card:
    preset = get_game(game).default_preset
    defaults = {
        "name": "learner",
        "game": get_game(game),
        "rules": get_game(game).rules.preset(preset),
        "num_players": 4,
        "hidden": HIDDEN,
        "activation": "tanh",
        "training": {"seed": 3, "steps": 100},
        "results": {"basic-v1": [1.5, 2.0]},
    }
    return agents.Card(**{**defaults, **values})


def published(folder: Path, game: str, **values: Any) -> Path:
    card = card_of(game, **values)
    return agents.publish(folder, random_weights(game, card.hidden), card)


def edit_card(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "card.json"
    values = json.loads(path.read_text())
    change(values)
    path.write_text(json.dumps(values))


def plain_logits(
    game: str, weights: dict[str, NDArray[np.float32]], activation: str, row: NDArray[np.int8]
) -> list[float]:
    """One forward pass in Python's own numbers."""
    values: list[float] = []
    position = 0
    for field in get_game(game).layout.fields:
        for byte in row[position : position + field.size]:
            values.append(int(byte) / (field.high or 1))
        position += field.size
    activate = math.tanh if activation == "tanh" else (lambda value: max(value, 0.0))
    layers = [name.removesuffix(".weight") for name in weights if name.endswith(".weight")]
    for layer in layers:
        weight, bias = weights[f"{layer}.weight"].tolist(), weights[f"{layer}.bias"].tolist()
        values = [
            math.fsum(w * v for w, v in zip(unit, values, strict=True)) + b
            for unit, b in zip(weight, bias, strict=True)
        ]
        if layer != "logits":
            values = [activate(value) for value in values]
    return values
