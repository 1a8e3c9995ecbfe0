"""The questions that players ask, and the scales that some answers rest on."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from order_tables import made_up_table

from bidwise.agents.order.totals import Totals
from bidwise.agents.outcomes import table as outcomes
from bidwise.agents.outcomes.table import table_name
from bidwise.envs import PyramidRules
from bidwise.train.compare.intervals import Estimate
from bidwise.train.studies.analysis import conferring as study_conferring
from bidwise.train.studies.analysis.conferring import Conferring, conferring
from bidwise.train.studies.analysis.findings import DP, find
from bidwise.train.studies.analysis.rule_costs import Scale, scale_of
from bidwise.train.studies.analysis.win import aim_at_win, read_rivals
from bidwise.train.studies.report.answers import (
    good_total,
    markdown_table,
    share_text,
    spare_bid,
    when_to_spend,
)
from bidwise.train.studies.report.cost_answers import costs_answer, win_answer

SHORT = PyramidRules(deals_per_player=4, quota=(1, 0, 0, 2, 0, 0, 1))
NOTHING = Scale((), (), ())


@pytest.fixture(scope="module")
def found():
    return find(made_up_table("inventor", 4), sequences=100)


@pytest.fixture(scope="module")
def short():
    return find(made_up_table(SHORT, 3), sequences=100)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (0.0004, "under 0.1 %"),
        (0.9996, "over 99.9 %"),
        (0.034, "3.4 %"),
        (0.34, "34 %"),
        (0.934, "93.4 %"),
    ],
)
def test_shares_have_the_digits_that_they_bear(share, text):
    assert share_text(share) == text


def test_a_table_aligns_its_numbers():
    text = markdown_table(["bid", "worth"], [["3", "+1.0"]])
    assert text == "| bid | worth |\n| --- | ---: |\n| 3 | +1.0 |"


def test_shares_of_totals_sum_to_one(found):
    answer = good_total(found, 110)
    for name, figures in answer.figures.items():
        assert figures["below"] + figures["at"] + figures["above"] == pytest.approx(1)
        assert figures["below"] == found.totals[name].below(110)
    assert "3 other players" in answer.text


def test_a_total_beyond_reach_wins_always(found):
    assert good_total(found, 162).figures[DP]["wins"] == pytest.approx(1)
    assert good_total(found, 0).figures[DP]["wins"] == pytest.approx(0)


def test_a_total_wins_against_all_the_other_players(found):
    for figures in good_total(found, 110).figures.values():
        below, upto = figures["below"] ** 3, (figures["below"] + figures["at"]) ** 3
        assert figures["wins"] == pytest.approx((below + upto) / 2)


def test_a_spare_bid_is_worth_its_price_above_the_mean(found):
    figures = spare_bid(found, 3, 0).figures
    prices = found.prices[found.states.full]
    mean = prices @ np.array(found.states.quota) / 16
    assert figures["worth"] == pytest.approx(prices[3] - mean)
    assert figures["held"] == pytest.approx(1)


@pytest.mark.parametrize("after", [0, 5])
def test_prices_are_those_of_the_states_before_that_deal(found, after):
    met = found.states.deals_left == 16 - after
    told = np.asarray(spare_bid(found, 3, after).figures["prices"], float)
    for bid in range(7):
        holding = met & (found.states.left[:, bid] > 0)
        mean = np.average(found.prices[holding, bid], weights=found.occupancy.reach[holding])
        assert told[bid] == pytest.approx(mean)


def test_a_bid_that_cannot_be_left_has_no_answer(short):
    assert spare_bid(short, 5, 1) is None
    assert spare_bid(short, 3, 9) is None
    assert spare_bid(short, 3, 1) is not None


def test_when_bids_go_follows_the_course(found):
    answer = when_to_spend(found)
    assert answer.question == "When should the 0 and the 6 go?"
    assert answer.figures["6"]["by_deal"].sum() == pytest.approx(1)
    assert answer.figures["6"]["median"] in range(1, 17)


def test_without_a_0_and_a_6_nobody_asks(short):
    rules = PyramidRules(deals_per_player=2, quota=(0, 0, 1, 1, 0, 0, 0))
    assert when_to_spend(find(made_up_table(rules, 2), sequences=50)) is None
    assert "When should the 0 and the 6 go?" in when_to_spend(short).markdown()


# The scale of players and rules


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """A folder of shipped tables: the inventor's for 2 and 3 players, no others."""
    for players in (2, 3):
        table = made_up_table("inventor", players, seed=players)
        table.save(tmp_path / table_name(players, "inventor"))
    monkeypatch.setattr(outcomes, "TABLES", tmp_path)
    return tmp_path


def test_marks_that_differ_in_one_thing_tell_a_cost(tables):
    scale = scale_of(PyramidRules.preset("inventor"))
    assert [(mark.num_players, mark.no_trump) for mark in scale.marks] == [
        (2, True),
        (2, False),
        (3, True),
        (3, False),
    ]
    told = [(cost.what, cost.where) for cost in scale.costs]
    assert told == [
        ("a third player", "follow suit, else trump, suits or no-trump"),
        ("a third player", "follow suit, else trump, suits only"),
        ("doing without no trump", "2 players, follow suit, else trump"),
        ("doing without no trump", "3 players, follow suit, else trump"),
    ]
    cost = scale.costs[0]
    assert cost.points == cost.before.value - cost.after.value
    assert all(mark.value < mark.in_sample for mark in scale.marks)


