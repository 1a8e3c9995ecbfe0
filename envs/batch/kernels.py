"""The engine's loops over a batch of tables, for any game.

Every loop works on tables `first`..`last` and writes only their rows, so that threads may
share a batch and the cut between them changes nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bidwise.envs import game
from bidwise.envs.core.cards import nth_bit, store_flags
from bidwise.envs.core.compilation import compiled, inlined
from bidwise.envs.core.instructions import borrow, expect_write, popcount
from bidwise.envs.core.rng import below, draw
from bidwise.envs.core.vocabulary import EVERYTHING, RUNNING, TRUNCATED

__all__ = [
    "Buffers",
    "Logs",
    "illegal_action",
    "observe_one",
    "observe_tables",
    "play_out",
    "random_legal",
    "sample_actions",
    "step_one",
    "step_tables",
    "write_mask",
]

_AHEAD = 2
"""So many tables before its turn a table's rows are asked for: a policy that has read them on
another core holds their cache lines."""

_0, _1, _64 = np.uint64(0), np.uint64(1), np.uint64(64)
_TABLE_STEP = np.uint64(0xD1342543DE82EF95)
"""Keys of the tables' streams lie so far apart; odd, and unlike the step between draws."""


class Buffers(NamedTuple):
    """What a step of B tables reads and writes; rows belong to tables."""

    states: Any  # (B,) records
    legal: Any  # (B, 2) uint64: the legal actions in two words
    observations: Any  # (B, F) int8
    masks: Any  # (B, A) int8
    players: Any  # (B,) int8
    rewards: Any  # (B, P) float32
    finished: Any  # (B,) bool
    truncated: Any  # (B,) bool
    final_observations: Any  # (B, F) int8
    final_scores: Any  # (B, T) int32


class Logs(NamedTuple):
    """Where a step notes what was played; see :class:`bidwise.envs.batch.action_log.ActionLog`."""

    starts: Any  # (B,) records
    actions: Any  # (B, L) int8, L of 0: nothing is kept
    lengths: Any  # (B,) int64


@inlined
def _write_words(low: Any, high: Any, mask: Any) -> None:
    """Write two words of legal actions into an int8 row (A,) of 65..71 actions."""
    store_flags(mask, 0, low, 64)
    last = np.uint64(len(mask) - 8)
    store_flags(mask, len(mask) - 8, (low >> last) | (high << (_64 - last)), 8)


@compiled
def write_mask(state: Any, mask: Any) -> None:
    """Write the legal actions of the player to act into an int8 row (A,)."""
    low, high = game.legal(state)
    _write_words(low, high, mask)


@compiled
def _pick(low: Any, high: Any, bits: Any) -> Any:
    """One of the actions in two words (int64), uniformly, from 64 random bits."""
    in_low = popcount(low)
    n: Any = np.int64(below(bits, np.uint64(in_low + popcount(high))))
    return nth_bit(low, n) if n < in_low else 64 + nth_bit(high, n - in_low)


@compiled
def random_legal(state: Any, bits: Any) -> Any:
    """A uniformly random legal action (int64), from 64 random bits."""
    low, high = game.legal(state)
    return _pick(low, high, bits)


@inlined
def _show(state: Any, changed: int, observation: Any, mask: Any, legal: Any) -> int:
    """Write what the player to act sees, its mask, and its legal actions; who that is."""
    player = int(state.player)
    game.observe(state, player, observation, changed)
    low, high = game.legal(state)
    legal[0] = low
    legal[1] = high
    _write_words(low, high, mask)
    return player


@compiled
def observe_tables(first: int, last: int, buffers: Any) -> None:
    """Show every table as it stands."""
    for i in range(first, last):
        buffers.players[i] = _show(
            buffers.states[i],
            EVERYTHING,
            buffers.observations[i],
            buffers.masks[i],
            buffers.legal[i],
        )


