"""`bidwise study` from end to end: what it writes, and how it refuses."""

from __future__ import annotations

import csv
import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tyro
from order_tables import made_up_table
from rich.console import Console

from bidwise.agents.outcomes import table as outcomes
from bidwise.envs import PyramidRules
from bidwise.train.run.plot_style import png
from bidwise.train.studies.analysis.findings import find
from bidwise.train.studies.analysis.win import read_rivals
from bidwise.train.studies.command import Study, study
from bidwise.train.studies.report.dot_plots import strategies_figure
from bidwise.train.studies.report.report import strategies_table
from bidwise.train.studies.report.spending_plots import spending_figure, totals_figure

PICTURES = ("bids", "spending", "prices", "totals", "strategies", "scale")
TABLES = ("states", "policy", "hands", "spending", "totals", "strategies")
SHORT = PyramidRules(deals_per_player=4, quota=(1, 0, 0, 2, 0, 0, 1))


def _rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What a study of a made-up table leaves behind."""
    folder = tmp_path_factory.mktemp("study")
    path = folder / "made-up.npz"
    made_up_table("inventor", 3, provenance={"command": "made up"}).save(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outcomes, "TABLES", folder)  # without any
        study(Study(folder / "out", table=path, sequences=100, win=False, confer=0, seed=3))
    return folder / "out"


def test_everything_lies_in_the_folder(folder):
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "report.json",
        "answers.md",
        "pyramid.txt",
        "run.json",
        *(f"{name}.png" for name in PICTURES),
        *(f"{name}.{kind}" for name in TABLES for kind in ("csv", "json")),
    }


def test_the_report_tells_value_strategies_and_provenance(folder):
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["num_players"] == 3
    assert report["rules"]["following"] == "suit_then_trump"
    assert "double-dummy" in report["dp"]["kind"]
    assert report["dp"]["value"] == pytest.approx(np.mean(report["dp"]["halves"]))
    assert report["dp"]["value"] < report["dp"]["claimed"]
    assert 0 < report["dp"]["error"] < 1
    for name in ("random", "top-down", "bottom-up", "best-now", "above-mean", "dp", "hindsight"):
        told = report["strategies"][name]
        assert told["low"] <= told["mean"] <= told["high"]
        assert told["index_low"] <= told["index"] <= told["index_high"]
    assert report["strategies"]["random"]["index"] == 0
    assert report["strategies"]["dp"]["index"] == 1
    assert report["strategies"]["basic-v1 (agent)"]["exact"] is None
    assert report["table"]["provenance"] == {"command": "made up"}
    assert report["seed"] == 3
    assert set(report["answers"]) == {"total", "spare", "timing", "costs"}


def test_answers_say_what_figures_are(folder):
    text = (folder / "answers.md").read_text(encoding="utf-8")
    assert "neither is the game's optimum" in text.replace("\n", " ")
    for question in ("How good is a pyramid of 110?", "What is a spare 3 worth after 9 deals?"):
        assert f"## {question}" in text


def test_every_state_has_a_value_and_prices(folder):
    rows = _rows(folder / "states.csv")
    assert len(rows) == 2880
    values = [float(row["value"]) for row in rows]
    for row in rows[1::311]:
        for bid, stride in enumerate((1, 2, 6, 24, 120, 480, 1440)):
            price = row[f"price_{bid}"]
            assert (price == "") == (row[f"left_{bid}"] == "0")
            if price:
                state = int(row["state"])
                assert float(price) == pytest.approx(values[state] - values[state - stride])


def test_the_policy_can_be_followed_from_the_files(folder):
    full = _rows(folder / "states.csv")[-1]
    prices = np.array([float(full[f"price_{bid}"]) for bid in range(7)])
    hands = _rows(folder / "hands.csv")
    assert len(hands) == 6907
    assert sum(int(row["hands"]) for row in hands) == 134_596
    for row in hands[::500]:
        scores = np.array([float(row[f"score_{bid}"]) for bid in range(7)])
        assert int(row["first_bid"]) == (scores - prices).argmax()
    policy = _rows(folder / "policy.csv")[-1]
    shares = [float(policy[f"spent_{bid}"]) for bid in range(7)]
    assert sum(shares) == pytest.approx(1, abs=1e-5)
    assert int(policy["likeliest"]) == int(np.argmax(shares))


def test_json_and_csv_hold_the_same(folder):
    for name in TABLES:
        told = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        rows = _rows(folder / f"{name}.csv")
        assert list(rows[0]) == told["columns"]
        assert len(rows) == len(told["rows"])
        assert told["about"]
        last = ["" if cell is None else str(cell) for cell in told["rows"][-1]]
        assert list(rows[-1].values()) == last


def test_spending_sums_to_the_quota_and_totals_to_one(folder):
    spending = _rows(folder / "spending.csv")
    for bid, count in enumerate((1, 2, 3, 4, 3, 2, 1)):
        spent = sum(float(row[f"spent_{bid}"]) for row in spending)
        assert spent == pytest.approx(count, abs=1e-4)
    totals = _rows(folder / "totals.csv")
    assert sum(float(row["dp"]) for row in totals) == pytest.approx(1, abs=1e-4)


def test_nothing_tells_where_it_was_made(folder):
    for path in folder.iterdir():
        if path.suffix in (".json", ".md", ".txt", ".csv"):
            assert str(folder.parent) not in path.read_text(encoding="utf-8")


def test_pictures_are_pngs_of_one_size(folder):
    sizes = {(folder / f"{name}.png").read_bytes()[:24] for name in PICTURES}
    assert len(sizes) == 1
    assert sizes.pop().startswith(b"\x89PNG")


def test_pictures_are_the_same_bytes_again_and_leave_no_global_figure():
    found = find(made_up_table(SHORT, 3), sequences=50)
    assert png(spending_figure(found)) == png(spending_figure(found))
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys\n"
            "from bidwise.train.run.plot_style import new_figure, png\n"
            "png(new_figure('a', 'b')[0])\n"
            "print('matplotlib.pyplot' in sys.modules)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "False"


def test_play_outs_of_named_agents_are_built_and_studied(tmp_path):
    config = Study(
        tmp_path,
        players=2,
        rules="piramida",
        declarer="basic",
        defenders="basic",
        layouts=2,
        agents=(),
        sequences=50,
        win=False,
        threads=1,
    )
    found = study(config)
    assert found.outcomes.source == "basic-v1 against basic-v1"
    assert (tmp_path / "outcomes.npz").is_file()
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert "play-outs" in report["dp"]["kind"]
    assert "double-dummy" not in report["about"]


def test_a_short_quota_is_studied_with_the_win_as_aim(tmp_path):
    path = tmp_path / "short.npz"
    made_up_table(SHORT, 4).save(path)
    study(Study(tmp_path / "out", table=path, agents=(), sequences=50, confer=0, threads=1))
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert set(report["answers"]) == {"total", "timing", "costs", "win"}


def test_names_are_neither_markup_nor_mathematics_nor_paths_of_the_machine(tmp_path, capsys):
    path = tmp_path / "[b" / "x].npz"
    made_up_table(SHORT, 3, source=r"[/b] $\frac{ $x$").save(path)
    config = Study(
        tmp_path / "[red]",
        table=path,
        agents=(f"ordering:table={path}",),
        sequences=50,
        win=False,
        confer=0,
        threads=1,
    )
    study(config)
    out = capsys.readouterr().out
    assert r"[/b] $\frac{ $x$" in out
    assert "ordering:table=x].npz" in out
    for file in config.out.iterdir():
        assert str(tmp_path).encode() not in file.read_bytes()


@pytest.fixture(scope="module")
def long_named():
    """Findings with agents whose names are long, and no mathematics."""
    found = find(made_up_table(SHORT, 3), sequences=50)
    names = ["pyramid-bids-ppo (agent)", f"{'a-very-long-name-' * 9}(agent)", r"$\frac{ $x (agent)"]
    return dataclasses.replace(
        found,
        standings={
            **found.standings,
            **{name: dataclasses.replace(found.standings["random"], exact=None) for name in names},
        },
        totals={**found.totals, **dict.fromkeys(names, found.totals["random"])},
    )


def test_a_long_name_leaves_numbers_whole_in_eighty_columns(long_named):
    console = Console(width=80)
    with console.capture() as capture:
        console.print(strategies_table(long_named))
    lines = capture.get().splitlines()
    heads = [head.strip() for head in lines[2].strip("┃│").split("┃")]
    assert heads == ["spent by", "points", "95 %", "exact", "index", "95 %"]
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if "│" in line]
    numbers = [row for row in cells if row[1]]
    assert len(numbers) == len(long_named.standings)
    for (_, points, low_high, exact, index, _), standing in zip(
        numbers, long_named.standings.values(), strict=True
    ):
        assert points == f"{standing.points.mean:.1f}"
        assert low_high == f"{standing.points.low:.1f} … {standing.points.high:.1f}"
        assert exact == ("" if standing.exact is None else f"{standing.exact:.1f}")
        assert index == f"{round(standing.index.mean, 2) + 0.0:+.2f}"
    told = "".join(row[0] for row in cells)
    assert all(name.replace(" ", "") in told.replace(" ", "") for name in long_named.standings)


def test_long_names_lie_on_the_page(long_named):
    for figure in (strategies_figure(long_named), totals_figure(long_named, 110)):
        png(figure)
        (axes,) = figure.axes
        legend = axes.get_legend()
        for label in [*axes.get_yticklabels(), *(legend.get_texts() if legend else ())]:
            box = label.get_window_extent()
            assert box.x0 >= 0
            assert box.x1 <= figure.bbox.width
    values = [text.get_text() for text in strategies_figure(long_named).axes[0].texts]
    assert f"{long_named.standings['dp'].exact:.1f}" in values


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(tmp_path, monkeypatch):
    path = tmp_path / "t.npz"
    made_up_table(SHORT, 3).save(path)
    (tmp_path / "out").write_text("in the way")
    monkeypatch.setattr("bidwise.train.studies.command.find", None)
    with pytest.raises(ValueError, match="out: nothing can be written in"):
        study(Study(tmp_path / "out", table=path, agents=(), confer=0, win=False))


def test_one_kind_of_bid_has_no_order(tmp_path):
    path = tmp_path / "t.npz"
    made_up_table(PyramidRules(deals_per_player=4, quota=(0, 0, 0, 4, 0, 0, 0)), 3).save(path)
    with pytest.raises(ValueError, match=r"quota: .* one kind of bid"):
        study(Study(tmp_path / "out", table=path, agents=(), confer=0, win=False))


def test_a_missing_table_is_refused_with_the_command_that_builds_one(tmp_path, monkeypatch):
    monkeypatch.setattr(outcomes, "TABLES", tmp_path)
    with pytest.raises(ValueError, match="bidwise outcomes --num-players 4"):
        study(Study(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"players": 5}, "players"),
        ({"rules": "house"}, "rules"),
        ({"declarer": "basic"}, "declarer, defenders"),
        ({"layouts": 3}, "layouts"),
        ({"confer": 3}, "confer"),
        ({"sequences": 1}, "sequences"),
        ({"spare": 7}, "spare"),
        ({"total": 10**40}, "total"),
        ({"threads": 0}, "threads"),
    ],
)
def test_settings_that_cannot_be_are_refused(values, field):
    with pytest.raises(ValueError, match=field):
        Study(**values)


def test_the_command_line_of_the_issue():
    config = tyro.cli(
        Study,
        args=[
            *("--players", "4", "--rules", "inventor", "--out", "runs/x"),
            *("--agents", "basic", "random", "--no-win"),
        ],
        config=(tyro.conf.FlagCreatePairsOff,),
    )
    assert (config.players, config.rules, config.win) == (4, "inventor", False)
    assert config.agents == ("basic", "random")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"total,chance\n", "there are no totals"),
        (b"total,chance\n100\n", "NoneType"),
        (b"total,chance\n99999999999999999999999999,1\n", "total: 9+ is not in"),
        (b"total,chance\n100," + b"1" * 200_000 + b"\n", "field larger than"),
        (b"a" * 200_000 + b"\n", "field larger than"),
        (b"\xcf\xff\n", "utf-8"),
    ],
)
def test_a_broken_file_of_rivals_is_named_and_refused(tmp_path, content, said):
    path = tmp_path / "rivals.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"^rivals: .*rivals\.csv: .*{said}"):
        read_rivals(path)


def test_rivals_from_a_spreadsheet_may_begin_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "rivals.csv"
    path.write_bytes(b"\xef\xbb\xbftotal,chance\r\n100,1\r\n")
    assert read_rivals(path).totals.tolist() == [100]


@pytest.mark.parametrize(
    "beside", [{"players": 2}, {"rules": "inventor"}, {"rule": ("no_trump=true",)}]
)
def test_a_table_has_players_and_rules_of_its_own(beside):
    with pytest.raises(ValueError, match="table: it has players and rules of its own"):
        Study(table=Path("any.npz"), **beside)
