"""The loops that play an outcome table's deals: by compiled agents, or step by step by any.

Deals are numbered layout by layout and bid by bid: number k of L layouts a row is of row
``k // (7 * L)``, layout ``k // 7 % L``, bid ``k % 7``. Every loop plays deals `first`..`last` and
writes only what belongs to them, so that threads may share a batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.agents.order.compilation import compiled
from bidwise.envs import game
from bidwise.envs.batch.kernels import write_mask
from bidwise.envs.batch.policies import call_policy
from bidwise.envs.core import vocabulary
from bidwise.envs.core.rng import draw, stream
from bidwise.envs.pyramid.actions import FIRST_DECLARATION, NUM_ACTIONS, NUM_DENOMINATIONS
from bidwise.envs.pyramid.observation import LAYOUT
from bidwise.envs.pyramid.rules import NUM_BIDS
from bidwise.envs.pyramid.state import HAND_SIZE

__all__ = [
    "DECLARER",
    "DEFENDERS",
    "ILLEGAL",
    "OBSERVED",
    "OVER",
    "act_all",
    "begin_all",
    "play_rows",
    "show_all",
]

DECLARER, DEFENDERS, OVER = 0, 1, 2
"""Whose agent is to act at a table; nobody's once the deal is over."""

ILLEGAL = -1
"""In the place of the tricks taken: an agent chose an action that the rules forbid."""

OBSERVED = LAYOUT.size


@compiled
def _begin(state: Any, hands: Any, trump: int, bid: int) -> None:
    """Deal these hands (P,) into a fresh record, and have seat 0 declare."""
    for seat in range(len(hands)):
        state.hands[seat] = np.uint64(hands[seat])
    state.hand_size = HAND_SIZE
    state.dealer = len(hands) - 1
    game.begin_deal(state)
    game.play(state, FIRST_DECLARATION + NUM_DENOMINATIONS * bid + trump)


@compiled
def play_rows(
    first: int,
    last: int,
    fresh: Any,
    rows: Any,
    trumps: Any,
    deals: Any,
    seed: Any,
    declarer: int,
    defenders: int,
    taken: Any,
) -> None:
    """Play deals `first`..`last`, numbered through `taken` (N, L, 7), by policies at addresses."""
    layouts, bids = taken.shape[1], taken.shape[2]
    table = fresh.copy()
    observation = np.zeros(OBSERVED, np.int8)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    for k in range(first, last):
        i, layout, bid = k // (layouts * bids), k // bids % layouts, k % bids
        table[0] = fresh[0]
        state = table[0]
        _begin(state, deals[i, layout], trumps[i], bid)
        key = stream(seed, rows[i], np.uint64(layout), np.uint64(bid))
        number = np.uint64(0)
        changed = vocabulary.EVERYTHING
        while True:
            player = int(state.player)
            game.observe(state, player, observation, changed)
            write_mask(state, mask)
            address = declarer if player == state.declarer else defenders
            action = call_policy(address, observation, mask, draw(key, number))
            number += np.uint64(1)
            if action < 0 or action >= NUM_ACTIONS or mask[action] == 0:
                taken[i, layout, bid] = ILLEGAL
                break
            if game.play(state, action):
                taken[i, layout, bid] = state.tricks_taken[0]
                break
            changed = action


@compiled
def begin_all(first: int, last: int, states: Any, trumps: Any, deals: Any) -> None:
    """Deal and declare on fresh records (N * L * 7,)."""
    layouts = deals.shape[1]
    for k in range(first, last):
        i, layout, bid = k // (layouts * NUM_BIDS), k // NUM_BIDS % layouts, k % NUM_BIDS
        _begin(states[k], deals[i, layout], trumps[i], bid)


@compiled
def show_all(
    first: int, last: int, states: Any, changed: int, observations: Any, masks: Any, to_act: Any
) -> None:
    """What each table's player to act sees, its mask, and whose agent is to act."""
    for k in range(first, last):
        state = states[k]
        if state.decision == vocabulary.OVER:
            to_act[k] = OVER
            continue
        game.observe(state, int(state.player), observations[k], changed)
        write_mask(state, masks[k])
        to_act[k] = DECLARER if state.player == state.declarer else DEFENDERS


@compiled
def act_all(first: int, last: int, states: Any, masks: Any, actions: Any, taken: Any) -> None:
    """Apply an action a table; one that is illegal ends its deal."""
    for k in range(first, last):
        state = states[k]
        if state.decision == vocabulary.OVER:
            continue
        action = actions[k]
        if action < 0 or action >= masks.shape[1] or masks[k, action] == 0:
            taken[k] = ILLEGAL
            state.decision = vocabulary.OVER
        elif game.play(state, action):
            taken[k] = state.tricks_taken[0]