@compiled
def illegal_action(actions: Any, legal: Any) -> int:
    """The first table whose action is not among its legal ones (B, 2); -1 if there is none."""
    for i in range(len(actions)):
        action = actions[i]
        if action < 0 or action >= 128:
            return i
        if (legal[i, action >> 6] >> np.uint64(action & 63)) & _1 == _0:
            return i
    return -1


@compiled
def step_tables(first: int, last: int, buffers: Any, logs: Any, actions: Any, mode: int) -> None:
    """Apply one legal action a table; an episode that ends is followed by the next match."""
    states, legal = borrow(buffers.states), borrow(buffers.legal)
    observations, masks = borrow(buffers.observations), borrow(buffers.masks)
    players, rewards = borrow(buffers.players), borrow(buffers.rewards)
    finished, truncated = borrow(buffers.finished), borrow(buffers.truncated)
    final_observations = borrow(buffers.final_observations)
    final_scores = borrow(buffers.final_scores)
    starts, log, lengths = borrow(logs.starts), borrow(logs.actions), borrow(logs.lengths)
    keep = log.shape[1] > 0
    for i in range(first, last):
        ahead = min(i + _AHEAD, last - 1)
        expect_write(observations[ahead])
        expect_write(masks[ahead])
        expect_write(rewards[ahead])
        state = states[i]
        seat = int(state.player)
        action = int(actions[i])
        if keep and lengths[i] >= 0:
            log[i, lengths[i]] = action
            lengths[i] += 1
        changed = action
        finished[i] = False
        truncated[i] = False
        if game.play(state, action):
            changed = EVERYTHING
            game.reward(state, mode, rewards[i])
            if state.status == RUNNING:
                game.deal(state)
            else:
                finished[i] = True
                truncated[i] = state.status == TRUNCATED
                game.observe(state, seat, final_observations[i], EVERYTHING)
                for k in range(final_scores.shape[1]):
                    final_scores[i, k] = state.totals[k]
                state.match += np.uint64(1)
                game.start(state)
                if keep:
                    starts[i] = state
                    lengths[i] = 0
        else:
            for k in range(rewards.shape[1]):
                rewards[i, k] = 0.0
        players[i] = _show(state, changed, observations[i], masks[i], legal[i])


@compiled
def sample_actions(first: int, last: int, legal: Any, key: Any, number: Any, actions: Any) -> None:
    """A uniformly random legal action a table; draw `number` of the table's own stream."""
    for i in range(first, last):
        bits = draw(key + np.uint64(i) * _TABLE_STEP, number)
        actions[i] = _pick(legal[i, 0], legal[i, 1], bits)


@compiled
def play_out(
    first: int, last: int, states: Any, steps: int, key: Any, number: Any, deals: Any
) -> None:
    """Play each table `steps` random steps on, match after match; `deals` counts those ended."""
    for i in range(first, last):
        state = states[i]
        stream = draw(key + np.uint64(i) * _TABLE_STEP, number)
        ended = 0
        for step in range(steps):
            action = random_legal(state, draw(stream, np.uint64(step)))
            if game.play(state, action):
                ended += 1
                if state.status == RUNNING:
                    game.deal(state)
                else:
                    state.match += np.uint64(1)
                    game.start(state)
        deals[i] = ended


@compiled
def observe_one(states: Any, seat: int, row: Any, mask: Any) -> None:
    """What `seat` sees at the one table, and its mask: all zero unless it is to act."""
    state = states[0]
    game.observe(state, seat, row, EVERYTHING)
    if seat == state.player and state.status == RUNNING:
        write_mask(state, mask)
    else:
        for k in range(len(mask)):
            mask[k] = 0


@compiled
def step_one(states: Any, action: int, mode: int, rewards: Any) -> int:
    """One action at the one table.

    Returns -1 for an illegal action, which changes nothing; else the player to act, plus 4
    if a deal ended and `rewards` (P,) were written.
    """
    state = states[0]
    if not game.is_legal(state, action):
        return -1
    if not game.play(state, action):
        return int(state.player)
    game.reward(state, mode, rewards)
    if state.status == RUNNING:
        game.deal(state)
    return int(state.player) + 4