def test_tables_that_are_missing_are_named(tables, found):
    scale = scale_of(PyramidRules.preset("inventor"))
    assert "inventor, 4 players" in scale.missing
    assert len(scale.missing) == 4
    assert "inventor, 4 players" in costs_answer(found, scale, None).text


def test_the_duty_to_follow_is_told_where_both_tables_are_there(tables):
    more = [made_up_table("piramida", 3)]
    scale = scale_of(PyramidRules.preset("inventor"), more=more)
    assert ("the duty to follow", "3 players, suits only") in [
        (cost.what, cost.where) for cost in scale.costs
    ]


def test_a_table_of_another_quota_is_left_off_the_scale(tables):
    scale = scale_of(PyramidRules.preset("inventor"), more=[made_up_table(SHORT, 3)])
    assert all(mark.no_trump or mark.following != "any" for mark in scale.marks)


# Conferring


def test_conferring_is_the_paired_difference_of_two_tables_of_play():
    played = find(made_up_table("piramida", 3, layouts=4), sequences=40)
    told = []
    result = conferring(
        played, layouts=2, seed=1, threads=1, progress=lambda *now: told.append(now)
    )
    assert result.cost.mean == pytest.approx(result.silent.mean - result.open.mean)
    assert result.source == "basic-v1 against basic-v1"
    assert told[-1][0] == told[-1][1]
    text = costs_answer(played, NOTHING, result).text
    assert "basic-v1 played all cards" in text
    assert "cannot be told apart" in text


def test_conferring_costs_what_silence_earned_more_on_layouts_of_its_own(monkeypatch):
    """Play-outs are made up: all bids are met in silence, and missed by one when conferring."""
    played = find(made_up_table("piramida", 3, layouts=2, seed=7), sequences=20)
    seeds = []

    def made_up(names, rules, num_players, *, layouts, seed, **_):
        seeds.append(seed)
        counts = np.zeros_like(played.outcomes.counts)
        counts[..., 0 if rules.conference == "silent" else 1] = layouts // 2
        return dataclasses.replace(played.outcomes, counts=counts, rules=rules, seed=seed)

    monkeypatch.setattr(study_conferring, "played_out", made_up)
    result = conferring(played, layouts=2, seed=7)
    assert (result.silent.mean, result.open.mean, result.cost.mean) == (160, 128, 32)
    assert seeds[0] == seeds[1] != played.outcomes.seed


def test_two_players_have_nothing_to_confer():
    rules = dataclasses.replace(SHORT, no_trump=True)
    assert conferring(find(made_up_table(rules, 2), sequences=20), layouts=2) is None


def test_a_bound_is_claimed_only_where_three_defenders_confer(found):
    assert "Under the rules studied, `silent`, it is no bound" in (
        costs_answer(found, NOTHING, None).text
    )
    opened = dataclasses.replace(found, outcomes=made_up_table("piramida", 4))
    assert "it is no bound" not in costs_answer(opened, NOTHING, None).text


def test_a_cost_is_told_as_a_gain_or_as_nothing_where_it_is_one(found):
    level = Estimate(120.0, 119.0, 121.0, 10)

    def told(low, mean, high):
        cost = Estimate(mean, low, high, 10)
        result = Conferring("basic-v1 against basic-v1", 2, level, level, level, cost)
        return costs_answer(found, NOTHING, result).text

    assert "conferring costs the declarer 2.00 points (1.00 to 3.00" in told(1, 2, 3)
    assert "conferring brings the declarer 2.00 points (1.00 to 3.00" in told(-3, -2, -1)
    assert "no difference that shows" in told(-1, 0.5, 2)


# Aiming at the win


def test_aiming_at_the_win_spends_the_quota_and_wins_more(short):
    win = aim_at_win(short)
    assert win.num_rivals == 2
    assert np.allclose(win.spending.sum(axis=0), SHORT.quota)
    assert win.by_points == pytest.approx(1 / 3, abs=0.1)
    assert win.in_sample > win.by_win > win.by_points - 0.01
    assert "Against 2 rivals" in win_answer(short, win).text


def test_rivals_may_come_from_a_file(tmp_path, short):
    path = tmp_path / "rivals.csv"
    path.write_text("total,chance\n20,0.25\n10,0.75\n", encoding="utf-8")
    rivals = read_rivals(path)
    assert rivals.totals.tolist() == [10, 20]
    assert rivals.chances.tolist() == [0.75, 0.25]
    assert aim_at_win(short, rivals).rivals is rivals


def test_a_studys_totals_are_rivals(tmp_path, short):
    from bidwise.train.studies.report.tables import tables_of

    (totals,) = (table for table in tables_of(short) if table.name == "totals")
    totals.write(tmp_path)
    rivals = read_rivals(tmp_path / "totals.csv")
    assert isinstance(rivals, Totals)
    assert rivals.mean == pytest.approx(short.totals[DP].mean, abs=1e-3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("total,share\n10,1\n", "needs a column 'total'"),
        ("total,chance\n10,much\n", "could not convert"),
        ("total,chance\n10,0.5\n", "sum to one"),
        ("total,chance\n10,0.5\n10,0.5\n", "ascend"),
        ("total,chance\n", "rivals"),
        ("", "needs a column"),
    ],
)
def test_a_file_that_is_no_distribution_is_refused(tmp_path, text, said):
    path = tmp_path / "rivals.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        read_rivals(path)
