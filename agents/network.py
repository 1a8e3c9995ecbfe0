"""A trained network that plays through numpy.

The network is a multilayer perceptron over the observation's bytes, each scaled by its field's
range; it ends in one logit an action. Its tensors, all float32, are named and shaped as in
torch: ``hidden.0.weight`` (H0, F), ``hidden.0.bias`` (H0,), ``hidden.1.weight`` (H1, H0), …,
``logits.weight`` (A, H), ``logits.bias`` (A,).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.base import Agent
from bidwise.envs.core.layout import Layout
from bidwise.envs.game import Game

__all__ = ["ACTIVATIONS", "Network", "NetworkAgent", "scale", "tensor_shapes"]

Float32 = NDArray[np.float32]


def _relu(values: Float32) -> Float32:
    rectified: Float32 = np.maximum(values, np.float32(0))
    return rectified


ACTIVATIONS: Mapping[str, Callable[[Float32], Float32]] = {"relu": _relu, "tanh": np.tanh}


def scale(layout: Layout) -> Float32:
    """(F,) float32: what each byte is multiplied by, 1 / its field's `high` (1 where that is 0)."""
    high = np.where(layout.high == 0, 1, layout.high).astype(np.float32)
    factors: Float32 = np.float32(1) / high
    return factors


def tensor_shapes(game: Game, hidden: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the tensors of a network with such hidden layers."""
    shapes: dict[str, tuple[int, ...]] = {}
    width = game.layout.size
    for k, size in enumerate(hidden):
        shapes[f"hidden.{k}.weight"] = (size, width)
        shapes[f"hidden.{k}.bias"] = (size,)
        width = size
    shapes["logits.weight"] = (game.num_actions, width)
    shapes["logits.bias"] = (game.num_actions,)
    return shapes


@dataclass(frozen=True, eq=False)
class Network:
    """The forward pass.

    Args:
        game: whose observations it reads.
        hidden: sizes of the hidden layers, from the observation on.
        activation: ``"tanh"`` or ``"relu"``, after each hidden layer.
        tensors: as the module's text and :func:`tensor_shapes` say.

    Raises:
        ValueError: tensors that are missing, unknown, misshapen, not float32 or not finite.
    """

    game: Game
    hidden: tuple[int, ...]
    activation: str
    tensors: Mapping[str, Float32]

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            known = ", ".join(ACTIVATIONS)
            raise ValueError(f"activation: {self.activation!r} is not one of {known}")
        shapes = tensor_shapes(self.game, self.hidden)
        for name in self.tensors:
            if name not in shapes:
                raise ValueError(f"weights: {name!r} is not one of {', '.join(shapes)}")
        missing = [name for name in shapes if name not in self.tensors]
        if missing:
            raise ValueError(f"weights: {', '.join(missing)} missing")
        for name, shape in shapes.items():
            given = self.tensors[name]
            if given.dtype != np.float32 or given.shape != shape:
                raise ValueError(
                    f"weights: {name} is {given.dtype} of shape {given.shape}, "
                    f"expected float32 of shape {shape}"
                )
            if not np.isfinite(given).all():
                raise ValueError(f"weights: {name} holds numbers that are not finite")

    @cached_property
    def _factors(self) -> Float32:
        return scale(self.game.layout)

    def features(self, observations: NDArray[np.int8]) -> Float32:
        """What the first layer reads: (B, F) float32."""
        scaled: Float32 = np.multiply(observations, self._factors, dtype=np.float32)
        return scaled

    def forward(self, observations: NDArray[np.int8]) -> Float32:
        """Logits (B, A) float32 for observations (B, F) int8; illegal actions have theirs too."""
        values = self.features(observations)
        activate = ACTIVATIONS[self.activation]
        for k in range(len(self.hidden)):
            values = activate(self._linear(f"hidden.{k}", values))
        return self._linear("logits", values)

    def _linear(self, name: str, values: Float32) -> Float32:
        result: Float32 = values @ self.tensors[f"{name}.weight"].T
        result += self.tensors[f"{name}.bias"]
        return result


class NetworkAgent(Agent):
    """An agent that plays a network's best legal action.

    Args:
        decide: ``"all"``, ``"bids"`` or ``"cards"``: the decisions that the network takes.
        rest: who takes the others; needed unless `decide` is ``"all"``.
        sample: draw each action with the network's probability instead.
    """

    def __init__(
        self,
        name: str,
        network: Network,
        *,
        decide: str = "all",
        rest: Agent | None = None,
        sample: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__(name, network.game, seed)
        if decide != "all" and (rest is None or rest.game is not network.game):
            raise ValueError(f"rest: a network that decides {decide} needs an agent of its game")
        self.network = network
        self.rest = None if decide == "all" else rest
        self.sample = sample
        self._decides = network.game.decide_bits(decide)
        self._decision = network.game.layout.offsets["decision"]

    @property
    def _asked(self) -> tuple[Agent, ...]:
        return () if self.rest is None else (self.rest,)

    def _decide(
        self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        bits = self._bits(len(observations)) if self.sample else None
        if self.rest is None:
            return self._choose(observations, action_masks, bits)
        mine = (self._decides >> observations[:, self._decision].astype(np.int64)) & 1 == 1
        actions = np.empty(len(observations), np.int64)
        if mine.any():
            own_bits = None if bits is None else bits[mine]
            actions[mine] = self._choose(observations[mine], action_masks[mine], own_bits)
        if not mine.all():
            actions[~mine] = self.rest.act_batch(observations[~mine], action_masks[~mine])
        return actions

    def _choose(
        self,
        observations: NDArray[np.int8],
        action_masks: NDArray[np.int8],
        bits: NDArray[np.uint64] | None,
    ) -> NDArray[np.int64]:
        logits = np.where(action_masks != 0, self.network.forward(observations), -np.inf)
        if bits is None:
            best: NDArray[np.int64] = logits.argmax(axis=1)
            return best
        return _draw(logits.astype(np.float64), bits)


def _draw(logits: NDArray[np.float64], bits: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Actions (B,), each with its probability under logits (B, A) of which some are finite."""
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    reached = weights.cumsum(axis=1)
    # 52 bits: so the share of the whole weight stays below it, rounding included.
    unit: Any = (bits >> np.uint64(12)) * 2.0**-52
    # The first action at which more than the drawn share is reached.
    drawn = (reached <= (unit * reached[:, -1])[:, None]).sum(axis=1)
    actions: NDArray[np.int64] = drawn.astype(np.int64)
    return actions
