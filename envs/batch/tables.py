"""Tables: a batch of tables stepped together, the engine's front."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidwise.envs.batch.action_log import ActionLog
from bidwise.envs.batch.kernels import (
    Buffers,
    illegal_action,
    observe_tables,
    play_out,
    sample_actions,
    step_tables,
)
from bidwise.envs.batch.threads import Workers
from bidwise.envs.core.checks import check_int, check_names
from bidwise.envs.core.rng import fresh_seed
from bidwise.envs.core.vocabulary import REWARDS
from bidwise.envs.game import IllegalActionError
from bidwise.envs.games import get_game
from bidwise.envs.records.matches import write_match
from bidwise.envs.states import new_states, start_tables

__all__ = ["Tables"]

_ACTION_STREAM = 0x616374696F6E73
_PLAY_OUT_STREAM = 0x706C61796F7574


class Tables:
    """AEC for a whole batch: every table's next decision, whoever's it is.

    Tables are dealt on construction. All buffers are owned here and rewritten in place by
    :meth:`step`; they are read-only to the outside. Deal k of match m of table t depends on
    (seed, t, m, k) alone.

    Args:
        game: ``"pyramid"`` or ``"spades"``.
        num_tables: B.
        rules: a preset's name or a rules dataclass; None for the game's default.
        num_players: P, for games that leave a choice.
        seed: 0..2**64-1; None draws one from the operating system.
        deals: an episode is a ``"match"``, or so many deals at most.
        reward: ``"points"``, ``"relative"`` or ``"win"``.
        threads: at most so many; None for every core this process may use.
        keep_records: keep each table's actions, so that :meth:`record` can tell its match.

    Attributes:
        current_player: (B,) int8, the seat to act.
        observations: (B, F) int8, what that seat sees.
        action_masks: (B, A) int8, 1 where it may act.
        final_observations: (B, F) int8, for tables whose episode ended in the last step: what
            the seat that acted last saw at its end.
        final_scores: (B, T) int32, their final totals.
        truncated: (B,) bool, whether that episode was cut off by `max_deals`.
    """

    def __init__(
        self,
        game: str,
        num_tables: int,
        *,
        rules: Any = None,
        num_players: int | None = None,
        seed: int | None = 0,
        deals: str | int = "match",
        reward: str = "relative",
        threads: int | None = None,
        keep_records: bool = False,
    ) -> None:
        self.game = get_game(game)
        check_names([reward], list(REWARDS), "reward")
        self._mode = REWARDS[reward]
        self.seed = fresh_seed() if seed is None else seed
        self._states = new_states(self.game, num_tables, rules, num_players, self.seed, deals)
        self.seed = int(self.seed)
        self.rules = self.game.read_rules(self._states[0])
        self.num_tables = num_tables
        self.num_players = int(self._states["num_players"][0])
        self.num_actions = self.game.num_actions
        self._workers = Workers(threads)
        size, totals = self.game.layout.size, self._states["totals"].shape[1]
        if not self.game.pairs:
            totals = self.num_players
        self._buffers = Buffers(
            states=self._states,
            legal=np.zeros((num_tables, 2), np.uint64),
            observations=np.zeros((num_tables, size), np.int8),
            masks=np.zeros((num_tables, self.num_actions), np.int8),
            players=np.zeros(num_tables, np.int8),
            rewards=np.zeros((num_tables, self.num_players), np.float32),
            finished=np.zeros(num_tables, np.bool_),
            truncated=np.zeros(num_tables, np.bool_),
            final_observations=np.zeros((num_tables, size), np.int8),
            final_scores=np.zeros((num_tables, totals), np.int32),
        )
        self._actions = np.zeros(num_tables, np.int64)
        self._log = ActionLog(self._states, keep_records)
        self._sampled = 0
        start_tables(0, num_tables, self._states)
        observe_tables(0, num_tables, self._buffers)
        self._log.restart(self._states)

    @property
    def current_player(self) -> NDArray[np.int8]:
        return _read_only(self._buffers.players)

    @property
    def observations(self) -> NDArray[np.int8]:
        return _read_only(self._buffers.observations)

    @property
    def action_masks(self) -> NDArray[np.int8]:
        return _read_only(self._buffers.masks)

    @property
    def final_observations(self) -> NDArray[np.int8]:
        return _read_only(self._buffers.final_observations)

    @property
    def final_scores(self) -> NDArray[np.int32]:
        return _read_only(self._buffers.final_scores)

    @property
    def truncated(self) -> NDArray[np.bool_]:
        return _read_only(self._buffers.truncated)

    @property
    def scores(self) -> NDArray[np.int32]:
        """(B, T) int32: the totals of the matches now on the tables (a pair's in Spades)."""
        totals: NDArray[np.int32] = self._states["totals"][:, : self._buffers.final_scores.shape[1]]
        return totals.copy()

    @property
    def states(self) -> NDArray[np.void]:
        """(B,) records, a copy; :meth:`restore` takes them back."""
        return np.array(self._states, copy=True)

    def restore(self, states: NDArray[np.void]) -> None:
        """Put saved records on the tables."""
        if states.shape != self._states.shape or states.dtype != self.game.dtype:
            raise ValueError(
                f"states: expected {self._states.shape} records of {self.game.name}, "
                f"got {states.shape} of {states.dtype}"
            )
        self._states[:] = states
        self.rules = self.game.read_rules(self._states[0])
        self._log.restart(self._states, beginning=False)
        observe_tables(0, self.num_tables, self._buffers)

    def step(self, actions: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Apply one action a table.

        Args:
            actions: (B,) whole numbers, legal for each table's current player.

        Returns:
            rewards (B, P) float32 that each seat earned in this step, and finished (B,) bool:
            the episode is over and the table has been dealt anew. Both are buffers that the
            next step rewrites.

        Raises:
            IllegalActionError: an action that its table's rules forbid; nothing was played.
        """
        given = np.asarray(actions)
        if given.shape != (self.num_tables,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions: expected whole numbers of shape ({self.num_tables},), "
                f"got {given.dtype} of shape {given.shape}"
            )
        self._workers.wake(self.num_tables)
        self._actions[:] = given
        bad = illegal_action(self._actions, self._buffers.legal)
        if bad >= 0:
            self._refuse(bad)
        self._log.make_room(1)
        self._workers.run(
            step_tables,
            self.num_tables,
            self._buffers,
            self._log.logs,
            self._actions,
            self._mode,
        )
        return _read_only(self._buffers.rewards), _read_only(self._buffers.finished)

    def _refuse(self, table: int) -> None:
        state, action = self._states[table], int(self._actions[table])
        raise IllegalActionError(
            f"table {table}, player_{state['player']}: {self.game.why_illegal(state, action)}"
        )

    def sample_actions(self) -> NDArray[np.int64]:
        """(B,) int64: a uniformly random legal action a table, from a stream of their own."""
        actions = np.empty(self.num_tables, np.int64)
        self._workers.run(
            sample_actions,
            self.num_tables,
            self._buffers.legal,
            np.uint64(self.seed ^ _ACTION_STREAM),
            np.uint64(self._sampled),
            actions,
        )
        self._sampled += 1
        return actions

    def play_out(self, steps: int) -> NDArray[np.int64]:
        """Play every table `steps` uniformly random legal actions on, match after match.

        Nothing is observed or rewarded meanwhile, which makes it the fastest way on.

        Returns:
            (B,) int64: deals that ended at each table.
        """
        check_int("steps", steps, 0, 2**40)
        deals = np.zeros(self.num_tables, np.int64)
        self._workers.run(
            play_out,
            self.num_tables,
            self._states,
            int(steps),
            np.uint64(self.seed ^ _PLAY_OUT_STREAM),
            np.uint64(self._sampled),
            deals,
        )
        self._sampled += 1
        self._log.restart(self._states, beginning=False)
        observe_tables(0, self.num_tables, self._buffers)
        return deals

    def record(self, table: int = 0) -> str:
        """The match now on a table as text; see :mod:`bidwise.envs.records.reading`."""
        return write_match(self.game, *self._log.read(table))

    def views(self) -> dict[str, NDArray[np.int8]]:
        """The observations' fields by name, each (B, ...)."""
        return self.game.layout.views(self.observations)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
