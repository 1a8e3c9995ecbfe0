"""The engine's loops over a batch of tables, for any game.

Every loop works on tables `first`..`last` and writes only their rows, so that threads may
share a batch and the cut between them changes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.envs import game
from bidwise.envs.cards import nth_bit, store_flags
from bidwise.envs.game import RUNNING, TRUNCATED
from bidwise.envs.jit import compiled, popcount
from bidwise.envs.rng import below, draw

__all__ = [
    "begin_one",
    "illegal_action",
    "observe_one",
    "observe_tables",
    "play_out",
    "random_legal",
    "sample_actions",
    "start_one",
    "start_tables",
    "step_one",
    "step_tables",
    "write_mask",
]

_64 = np.uint64(64)
_TABLE_STEP = np.uint64(0xD1342543DE82EF95)
"""Keys of the tables' streams lie so far apart; odd, and unlike the step between draws."""


@compiled
def write_mask(state: Any, mask: Any) -> None:
    """Write the legal actions into an int8 row (A,) of 65..71 actions."""
    low, high = game.legal(state)
    store_flags(mask, 0, low, 64)
    last = np.uint64(len(mask) - 8)
    store_flags(mask, len(mask) - 8, (low >> last) | (high << (_64 - last)), 8)


@compiled
def random_legal(state: Any, bits: Any) -> int:
    """A uniformly random legal action, from 64 random bits."""
    low, high = game.legal(state)
    in_low = popcount(low)
    n = int(below(bits, np.uint64(in_low + popcount(high))))
    return nth_bit(low, n) if n < in_low else 64 + nth_bit(high, n - in_low)


@compiled
def start_tables(states: Any, first: int, last: int) -> None:
    """Begin each table's match."""
    for i in range(first, last):
        game.start(states[i])


@compiled
def observe_tables(
    states: Any, first: int, last: int, observations: Any, masks: Any, players: Any
) -> None:
    """Write what the player to act sees at each table, its mask, and who it is."""
    for i in range(first, last):
        state = states[i]
        players[i] = state.player
        game.observe(state, int(state.player), observations[i], True)
        write_mask(state, masks[i])


@compiled
def illegal_action(actions: Any, masks: Any) -> int:
    """The first table whose action its mask does not allow; -1 if there is none."""
    num_actions = masks.shape[1]
    for i in range(len(actions)):
        action = actions[i]
        if action < 0 or action >= num_actions or masks[i, action] == 0:
            return i
    return -1


@compiled
def step_tables(
    states: Any,
    first: int,
    last: int,
    actions: Any,
    mode: int,
    observations: Any,
    masks: Any,
    players: Any,
    rewards: Any,
    finished: Any,
    truncated: Any,
    final_observations: Any,
    final_scores: Any,
    starts: Any,
    log: Any,
    log_length: Any,
) -> None:
    """Apply one legal action a table; an episode that ends is followed by the next match.

    With a `log` (B, L) of L > 0, the actions of each table's current match are kept there,
    and in `starts` the record with which it began.
    """
    for i in range(first, last):
        state = states[i]
        seat = int(state.player)
        action = int(actions[i])
        if log.shape[1] > 0 and log_length[i] >= 0:
            log[i, log_length[i]] = action
            log_length[i] += 1
        whole = game.play(state, action)
        finished[i] = False
        truncated[i] = False
        if whole:
            game.reward(state, mode, rewards[i])
            if state.status == RUNNING:
                game.deal(state)
            else:
                finished[i] = True
                truncated[i] = state.status == TRUNCATED
                game.observe(state, seat, final_observations[i], True)
                for k in range(final_scores.shape[1]):
                    final_scores[i, k] = state.totals[k]
                state.match += np.uint64(1)
                game.start(state)
                if log.shape[1] > 0:
                    starts[i] = state
                    log_length[i] = 0
        else:
            for k in range(rewards.shape[1]):
                rewards[i, k] = 0.0
        player = int(state.player)
        players[i] = player
        game.observe(state, player, observations[i], whole)
        write_mask(state, masks[i])


@compiled
def sample_actions(states: Any, first: int, last: int, key: Any, number: Any, actions: Any) -> None:
    """A uniformly random legal action a table; draw `number` of the table's own stream."""
    for i in range(first, last):
        state = states[i]
        actions[i] = random_legal(state, draw(key + state.table * _TABLE_STEP, number))


@compiled
def play_out(states: Any, first: int, last: int, steps: int, key: Any, counts: Any) -> None:
    """Play each table `steps` random steps on, match after match; `counts` adds up deals."""
    for i in range(first, last):
        state = states[i]
        stream = key + state.table * _TABLE_STEP
        deals = 0
        for number in range(steps):
            action = random_legal(state, draw(stream, np.uint64(number)))
            if game.play(state, action):
                deals += 1
                if state.status == RUNNING:
                    game.deal(state)
                else:
                    state.match += np.uint64(1)
                    game.start(state)
        counts[i] += deals


@compiled
def observe_one(states: Any, seat: int, row: Any, mask: Any) -> None:
    """What `seat` sees at the one table, and its mask: all zero unless it is to act."""
    state = states[0]
    game.observe(state, seat, row, True)
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


@compiled
def start_one(states: Any) -> None:
    """Begin the one table's match."""
    game.start(states[0])


@compiled
def begin_one(states: Any) -> None:
    """Begin a deal whose hands and dealer stand in the one record."""
    game.begin_deal(states[0])
