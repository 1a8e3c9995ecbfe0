"""Counter-based random numbers: what is drawn depends on names, never on what was drawn before.

A *stream* is a 64-bit key made from a seed and further numbers (table, match, deal); its
draws are numbered. The mixer is the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast
splittable pseudorandom number generators", OOPSLA 2014).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.envs.core.compilation import compiled

__all__ = ["FIRST_DEALER", "below", "draw", "fresh_seed", "stream"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_30 = np.uint64(30)
_27 = np.uint64(27)
_31 = np.uint64(31)
_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)

FIRST_DEALER = np.uint64(0xFFFFFFFFFFFFFFFF)
"""The name, in the place of a deal's number, of the stream that draws a match's first dealer."""


@compiled
def _mix(word: Any) -> Any:
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@compiled
def stream(seed: Any, table: Any, match: Any, deal: Any) -> Any:
    """Key (uint64) of the stream named by four numbers (uint64 each)."""
    key = _mix(seed + _GOLDEN)
    key = _mix((key ^ table) + _GOLDEN)
    key = _mix((key ^ match) + _GOLDEN)
    return _mix((key ^ deal) + _GOLDEN)


@compiled
def draw(key: Any, number: Any) -> Any:
    """Draw `number` (uint64, from 0) of a stream: 64 random bits (uint64)."""
    return _mix(key + (number + np.uint64(1)) * _GOLDEN)


@compiled
def below(bits: Any, bound: Any) -> Any:
    """A number in 0..bound-1 (uint64) from the low 32 of the given bits; bias below 2**-25."""
    return ((bits & _LOW) * bound) >> _32


def fresh_seed() -> int:
    """A seed in 0..2**63-1 from the operating system; no global random state is touched."""
    entropy = np.random.SeedSequence().entropy
    assert isinstance(entropy, int)
    return entropy & (2**63 - 1)
