"""What an agent is: it sees observations and masks and returns legal actions."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.compilation import compiled
from bidwise.envs.batch.policies import KernelPolicy
from bidwise.envs.core.checks import check_int
from bidwise.envs.core.rng import draw, stream
from bidwise.envs.game import Game

__all__ = ["Agent", "KernelAgent", "Setting"]

_AGENT = np.uint64(0x6167656E74)
_NONE = np.uint64(0)


@dataclass(frozen=True)
class Setting:
    """What an agent is made for.

    Attributes:
        game: the registered game.
        rules: its rules dataclass.
        num_players: players at the table.
        seed: 0..2**64-1, of the agent's own random stream.
    """

    game: Game
    rules: Any
    num_players: int
    seed: int

    def __post_init__(self) -> None:
        counts = self.game.player_counts
        check_int("seed", self.seed, 0, 2**64 - 1)
        if isinstance(self.num_players, bool | float) or self.num_players not in counts:
            raise ValueError(
                f"num_players: {self.num_players!r} is not one of {', '.join(map(str, counts))}"
            )
        object.__setattr__(self, "rules", self.game.get_rules(self.rules))


class Agent(ABC):
    """An agent of one game; also a :class:`bidwise.envs.game.Policy`.

    It draws from a stream of its own: a row decided is one draw, so that a batch plays as its
    rows one after the other would, and agents of equal names, settings and seeds play alike.

    Attributes:
        name: the agent's full name, version included.
        game: the game it plays.
        kernel: the same agent as one compiled function, or None if it has none.
    """

    def __init__(self, name: str, game: Game, seed: int = 0) -> None:
        check_int("seed", seed, 0, 2**64 - 1)
        self.name = name
        self.game = game
        self.kernel: KernelPolicy | None = None
        self._key = np.uint64(stream(np.uint64(seed), _AGENT, _NONE, _NONE))
        self._drawn = 0

    def __repr__(self) -> str:
        return f"<{self.game.name} agent {self.name}>"

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """A legal action for one observation (F,) and its mask (A,).

        Raises:
            ValueError: as :meth:`act_batch`.
        """
        row, mask = np.asarray(observation), np.asarray(action_mask)
        self._check("observation", row, (self.game.layout.size,))
        self._check("action_mask", mask, (self.game.num_actions,))
        return int(self.act_batch(row[None], mask[None])[0])

    def act_batch(
        self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Legal actions (B,) int64, one decision a row.

        Args:
            observations: (B, F) int8, each what the seat to act sees.
            action_masks: (B, A) int8, 1 where that seat may act; bool is taken too.

        Raises:
            ValueError: shapes or types that do not fit, or a mask without a legal action.
        """
        rows, masks = np.asarray(observations), np.asarray(action_masks)
        batch = rows.shape[:1]
        self._check("observations", rows, (*batch, self.game.layout.size))
        self._check("action_masks", masks, (*batch, self.game.num_actions))
        masks = np.ascontiguousarray(masks).view(np.int8)
        empty = _empty_row(masks)
        if empty >= 0:
            raise ValueError(f"action_masks: row {empty} has no legal action")
        return self._decide(np.ascontiguousarray(rows), masks)

    @abstractmethod
    def _decide(
        self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Legal actions (B,) for checked, contiguous arrays."""

    @property
    def drawn(self) -> tuple[int, ...]:
        """How far the agent's stream and those of the agents that it asks have gone."""
        return (self._position, *(n for part in self._asked for n in part.drawn))

    def draw_on(self, drawn: Sequence[int]) -> None:
        """Go on in the streams where another agent of this kind and seed had come: its `drawn`.

        Raises:
            ValueError: not one whole number from 0 for every stream.
        """
        if len(drawn) != len(self.drawn):
            raise ValueError(f"drawn: {len(drawn)} positions for {len(self.drawn)} streams")
        for position in drawn:
            check_int("drawn", position, 0, 2**63 - 1)
        self._position = int(drawn[0])
        left = list(drawn[1:])
        for part in self._asked:
            count = len(part.drawn)
            part.draw_on(left[:count])
            del left[:count]

    @property
    def _asked(self) -> tuple[Agent, ...]:
        """The agents to whom this one leaves decisions."""
        return ()

    @property
    def _position(self) -> int:
        return self._drawn

    @_position.setter
    def _position(self, drawn: int) -> None:
        self._drawn = drawn

    def _bits(self, count: int) -> NDArray[np.uint64]:
        """The next draws of the agent's stream: 64 random bits each."""
        bits = np.empty(count, np.uint64)
        _fill(self._key, np.uint64(self._drawn), bits)
        self._drawn += count
        return bits

    def _check(self, what: str, array: NDArray[Any], shape: tuple[int, ...]) -> None:
        bools = what.startswith("action_mask") and array.dtype == np.bool_
        if array.shape != shape or not (array.dtype == np.int8 or bools):
            raise ValueError(
                f"{what}: {self.game.name} expects int8 of shape {shape}, "
                f"got {array.dtype} of shape {array.shape}"
            )


class KernelAgent(Agent):
    """An agent that is one compiled function of (observation, action_mask, bits).

    Args:
        function: see :mod:`bidwise.envs.batch.policies`.
    """

    def __init__(self, name: str, game: Game, function: Any, seed: int = 0) -> None:
        super().__init__(name, game, seed)
        self._policy = KernelPolicy(function, int(self._key))
        self.kernel = self._policy

    def __getstate__(self) -> dict[str, Any]:
        """Without the kernel's address, which means nothing to another process."""
        policy = copy.copy(self._policy)
        policy.__dict__.pop("address", None)
        return {**self.__dict__, "_policy": policy, "kernel": policy}

    @property
    def _position(self) -> int:
        return self._policy.drawn

    @_position.setter
    def _position(self, drawn: int) -> None:
        self._policy.drawn = drawn

    def _decide(
        self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        return self._policy.act_batch(observations, action_masks)


@compiled
def _empty_row(action_masks: Any) -> int:
    """The first row without a legal action; -1 if there is none."""
    for i in range(len(action_masks)):
        any_legal = 0
        for action in range(action_masks.shape[1]):
            any_legal |= action_masks[i, action]
        if any_legal == 0:
            return i
    return -1


@compiled
def _fill(key: Any, first: Any, bits: Any) -> None:
    for i in range(len(bits)):
        bits[i] = draw(key, first + np.uint64(i))
