"""`bidwise outcomes`: build a table of what each hand takes with each trump and bid.

A table is computed block of rows by block of rows. What a block holds depends on the settings
alone, never on threads; finished blocks are kept beside the output, so that an interrupted
command, given again, goes on where it stood and ends with the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.outcomes.table import (
    DOUBLE_DUMMY,
    Outcomes,
    check_layouts,
    counts_type,
    num_rows,
    table_name,
)
from bidwise.envs.batch.threads import Workers
from bidwise.envs.core.checks import check_int
from bidwise.envs.core.files import require_writable
from bidwise.envs.pyramid.rules import NUM_BIDS, PyramidRules
from bidwise.train.outcomes.layouts import count_distances, deal_layouts, row_trumps
from bidwise.train.outcomes.playouts import PlayOuts
from bidwise.train.outcomes.table_spec import DEFAULT_LAYOUTS, SHIPPED_LAYOUTS, Plan
from bidwise.train.run.chunks import Chunks
from bidwise.train.run.fingerprints import agent_files, code_digest
from bidwise.train.run.options import (
    PyramidPreset,
    Switches,
    Threads,
    Whole,
    check_threads,
    choices,
    option,
)
from bidwise.train.run.provenance import Run, console, progress_bar
from bidwise.train.run.rule_options import chosen_rules

__all__ = ["BLOCK", "BuildOutcomes", "Counter", "DoubleDummy", "Solve", "build_outcomes"]

BLOCK = 256
"""Rows computed and kept together."""

Solve = Callable[..., NDArray[np.int8]]
"""Such as :func:`bidwise.agents.solvers.pyramid.solve_batch`."""


class Counter(Protocol):
    """A way of finding out what rows take.

    Attributes:
        source: what the table's `source` says.
        about: what else its provenance should hold.
    """

    source: str
    about: Mapping[str, Any]

    def count(
        self, rows: NDArray[np.int64], advance: Callable[[int], None]
    ) -> NDArray[np.integer[Any]]:
        """Counts (2, N, 7, 7) of rows (N,), which depend on nothing but the rows and the
        settings; `advance` is told of layouts done."""
        ...


@dataclass(frozen=True)
class BuildOutcomes:
    """Build an outcome table: how far each hand misses each bid, with each trump.

    By double dummy, all hands being open; or by play-outs between two agents, if they are named.

    Raises:
        ValueError: a value that is unknown or out of range; it names the field.
    """

    out: Annotated[Path, option("FILE")]
    """The table to be written, a file FILE.npz. With --shipped it is the folder for all of
    them."""
    num_players: Annotated[int, option(choices((2, 3, 4)))] = 4
    """Number of players at the table."""
    rules: PyramidPreset = None
    """Preset of Pyramid's rules. The command bidwise rules shows them."""
    rule: Switches = ()
    """Single rules that differ from the preset, for example following=suit no_trump=true."""
    layouts: Annotated[
        int | None,
        option("N", f"{DEFAULT_LAYOUTS}, with --shipped as many as each of those tables has"),
    ] = None
    """Number of layouts of the other cards that are sampled for each hand and trump; an even
    number of 2 or more."""
    seed: Whole = 0
    """Seed of the layouts. The agents' own random streams are derived from it."""
    declarer: Annotated[str | None, option("AGENT", "double dummy, nothing is played out")] = None
    """Play the deals out with this agent as declarer: a name, or the folder of a published
    agent. It is given together with --defenders."""
    defenders: Annotated[str | None, option("AGENT", "double dummy, nothing is played out")] = None
    """Play the deals out with this agent as all defenders: a name, or the folder of a published
    agent. It is given together with --declarer."""
    shipped: bool = False
    """Build all tables that come with bidwise: for 2, 3 and 4 players with every preset."""
    overwrite: bool = False
    """Replace a table of other settings that already stands at --out."""
    threads: Threads = None
    """Number of threads. The table does not depend on it."""

    def __post_init__(self) -> None:
        check_int("num_players", self.num_players, 2, 4)
        chosen_rules("pyramid", self.rules, self.rule)
        if self.layouts is not None:
            check_layouts(self.layouts)
        check_int("seed", self.seed, 0, 2**64 - 1)
        if (self.declarer is None) != (self.defenders is None):
            raise ValueError("declarer, defenders: name both agents or neither")
        check_threads(self.threads)
        if self.shipped and (self.rules is not None or self.rule or self.declarer is not None):
            raise ValueError("shipped: its tables are of every preset, by double dummy")
        if not self.shipped and self.out.suffix != ".npz":
            raise ValueError(f"out: {self.out.name!r} does not end in .npz")


