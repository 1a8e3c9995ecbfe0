"""What can be left of a pyramid: every number of unspent bids of each kind.

Two orders of spending that leave the same bids leave the same game, so a pyramid of quota
(1, 2, 3, 4, 3, 2, 1) has 2·3·4·5·4·3·2 = 2,880 states. A state is a number in mixed radix:
one more unspent `b` adds ``strides[b]``. State 0 is the empty pyramid, the last state the full
one, and every state is larger than those that it can lead to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["States", "states_of"]

_MOST_STATES = 1_000_000
"""Of a quota that is taken; more would fill the memory with tables that nobody asked for."""


@dataclass(frozen=True, eq=False)
class States:
    """All states of a quota; S of them, B kinds of bid."""

    quota: tuple[int, ...]
    """(B,) how often each bid must be spent."""

    left: NDArray[np.int8]
    """(S, B) how many of each bid are unspent."""

    strides: NDArray[np.int64]
    """(B,) what one unspent bid adds to a state's number."""

    deals_left: NDArray[np.int64]
    """(S,) unspent bids in all."""

    @property
    def full(self) -> int:
        """The state before the first deal."""
        return len(self.left) - 1

    @property
    def turns(self) -> int:
        """How many bids a pyramid holds."""
        return sum(self.quota)

    def index(self, left: ArrayLike) -> NDArray[np.int64]:
        """The numbers of states (...,) whose unspent bids are `left` (..., B).

        Raises:
            ValueError: counts that are negative, beyond the quota, or not one for each bid.
        """
        counts = np.asarray(left)
        if counts.ndim == 0 or counts.shape[-1] != len(self.quota):
            raise ValueError(f"left: expected {len(self.quota)} counts, one a bid, got {left!r}")
        if np.any(counts < 0) or np.any(counts > np.array(self.quota)):
            raise ValueError(f"left: more or fewer bids than quota {self.quota} holds: {left!r}")
        if np.any(counts != np.floor(counts)):
            raise ValueError(f"left: not whole numbers: {left!r}")
        index: NDArray[np.int64] = counts.astype(np.int64) @ self.strides
        return index


def states_of(quota: Sequence[int]) -> States:
    """The states of a quota.

    Raises:
        ValueError: a quota that is empty, negative, not whole, without any bid, or of more
            than a million states.
    """
    counts = tuple(quota)
    if not counts or any(count != int(count) or count < 0 for count in counts) or not any(counts):
        raise ValueError(f"quota: expected counts, one a bid, some of them positive, got {quota!r}")
    return _states_of(tuple(int(count) for count in counts))


@lru_cache(maxsize=16)
def _states_of(quota: tuple[int, ...]) -> States:
    sizes = [count + 1 for count in quota]
    number = 1
    for size in sizes:
        number *= size
    if number > _MOST_STATES:
        raise ValueError(f"quota: {quota} has {number} states, at most {_MOST_STATES} are taken")
    strides = np.cumprod([1, *sizes[:-1]], dtype=np.int64)
    left = (np.arange(number)[:, None] // strides % np.array(sizes)).astype(np.int8)
    deals_left = left.sum(axis=1, dtype=np.int64)
    for array in (left, strides, deals_left):
        array.setflags(write=False)
    return States(quota, left, strides, deals_left)
