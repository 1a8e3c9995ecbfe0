"""`bidwise evaluate`: the strength of one agent against another, over duplicate deals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import tyro
from rich.table import Table

from bidwise.envs.core.checks import check_int
from bidwise.envs.core.files import require_writable
from bidwise.envs.game import Policy
from bidwise.envs.games import get_game
from bidwise.train.compare.duplicate import MOST_UNITS, Comparison, duplicate
from bidwise.train.compare.intervals import Estimate
from bidwise.train.compare.kept_batches import kept_units
from bidwise.train.run.chunks import Chunks
from bidwise.train.run.fingerprints import agent_files, code_digest
from bidwise.train.run.options import (
    AgentName,
    GameName,
    Players,
    Preset,
    Switches,
    Threads,
    Whole,
    check_table,
    check_threads,
    option,
)
from bidwise.train.run.provenance import Run, console, progress_bar, write_json
from bidwise.train.run.rule_options import chosen_rules

__all__ = ["Evaluate", "compare", "comparison_table", "evaluate"]

_DEFAULT_MATCHES = 500
_RUNS = Path("runs/evaluate")


@dataclass(frozen=True)
class Evaluate:
    """Compare two agents over the same deals: their difference with its 95 % interval.

    Duplicate play: every deal is played with each agent in the place of the other, so that the
    luck of the cards falls out of the difference.

    Raises:
        ValueError: a value that is unknown or out of range; it names the field.
    """

    a: tyro.conf.Positional[AgentName]
    """Agent to be measured: a name, or the folder of a published agent. The command bidwise
    agents lists them."""
    b: tyro.conf.Positional[AgentName] = "basic"
    """Agent that it is measured against."""
    game: GameName = "pyramid"
    """The game to be played."""
    rules: Preset = None
    """Preset of rules: piramida or inventor in Pyramid, the others in Spades. The command
    bidwise rules shows them."""
    rule: Switches = ()
    """Single rules that differ from the preset, for example following=suit no_trump=true."""
    num_players: Players = None
    """Number of players at a table: 2, 3 or 4 in Pyramid, always 4 in Spades."""
    matches: Annotated[int | None, option("N", f"{_DEFAULT_MATCHES}, unless --deals is given")] = (
        None
    )
    """Number of whole matches to be played; in Spades, number of pairs of matches."""
    deals: Annotated[int | None, option("N", "whole matches are played")] = None
    """Play this many single deals instead of matches, each from an empty score sheet."""
    seed: Whole = 0
    """Seed of the deals. The agents' own random streams are derived from it."""
    batch: Whole = 1024
    """Number of matches or deals that are played side by side. Finished batches are kept, so that
    a run that was killed, given again, goes on from the last of them: slow agents want a smaller
    number. What agents that draw random numbers play depends on it."""
    threads: Threads = None
    """Number of threads of the tables."""
    out: Annotated[Path | None, option("FOLDER", "a folder in runs/evaluate, named after both")] = (
        None
    )
    """Folder for the results, comparison.json and run.json."""

    def __post_init__(self) -> None:
        check_table(self.game, self.num_players)
        chosen_rules(self.game, self.rules, self.rule)
        if self.matches is not None and self.deals is not None:
            raise ValueError(
                f"matches, deals: give either deals or matches, not {self.matches} matches "
                f"and {self.deals} deals"
            )
        for name in ("matches", "deals"):
            if getattr(self, name) is not None:
                check_int(name, getattr(self, name), 2, MOST_UNITS)
        check_int("seed", self.seed, 0, 2**64 - 1)
        check_int("batch", self.batch, 1, 1_000_000)
        check_threads(self.threads)


def evaluate(config: Evaluate) -> Comparison:
    """Run the command: play, print, and write ``comparison.json`` and ``run.json``."""
    run = Run("evaluate", config)
    require_writable(config.out or _RUNS, "out")
    rules = chosen_rules(config.game, config.rules, config.rule)
    matches = config.matches
    if matches is None and config.deals is None:
        matches = _DEFAULT_MATCHES
    pair = _pair(config.a, config.b, config.game, rules, config.num_players, config.seed)
    out = config.out or _RUNS / _folder_name(config, pair.names)
    played = {
        "game": config.game,
        "rules": pair.rules,
        "num_players": config.num_players,
        "matches": matches,
        "deals": config.deals,
        "seed": config.seed,
        "batch": config.batch,
    }
    named = {"agents": (config.a, config.b), "names": pair.names}
    files = agent_files((config.a, config.b))
    chunks = Chunks(
        out / "comparison.json", {**played, **named, "files": files, "code": code_digest()}
    )
    units = matches or config.deals or 0
    if there := kept_units(chunks, units, config.batch):
        chunks.tell(f"{there:,} of {units:,} {'matches' if matches else 'deals'}")
    comparison = _play(pair, units, **played, threads=config.threads, chunks=chunks)
    console.print(comparison_table(comparison))
    for line in remarks(comparison):
        console.print(line)
    write_json(out / "comparison.json", comparison)
    run.write(out, comparison, seed=config.seed, rules=rules)
    chunks.remove()
    console.print(f"Written to {out}/ ({run.seconds:.1f} s)")
    return comparison


