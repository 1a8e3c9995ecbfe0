"""Duplicate play: two agents compared over the very same deals.

What the cards give or refuse falls out of a paired difference, so that far fewer deals tell
as much. Deals are numbered: unit u is table u of the seed, its match 0, in every cell.

Spades, *sides swapped*: A's pair sits at seats 0 and 2 of one table and at 1 and 3 of the
other; deal k of both has the same cards and the same dealer.

Pyramid, *by role*: three tables with the same deals, at which every seat declares in turn.
At the first A declares against B, at the second B against B, at the third B against A. A
seat's pyramid is spent by whoever declares there. First minus second is A's worth as
declarer, second minus third its worth as defender, first minus third both together: what A
gains on B when the two meet.

An interval rests on independent units only: single deals where an episode is one deal, whole
matches where their deals hang together. Agents draw random numbers from streams of their own,
in the order in which they are asked. The result therefore depends on the seed alone, whatever
`batch`, for agents that need none; an agent that plays at random differs with `batch`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.envs.core.checks import check_int
from bidwise.envs.game import Game, Policy
from bidwise.envs.games import get_game
from bidwise.envs.states import begin_one, new_states, start_tables
from bidwise.train.compare.intervals import Estimate, mean_interval, share_interval
from bidwise.train.compare.kept_batches import keep_batch, take_batch
from bidwise.train.compare.seatings import Cells, Sheets
from bidwise.train.run.chunks import Chunks

__all__ = ["MOST_UNITS", "Comparison", "duplicate"]

MOST_UNITS = 10_000_000
"""Of matches or deals in one comparison."""


@dataclass(frozen=True)
class Comparison:
    """What duplicate play found; points are those of the score sheet, a deal.

    Attributes:
        a, b: names of the agents.
        unit: what was taken as independent: ``"deal"``, ``"match"`` or ``"pair of matches"``.
        units: how many.
        deals: deals played, all tables together.
        differences: A minus B. Spades: ``"points"``; Pyramid: ``"declaring"``,
            ``"defending"`` and ``"together"``.
        levels: mean points a deal of each cell.
        wins: A's share of single matches won, ties counting half (Spades matches).
        truncated: matches cut off by `max_deals`.
        illegal: illegal actions of each agent; a random legal one was played instead.
    """

    a: str
    b: str
    game: str
    rules: Any
    num_players: int
    seed: int
    unit: str
    units: int
    deals: int
    differences: dict[str, Estimate]
    levels: dict[str, Estimate]
    wins: Estimate | None
    truncated: int
    illegal: dict[str, int]


def duplicate(
    a: Policy,
    b: Policy,
    *,
    game: str,
    rules: Any = None,
    num_players: int | None = None,
    deals: int | None = None,
    matches: int | None = None,
    seed: int = 0,
    names: tuple[str, str] = ("A", "B"),
    batch: int = 1024,
    threads: int | None = None,
    chunks: Chunks | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Comparison:
    """Compare two agents over duplicate deals.

    Args:
        a, b: anything with ``act_batch(observations, action_masks) -> actions``.
        game: ``"pyramid"`` or ``"spades"``.
        rules: a preset's name or a rules dataclass; None for the game's default.
        num_players: for games that leave a choice.
        deals: so many single deals, each an episode of its own from an empty score sheet. In
            Pyramid every seat declares each of them, with its whole pyramid unspent.
        matches: or so many whole matches (in Spades so many pairs of matches).
        seed: of the deals.
        names: how the comparison calls the two; they differ.
        batch: units played side by side.
        threads: as in :class:`~bidwise.envs.batch.tables.Tables`.
        chunks: where finished batches are kept, so that the same call in another process goes on
            from them; the caller removes them. Their settings must name all that the figures
            depend on, the agents included. An agent that draws random numbers must have
            :attr:`~bidwise.agents.Agent.drawn` and `draw_on`, as every `Agent` has: any other
            begins its stream anew, and figures then differ from those of an undisturbed call.
        on_progress: called with the number of units finished since the last call.

    Raises:
        ValueError: neither or both of `deals` and `matches`, or fewer than 2 of them; rules
            that are not the game's; an agent whose answer has a wrong shape or type.
    """
    if (deals is None) == (matches is None):
        raise ValueError("give either deals or matches")
    whole = deals is None
    units = matches if deals is None else deals
    assert units is not None
    check_int("matches" if whole else "deals", units, 2, MOST_UNITS)
    check_int("batch", batch, 1, 1_000_000)
    check_int("seed", seed, 0, 2**64 - 1)
    if names[0] == names[1]:
        raise ValueError(f"names: both agents are called {names[0]!r}")
    the_game = get_game(game)
    cells = Cells(the_game, a, b, seed, names, threads)
    sheets: list[Sheets] = []
    for first in range(0, units, batch):
        count = min(batch, units - first)
        played = None if chunks is None else take_batch(chunks, first, cells)
        if played is None:
            states = _begin(the_game, first, count, rules, num_players, seed, whole)
            played = cells.play(states, count)
            if chunks is not None:
                keep_batch(chunks, first, played, cells)
        sheets.append(played)
        if on_progress is not None:
            on_progress(count)
    summary = _spades if the_game.pairs else _pyramid
    one = _begin(the_game, 0, 1, rules, num_players, seed, whole)[0]
    differences, levels, wins = summary(Sheets.joined(sheets), names, whole)
    return Comparison(
        a=names[0],
        b=names[1],
        game=game,
        rules=the_game.read_rules(one),
        num_players=int(one["num_players"]),
        seed=seed,
        unit=("pair of matches" if the_game.pairs else "match") if whole else "deal",
        units=units,
        deals=int(sum(int(sheet.deals.sum()) for sheet in sheets)),
        differences=differences,
        levels=levels,
        wins=wins,
        truncated=int(sum(int(sheet.truncated.sum()) for sheet in sheets)),
        illegal=dict(zip(("A", "B"), cells.illegal, strict=True)),
    )


def _begin(
    game: Game,
    first: int,
    count: int,
    rules: Any,
    num_players: int | None,
    seed: int,
    whole: bool,
) -> NDArray[np.void]:
    """Records of units first..first+count-1; for Pyramid's single deals one a declaring seat."""
    states = new_states(game, count, rules, num_players, seed, "match" if whole else 1)
    states["table"] += np.uint64(first)
    start_tables(0, count, states)
    if whole or game.pairs:
        return states
    players = int(states["num_players"][0])
    turns = np.repeat(states, players)
    turns["dealer"] = np.tile(np.arange(players), count)
    for k in range(len(turns)):
        begin_one(turns[k : k + 1])
    return turns


