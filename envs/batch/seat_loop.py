"""The loop behind a learning seat: apply its decisions, and play on until its next ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bidwise.envs import game as games
from bidwise.envs.batch.kernels import random_legal, write_mask
from bidwise.envs.batch.policies import BUILT_IN_RANDOM, call_policy
from bidwise.envs.core.compilation import compiled
from bidwise.envs.core.encoding import relative_seat
from bidwise.envs.core.instructions import borrow
from bidwise.envs.core.rng import below, draw, stream
from bidwise.envs.core.vocabulary import EVERYTHING, RUNNING, THIS_DEAL, TRUNCATED
from bidwise.envs.game import is_legal

__all__ = ["BROKEN_POLICY", "LEARNER", "SeatBuffers", "run_seats", "seat_of"]

_NONE = np.uint64(0)
_SEAT_STREAM = np.uint64(0x5345415453454154)
_POLICY_STREAM = np.uint64(0x504F4C4943494553)

LEARNER = 0
BROKEN_POLICY = -1
"""For whom a table waits: the learner, an external policy (its number plus 1), or nobody, since a
kernel policy chose an illegal action."""


@compiled
def _next_seat(state: Any, fixed: int) -> int:
    """The learner's seat in the record's match; drawn at random where `fixed` is -1."""
    if fixed >= 0:
        return fixed
    bits = draw(stream(state.seed, state.table, state.match, _SEAT_STREAM), _NONE)
    return int(below(bits, np.uint64(state.num_players)))


class SeatBuffers(NamedTuple):
    """What B tables with a learning seat each read and write; rows belong to tables."""

    states: Any  # (B,) records
    actions: Any  # (B,) int64: to be applied where `acting`; -1: none, play on
    acting: Any  # (B,) bool
    seats: Any  # (B,) int8: the learner's
    decided: Any  # (B,) bool: the learner has decided something in this episode
    waiting: Any  # (B,) int64: for whom the table waits
    drawn: Any  # (B,) uint64: draws of the table's policies so far
    pending: Any  # (B,) float64: earned since the learner's last decision
    earned: Any  # (B, P) float32: by the deal that ended last
    rewards: Any  # (B,) float64
    observations: Any  # (B, F) int8
    masks: Any  # (B, A) int8
    finished: Any  # (B,) bool
    truncated: Any  # (B,) bool
    final_observations: Any  # (B, F) int8
    final_scores: Any  # (B, T) int32
    final_seats: Any  # (B,) int8


@compiled
def run_seats(
    first: int,
    last: int,
    tables: Any,
    logs: Any,
    addresses: Any,
    fixed_seat: int,
    decide: int,
    mode: int,
    autoreset: bool,
) -> None:
    """Apply the given actions where `acting`, then play on until the learner is to decide.

    Tables that wait for an external policy stop there too, with its decision in their rows.
    An episode in which the learner had no decision at all passes without a word; what the
    learner earns before its first decision in an episode comes with that episode's first
    reward.
    """
    states, actions, acting = borrow(tables.states), borrow(tables.actions), borrow(tables.acting)
    seats, decided, waiting = borrow(tables.seats), borrow(tables.decided), borrow(tables.waiting)
    drawn, pending, earned = borrow(tables.drawn), borrow(tables.pending), borrow(tables.earned)
    rewards, finished = borrow(tables.rewards), borrow(tables.finished)
    observations, masks = borrow(tables.observations), borrow(tables.masks)
    truncated, final_seats = borrow(tables.truncated), borrow(tables.final_seats)
    final_observations = borrow(tables.final_observations)
    final_scores = borrow(tables.final_scores)
    starts, log, lengths = borrow(logs.starts), borrow(logs.actions), borrow(logs.lengths)
    keep = log.shape[1] > 0
    for i in range(first, last):
        if not acting[i]:
            continue
        state = states[i]
        row = observations[i]
        mask = masks[i]
        changed, shown = EVERYTHING, False  # of the row: what may be wrong in it; nothing is
        action = int(actions[i])
        have_action = action >= 0
        if have_action and waiting[i] == LEARNER:
            decided[i] = True
        num_players = int(state.num_players)
        bits_key = stream(state.seed, state.table, _POLICY_STREAM, _NONE)
        while True:
            if have_action:
                have_action = False
                if keep and lengths[i] >= 0:
                    log[i, lengths[i]] = action
                    lengths[i] += 1
                if shown:
                    changed = action
                elif changed != EVERYTHING:
                    changed = THIS_DEAL
                shown = False
                if games.play(state, action):
                    changed = EVERYTHING
                    games.reward(state, mode, earned[i])
                    pending[i] += earned[i, seats[i]]
                    if state.status == RUNNING:
                        games.deal(state)
            if state.status != RUNNING:
                if decided[i]:
                    finished[i] = True
                    truncated[i] = state.status == TRUNCATED
                    rewards[i] = pending[i]
                    games.observe(state, int(seats[i]), final_observations[i], EVERYTHING)
                    final_seats[i] = seats[i]
                    for k in range(final_scores.shape[1]):
                        final_scores[i, k] = state.totals[k]
                pending[i] = 0.0
                if decided[i] and not autoreset:
                    row[:] = final_observations[i]
                    mask[:] = 0
                    waiting[i] = LEARNER
                    break
                decided[i] = False
                state.match += np.uint64(1)
                seats[i] = _next_seat(state, fixed_seat)
                games.start(state)
                changed = EVERYTHING
                if keep:
                    starts[i] = state
                    lengths[i] = 0
                continue
            player = int(state.player)
            relative = relative_seat(player, int(seats[i]), num_players)
            learns = relative == 0 and (decide >> int(state.decision)) & 1
            address = addresses[relative]
            if not learns and address == BUILT_IN_RANDOM:
                action = random_legal(state, draw(bits_key, drawn[i]))
            else:
                games.observe(state, player, row, changed)
                write_mask(state, mask)
                shown = True
                if learns or address < 0:
                    waiting[i] = LEARNER if learns else -address
                    if learns and decided[i]:
                        rewards[i] = pending[i]
                        pending[i] = 0.0
                    break
                action = call_policy(address, row, mask, draw(bits_key, drawn[i]))
                if not is_legal(state, action):
                    actions[i] = action
                    waiting[i] = BROKEN_POLICY
                    break
            drawn[i] += np.uint64(1)
            have_action = True


@compiled
def seat_of(states: Any, fixed: int) -> int:
    """The learner's seat in the match of the one record."""
    return _next_seat(states[0], fixed)
