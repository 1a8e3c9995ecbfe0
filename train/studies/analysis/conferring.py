"""What conferring costs the declarer, as far as play can tell.

Double dummy opens all hands to everybody, so its values say nothing of conferring. Play does:
one and the same order of bids and trumps is valued by tables of play-outs in which the defenders
see each other's hands (``open``) or do not (``silent``). All else is equal, the layouts too. What
is found holds for the agent that plays, and for how well it uses what it sees.

The two tables have few layouts, which leave more uncertain than the sequences of hands do. So the
intervals are over both: other sequences, and other layouts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.order.sequences import value_declarations
from bidwise.agents.outcomes.table import Outcomes, counts_type, num_rows
from bidwise.envs.pyramid.rules import PyramidRules
from bidwise.train.compare.intervals import Estimate, mean_interval
from bidwise.train.outcomes.playouts import PlayOuts
from bidwise.train.run.chunks import Chunks
from bidwise.train.studies.analysis.findings import DP, Findings
from bidwise.train.studies.analysis.sampling_error import error_of_halves, widened

__all__ = ["PLAYER", "Conferring", "conferring", "played_out"]

PLAYER = "basic"
"""Whose play-outs tell what conferring costs."""

_LAYOUTS = 0x636F6E666572
"""Sets these layouts apart from those of tables."""

_ROWS = 1024
"""Of a table played out at a time."""


@dataclass(frozen=True)
class Conferring:
    """The same bids and trumps on the same sequences of hands, points a pyramid.

    All intervals but that of `studied` are over sequences and layouts.
    """

    source: str
    """Who plays the cards."""
    layouts: int
    """A row of the play-out tables."""
    studied: Estimate
    """By the table of the study, which decided the bids: one half by the other. Its interval is
    over sequences, the table taken as it is."""
    silent: Estimate
    """By play-outs, defenders seeing their own hand only."""
    open: Estimate
    """By play-outs, defenders seeing each other's hands."""
    cost: Estimate
    """Silent less open, paired: what the declarer loses when the defenders confer."""


def conferring(
    found: Findings,
    *,
    layouts: int,
    seed: int = 0,
    threads: int | None = None,
    chunks: Chunks | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Conferring | None:
    """Value the exact order of a study by play with and without conferring.

    Args:
        found: whose order and sequences are taken.
        layouts: a row of the two tables; even. They decide nothing, so a few do not bias
            what is found; its intervals tell how much they leave uncertain.
        seed: of the layouts, which are the same in both tables and none of the study's table,
            whatever its seed was: those have decided.
        threads: every core when None.
        chunks: where finished blocks of both tables are kept.
        progress: called with rows done and rows in all.

    Returns:
        what was found, or None where there is nobody to confer (2 players) or the quota lacks
        a bid, which nobody can play then.
    """
    outcomes = found.outcomes
    if outcomes.num_players < 3 or 0 in outcomes.rules.quota:
        return None
    declarations = [optimal.play(found.sequences) for optimal in found.fit.orders]
    values: list[NDArray[np.float64]] = []
    halves: list[NDArray[np.float64]] = []
    source = ""
    for number, conference in enumerate(("silent", "open")):
        table = played_out(
            (PLAYER, PLAYER),
            dataclasses.replace(outcomes.rules, conference=conference),
            outcomes.num_players,
            layouts=layouts,
            seed=_apart(seed),
            threads=threads,
            chunks=chunks,
            progress=_shifted(progress, number),
        )
        source = table.source
        scores = table.option_scores()
        first, second = (
            value_declarations(one, found.sequences, scores, outcomes.rules.quota)
            for one in declarations
        )
        values.append((first + second) / 2)
        halves.append(table.option_scores(0) - table.option_scores(1))

    def estimate(earned: NDArray[np.float64], apart: NDArray[np.float64]) -> Estimate:
        return widened(mean_interval(earned), error_of_halves(apart, found.sequences, declarations))

    return Conferring(
        source,
        layouts,
        found.standings[DP].points,
        estimate(values[0], halves[0]),
        estimate(values[1], halves[1]),
        estimate(values[0] - values[1], halves[0] - halves[1]),
    )


def _apart(seed: int) -> int:
    """A seed that no table has been built with."""
    return int(np.random.SeedSequence([seed, _LAYOUTS]).generate_state(1, np.uint64)[0])


def _shifted(
    progress: Callable[[int, int], object] | None, number: int
) -> Callable[[int, int], object] | None:
    """Progress of the second of two tables, told as that of both."""
    if progress is None:
        return None
    return lambda done, total: progress(number * total + done, 2 * total)


def played_out(
    names: tuple[str, str],
    rules: PyramidRules,
    num_players: int,
    *,
    layouts: int,
    seed: int = 0,
    threads: int | None = None,
    chunks: Chunks | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Outcomes:
    """A table by play-outs, kept in memory.

    Args:
        names: the declarer's agent and the defenders'.
        rules: in force, conference included.
        num_players: 2, 3 or 4.
        layouts: how many a row; even.
        seed: of the layouts; equal seeds deal equal layouts.
        threads: every core when None.
        chunks: where finished blocks of rows are kept.
        progress: called with rows done and rows in all.
    """
    counter = PlayOuts(
        names, rules=rules, num_players=num_players, layouts=layouts, seed=seed, threads=threads
    )
    total = num_rows(rules)
    blocks = []
    for first in range(0, total, _ROWS):
        rows = np.arange(first, min(first + _ROWS, total))
        key = f"played-{rules.conference}-{first:05d}"
        kept = None if chunks is None else chunks.read(key)
        if kept is None:
            kept = {"counts": counter.count(rows, _unheard).astype(counts_type(layouts))}
            if chunks is not None:
                chunks.write(key, kept)
        blocks.append(kept["counts"])
        if progress is not None:
            progress(int(rows[-1]) + 1, total)
    return Outcomes(
        counts=np.concatenate(blocks, axis=1),
        num_players=num_players,
        rules=rules,
        layouts=layouts,
        source=counter.source,
        seed=seed,
        provenance=dict(counter.about),
    )


def _unheard(count: int) -> None:
    """Progress is told by blocks of rows."""
