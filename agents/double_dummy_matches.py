"""Whole matches played with all hands open, as score sheets.

:class:`~bidwise.agents.double_dummy.DoubleDummy` plays every seat, so that each deal ends at the
double-dummy score of its declaration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.double_dummy import DoubleDummy
from bidwise.agents.order.orders import IndexOrder
from bidwise.agents.solvers.compilation import compiled
from bidwise.envs import game
from bidwise.envs.core.checks import check_int
from bidwise.envs.core.vocabulary import RUNNING
from bidwise.envs.pyramid import GAME, PyramidRules
from bidwise.envs.pyramid.actions import FIRST_DECLARATION, NUM_DENOMINATIONS
from bidwise.envs.pyramid.state import DECLARE, SLOTS
from bidwise.envs.states import new_states, start_tables

__all__ = ["Pyramids", "play_match", "play_matches"]


class Pyramids(NamedTuple):
    """What was announced in whole matches; each (matches, players, turns) but the totals."""

    hands: NDArray[np.uint32]
    """Masks of the cards that the declarer was dealt."""
    bids: NDArray[np.int8]
    denominations: NDArray[np.int8]
    """0..3 ♣ ♦ ♥ ♠, 4 no trump."""
    taken: NDArray[np.int8]
    """Tricks."""
    totals: NDArray[np.int64]
    """(matches, players) points."""


def play_matches(
    matches: int,
    *,
    rules: str | PyramidRules = "piramida",
    num_players: int = 4,
    seed: int = 0,
    order: IndexOrder | None = None,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Pyramids:
    """Whole matches in which :class:`DoubleDummy` plays every seat.

    Args:
        matches: how many; match `m` is the one of table `m` of
            :class:`~bidwise.envs.batch.tables.Tables` with this seed.
        rules: a preset's name or PyramidRules.
        num_players: 2, 3 or 4.
        seed: 0..2**64-1, of the deals.
        order: as for DoubleDummy.
        threads: how many the solver may use.
        progress: called after each deal with how many deals were played.

    Raises:
        ValueError: a value that is unknown or out of range; it names the argument.
    """
    check_int("matches", matches, 1, 1_000_000)
    the_rules = GAME.get_rules(rules)
    states = new_states(GAME, matches, the_rules, num_players, seed, "match")
    start_tables(0, matches, states)
    shape = (matches, num_players, the_rules.deals_per_player)
    hands: NDArray[np.uint32] = np.zeros(shape, np.uint32)
    denominations: NDArray[np.int8] = np.zeros(shape, np.int8)
    rows = np.arange(matches)
    cheat = DoubleDummy(order, threads=threads)
    # Every deal has equally many decisions, so that all tables declare at the same time.
    while states["status"][0] == RUNNING:
        actions = cheat.act_states(states)
        if states["decision"][0] == DECLARE:
            declarers = states["declarer"]
            at = rows, declarers, states["num_announced"][rows, declarers]
            hands[at] = states["hands"][rows, declarers]
            denominations[at] = (actions - FIRST_DECLARATION) % NUM_DENOMINATIONS
        if _play_all(states, actions) and progress is not None:
            progress(matches)
    sheet = (slice(None), slice(num_players), slice(the_rules.deals_per_player))
    announced = states["announced"].reshape(matches, -1, SLOTS)[sheet]
    taken = states["taken"].reshape(matches, -1, SLOTS)[sheet]
    totals = states["totals"][:, :num_players].astype(np.int64)
    return Pyramids(hands, announced - 1, denominations, taken - 1, totals)


def play_match(
    seed: int,
    *,
    rules: str | PyramidRules = "piramida",
    num_players: int = 4,
    order: IndexOrder | None = None,
    threads: int = 1,
) -> list[list[tuple[int, int]]]:
    """One match as its score sheet: for each seat (bid, tricks taken), turn by turn.

    Args and errors as :func:`play_matches`.
    """
    played = play_matches(
        1, rules=rules, num_players=num_players, seed=seed, order=order, threads=threads
    )
    sheets = zip(played.bids[0].tolist(), played.taken[0].tolist(), strict=True)
    return [list(zip(bids, taken, strict=True)) for bids, taken in sheets]


@compiled
def _play_all(states: Any, actions: Any) -> bool:
    """Apply an action a table and deal where a deal ended; whether any did."""
    ended = False
    for i in range(len(states)):
        state = states[i]
        if game.play(state, int(actions[i])):
            ended = True
            if state.status == RUNNING:
                game.deal(state)
    return ended
