"""A batch of tables seen from one learning seat each; policies play everything else.

The seat env, the vector env and the stable-baselines3 VecEnv are thin fronts over
:class:`SeatTables`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidwise.envs import game as games
from bidwise.envs.aec import ILLEGAL, apply_reset
from bidwise.envs.game import (
    OVER,
    REWARDS,
    RUNNING,
    TERMINATED,
    TRUNCATED,
    IllegalActionError,
    Policy,
    check_names,
    get_game,
    is_legal,
)
from bidwise.envs.jit import compiled
from bidwise.envs.kernels import random_legal, write_mask
from bidwise.envs.log import ActionLog
from bidwise.envs.policies import BUILT_IN_RANDOM, call_policy
from bidwise.envs.rng import below, draw, fresh_seed, stream
from bidwise.envs.ruleset import check_int
from bidwise.envs.tables import new_states
from bidwise.envs.workers import Workers

__all__ = ["SeatTables"]

_PENALTY = -1.0
_NONE = np.uint64(0)
_SEAT_STREAM = np.uint64(0x5345415453454154)
_POLICY_STREAM = np.uint64(0x504F4C4943494553)

# What a table waits for: the learner, an external policy (its number plus 1), or nothing
# more, because a kernel policy chose an illegal action.
_LEARNER = 0
_BROKEN_POLICY = -1

_MOST_BETWEEN_DECISIONS = 8 * 128
"""More actions than two rounds of deals hold: the most that lie between two decisions."""


@compiled
def _next_seat(state: Any, fixed: int) -> int:
    """The learner's seat in the record's match; drawn at random where `fixed` is -1."""
    if fixed >= 0:
        return fixed
    bits = draw(stream(state.seed, state.table, state.match, _SEAT_STREAM), _NONE)
    return int(below(bits, np.uint64(state.num_players)))


@compiled
def _run_seats(
    states: Any,
    first: int,
    last: int,
    actions: Any,
    acting: Any,
    fixed_seat: int,
    autoreset: bool,
    decide: int,
    addresses: Any,
    mode: int,
    seats: Any,
    decided: Any,
    waiting: Any,
    drawn: Any,
    pending: Any,
    earned: Any,
    rewards: Any,
    observations: Any,
    masks: Any,
    finished: Any,
    truncated: Any,
    final_observations: Any,
    final_scores: Any,
    final_seats: Any,
    starts: Any,
    log: Any,
    log_length: Any,
) -> None:
    """Apply the given actions where `acting`, then play on until the learner is to decide.

    Tables that wait for an external policy stop there too, with its decision in their rows.
    An episode in which the learner had no decision at all passes without a word; what the
    learner earns before its first decision in an episode comes with that episode's first
    reward.
    """
    for i in range(first, last):
        if not acting[i]:
            continue
        state = states[i]
        whole = True
        action = int(actions[i])
        have_action = action >= 0
        if have_action and waiting[i] == _LEARNER:
            decided[i] = True
        num_players = int(state.num_players)
        bits_key = stream(state.seed, state.table, _POLICY_STREAM, _NONE)
        while True:
            if have_action:
                have_action = False
                if log.shape[1] > 0 and log_length[i] >= 0:
                    log[i, log_length[i]] = action
                    log_length[i] += 1
                if games.play(state, action):
                    whole = True
                    games.reward(state, mode, earned[i])
                    pending[i] += earned[i, seats[i]]
                    if state.status == RUNNING:
                        games.deal(state)
            if state.status != RUNNING:
                if decided[i]:
                    finished[i] = True
                    truncated[i] = state.status == TRUNCATED
                    rewards[i] = pending[i]
                    games.observe(state, int(seats[i]), final_observations[i], True)
                    final_seats[i] = seats[i]
                    for k in range(final_scores.shape[1]):
                        final_scores[i, k] = state.totals[k]
                pending[i] = 0.0
                if decided[i] and not autoreset:
                    games.observe(state, int(seats[i]), observations[i], True)
                    masks[i, :] = 0
                    waiting[i] = _LEARNER
                    break
                decided[i] = False
                state.match += np.uint64(1)
                seats[i] = _next_seat(state, fixed_seat)
                games.start(state)
                whole = True
                if log.shape[1] > 0:
                    starts[i] = state
                    log_length[i] = 0
                continue
            player = int(state.player)
            relative = player - int(seats[i])
            if relative < 0:
                relative += num_players
            learns = relative == 0 and (decide >> int(state.decision)) & 1
            address = addresses[relative]
            if learns or address < 0:
                games.observe(state, player, observations[i], whole)
                write_mask(state, masks[i])
                waiting[i] = _LEARNER if learns else -address
                if learns and not finished[i]:
                    rewards[i] = pending[i]
                    pending[i] = 0.0
                break
            bits = draw(bits_key, drawn[i])
            drawn[i] += np.uint64(1)
            if address == BUILT_IN_RANDOM:
                action = random_legal(state, bits)
            else:
                games.observe(state, player, observations[i], whole)
                write_mask(state, masks[i])
                whole = False
                action = call_policy(address, observations[i], masks[i], bits)
                if not is_legal(state, action):
                    actions[i] = action
                    waiting[i] = _BROKEN_POLICY
                    break
            have_action = True


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
            :class:`~bidwise.envs.tables.Tables`.
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
        self._external: list[Policy] = []
        self._addresses = self._address_all(opponents, partner, own)
        self._workers = Workers(threads)
        size = self.game.layout.size
        totals = 2 if self.game.pairs else self.num_players
        self.observations = np.zeros((num_tables, size), np.int8)
        self.action_masks = np.zeros((num_tables, self.num_actions), np.int8)
        self.seats = np.zeros(num_tables, np.int8)
        self.truncated = np.zeros(num_tables, np.bool_)
        self.final_observations = np.zeros((num_tables, size), np.int8)
        self.final_scores = np.zeros((num_tables, totals), np.int32)
        self.final_seats = np.zeros(num_tables, np.int8)
        self._actions = np.full(num_tables, -1, np.int64)
        self._acting = np.zeros(num_tables, np.bool_)
        self._decided = np.zeros(num_tables, np.bool_)
        self._waiting = np.zeros(num_tables, np.int64)
        self._drawn = np.zeros(num_tables, np.uint64)
        self._pending = np.zeros(num_tables, np.float64)
        self._earned = np.zeros((num_tables, self.num_players), np.float32)
        self._rewards = np.zeros(num_tables, np.float64)
        self._finished = np.zeros(num_tables, np.bool_)
        self._log = ActionLog(self._states, keep_records)
        self._begin()

    def _address_all(
        self, opponents: Any, partner: Policy | None, own: Policy | None
    ) -> NDArray[np.int64]:
        """Addresses by relative seat; external policies get negative numbers."""
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
        return np.array(
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
        or, without a seed, the next match.

        Options are the AEC env's. Where the learner has no decision in a whole episode, that
        episode passes, and the next match is begun.
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
            self._drawn[:] = 0
        else:
            states["match"] += np.uint64(1)
        self._begin(apply_reset(self.game, states, options))

    def _begin(self, states: NDArray[np.void] | None = None) -> None:
        self._states[:] = apply_reset(self.game, self._states, None) if states is None else states
        for i in range(self.num_tables):
            self.seats[i] = _seat_of(self._states[i : i + 1], self._fixed_seat)
        self._log.restart(self._states)
        self._pending[:] = 0.0
        self._decided[:] = False
        self._waiting[:] = _LEARNER
        self._actions[:] = -1
        self._acting[:] = True
        self._run()

    def _run(self) -> None:
        """Play on wherever `_acting`, asking external policies until every table is ready."""
        self._ready = False
        self._finished[:] = False
        self.truncated[:] = False
        while True:
            self._log.make_room(_MOST_BETWEEN_DECISIONS)
            self._workers.run(self._run_part, self.num_tables)
            self._acting = self._waiting != _LEARNER
            if not self._acting.any():
                self._ready = True
                return
            broken = np.flatnonzero(self._waiting == _BROKEN_POLICY)
            if len(broken):
                table = int(broken[0])
                self._refuse(table, int(self._actions[table]), "a kernel policy")
            for number, policy in enumerate(self._external, start=1):
                rows = np.flatnonzero(self._waiting == number)
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
        self._actions[rows] = actions

    def _run_part(self, first: int, last: int) -> None:
        log = self._log
        _run_seats(
            self._states,
            first,
            last,
            self._actions,
            self._acting,
            self._fixed_seat,
            self.autoreset,
            self._decide,
            self._addresses,
            self._mode,
            self.seats,
            self._decided,
            self._waiting,
            self._drawn,
            self._pending,
            self._earned,
            self._rewards,
            self.observations,
            self.action_masks,
            self._finished,
            self.truncated,
            self.final_observations,
            self.final_scores,
            self.final_seats,
            log.starts,
            log.actions,
            log.lengths,
        )

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
        if not self._ready:
            raise RuntimeError("a policy failed in the step before this one: call reset()")
        given = np.asarray(actions)
        if given.shape != (self.num_tables,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions: expected whole numbers of shape ({self.num_tables},), "
                f"got {given.dtype} of shape {given.shape}"
            )
        bad = _illegal(given, self.action_masks)
        if len(bad) and self.illegal == "raise":
            self._refuse(int(bad[0]), int(given[bad[0]]), "the learner")
        self._actions[:] = given
        self._acting[:] = True
        if len(bad):
            self._actions[bad] = -1
            self._acting[bad] = self.illegal == "terminate"
            self._rewards[bad] = _PENALTY
            if self.illegal == "terminate":
                self._pending[bad] = _PENALTY
                self._decided[bad] = True
                self._states["status"][bad] = TERMINATED
                self._states["decision"][bad] = OVER
        self._run()
        return self._rewards, self._finished

    @property
    def states(self) -> NDArray[np.void]:
        """(B,) records, a copy."""
        return np.array(self._states, copy=True)

    def record(self, table: int = 0) -> str:
        """The match now on a table as text; see :mod:`bidwise.envs.records`."""
        from bidwise.envs.records import write_match

        return write_match(self.game, *self._log.read(table))


@compiled
def _seat_of(states: Any, fixed: int) -> int:
    return _next_seat(states[0], fixed)


def _illegal(actions: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """Rows whose action the mask does not allow; numbers out of range are looked at first."""
    inside = (actions >= 0) & (actions < masks.shape[1])
    allowed = masks[np.arange(len(actions)), np.where(inside, actions, 0)] == 1
    return np.flatnonzero(~(inside & allowed))
