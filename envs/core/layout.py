"""The observation as a table of fields: the only place that knows where a byte stands.

Each game lists its fields once (``observation.py``). Encoder offsets, the observation
space, named views, the docs page and the tests derive from that list.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Field", "Layout"]


@dataclass(frozen=True)
class Field:
    """Bytes of one meaning. `low` and `high` bound every one of them, both inclusive."""

    name: str
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str

    @property
    def size(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True)
class Layout:
    """The fields of an observation, in their order in the vector."""

    fields: tuple[Field, ...]

    @cached_property
    def size(self) -> int:
        """Length F of the observation vector."""
        return sum(field.size for field in self.fields)

    @cached_property
    def offsets(self) -> dict[str, int]:
        """First index of each field."""
        offsets, position = {}, 0
        for field in self.fields:
            offsets[field.name] = position
            position += field.size
        return offsets

    @cached_property
    def low(self) -> NDArray[np.int8]:
        """(F,) int8: the lowest value of each byte."""
        return np.concatenate([np.full(field.size, field.low, np.int8) for field in self.fields])

    @cached_property
    def high(self) -> NDArray[np.int8]:
        """(F,) int8: the highest value of each byte."""
        return np.concatenate([np.full(field.size, field.high, np.int8) for field in self.fields])

    def views(self, observations: NDArray[np.int8]) -> dict[str, NDArray[np.int8]]:
        """Named views of (..., F) observations, each of shape (..., *field.shape); no copies."""
        if observations.shape[-1] != self.size:
            raise ValueError(
                f"observations end in {observations.shape[-1]} bytes, this layout has {self.size}"
            )
        lead = observations.shape[:-1]
        return {
            field.name: observations[
                ..., self.offsets[field.name] : self.offsets[field.name] + field.size
            ].reshape(lead + field.shape)
            for field in self.fields
        }

    def markdown(self) -> str:
        """The fields as a table for people."""
        lines = ["| bytes | field | shape | range | meaning |", "| --- | --- | --- | --- | --- |"]
        for field in self.fields:
            start = self.offsets[field.name]
            shape = "×".join(map(str, field.shape))
            lines.append(
                f"| {start}..{start + field.size - 1} | `{field.name}` | {shape} "
                f"| {field.low}..{field.high} | {field.meaning} |"
            )
        return "\n".join(lines)

    @cached_property
    def digest(self) -> str:
        """Sixteen hex digits that change whenever a field's name, place, shape or range does."""
        text = json.dumps([[f.name, f.shape, f.low, f.high] for f in self.fields])
        return hashlib.sha256(text.encode()).hexdigest()[:16]
