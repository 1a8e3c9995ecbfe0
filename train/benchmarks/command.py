"""`bidwise bench`: how fast the envs are, beside named peers in the same run, and the solver."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from bidwise.envs.core.checks import check_int, check_names
from bidwise.envs.core.files import require_writable
from bidwise.envs.games import GAMES
from bidwise.train.benchmarks import workloads
from bidwise.train.benchmarks.rounds import Rounds
from bidwise.train.benchmarks.samples import Sample, ratio
from bidwise.train.benchmarks.solver_timing import WARM_UP, measure_solving
from bidwise.train.benchmarks.targets import Claim, claims_table, rates_table
from bidwise.train.benchmarks.timing import (
    Unavailable,
    Workload,
    first_reset,
    measure,
)
from bidwise.train.run.chunks import Chunks
from bidwise.train.run.fingerprints import code_digest, machine_facts
from bidwise.train.run.options import Folder, Whole, check_seconds, option
from bidwise.train.run.provenance import Run, console, progress_bar, versions, write_json

__all__ = ["SUITES", "Bench", "bench"]

SUITES = ("tables", "policy", "playouts", "aec", "sb3", "start", "state", "training", "solver")
_DEFAULT_SUITES = tuple(suite for suite in SUITES if suite not in ("training", "solver"))


# The targets. Ratios are to peers measured in the same rounds.
_LEAST_OVER_OPENSPIEL = 150.0
_LEAST_TWO_THREADS_OVER_ONE = 1.6
_LEAST_PYRAMID_OVER_SPADES = 1.0
_LEAST_PLAY_OUTS = 60e6
_LEAST_OVER_TICTACTOE = 5.0
_MOST_SECONDS = {"import": 1.0, "first reset, cold": 15.0, "first reset, warm": 1.0}
_MOST_STATE_BYTES = 512
_MOST_ENV_SHARE = 5.0

_MOST_TRAINING_ROUNDS = 3


@dataclass(frozen=True)
class Bench:
    """Measure speed, beside OpenSpiel and PettingZoo in the same run."""

    suites: Annotated[str, option("SUITE,...", aliases=("--parts",))] = ",".join(_DEFAULT_SUITES)
    """What is measured, separated by commas: any of tables, policy, playouts, aec, sb3, start,
    state, training, solver."""
    training: bool = False
    """Also measure the tables' share of wall time in training, which is the suite training."""
    solver: bool = False
    """Measure only the double-dummy solver and the exact order, which is the suite solver."""
    seconds: Annotated[float, option("SECONDS")] = 1.0
    """Wall time of each measurement, in seconds."""
    rounds: Whole = 5
    """Number of rounds. Every measurement is taken once in each, and medians are shown."""
    training_steps: Whole = 65_536
    """Number of the learner's decisions in each training that is measured."""
    warm_up: Annotated[float, option("SECONDS")] = WARM_UP
    """CPU time for which the solver works before it is measured, in seconds, for each number of
    players."""
    out: Folder = Path("runs/bench")
    """Folder for the results, bench.json and run.json. Finished rounds are kept there until the
    end, so that a run that was killed, given again, goes on from there."""

    def __post_init__(self) -> None:
        check_names(self._named, SUITES, "suites")
        check_seconds({"seconds": self.seconds, "warm_up": self.warm_up})
        check_int("rounds", self.rounds, 1, 1000)
        check_int("training_steps", self.training_steps, 1, 2**31 - 1)

    @property
    def all_suites(self) -> list[str]:
        """What is measured, the two flags heeded."""
        suites = ["solver"] if self.solver else self._named
        more = ["training"] if self.training and "training" not in suites else []
        return [*suites, *more]

    @property
    def _named(self) -> list[str]:
        return [suite for suite in self.suites.split(",") if suite]


@dataclass
class _Report:
    rates: dict[str, Sample] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def bench(config: Bench) -> dict[str, Any]:
    """Run the command: measure, print, and write ``bench.json`` and ``run.json``."""
    run = Run("bench", config)
    require_writable(config.out, "out")
    suites = config.all_suites
    report = _Report()
    chunks = _chunks(config)
    if there := chunks.count():
        chunks.tell(f"{there} rounds")
    rounds = Rounds(config.rounds, chunks)
    _measure_rates(suites, config.seconds, rounds, report)
    if "start" in suites:
        _measure_start(rounds, report)
    if "state" in suites:
        for name, game in GAMES.items():
            size = Sample((float(game.dtype.itemsize),))
            claim = Claim(f"{name} state of a table", size, at_most=_MOST_STATE_BYTES, unit="B")
            report.claims.append(claim)
    if "training" in suites:
        _measure_training(config, rounds, report)
    if "solver" in suites:
        _measure_solving(config, rounds, report)
    if report.rates:
        console.print(rates_table(report.rates, config.rounds, config.seconds))
    if report.claims:
        console.print(claims_table(report.claims))
    for line in report.missing:
        console.print(f"Not measured: {line}.")
    results = {
        "rates": {name: sample.summary() for name, sample in report.rates.items()},
        "claims": [claim.summary() for claim in report.claims],
        "missing": report.missing,
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
    }
    write_json(config.out / "bench.json", results)
    run.write(config.out, results)
    chunks.remove()
    console.print(f"Written to {config.out}/ ({run.seconds:.1f} s)")
    return results


def _chunks(config: Bench) -> Chunks:
    """Finished rounds, kept until the results are written; another machine's are not taken."""
    chosen = dataclasses.asdict(config)
    del chosen["out"]
    return Chunks(
        config.out / "bench.json",
        {
            "config": chosen,
            "code": code_digest(),
            "versions": versions(every=True),
            "machine": machine_facts(),
        },
    )


