"""`bidwise evaluate` and `bidwise demo`: what they print and what they leave behind."""

from __future__ import annotations

import dataclasses
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from bidwise.envs import PyramidRules, SpadesRules
from bidwise.train import demo as demos
from bidwise.train.compare.duplicate import Comparison
from bidwise.train.compare.evaluate import Evaluate, compare, comparison_table, evaluate, remarks
from bidwise.train.compare.intervals import Estimate
from bidwise.train.learning.curve_plot import learning_figure
from bidwise.train.run.provenance import to_json, write_json
from bidwise.train.run.rule_options import chosen_rules


def _text(table):
    console = Console(file=io.StringIO(), width=120)
    console.print(table)
    return console.file.getvalue()


# Rules from the command line


def test_switches_change_a_preset():
    assert chosen_rules("pyramid", None) == PyramidRules()
    assert chosen_rules("pyramid", "inventor", ["following=suit", "no-trump=false"]) == (
        PyramidRules(following="suit", no_trump=False, conference="silent")
    )
    short = ["deals_per_player=4", "quota=1,1,1,1,0,0,0"]
    assert chosen_rules("pyramid", None, short).quota == (1, 1, 1, 1, 0, 0, 0)
    expected = dataclasses.replace(
        SpadesRules.preset("zone"), mercy=None, target=250, overtrick_points=-2
    )
    switches = ["mercy=none", "target=250", "overtrick_points=-2"]
    assert chosen_rules("spades", "zone", switches) == expected
    switches = ["bag_limit=none", "first-trick-spades=false", "pair_bid_min=4"]
    expected = dataclasses.replace(
        SpadesRules.preset("zone"), bag_limit=None, first_trick_spades=False, pair_bid_min=4
    )
    assert chosen_rules("spades", "zone", switches) == expected


@pytest.mark.parametrize(
    ("game", "switch", "message"),
    [
        ("pyramid", "following", "'following' is not of the form field=value"),
        ("pyramid", "mercy=-100", "pyramid has no 'mercy', only following"),
        ("pyramid", "no_trump=perhaps", "no_trump: expected true or false, got 'perhaps'"),
        ("pyramid", "quota=1,2,x", "quota: expected whole numbers"),
        ("pyramid", "deals_per_player=8", "sums to 16"),
        ("spades", "target=many", "target: expected a whole number, got 'many'"),
        ("spades", "target=none", "target: expected a whole number, got 'none'"),
        ("spades", "bid_order=left", "bid_order: 'left'"),
        ("spades", "pair_bid_min=none", "pair_bid_min: expected a whole number, got 'none'"),
        ("spades", "first_trick_spades=2", "first_trick_spades: expected true or false, got '2'"),
    ],
)
def test_switches_that_cannot_be_are_refused(game, switch, message):
    with pytest.raises(ValueError, match=message):
        chosen_rules(game, None, [switch])


# The command


def test_basic_beats_random_in_both_roles():
    found = compare("basic", "random", game="pyramid", matches=12, seed=5)
    assert (found.a, found.b, found.unit) == ("basic-v1", "random", "match")
    assert found.differences["declaring"].low > 1.0
    assert found.differences["defending"].low > 0.5
    assert found.illegal == {"A": 0, "B": 0}


def test_basic_wins_matches_of_spades():
    found = compare("basic", "random", game="spades", rules="zone", matches=12, seed=5)
    assert found.wins is not None
    assert found.wins.mean == 1.0
    assert found.wins.low > 0.6
    assert found.differences["points"].low > 0


def test_basic_differs_from_itself_by_exactly_nothing():
    found = compare("basic", "basic-v1", game="spades", deals=20)
    assert (found.a, found.b) == ("basic-v1 (A)", "basic-v1 (B)")
    assert found.differences["points"] == Estimate(0.0, 0.0, 0.0, 20)


def test_random_agents_of_one_name_do_not_play_alike():
    found = compare("random", "random", game="spades", deals=20)
    assert found.differences["points"].mean != 0
    assert found == compare("random", "random", game="spades", deals=20)


def test_evaluate_writes_figures_and_provenance(tmp_path):
    config = Evaluate(
        "random",
        game="pyramid",
        rules="inventor",
        rule=("following=any",),
        num_players=3,
        deals=20,
        seed=4,
        out=tmp_path,
    )
    found = evaluate(config)
    figures = json.loads((tmp_path / "comparison.json").read_text())
    assert figures["differences"]["declaring"]["mean"] == found.differences["declaring"].mean
    assert figures["differences"]["declaring"]["units"] == 20
    assert figures["deals"] == 20 * 3 * 3
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["command"] == "evaluate"
    assert run["seed"] == 4
    assert run["rules"]["following"] == "any"
    assert run["rules"]["no_trump"] is True
    assert run["config"]["rule"] == ["following=any"]
    assert run["results"] == figures
    assert set(run["platform"]) == {"python", "implementation", "system", "machine", "cores"}
    assert not list(tmp_path.glob(".*"))


