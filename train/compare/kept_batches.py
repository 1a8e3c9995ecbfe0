"""Finished batches of duplicate play, kept until the comparison is written.

Agents that draw random numbers, and the stream of which illegal actions are replaced, go on from
batch to batch. So a batch is kept together with where all of them stood after it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from bidwise.envs.game import Policy
from bidwise.train.compare.seatings import Cells, Sheets
from bidwise.train.run.chunks import Chunks

__all__ = ["keep_batch", "kept_units", "take_batch"]


@runtime_checkable
class _Drawing(Protocol):
    """A policy that says how far its random streams have gone, as :class:`bidwise.agents.Agent`."""

    @property
    def drawn(self) -> tuple[int, ...]: ...

    def draw_on(self, drawn: Sequence[int]) -> None: ...


def _key(first: int) -> str:
    return f"{first:08d}"


def keep_batch(chunks: Chunks, first: int, sheets: Sheets, cells: Cells) -> None:
    """Keep the batch that begins with unit `first` and has just been played."""
    after = {
        "drawn": [_drawn(agent) for agent in cells.agents],
        "illegal": cells.illegal,
        "replacements": cells.replacements.bit_generator.state,
    }
    arrays = {"totals": sheets.totals, "deals": sheets.deals, "truncated": sheets.truncated}
    chunks.write(_key(first), {**arrays, "after": np.array(json.dumps(after))})


def take_batch(chunks: Chunks, first: int, cells: Cells) -> Sheets | None:
    """The batch that begins with unit `first`, or None if it is to be played.

    The agents and `cells` then stand where they stood after it.
    """
    kept = chunks.read(_key(first))
    if kept is None:
        return None
    after: dict[str, Any] = json.loads(str(kept["after"]))
    for agent, drawn in zip(cells.agents, after["drawn"], strict=True):
        if isinstance(agent, _Drawing):
            agent.draw_on(drawn)
    cells.illegal[:] = after["illegal"]
    cells.replacements.bit_generator.state = after["replacements"]
    return Sheets(kept["totals"], kept["deals"], kept["truncated"])


def kept_units(chunks: Chunks, units: int, batch: int) -> int:
    """How many of so many units are there already, in batches of this size."""
    return sum(
        min(batch, units - first)
        for first in range(0, units, batch)
        if chunks.read(_key(first)) is not None
    )


def _drawn(agent: Policy) -> list[int]:
    return list(agent.drawn) if isinstance(agent, _Drawing) else []
