"""A batch of tables seen from one learning seat each; policies play everything else.

The seat env, the vector env and the stable-baselines3 VecEnv are thin fronts over
:class:`SeatTables`. It is over 300 lines long because one class says what all three of them do, its
arguments and buffers included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidwise.envs.batch.action_log import ActionLog
from bidwise.envs.batch.policies import BUILT_IN_RANDOM
from bidwise.envs.batch.seat_loop import BROKEN_POLICY, LEARNER, SeatBuffers, run_seats, seat_of
from bidwise.envs.batch.threads import Workers
from bidwise.envs.core.checks import check_int, check_names
from bidwise.envs.core.rng import fresh_seed
from bidwise.envs.core.vocabulary import ILLEGAL, OVER, REWARDS, TERMINATED
from bidwise.envs.game import IllegalActionError, Policy
from bidwise.envs.games import get_game
from bidwise.envs.records.matches import write_match
from bidwise.envs.states import apply_reset, new_states

__all__ = ["SeatTables"]

_PENALTY = -1.0
_MOST_BETWEEN_DECISIONS = 8 * 128
"""More actions than two rounds of deals hold: the most that lie between two decisions."""


class SeatTables:
    """B tables, each with one learning seat.

    Args:
        game: ``"pyramid"`` or ``"spades"``.
        num_tables: B.
        seat: the learner's seat, or ``"random"``: drawn for each match.
        decide: what the learner decides: ``"all"``, ``"bids"`` or ``"cards"``.
        opponents: a policy for all others, or one for each seat, from the learner's left on
            (in Spades without the partner); None plays uniformly random legal actions.
        partner: the policy of the learner's partner (Spades).
        own: the policy for what `decide` leaves of the learner's own seat.
        rules, num_players, deals, reward, seed, threads, keep_records: as in
            :class:`~bidwise.envs.batch.tables.Tables`.
        illegal: as in the AEC env.
        autoreset: whether the step that ends an episode begins the next one; else a finished
            table shows its end until :meth:`reset`.

    Attributes:
        observations: (B, F) int8 and
        action_masks: (B, A) int8: the learner's next decision at each table. Rewritten in place.
        seats: (B,) int8: the learner's seat.
        final_observations, final_scores, final_seats, truncated: of episodes that ended in the
            last step, from the learner's seat.
    """

    def __init__(
        self,
        game: str,
        num_tables: int,
        *,
        seat: int | str = 0,
        decide: str = "all",
        opponents: Policy | Sequence[Policy | None] | None = None,
        partner: Policy | None = None,
        own: Policy | None = None,
        rules: Any = None,
        num_players: int | None = None,
        seed: int | None = 0,
        deals: str | int = "match",
        reward: str = "relative",
        illegal: str = "raise",
        threads: int | None = None,
        keep_records: bool = False,
        autoreset: bool = True,
    ) -> None:
        self.game = get_game(game)
        check_names([reward], list(REWARDS), "reward")
        check_names([illegal], ILLEGAL, "illegal")
        self._mode = REWARDS[reward]
        self.illegal = illegal
        self.autoreset = autoreset
        self.decide = decide
        self._decide = self.game.decide_bits(decide)
        seed = fresh_seed() if seed is None else seed
        self._states = new_states(self.game, num_tables, rules, num_players, seed, deals)
        self.rules = self.game.read_rules(self._states[0])
        self.num_tables = num_tables
        self.num_players = int(self._states["num_players"][0])
        self.num_actions = self.game.num_actions
        if seat != "random":
            check_int("seat", seat, 0, self.num_players - 1)
        self._fixed_seat = -1 if seat == "random" else int(seat)
        self._policies = (opponents, partner, own)  # kept alive: the loops know addresses only
        self._find_policies()
        self._workers = Workers(threads)
        size = self.game.layout.size
        totals = 2 if self.game.pairs else self.num_players
        self._buffers = SeatBuffers(
            states=self._states,
            actions=np.full(num_tables, -1, np.int64),
            acting=np.zeros(num_tables, np.bool_),
            seats=np.zeros(num_tables, np.int8),
            decided=np.zeros(num_tables, np.bool_),
            waiting=np.zeros(num_tables, np.int64),
            drawn=np.zeros(num_tables, np.uint64),
            pending=np.zeros(num_tables, np.float64),
            earned=np.zeros((num_tables, self.num_players), np.float32),
            rewards=np.zeros(num_tables, np.float64),
            observations=np.zeros((num_tables, size), np.int8),
            masks=np.zeros((num_tables, self.num_actions), np.int8),
            finished=np.zeros(num_tables, np.bool_),
            truncated=np.zeros(num_tables, np.bool_),
            final_observations=np.zeros((num_tables, size), np.int8),
            final_scores=np.zeros((num_tables, totals), np.int32),
            final_seats=np.zeros(num_tables, np.int8),
        )
        self.observations: NDArray[np.int8] = self._buffers.observations
        self.action_masks: NDArray[np.int8] = self._buffers.masks
        self.seats: NDArray[np.int8] = self._buffers.seats
        self.truncated: NDArray[np.bool_] = self._buffers.truncated
        self.final_observations: NDArray[np.int8] = self._buffers.final_observations
        self.final_scores: NDArray[np.int32] = self._buffers.final_scores
        self.final_seats: NDArray[np.int8] = self._buffers.final_seats
        self._log = ActionLog(self._states, keep_records)
        self._begun = False
        self._ready = False

    def __getstate__(self) -> dict[str, Any]:
        """Addresses mean nothing in another process."""
        return {name: value for name, value in vars(self).items() if name != "_addresses"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._find_policies()

    def _find_policies(self) -> None:
        """Addresses by relative seat; external policies get negative numbers."""
        opponents, partner, own = self._policies
        self._external: list[Policy] = []
        others = list(range(1, self.num_players))
        if partner is not None and not self.game.pairs:
            raise ValueError(f"partner: {self.game.name} has no partners")
        if self.game.pairs:
            others.remove(2)
        given = (
            list(opponents) if isinstance(opponents, list | tuple) else [opponents] * len(others)
        )
        if len(given) != len(others):
            raise ValueError(f"opponents: {len(given)} policies for {len(others)} opponents")
        policies: dict[int, Any] = dict(zip(others, given, strict=True))
        policies[0] = own
        if self.game.pairs:
            policies[2] = partner
        names = {0: "own", **dict.fromkeys(others, "opponents")}
        self._addresses = np.array(
            [self._address(policies[k], names.get(k, "partner")) for k in range(self.num_players)],
            np.int64,
        )

    def _address(self, policy: Any, name: str) -> int:
        if policy is None:
            return BUILT_IN_RANDOM
        kernel = getattr(policy, "kernel", None)
        if kernel is not None:
            address: int = kernel.address
            return address
        if not callable(getattr(policy, "act_batch", None)):
            raise ValueError(f"{name}: {policy!r} has no act_batch(observations, action_masks)")
        for number, known in enumerate(self._external):
            if known is policy:
                return -(number + 1)
        self._external.append(policy)
        return -len(self._external)

    def reset(
        self,
        seed: int | Sequence[int] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Begin an episode at every table: match 0 of `seed` (one for all, or one a table),
        or, without a seed, the next match (the first time: match 0 of the constructor's seed).

        Options are the AEC env's. Where the learner has no decision in a whole episode, that
        episode passes, and the next match is begun; one that options ask for is refused.
        """
        states = self._states.copy()
        if seed is not None:
            seeds = [seed] if isinstance(seed, int | np.integer) else list(seed)
            if len(seeds) not in (1, self.num_tables):
                raise ValueError(f"seed: {len(seeds)} seeds for {self.num_tables} tables")
            for one in seeds:
                check_int("seed", one, 0, 2**64 - 1)
            states["seed"] = np.array(seeds, np.uint64)
            states["match"] = np.uint64(0)
            self._buffers.drawn[:] = 0
        elif self._begun:
            states["match"] += np.uint64(1)
        self._states[:] = apply_reset(self.game, states, options)
        self._begun = True
        for i in range(self.num_tables):
            self.seats[i] = seat_of(self._states[i : i + 1], self._fixed_seat)
        self._log.restart(self._states)
        self._buffers.pending[:] = 0.0
        self._buffers.decided[:] = False
        self._buffers.waiting[:] = LEARNER
        self._buffers.actions[:] = -1
        self._buffers.acting[:] = True
        self._run()
        if options and not np.array_equal(self._states["match"], states["match"]):
            self._ready = False
            raise ValueError("options: the learner has no decision in such an episode")

    def _run(self) -> None:
        """Play on wherever `_acting`, asking external policies until every table is ready."""
        buffers = self._buffers
        self._ready = False
        buffers.finished[:] = False
        buffers.truncated[:] = False
        while True:
            self._log.make_room(_MOST_BETWEEN_DECISIONS)
            self._workers.run(
                run_seats,
                self.num_tables,
                buffers,
                self._log.logs,
                self._addresses,
                self._fixed_seat,
                self._decide,
                self._mode,
                self.autoreset,
            )
            buffers.acting[:] = buffers.waiting != LEARNER
            if not buffers.acting.any():
                self._ready = True
                return
            broken = np.flatnonzero(self._buffers.waiting == BROKEN_POLICY)
            if len(broken):
                table = int(broken[0])
                self._refuse(table, int(self._buffers.actions[table]), "a kernel policy")
            for number, policy in enumerate(self._external, start=1):
                rows = np.flatnonzero(self._buffers.waiting == number)
                if len(rows):
                    self._ask(policy, rows)

    def _ask(self, policy: Policy, rows: NDArray[np.int64]) -> None:
        masks = self.action_masks[rows]
        actions = np.asarray(policy.act_batch(self.observations[rows], masks))
        if actions.shape != rows.shape or actions.dtype.kind not in "iu":
            raise ValueError(
                f"{policy!r}: act_batch gave {actions.dtype} of shape {actions.shape} "
                f"for {len(rows)} decisions"
            )
        bad = _illegal(actions, masks)
        if len(bad):
            self._refuse(int(rows[bad[0]]), int(actions[bad[0]]), repr(policy))
        self._buffers.actions[rows] = actions

    def _refuse(self, table: int, action: int, who: str) -> None:
        state = self._states[table]
        raise IllegalActionError(
            f"table {table}, player_{state['player']} ({who}): "
            f"{self.game.why_illegal(state, action)}"
        )

    def step(self, actions: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """One decision of the learner at each table.

        Args:
            actions: (B,) whole numbers.

        Returns:
            rewards (B,) float64 that the learner earned since its last decision, and finished
            (B,) bool: its episode is over and the rows show the next one's first decision
            (`truncated` tells how it ended). Both are rewritten by the next step.

        Raises:
            IllegalActionError: with ``illegal="raise"``; nothing was played.
        """
        self.require_reset()
        given = np.asarray(actions)
        if given.shape != (self.num_tables,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions: expected whole numbers of shape ({self.num_tables},), "
                f"got {given.dtype} of shape {given.shape}"
            )
        bad = _illegal(given, self.action_masks)
        if len(bad) and self.illegal == "raise":
            self._refuse(int(bad[0]), int(given[bad[0]]), "the learner")
        self._buffers.actions[:] = given
        self._buffers.acting[:] = True
        if len(bad):
            self._buffers.actions[bad] = -1
            self._buffers.acting[bad] = self.illegal == "terminate"
            self._buffers.rewards[bad] = _PENALTY
            if self.illegal == "terminate":
                self._buffers.pending[bad] = _PENALTY
                self._buffers.decided[bad] = True
                self._states["status"][bad] = TERMINATED
                self._states["decision"][bad] = OVER
        self._run()
        return self._buffers.rewards, self._buffers.finished

    def require_reset(self) -> None:
        """Refuse what cannot be before a reset, or after one that failed."""
        if not self._ready:
            raise RuntimeError(
                "the reset or step before has failed: call reset()"
                if self._begun
                else "nothing is dealt yet: call reset()"
            )

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """All that the tables' future depends on, as arrays of their own.

        To it belong the streams of external policies that tell their positions, as every
        :class:`bidwise.agents.Agent` does (`drawn` and `draw_on`). Records of what was played
        do not.
        """
        self.require_reset()
        taken: dict[str, NDArray[Any]] = {
            name: array.copy()
            for name, array in self._buffers._asdict().items()
            if name != "states"
        }
        taken["states"] = self._states.view(np.uint8).reshape(self.num_tables, -1).copy()
        for name, policy in self._streams().items():
            taken[name] = np.array(policy.drawn, np.int64)
        return taken

    def _streams(self) -> dict[str, Any]:
        """The external policies that tell how far their streams have gone."""
        return {
            f"policy.{number}": policy
            for number, policy in enumerate(self._external)
            if hasattr(policy, "draw_on")
        }

    def restore(self, snapshot: Mapping[str, NDArray[Any]]) -> None:
        """Go on where other tables, made by the same arguments, stood at their snapshot.

        The match now on a table has no :meth:`record`, as its beginning is not known.

        Raises:
            ValueError: a snapshot of other tables; nothing was changed.
        """
        streams = self._streams()
        kinds = {
            name: (array.shape, array.dtype) for name, array in self._buffers._asdict().items()
        }
        kinds["states"] = ((self.num_tables, self._states.itemsize), np.dtype(np.uint8))
        for name, policy in streams.items():
            kinds[name] = ((len(policy.drawn),), np.dtype(np.int64))
        if snapshot.keys() != kinds.keys():
            odd = ", ".join(sorted(snapshot.keys() ^ kinds.keys()))
            raise ValueError(f"snapshot: {odd} missing or unknown")
        for name, (shape, kind) in kinds.items():
            array = snapshot[name]
            if array.shape != shape or array.dtype != kind:
                raise ValueError(
                    f"snapshot: {name} is {array.dtype} of shape {array.shape}, "
                    f"expected {kind} of shape {shape}"
                )
        states = np.ascontiguousarray(snapshot["states"]).view(self._states.dtype).ravel()
        if (states["num_players"] != self.num_players).any() or any(
            self.game.read_rules(state) != self.rules for state in states
        ):
            raise ValueError("snapshot: its tables have other rules or another number of players")
        self._states[:] = states
        for name, array in self._buffers._asdict().items():
            if name != "states":
                array[:] = snapshot[name]
        for name, policy in streams.items():
            policy.draw_on([int(n) for n in snapshot[name]])
        self._log.restart(self._states, beginning=False)
        self._begun = self._ready = True

    @property
    def states(self) -> NDArray[np.void]:
        """(B,) records, a copy."""
        return np.array(self._states, copy=True)

    def record(self, table: int = 0) -> str:
        """The match now on a table as text; see :mod:`bidwise.envs.records.reading`."""
        self.require_reset()
        return write_match(self.game, *self._log.read(table))


def _illegal(actions: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """Rows whose action the mask does not allow; numbers out of range are looked at first."""
    inside = (actions >= 0) & (actions < masks.shape[1])
    allowed = masks[np.arange(len(actions)), np.where(inside, actions, 0)] == 1
    return np.flatnonzero(~(inside & allowed))