def test_without_a_folder_results_go_under_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    evaluate(Evaluate("random", "basic", game="spades", deals=2))
    assert (tmp_path / "runs/evaluate/spades-random-basic-v1-0/run.json").is_file()


def _comparison(**changes):
    values = {
        "a": "one",
        "b": "two",
        "game": "spades",
        "rules": SpadesRules(),
        "num_players": 4,
        "seed": 3,
        "unit": "pair of matches",
        "units": 50,
        "deals": 812,
        "differences": {"points": Estimate(12.5, 10.0, 15.0, 50)},
        "levels": {"one's pair": Estimate(40.0, 38.0, 42.0, 50)},
        "wins": Estimate(0.625, 0.5, 0.75, 50),
        "truncated": 0,
        "illegal": {"A": 0, "B": 0},
    }
    return Comparison(**{**values, **changes})


def test_every_figure_is_printed_with_its_interval_and_the_unit():
    text = _text(comparison_table(_comparison()))
    assert "one − two: points" in text
    assert "+12.500" in text
    assert "+10.000 … +15.000" in text
    assert "38.000 … 42.000" in text
    assert "62.5 %" in text
    assert "50.0 … 75.0 %" in text
    assert "50 independent units, each a pair of matches; 812 deals" in text


def test_illegal_actions_and_truncated_matches_are_remarked():
    assert list(remarks(_comparison())) == []
    text = " ".join(remarks(_comparison(illegal={"A": 0, "B": 7}, truncated=3)))
    assert "one 0, two 7" in text
    assert "3 matches were cut off" in text


# Files


def test_json_tells_nothing_of_the_machine():
    value = {"out": Path("/somewhere/else/runs"), "agent": "/home/me/agent", "rate": float("nan")}
    assert to_json(value) == {"out": "runs", "agent": "agent", "rate": None}
    assert to_json({"out": Path("runs/demo"), "n": np.int64(3)}) == {"out": "runs/demo", "n": 3}
    agent = "ordering:table=/home/me/t.npz,play=/home/me/agent:sample=true"
    assert to_json(agent) == "ordering:table=t.npz,play=agent:sample=true"
    assert to_json("ordering:table=runs/t.npz") == "ordering:table=runs/t.npz"


def test_a_json_file_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "new" / "figures.json"
    write_json(path, {"x": 1})

    def fail(number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r"figures.json cannot be written: No space left"):
        write_json(path, {"x": 2})
    assert json.loads(path.read_text()) == {"x": 1}
    assert list(path.parent.iterdir()) == [path]


# The demo


def test_the_demo_reads_a_pyramid_off_the_finished_match():
    sheet = demos.announcements("random", seed=2)
    assert sheet == demos.announcements("random", seed=2)
    bids = [bid for bid, _ in sheet]
    assert [bids.count(bid) for bid in range(7)] == list(PyramidRules().quota)
    assert all(taken is not None and 0 <= taken <= 6 for _, taken in sheet)


def test_the_demo_table_puts_the_reference_last():
    found = {
        name: compare(name, "basic-v1", game="pyramid", matches=2, names=(name, "basic-v1"))
        for name in ("random",)
    }
    text = _text(demos.comparisons_table(found))
    rows = [line for line in text.splitlines() if line.startswith("│")]
    assert [row.split("│")[1].strip() for row in rows] == ["random", "basic-v1"]
    assert "±" in rows[0]


def test_the_demo_trains_what_it_says():
    settings = demos.Demo(out=Path("x"), steps=1000, minutes=0.5, seed=9).train_config()
    assert settings.out == Path("x/training")
    assert (settings.steps, settings.minutes, settings.seed) == (1000, 0.5, 9)
    assert settings.overwrite
    assert settings.eval_seed != demos._HELD_OUT + 9


def test_the_learning_curve_is_a_png(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "curve.png"
    learning_figure(
        path,
        [(0, Estimate(5.0, 4.8, 5.2, 10)), (1000, Estimate(7.0, 6.9, 7.1, 10))],
        {"basic-v1": Estimate(6.9, 6.8, 7.0, 10)},
        {"network": Estimate(0.1, 0.0, 0.2, 10)},
        agent="network",
        reference="basic-v1",
        title="t",
        note="n",
    )
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
def test_the_demo_from_end_to_end(tmp_path):
    pytest.importorskip("torch")
    found = demos.demo(demos.Demo(out=tmp_path, steps=32_768, matches=4))
    assert set(found) == {"network", "random"}
    assert found["network"].differences["defending"].mean == 0.0
    for name in ("learning_curve.png", "comparisons.json", "pyramid.txt", "run.json"):
        assert (tmp_path / name).is_file()
    assert (tmp_path / "training/agent/card.json").is_file()
