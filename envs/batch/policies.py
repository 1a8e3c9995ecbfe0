"""Policies that run inside the engine's loops.

A kernel policy is one compiled function of what a seat may know:
``function(observation, action_mask, bits) -> action`` with an int8 row (F,), an int8 row (A,)
that has at least one 1, and 64 random bits (uint64) of the policy's own stream. The engine
calls it by address, so that one compiled loop serves all policies. It must return a legal
action and not raise.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from bidwise.envs.core.compilation import INTERPRETED, compiled, entry_address
from bidwise.envs.core.rng import draw

__all__ = ["BUILT_IN_RANDOM", "KernelPolicy", "call_policy", "choose_uniformly"]

_ROW = types.int8[::1]
_ONE = np.int8(1)

BUILT_IN_RANDOM = 0
"""The address that stands for a uniformly random legal action."""

_interpreted: dict[int, Callable[..., int]] = {}


class KernelPolicy:
    """A compiled policy with an address; also a :class:`~bidwise.envs.game.Policy` by itself.

    Args:
        function: compiled with :func:`bidwise.envs.core.compilation.compiler`; see the module's
            text.
        seed: of the stream that feeds ``bits`` in :meth:`act_batch`.

    Attributes:
        drawn: draws of that stream so far.
    """

    def __init__(self, function: Any, seed: int = 0) -> None:
        self.function = function
        self._key = np.uint64(seed)
        self.drawn = 0

    def __getstate__(self) -> dict[str, Any]:
        """An address means nothing in another process."""
        return {name: value for name, value in vars(self).items() if name != "address"}

    @property
    def kernel(self) -> KernelPolicy:
        return self

    @cached_property
    def address(self) -> int:
        """Where compiled loops find the function; never 0."""
        if INTERPRETED:
            _interpreted[id(self.function)] = self.function
            return id(self.function)
        return entry_address(self.function, (_ROW, _ROW, types.uint64))

    def act_batch(
        self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Actions (B,) int64 for rows of observations (B, F) and masks (B, A)."""
        actions = np.empty(len(observations), np.int64)
        _act_rows(
            self.address,
            np.ascontiguousarray(observations),
            np.ascontiguousarray(action_masks),
            self._key,
            np.uint64(self.drawn),
            actions,
        )
        self.drawn += len(observations)
        return actions


if INTERPRETED:

    def call_policy(address: int, observation: Any, action_mask: Any, bits: Any) -> int:
        """The action of the kernel policy at an address."""
        return int(_interpreted[address](observation, action_mask, bits))

else:

    @intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
    def call_policy(
        typingctx: Any, address: Any, observation: Any, action_mask: Any, bits: Any
    ) -> Any:
        """The action of the kernel policy at an address."""
        signature = types.int64(types.int64, _ROW, _ROW, types.uint64)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kinds = signature.args[1:]
            function = context.call_conv.get_function_type(types.int64, kinds)
            pointer = builder.inttoptr(args[0], function.as_pointer())
            _status, action = context.call_conv.call_function(
                builder, pointer, types.int64, kinds, args[1:]
            )
            return action

        return signature, codegen


@compiled
def choose_uniformly(action_mask: Any, bits: Any) -> int:
    """A uniformly random legal action of an int8 mask (A,); -1 if there is none."""
    count = 0
    for action in range(len(action_mask)):
        count += action_mask[action]
    if count == 0:
        return -1
    left = int(((bits & np.uint64(0xFFFFFFFF)) * np.uint64(count)) >> np.uint64(32))
    for action in range(len(action_mask)):
        if action_mask[action] == _ONE:
            if left == 0:
                return action
            left -= 1
    return -1


@compiled
def _act_rows(
    address: int, observations: Any, action_masks: Any, key: Any, first: Any, actions: Any
) -> None:
    for i in range(len(actions)):
        bits = draw(key, first + np.uint64(i))
        if address == BUILT_IN_RANDOM:
            actions[i] = choose_uniformly(action_masks[i], bits)
        else:
            actions[i] = call_policy(address, observations[i], action_masks[i], bits)