class DoubleDummy:
    """Counts rows by a double-dummy solver: one solution of a layout serves all bids."""

    source = DOUBLE_DUMMY
    about: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, plan: Plan, threads: int, solve: Solve | None = None) -> None:
        if solve is None:
            from bidwise.agents.solvers import pyramid

            solve = pyramid.solve_batch
        self._plan, self._threads, self._solve = plan, threads, solve

    def count(
        self, rows: NDArray[np.int64], advance: Callable[[int], None]
    ) -> NDArray[np.integer[Any]]:
        plan = self._plan
        deals = deal_layouts(rows, plan.layouts, plan.num_players, plan.seed)
        scores = self._solve(
            deals.reshape(-1, plan.num_players),
            trump=np.repeat(row_trumps(rows), plan.layouts),
            rules=plan.rules,
            threads=self._threads,
            progress=advance,
        )
        distances = (10 - scores.astype(np.int64)) // 2
        return count_distances(distances.reshape(len(rows), plan.layouts, NUM_BIDS))


def build_outcomes(config: BuildOutcomes, *, solve: Solve | None = None) -> list[Outcomes]:
    """Run the command: the tables built, or found to stand already, in the order of building.

    `solve` stands in for :func:`bidwise.agents.solvers.pyramid.solve_batch`.
    """
    if not config.shipped:
        rules = chosen_rules("pyramid", config.rules, config.rule)
        plan = Plan(
            config.num_players,
            rules,
            config.layouts or DEFAULT_LAYOUTS,
            config.seed,
            config.declarer,
            config.defenders,
        )
        return [_build(plan, config.out, config, solve)]
    return [
        _build(
            Plan(num_players, PyramidRules.preset(preset), config.layouts or layouts, config.seed),
            config.out / table_name(num_players, preset),
            config,
            solve,
        )
        for (preset, num_players), layouts in SHIPPED_LAYOUTS.items()
    ]


def _build(plan: Plan, out: Path, config: BuildOutcomes, solve: Solve | None) -> Outcomes:
    """One table: what was kept is read, the rest is computed."""
    run = Run("outcomes", config)
    threads = Workers(config.threads).threads
    counter: Counter
    if plan.declarer is None or plan.defenders is None:
        counter = DoubleDummy(plan, threads, solve)
    else:
        counter = PlayOuts(
            (plan.declarer, plan.defenders),
            rules=plan.rules,
            num_players=plan.num_players,
            layouts=plan.layouts,
            seed=plan.seed,
            threads=threads,
        )
    facts: dict[str, Any] = {
        "num_players": plan.num_players,
        "rules": plan.rules,
        "layouts": plan.layouts,
        "source": counter.source,
        "seed": plan.seed,
        "provenance": {
            "bidwise": metadata.version("bidwise"),
            "command": plan.command(),
            **counter.about,
        },
    }
    if out.is_dir():
        raise ValueError(f"out: {out} is a folder")
    if out.exists():
        try:
            return _standing(out, facts)
        except ValueError:
            if not config.overwrite:
                raise
    require_writable(out.parent, "out")
    files = agent_files(name for name in (plan.declarer, plan.defenders) if name is not None)
    chunks = Chunks(out, {**facts, "block": BLOCK, "files": files, "code": code_digest()})
    counts = _counts(counter, plan, out, chunks)
    outcomes = Outcomes(counts=counts, **facts)
    outcomes.save(out)
    chunks.remove()
    console.print(
        f"{out}: {counts.shape[1]:,} rows × {plan.layouts} layouts, {counter.source}; "
        f"{out.stat().st_size / 1000:,.0f} kB ({run.seconds:.1f} s)",
        soft_wrap=True,
        markup=False,
    )
    return outcomes


def _counts(counter: Counter, plan: Plan, out: Path, chunks: Chunks) -> NDArray[Any]:
    """Counts (2, rows, 7, 7) of the whole table, block by block."""
    total = num_rows(plan.rules)
    firsts = range(0, total, BLOCK)
    kind = counts_type(plan.layouts)
    blocks: list[NDArray[Any]] = []
    if there := chunks.count():
        chunks.tell(f"{there} of {len(firsts)} blocks")
    with progress_bar() as bar:
        task = bar.add_task(f"{out.name}: layouts", total=total * plan.layouts)
        try:
            for first in firsts:
                rows = np.arange(first, min(first + BLOCK, total))
                kept = chunks.read(f"{first:05d}")
                if kept is None:
                    block = counter.count(rows, lambda done: bar.advance(task, done)).astype(kind)
                    chunks.write(f"{first:05d}", {"counts": block})
                else:
                    block = kept["counts"]
                blocks.append(block)
                bar.update(task, completed=(int(rows[-1]) + 1) * plan.layouts)
        except KeyboardInterrupt:
            console.print(
                f"{len(blocks)} of {len(firsts)} blocks are kept in {chunks.folder}/; "
                "the same command goes on from there.",
                soft_wrap=True,
                markup=False,
            )
            raise
    return np.concatenate(blocks, axis=1)


def _standing(out: Path, facts: Mapping[str, Any]) -> Outcomes:
    """The table that stands in `out`, if it is the one that was asked for."""
    found = Outcomes.load(out)
    for name, value in facts.items():
        if getattr(found, name) != value:
            raise ValueError(f"out: {out} is a table of another {name}; --overwrite replaces it")
    console.print(f"{out} stands already.", soft_wrap=True, markup=False)
    return found
