"""Rows of an outcome table by play-outs: named agents play each layout with each bid.

Seat 0 holds the row's hand and has declared the bid with the row's denomination, at the first
deal of a match, every pyramid unspent. One agent plays its cards, another all others', each seeing
what the rules in force let its seat see.

What a row takes depends on the seed alone. Agents that are one compiled function are fed from a
stream of each deal's own; others are made anew, with a seed of its own, for each block of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise import agents
from bidwise.envs.batch.threads import Workers
from bidwise.envs.core.vocabulary import EVERYTHING, THIS_DEAL
from bidwise.envs.pyramid import GAME, PyramidRules
from bidwise.envs.pyramid.actions import NUM_ACTIONS
from bidwise.envs.pyramid.rules import NUM_BIDS
from bidwise.envs.states import new_states
from bidwise.train.outcomes.layouts import count_distances, deal_layouts, row_trumps
from bidwise.train.outcomes.playout_loops import (
    ILLEGAL,
    OBSERVED,
    OVER,
    act_all,
    begin_all,
    play_rows,
    show_all,
)
from bidwise.train.run.fingerprints import path_digest

__all__ = ["PlayOuts"]

_PLAY = np.uint64(0x706C6179)
"""Sets the streams that agents are fed from apart from those that deal."""

_BATCH = 8192
"""Deals that agents without a compiled function play side by side, or one row's if more."""


class PlayOuts:
    """Counts rows by play between two agents.

    Args:
        names: the declarer's agent and the defenders', as :func:`bidwise.agents.make` knows them.
        rules: the rules in force.
        num_players: 2, 3 or 4.
        layouts: L, how many a row.
        seed: 0..2**64-1, of the layouts and the agents.
        threads: at most so many; None for every core. They change nothing.

    Attributes:
        source: the agents' full names, ``"basic-v1 against random"``.
        about: digests of published agents by their names, if there are such.

    Raises:
        ValueError: an agent that cannot be made, or a quota that lacks a bid.
    """

    def __init__(
        self,
        names: tuple[str, str],
        *,
        rules: PyramidRules,
        num_players: int,
        layouts: int,
        seed: int,
        threads: int | None = None,
    ) -> None:
        if 0 in rules.quota:
            bid = rules.quota.index(0)
            raise ValueError(f"quota: the bid {bid} is never to be spent, so nobody can play it")
        self._names = names
        self._rules, self._num_players, self._layouts = rules, num_players, layouts
        self._seed = seed
        self._workers = Workers(threads)
        made = self._make(0)
        self.source = f"{made[0].name} against {made[1].name}"
        digests = {agent.name: _digest(name) for agent, name in zip(made, names, strict=True)}
        published = {name: digest for name, digest in digests.items() if digest is not None}
        self.about: Mapping[str, Any] = {"published": published} if published else {}
        kernels = [agent.kernel for agent in made]
        self._addresses = [kernel.address for kernel in kernels if kernel is not None]
        self._made = made  # their functions stay compiled while they live

    def count(self, rows: NDArray[np.int64], advance: Callable[[int], None]) -> NDArray[np.int64]:
        """Counts (2, N, 7, 7) of rows (N,); `advance` is told of layouts done.

        Raises:
            ValueError: an agent chose an action that the rules forbid.
        """
        deals = deal_layouts(rows, self._layouts, self._num_players, self._seed)
        if len(self._addresses) == 2:
            taken = self._by_kernels(rows, deals, advance)
        else:
            taken = self._by_batches(rows, deals, advance)
        wrong = taken == ILLEGAL
        if wrong.any():
            row = rows[np.flatnonzero(wrong.any(axis=(1, 2)))[0]]
            raise ValueError(f"{self.source}: an illegal action in a deal of row {row}")
        return count_distances(np.abs(np.arange(NUM_BIDS) - taken))

    def _make(self, first_row: int) -> list[agents.Agent]:
        """The two agents for a block of rows."""
        seeds = np.random.SeedSequence([self._seed, first_row]).generate_state(2, np.uint64)
        return [
            agents.make(
                name,
                game="pyramid",
                rules=self._rules,
                num_players=self._num_players,
                seed=int(seed),
            )
            for name, seed in zip(self._names, seeds, strict=True)
        ]

    def _tables(self, count: int) -> NDArray[np.void]:
        """Records of matches at which nothing has been dealt."""
        return new_states(GAME, count, self._rules, self._num_players, self._seed, 1)

    def _by_kernels(
        self,
        rows: NDArray[np.int64],
        deals: NDArray[np.uint32],
        advance: Callable[[int], None],
    ) -> NDArray[np.int64]:
        """Tricks taken (N, L, 7) by two compiled agents."""
        taken = np.zeros((len(rows), self._layouts, NUM_BIDS), np.int64)
        self._workers.run(
            play_rows,
            taken.size,
            self._tables(1),
            rows.astype(np.uint64),
            row_trumps(rows),
            deals,
            np.uint64(self._seed) ^ _PLAY,
            self._addresses[0],
            self._addresses[1],
            taken,
        )
        advance(len(rows) * self._layouts)
        return taken

    def _by_batches(
        self,
        rows: NDArray[np.int64],
        deals: NDArray[np.uint32],
        advance: Callable[[int], None],
    ) -> NDArray[np.int64]:
        """The same by agents of any kind, asked for many deals at once."""
        made = self._make(int(rows[0]))
        trumps = row_trumps(rows)
        step = max(1, _BATCH // (self._layouts * NUM_BIDS))
        parts = []
        for first in range(0, len(rows), step):
            some = slice(first, first + step)
            parts.append(self._play_batch(made, trumps[some], deals[some]))
            advance(len(parts[-1]) * self._layouts)
        return np.concatenate(parts)

    def _play_batch(
        self, made: list[agents.Agent], trumps: NDArray[np.int64], deals: NDArray[np.uint32]
    ) -> NDArray[np.int64]:
        taken = np.zeros((len(trumps), self._layouts, NUM_BIDS), np.int64)
        states = self._tables(taken.size)
        observations = np.zeros((len(states), OBSERVED), np.int8)
        masks = np.zeros((len(states), NUM_ACTIONS), np.int8)
        to_act = np.zeros(len(states), np.int8)
        actions = np.zeros(len(states), np.int64)
        self._workers.run(begin_all, len(states), states, trumps, deals)
        changed = EVERYTHING
        while True:
            self._workers.run(show_all, len(states), states, changed, observations, masks, to_act)
            if (to_act == OVER).all():
                return taken
            for role, agent in enumerate(made):  # DECLARER, DEFENDERS
                asked = np.flatnonzero(to_act == role)
                if len(asked):
                    actions[asked] = agent.act_batch(observations[asked], masks[asked])
            self._workers.run(act_all, len(states), states, masks, actions, taken.reshape(-1))
            changed = THIS_DEAL


def _digest(name: str) -> str | None:
    """A digest of the files of a published agent; None for agents that are known by name."""
    for folder in (name, name.rpartition(":")[0]):
        if folder and Path(folder).is_dir():
            return path_digest(Path(folder))
    return None
