"""Rows of an outcome table by play-outs: named agents play each layout with each bid.

Seat 0 holds the row's hand and has declared the bid with the row's denomination, at the first
deal of a match, every pyramid unspent. One agent plays its cards, another all others', each seeing
what the rules in force let its seat see.

What a row takes depends on the seed alone. Agents that are one compiled function are fed from a
stream of each deal's own; others are made anew, with a seed of its own, for each block of rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise import agents
from bidwise.agents.order.jit import compiled
from bidwise.envs import game
from bidwise.envs.kernels import write_mask
from bidwise.envs.policies import call_policy
from bidwise.envs.pyramid import GAME, PyramidRules
from bidwise.envs.pyramid.actions import FIRST_DECLARATION, NUM_ACTIONS, NUM_DENOMINATIONS
from bidwise.envs.pyramid.observation import LAYOUT
from bidwise.envs.pyramid.rules import NUM_BIDS
from bidwise.envs.pyramid.state import HAND_SIZE
from bidwise.envs.rng import draw, stream
from bidwise.envs.tables import new_states
from bidwise.envs.workers import Workers
from bidwise.train.layouts import count_distances, deal_layouts, row_trumps

__all__ = ["PlayOuts"]

_PLAY = np.uint64(0x706C6179)
"""Sets the streams that agents are fed from apart from those that deal."""

_OBSERVED = LAYOUT.size
_BATCH = 8192
"""Deals that agents without a compiled function play side by side, or one row's if more."""

_DECLARER, _DEFENDERS, _OVER = 0, 1, 2
_ILLEGAL = -1


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
        wrong = taken == _ILLEGAL
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
            _play_rows,
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
        observations = np.zeros((len(states), _OBSERVED), np.int8)
        masks = np.zeros((len(states), NUM_ACTIONS), np.int8)
        to_act = np.zeros(len(states), np.int8)
        actions = np.zeros(len(states), np.int64)
        _begin_all(states, trumps, deals)
        whole = True
        while True:
            self._workers.run(_show_all, len(states), states, whole, observations, masks, to_act)
            if (to_act == _OVER).all():
                return taken
            for role, agent in enumerate(made):
                asked = np.flatnonzero(to_act == role)
                if len(asked):
                    actions[asked] = agent.act_batch(observations[asked], masks[asked])
            self._workers.run(_act_all, len(states), states, masks, actions, taken.reshape(-1))
            whole = False


def _digest(name: str) -> str | None:
    """A digest of the files of a published agent; None for agents that are known by name."""
    for folder in (name, name.rpartition(":")[0]):
        if folder and Path(folder).is_dir():
            digest = hashlib.sha256()
            for path in sorted(Path(folder).iterdir()):
                if path.is_file():
                    digest.update(hashlib.sha256(path.read_bytes()).digest())
            return digest.hexdigest()
    return None


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
def _play_rows(
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
    observation = np.zeros(_OBSERVED, np.int8)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    for k in range(first, last):
        i, layout, bid = k // (layouts * bids), k // bids % layouts, k % bids
        table[0] = fresh[0]
        state = table[0]
        _begin(state, deals[i, layout], trumps[i], bid)
        key = stream(seed, rows[i], np.uint64(layout), np.uint64(bid))
        number = np.uint64(0)
        while True:
            player = int(state.player)
            game.observe(state, player, observation, number == np.uint64(0))
            write_mask(state, mask)
            address = declarer if player == state.declarer else defenders
            action = call_policy(address, observation, mask, draw(key, number))
            number += np.uint64(1)
            if action < 0 or action >= NUM_ACTIONS or mask[action] == 0:
                taken[i, layout, bid] = _ILLEGAL
                break
            if game.play(state, action):
                taken[i, layout, bid] = state.tricks_taken[0]
                break


@compiled
def _begin_all(states: Any, trumps: Any, deals: Any) -> None:
    bids = NUM_BIDS
    layouts = deals.shape[1]
    for k in range(len(states)):
        i, layout, bid = k // (layouts * bids), k // bids % layouts, k % bids
        _begin(states[k], deals[i, layout], trumps[i], bid)


@compiled
def _show_all(
    first: int, last: int, states: Any, whole: bool, observations: Any, masks: Any, to_act: Any
) -> None:
    """What each table's player to act sees, its mask, and whose agent is to act."""
    for k in range(first, last):
        state = states[k]
        if state.decision == game.OVER:
            to_act[k] = _OVER
            continue
        game.observe(state, int(state.player), observations[k], whole)
        write_mask(state, masks[k])
        to_act[k] = _DECLARER if state.player == state.declarer else _DEFENDERS


@compiled
def _act_all(first: int, last: int, states: Any, masks: Any, actions: Any, taken: Any) -> None:
    """Apply an action a table; one that is illegal ends its deal."""
    for k in range(first, last):
        state = states[k]
        if state.decision == game.OVER:
            continue
        action = actions[k]
        if action < 0 or action >= masks.shape[1] or masks[k, action] == 0:
            taken[k] = _ILLEGAL
            state.decision = game.OVER
        elif game.play(state, action):
            taken[k] = state.tricks_taken[0]
