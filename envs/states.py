"""Records made, begun and reset: where every table, of one or of many, comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.envs import game as games
from bidwise.envs.core.checks import check_int
from bidwise.envs.core.compilation import INTERPRETED, compiled
from bidwise.envs.game import Game

__all__ = [
    "apply_reset",
    "begin_one",
    "deal_one",
    "episode_length",
    "new_states",
    "start_one",
    "start_tables",
]


@compiled
def start_tables(first: int, last: int, states: Any) -> None:
    """Begin each table's match."""
    for i in range(first, last):
        games.start(states[i])


@compiled
def start_one(states: Any) -> None:
    """Begin the one table's match."""
    games.start(states[0])


@compiled
def begin_one(states: Any) -> None:
    """Begin a deal whose hands and dealer stand in the one record."""
    games.begin_deal(states[0])


@compiled
def deal_one(states: Any) -> None:
    """Deal the next deal of the one record's match."""
    games.deal(states[0])


def episode_length(deals: str | int) -> int:
    """`deals` as records hold it: 0 for ``"match"``."""
    if deals == "match":
        return 0
    if isinstance(deals, str):
        raise ValueError(f"deals: {deals!r} is neither 'match' nor a whole number")
    check_int("deals", deals, 1, 1_000_000)
    return int(deals)


def new_states(
    game: Game,
    num_tables: int,
    rules: Any,
    num_players: int | None,
    seed: int,
    deals: str | int,
) -> NDArray[np.void]:
    """Records (B,) that name match 0 of tables 0..B-1; ``start`` is still to be called."""
    players = game.player_counts[-1] if num_players is None else num_players
    check_int("num_players", players, game.player_counts[0], game.player_counts[-1])
    check_int("num_tables", num_tables, 1, 2**31 - 1)
    check_int("seed", seed, 0, 2**64 - 1)
    states: NDArray[np.void] = np.zeros(num_tables, game.dtype)
    one = states[:1]
    game.write_rules(
        one[0], game.get_rules(game.default_preset if rules is None else rules), players
    )
    states[:] = one
    states["seed"] = np.uint64(seed)
    states["table"] = np.arange(num_tables, dtype=np.uint64)
    states["episode_deals"] = episode_length(deals)
    return states.view(np.recarray) if INTERPRETED else states


def apply_reset(
    game: Game, states: NDArray[np.void], options: Mapping[str, Any] | None
) -> NDArray[np.void]:
    """Records that begin their match as reset's `options` ask; `states` stay as they are.

    An option named ``"options"`` is passed over: PettingZoo's ``api_test`` sends it to every
    environment.
    """
    if options is not None and not isinstance(options, Mapping):
        raise ValueError(f"options: expected a mapping, got {options!r}")
    asked = {name: value for name, value in (options or {}).items() if name != "options"}
    begun = states.copy()
    for i in range(len(begun)):
        one = begun[i : i + 1]
        start_one(one)
        if asked:
            game.apply_options(one[0], asked)
            begin_one(one)
    return begun
