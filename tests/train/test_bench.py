"""The bench: its arithmetic, its workloads, and what it writes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bidwise.envs import GAMES
from bidwise.train.benchmarks import command as benches
from bidwise.train.benchmarks import workloads
from bidwise.train.benchmarks.command import Bench, bench
from bidwise.train.benchmarks.rounds import Rounds
from bidwise.train.benchmarks.samples import Sample, ratio
from bidwise.train.benchmarks.targets import Claim
from bidwise.train.benchmarks.timing import Unavailable, measure


def test_a_sample_tells_median_and_range():
    sample = Sample((3.0, 1.0, 8.0))
    assert (sample.median, sample.low, sample.high) == (3.0, 1.0, 8.0)
    assert sample.summary()["values"] == [3.0, 1.0, 8.0]


def test_ratios_are_taken_round_by_round():
    ours, theirs = Sample((10.0, 5.0, 12.0)), Sample((2.0, 1.0, 4.0))
    assert ratio(ours, theirs).values == (5.0, 5.0, 3.0)


def test_workloads_take_turns():
    order = []

    def workload(name, rate):
        def work(seconds):
            order.append((name, seconds))
            return round(rate * 10), 10.0

        return work

    rates = measure({"a": workload("a", 3), "b": workload("b", 7)}, 0.5, Rounds(2))
    assert order == [("a", 0.0), ("b", 0.0), *[("a", 0.5), ("b", 0.5)] * 2]
    assert rates["a"].values == (3.0, 3.0)
    assert rates["b"].values == (7.0, 7.0)


@pytest.mark.parametrize(
    ("claim", "met", "target"),
    [
        (Claim("x", Sample((5.0,)), at_least=5.0, unit="×"), True, "≥ 5"),
        (Claim("x", Sample((4.9,)), at_least=5.0), False, "≥ 5"),
        (Claim("x", Sample((1.1,)), at_most=1.0, unit="s"), False, "≤ 1"),
        (Claim("x", Sample((384.0,)), at_most=512), True, "≤ 512"),
        (Claim("x", Sample((61e6,)), at_least=60e6, unit="steps/s"), True, "≥ 60 M"),
        (Claim("x", Sample((1.0,))), None, ""),
    ],
)
def test_a_figure_stands_beside_its_target(claim, met, target):
    assert claim.met is met
    assert claim.target == target


@pytest.mark.parametrize("game", sorted(GAMES))
def test_our_workloads_count_their_steps(game):
    assert workloads.tables_loop(game, 1, num_tables=8)(0.0)[0] == 8
    assert workloads.play_out_loop(game, 1, num_tables=2)(0.0)[0] == 2000
    assert workloads.policy_loop(game, 1, num_tables=8)(0.0)[0] == 8
    assert workloads.aec_loop(game)(0.0)[0] == 64


@pytest.mark.parametrize("tensor", [True, False])
def test_openspiel_steps_are_decisions_not_dealt_cards(tensor):
    pytest.importorskip("pyspiel")
    steps, elapsed = workloads.openspiel_loop(tensor)(0.0)
    assert steps == 64
    assert elapsed > 0


def test_openspiel_driven_by_a_policy_counts_decisions_and_all_the_time_between():
    pytest.importorskip("pyspiel")
    steps, spent = workloads.openspiel_policy_loop()(0.02)
    assert steps > 0
    assert spent >= 0.02


def test_a_peer_that_is_not_installed_is_named(monkeypatch, tmp_path):
    def missing():
        raise Unavailable("PettingZoo's tictactoe needs pygame")

    monkeypatch.setattr(workloads, "tictactoe_loop", missing)
    results = bench(Bench(suites="aec", seconds=0.0, rounds=1, out=tmp_path))
    assert results["missing"] == ["tictactoe: PettingZoo's tictactoe needs pygame"]
    assert set(results["rates"]) == {f"{game} AEC" for game in GAMES}
    assert results["claims"] == []


def test_results_are_written_beside_their_provenance(tmp_path):
    bench(Bench(suites="tables,state", seconds=0.0, rounds=2, out=tmp_path))
    results = json.loads((tmp_path / "bench.json").read_text())
    tables = results["rates"]["pyramid tables, 1 core"]
    assert len(tables["values"]) == 2
    assert tables["low"] <= tables["median"] <= tables["high"]
    claims = {claim["name"]: claim for claim in results["claims"]}
    assert claims["pyramid tables, 1 core / spades tables, 1 core"]["at_least"] == 1.0
    for game in GAMES:
        assert claims[f"{game} state of a table"]["met"] is True
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["command"] == "bench"
    assert run["config"]["rounds"] == 2
    assert {"bidwise", "numpy", "numba", "gymnasium", "pettingzoo"} <= set(run["versions"])


def test_unknown_suites_are_refused(tmp_path):
    with pytest.raises(ValueError, match="suites: 'speed' is not one of tables"):
        bench(Bench(suites="tables,speed", out=tmp_path))


def test_training_is_a_suite_of_its_own():
    assert "training" not in Bench().suites.split(",")
    assert "training" in benches.SUITES


def test_the_solver_is_measured_on_deals_that_are_new_to_it():
    from bidwise.train.benchmarks.solver_timing import (
        LEAST_CONTRACTS,
        measure_solving,
        random_deals,
        solver_loop,
    )

    deals = random_deals(200, 4, seed=1)
    assert (np.bitwise_count(deals) == 6).all()
    assert (np.bitwise_or.reduce(deals, axis=1) == 2**24 - 1).all()
    assert len(np.unique(deals[:, 0])) > 150
    contracts, seconds = solver_loop(2, "any", warm_up=0.0)(0.0)
    assert contracts % 7 == 0
    assert seconds > 0
    rates, claims = measure_solving(0.0, Rounds(1), warm_up=0.0, slowest_of=1)
    assert len(rates) == 2 * len(LEAST_CONTRACTS) == 2 * (len(claims) - 2)
    assert all(claim.sample.median > 0 for claim in claims)