_BATCHES = (workloads.NUM_TABLES, 4 * workloads.NUM_TABLES)
_CORES: Mapping[str, int | None] = {"": None, ", 1 core": 1}


def _makers(suite: str) -> dict[str, Callable[[], Workload]]:
    """The workloads of a suite by name, not constructed yet."""
    makers: dict[str, Callable[[], Workload]] = {}
    for game in GAMES:
        for cores, threads in _CORES.items():
            if suite == "tables":
                makers[f"{game} tables{cores}"] = partial(workloads.tables_loop, game, threads)
            elif suite == "playouts":
                makers[f"{game} playouts{cores}"] = partial(workloads.play_out_loop, game, threads)
        if suite == "aec":
            makers[f"{game} AEC"] = partial(workloads.aec_loop, game)
        elif suite == "sb3":
            makers[f"{game} VecEnv"] = partial(workloads.vec_env_loop, game)
    if suite == "tables":
        makers["OpenSpiel, tensor"] = partial(workloads.openspiel_loop, tensor=True)
        makers["OpenSpiel"] = partial(workloads.openspiel_loop, tensor=False)
    elif suite == "policy":
        for count in _BATCHES:
            for threads in (1, 2):
                name = _policy_name(count, threads)
                makers[name] = partial(workloads.policy_loop, "spades", threads, count)
        makers[_OPENSPIEL_POLICY] = workloads.openspiel_policy_loop
    elif suite == "aec":
        makers["tictactoe"] = workloads.tictactoe_loop
    return makers


_OPENSPIEL_POLICY = "OpenSpiel, tensor, own policy"


def _policy_name(count: int, threads: int) -> str:
    return f"spades, own policy, {count:,} tables, {threads} thread{'s' if threads > 1 else ''}"


def _measure_rates(suites: list[str], seconds: float, rounds: Rounds, report: _Report) -> None:
    ready: dict[str, Workload] = {}
    for suite in suites:
        for name, maker in _makers(suite).items():
            try:
                ready[name] = maker()
            except Unavailable as error:
                report.missing.append(f"{name}: {error}")
    if not ready:
        return
    with progress_bar() as bar:
        task = bar.add_task("Measuring", total=len(ready) * rounds.missing("rates", ready))
        report.rates = measure(ready, seconds, rounds, on_progress=lambda: bar.advance(task))
    rates = report.rates

    def claim(ours: str, theirs: str, at_least: float | None = None) -> None:
        if ours in rates and theirs in rates:
            sample = ratio(rates[ours], rates[theirs])
            report.claims.append(Claim(f"{ours} / {theirs}", sample, at_least, unit="×"))

    claim("spades tables", "OpenSpiel, tensor", _LEAST_OVER_OPENSPIEL)
    claim("spades tables, 1 core", "OpenSpiel, tensor")
    claim("spades tables, 1 core", "OpenSpiel")
    for count in _BATCHES:
        one, two = (_policy_name(count, threads) for threads in (1, 2))
        claim(two, _OPENSPIEL_POLICY, _LEAST_OVER_OPENSPIEL)
        claim(two, one, _LEAST_TWO_THREADS_OVER_ONE)
    claim("pyramid tables", "spades tables", _LEAST_PYRAMID_OVER_SPADES)
    claim("pyramid tables, 1 core", "spades tables, 1 core", _LEAST_PYRAMID_OVER_SPADES)
    name = "spades playouts"
    if name in rates:
        report.claims.append(Claim(name, rates[name], _LEAST_PLAY_OUTS, unit="steps/s"))
    claim("pyramid playouts", name, _LEAST_PYRAMID_OVER_SPADES)
    for game in GAMES:
        claim(f"{game} AEC", "tictactoe", _LEAST_OVER_TICTACTOE)


def _measure_start(rounds: Rounds, report: _Report) -> None:
    for game in GAMES:
        with console.status(f"Starting {game} in fresh processes"):
            for name, sample in first_reset(game, rounds).items():
                report.claims.append(
                    Claim(f"{game} {name}", sample, at_most=_MOST_SECONDS.get(name), unit="s")
                )


def _measure_solving(config: Bench, rounds: Rounds, report: _Report) -> None:
    with console.status("Solving deals"):
        rates, claims = measure_solving(config.seconds, rounds, warm_up=config.warm_up)
    report.rates |= rates
    report.claims += claims


_RECIPES = {"all": ("random", _MOST_ENV_SHARE), "bids": ("basic-v1", None)}
"""What the learner decides, who else plays, and the target for the tables' share.

A bidder's tables also play whole deals of basic-v1's cards between two of its decisions.
"""


def _measure_training(config: Bench, rounds: Rounds, report: _Report) -> None:
    few = Rounds(min(rounds.number, _MOST_TRAINING_ROUNDS), rounds.chunks)
    for game in GAMES:
        for decide, (others, most) in _RECIPES.items():
            name = f"{game} training, {decide}, against {others}"

            def one_round(game: str = game, decide: str = decide, others: str = others) -> Any:
                steps = config.training_steps
                share, rate = workloads.training_share(game, decide, others, steps)
                return {"percent": 100 * share, "rate": rate}

            with console.status(name):
                try:
                    found = few.take(f"training-{game}-{decide}", ("percent", "rate"), one_round)
                except Unavailable as error:
                    report.missing.append(f"{name}: {error}")
                    continue
            report.rates[name] = found["rate"]
            claim = Claim(f"{name}: share", found["percent"], at_most=most, unit="%")
            report.claims.append(claim)