def compare(
    a: str,
    b: str,
    *,
    game: str,
    rules: Any = None,
    num_players: int | None = None,
    matches: int | None = None,
    deals: int | None = None,
    seed: int = 0,
    batch: int = 1024,
    threads: int | None = None,
    names: tuple[str, str] | None = None,
) -> Comparison:
    """:func:`~bidwise.train.compare.duplicate.duplicate` for agents by name, with a progress bar.

    `names` are what the comparison calls them; the agents' own full names if not given.
    """
    pair = _pair(a, b, game, rules, num_players, seed, names)
    return _play(
        pair,
        matches or deals,
        game=game,
        rules=pair.rules,
        num_players=num_players,
        matches=matches,
        deals=deals,
        seed=seed,
        batch=batch,
        threads=threads,
    )


class _Pair(NamedTuple):
    """Two agents, made for the same game and rules, and what a comparison calls them."""

    agents: tuple[Policy, Policy]
    names: tuple[str, str]
    rules: Any


def _pair(
    a: str,
    b: str,
    game: str,
    rules: Any,
    num_players: int | None,
    seed: int,
    names: tuple[str, str] | None = None,
) -> _Pair:
    from bidwise import agents

    the_game = get_game(game)
    players = the_game.player_counts[-1] if num_players is None else num_players
    if players not in the_game.player_counts:
        known = ", ".join(map(str, the_game.player_counts))
        raise ValueError(f"num_players: {players} is not one of {known}")
    rules = the_game.get_rules(the_game.default_preset if rules is None else rules)
    first, second = (
        agents.make(name, game=game, rules=rules, num_players=players, seed=_agent_seed(seed, k))
        for k, name in enumerate((a, b))
    )
    if names is None:
        names = (first.name, second.name)
        if names[0] == names[1]:
            names = (f"{names[0]} (A)", f"{names[1]} (B)")
    return _Pair((first, second), names, rules)


def _play(pair: _Pair, units: int | None, **settings: Any) -> Comparison:
    """Duplicate play with such settings, with a progress bar."""
    with progress_bar() as bar:
        task = bar.add_task(" against ".join(pair.names), total=units)
        return duplicate(
            *pair.agents,
            names=pair.names,
            on_progress=lambda count: bar.advance(task, count),
            **settings,
        )


def comparison_table(comparison: Comparison) -> Table:
    """The comparison as people read it."""
    c = comparison
    table = Table(
        title=f"{c.game.capitalize()}, {c.num_players} players: {c.a} against {c.b}",
        caption=(
            f"{c.units:,} independent units, each a {c.unit}; {c.deals:,} deals at all tables; "
            f"seed {c.seed}"
        ),
    )
    table.add_column("points a deal")
    table.add_column("mean", justify="right")
    table.add_column("95 % interval", justify="right")
    for name, estimate in c.differences.items():
        table.add_row(f"{c.a} − {c.b}: {name}", *_cells(estimate, signed=True), style="bold")
    table.add_section()
    for name, estimate in c.levels.items():
        table.add_row(name, *_cells(estimate))
    if c.wins is not None:
        table.add_section()
        w = c.wins
        interval = f"{100 * w.low:.1f} … {100 * w.high:.1f} %"
        table.add_row(f"{c.a}: share of matches won", f"{100 * w.mean:.1f} %", interval)
    return table


def remarks(comparison: Comparison) -> Iterable[str]:
    """What a reader should know beside the table."""
    illegal = comparison.illegal
    if any(illegal.values()):
        yield (
            f"Illegal actions, each replaced by a random legal one: "
            f"{comparison.a} {illegal['A']:,}, {comparison.b} {illegal['B']:,}."
        )
    if comparison.truncated:
        yield f"{comparison.truncated:,} matches were cut off by max_deals; their totals stand."


def _cells(estimate: Estimate, signed: bool = False) -> tuple[str, str]:
    sign = "+" if signed else ""
    return (
        f"{estimate.mean:{sign}.3f}",
        f"{estimate.low:{sign}.3f} … {estimate.high:{sign}.3f}",
    )


def _agent_seed(seed: int, number: int) -> int:
    """A seed for the own stream of agent `number`, apart from the deals' and from the other's."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0])


def _folder_name(config: Evaluate, names: tuple[str, str]) -> str:
    text = f"{config.game}-{names[0]}-{names[1]}-{config.seed}"
    return re.sub(r"[^A-Za-z0-9._=-]+", "-", text)