_Summary = tuple[dict[str, Estimate], dict[str, Estimate], Estimate | None]


def _pyramid(sheets: Sheets, names: tuple[str, str], whole: bool) -> _Summary:
    """Points of the declarers, by cell: A against B, B against B, B against A."""
    a, b = names
    points = sheets.totals.sum(axis=(2, 3)).astype(np.float64)
    deals = sheets.deals.sum(axis=2)
    levels = {
        f"{declarer} declares, {defender} defends": mean_interval(points[cell], deals[cell])
        for cell, (declarer, defender) in enumerate(((a, b), (b, b), (b, a)))
    }
    # Every cell of a unit holds equally many deals, so these are differences of the levels.
    differences = {
        "declaring": mean_interval(points[0] - points[1], deals[0]),
        "defending": mean_interval(points[1] - points[2], deals[0]),
        "together": mean_interval(points[0] - points[2], deals[0]),
    }
    return differences, levels, None


def _spades(sheets: Sheets, names: tuple[str, str], whole: bool) -> _Summary:
    """Points of the pairs, A's at seats 0 and 2 in the first cell, at 1 and 3 in the second."""
    totals = sheets.totals[:, :, 0, :].astype(np.float64)
    deals = sheets.deals.sum(axis=(0, 2))
    own = totals[0, :, 0] + totals[1, :, 1]
    other = totals[0, :, 1] + totals[1, :, 0]
    differences = {"points": mean_interval(own - other, deals)}
    levels = {
        f"{names[0]}'s pair": mean_interval(own, deals),
        f"{names[1]}'s pair": mean_interval(other, deals),
    }
    if not whole:
        return differences, levels, None
    margins = np.stack([totals[0, :, 0] - totals[0, :, 1], totals[1, :, 1] - totals[1, :, 0]])
    return differences, levels, share_interval((np.sign(margins).mean(axis=0) + 1) / 2)
