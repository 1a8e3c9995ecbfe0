"""The tables of duplicate play: the same deals in several cells, two agents at each table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.envs.batch.tables import Tables
from bidwise.envs.game import Game, Policy

__all__ = ["BY_ROLE", "SIDES_SWAPPED", "Cells", "Sheets"]

SIDES_SWAPPED = ((True, False), (False, True))
"""Spades, for each cell: whether A plays the even seats, and whether the odd ones."""

BY_ROLE = ((True, False), (False, False), (False, True))
"""Pyramid, for each cell: whether A declares, and whether A defends."""

_REPLACEMENT_STREAM = 0x696C6C6567616C


@dataclass(frozen=True)
class Sheets:
    """Final score sheets of C cells, U units, R episodes a unit in each cell, T totals.

    Attributes:
        totals: (C, U, R, T) int64.
        deals: (C, U, R) int64, deals of the episode.
        truncated: (C, U, R) bool.
    """

    totals: NDArray[np.int64]
    deals: NDArray[np.int64]
    truncated: NDArray[np.bool_]

    @classmethod
    def joined(cls, parts: Sequence[Sheets]) -> Sheets:
        """The units of all parts, in their order."""
        return cls(
            np.concatenate([part.totals for part in parts], axis=1),
            np.concatenate([part.deals for part in parts], axis=1),
            np.concatenate([part.truncated for part in parts], axis=1),
        )


class Cells:
    """Plays episodes from given records with A and B seated as each cell has it.

    Attributes:
        illegal: how many illegal actions A and B chose. Each was replaced by a uniformly
            random legal one.
        agents: A and B.
        replacements: the stream that these legal ones are drawn from.
    """

    def __init__(
        self,
        game: Game,
        a: Policy,
        b: Policy,
        seed: int,
        names: tuple[str, str] = ("A", "B"),
        threads: int | None = None,
    ) -> None:
        self.game = game
        self.illegal = [0, 0]
        self.agents = (a, b)
        self._names = names
        self._threads = threads
        self.replacements = np.random.default_rng([seed, _REPLACEMENT_STREAM])
        self._seating = np.array(SIDES_SWAPPED if game.pairs else BY_ROLE)

    def play(self, begun: NDArray[np.void], units: int) -> Sheets:
        """Play every episode of `begun` (U * R records that stand at a first decision) to its
        end in each cell.

        All cells' tables are stepped together, so that each agent is asked once a step. Tables
        that are through are dropped as soon as they are half of all.
        """
        cells, rows = len(self._seating), len(begun)
        states = np.concatenate([begun] * cells)
        cell_of = np.repeat(np.arange(cells), rows)
        tables = self._seat(states)
        totals = np.zeros((len(states), tables.scores.shape[1]), np.int64)
        deals = np.zeros(len(states), np.int64)
        truncated = np.zeros(len(states), np.bool_)
        limit = int(begun["episode_deals"][0])
        at = np.arange(len(states))
        playing = np.ones(len(states), np.bool_)
        while True:
            _, finished = tables.step(self._choose(tables, cell_of[at], playing))
            over = np.flatnonzero(finished & playing)
            if not len(over):
                continue
            totals[at[over]] = tables.final_scores[over]
            deals[at[over]] = limit or self._deals_of(tables, over)
            truncated[at[over]] = tables.truncated[over]
            playing[over] = False
            left = int(playing.sum())
            if left == 0:
                break
            if left <= len(at) // 2:
                tables = self._seat(tables.states[playing])
                at, playing = at[playing], np.ones(left, np.bool_)
        shape = (cells, units, rows // units)
        return Sheets(totals.reshape(*shape, -1), deals.reshape(shape), truncated.reshape(shape))

    def _seat(self, states: NDArray[np.void]) -> Tables:
        """Tables with given records on them."""
        tables = Tables(
            self.game.name,
            len(states),
            rules=self.game.read_rules(states[0]),
            num_players=int(states["num_players"][0]),
            reward="points",
            threads=self._threads,
        )
        tables.restore(states)
        return tables

    def _deals_of(self, tables: Tables, rows: NDArray[np.int64]) -> Any:
        """How many deals the matches had that have just ended."""
        seen = self.game.layout.views(tables.final_observations[rows])
        if "deal_number" in seen:
            number = seen["deal_number"].astype(np.int64)
            return 100 * number[:, 0] + number[:, 1] + 1
        return seen["num_players"][:, 0].astype(np.int64) * seen["deals_per_player"][:, 0]

    def _choose(
        self, tables: Tables, cells: NDArray[np.int64], playing: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """(B,) actions: each agent's at the tables where it is to act, any at those through."""
        observations, masks = tables.observations, tables.action_masks
        actions = np.zeros(len(masks), np.int64)
        if not playing.all():
            actions[~playing] = masks[~playing].argmax(axis=1)
        if self.game.pairs:
            role = tables.current_player & 1
        else:
            declarer = self.game.layout.offsets["declarer"]
            role = (observations[:, declarer] != 0).astype(np.int8)
        by_a = self._seating[cells, role]
        for k, mine in enumerate((by_a, ~by_a)):
            rows = np.flatnonzero(mine & playing)
            if len(rows):
                actions[rows] = self._ask(k, observations[rows], masks[rows])
        return actions

    def _ask(
        self, k: int, observations: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        chosen = np.asarray(self.agents[k].act_batch(observations, masks))
        if chosen.shape != (len(masks),) or chosen.dtype.kind not in "iu":
            raise ValueError(
                f"agent {self._names[k]}: act_batch gave {chosen.dtype} of shape "
                f"{chosen.shape} for {len(masks)} decisions"
            )
        actions = chosen.astype(np.int64)
        inside = (actions >= 0) & (actions < masks.shape[1])
        legal = masks[np.arange(len(masks)), np.where(inside, actions, 0)] == 1
        for row in np.flatnonzero(~(inside & legal)):
            self.illegal[k] += 1
            actions[row] = self.replacements.choice(np.flatnonzero(masks[row]))
        return actions
