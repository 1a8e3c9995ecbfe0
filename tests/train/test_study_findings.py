"""What a study works out about a table, and how ways of bidding are set beside each other."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from order_tables import made_up_table

from bidwise import agents
from bidwise.agents.order.agent import OrderingAgent
from bidwise.agents.outcomes.table import num_rows
from bidwise.envs import PyramidRules
from bidwise.train.run.plot_style import spread
from bidwise.train.studies.analysis.findings import (
    DP,
    FLATTERED,
    HINDSIGHT,
    RANDOM,
    bid_scores,
    find,
    kind_of_value,
    strength,
)
from bidwise.train.studies.analysis.requirements import hand_text, quantiles, requirements_of
from bidwise.train.studies.report.example_pyramid import deals_text, play_pyramid, pyramid_text


def _agent(name, table):
    return agents.make(name, game="pyramid", rules=table.rules, num_players=table.num_players)


@pytest.fixture(scope="module")
def table():
    return made_up_table("inventor", 4)


@pytest.fixture(scope="module")
def found(table):
    bidders = [_agent("basic", table), _agent("basic", table), _agent("random", table)]
    return find(table, agents=bidders, sequences=200, seed=5)


def test_the_index_runs_from_random_to_the_exact_order(found):
    assert found.standings[RANDOM].index.mean == 0
    assert found.standings[DP].index.mean == 1
    index = {name: standing.index.mean for name, standing in found.standings.items()}
    assert 0 < index["best-now"] < 1
    assert 0 < index["above-mean"] < 1 < index[HINDSIGHT]
    assert found.standings[HINDSIGHT].exact is None


def test_the_value_is_the_mean_of_the_totals(found):
    assert found.totals[DP].mean == pytest.approx(found.fit.value, abs=1e-9)
    assert found.standings[DP].exact == pytest.approx(found.fit.value, abs=1e-9)
    for name, totals in found.totals.items():
        exact = found.standings[name].exact
        if exact is not None:
            assert totals.mean == pytest.approx(exact, abs=1e-9)


def test_an_agents_totals_have_the_mean_of_its_points(found):
    for name in ("basic-v1 (agent)", "random (agent)"):
        points = found.standings[name].points
        assert found.totals[name].mean == pytest.approx(points.mean, abs=1e-9)


def test_agents_of_one_name_are_told_apart(found):
    assert {"basic-v1 (agent)", "basic-v1 (agent 2)", "random (agent)"} < set(found.standings)


def test_an_agent_that_decides_by_the_whole_table_is_said_to_be_flattered(table, found):
    order = found.fit.orders[0]
    bidder = OrderingAgent("ordering", order, _agent("basic", table))
    flattered = find(table, agents=[bidder], sequences=20).standings["ordering (agent)"]
    assert flattered.about == FLATTERED


def test_figures_are_called_what_they_are(table):
    assert "double-dummy" in kind_of_value(table)
    assert "exact for this table" in kind_of_value(table)
    played = made_up_table("inventor", 4, source="basic-v1 against random")
    assert "play-outs, basic-v1 against random" in kind_of_value(played)


def test_strength_is_what_a_hand_takes_when_it_wants_every_trick():
    table = made_up_table("piramida", 2, layouts=2)
    counts = np.zeros_like(table.counts)
    taken = np.arange(num_rows(table.rules)) % 7
    for bid in range(7):
        for row_taken in range(7):
            counts[:, taken == row_taken, bid, abs(bid - row_taken)] = 1
    certain = dataclasses.replace(table, counts=counts)
    options = certain.option_counts(0).astype(float)
    tricks = 6 - options[:, :, 6] @ np.arange(7)
    assert np.array_equal(strength(options), tricks.max(axis=1))


def test_bids_are_valued_by_layouts_that_did_not_decide(found):
    scores = bid_scores(found)
    fooled = (found.scores[0].max(axis=1) + found.scores[1].max(axis=1)) / 2
    assert (scores <= fooled + 1e-9).all()
    assert scores.mean() < fooled.mean() - 0.1


def test_needs_agree_with_the_course(found):
    for requirement in requirements_of(found, (0, 6), (1, 5, 15)):
        spent = found.occupancy.spending[requirement.deal - 1, requirement.bid]
        assert requirement.held * requirement.spent == pytest.approx(spent, abs=1e-9)
        assert requirement.least <= requirement.points


def test_needs_are_told_by_layouts_that_did_not_decide(found):
    """Each half is made to promise one score for everything: the other half's order gets it."""
    scores = np.full_like(found.scores[0], 1.0), np.full_like(found.scores[1], 3.0)
    (requirement,) = requirements_of(dataclasses.replace(found, scores=scores), (3,), (1,))
    first, second = (order.shares()[found.states.full, 3] for order in found.fit.orders)
    assert abs(first - second) > 0.001
    assert requirement.points == pytest.approx((3 * first + second) / (first + second), abs=1e-9)


def test_hands_are_told_by_suit_spades_first():
    assert hand_text(0b111000_000001_000000_010001) == "♠AKQ ♥9 ♣K9"


def test_quantiles_are_values_below_which_a_share_lies():
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0])
    assert quantiles(values, weights, (0.0, 0.5, 0.51, 1.0)) == [1.0, 1.0, 2.0, 3.0]


def test_the_pyramid_that_is_drawn_spends_the_quota(found):
    deals = play_pyramid(found, seed=2)
    assert tuple(np.bincount([deal.bid for deal in deals])) == found.states.quota
    assert all(0 <= deal.taken <= 6 for deal in deals)
    assert all(deal.points == 10 - 2 * abs(deal.bid - deal.taken) for deal in deals)
    sheet = pyramid_text(deals, found.states.quota, "A pyramid")
    assert f"sum {sum(deal.points for deal in deals)}" in sheet
    assert len(deals_text(deals).splitlines()) == 17
    assert deals == play_pyramid(found, seed=2)
    assert deals != play_pyramid(found, seed=3)


def test_the_pyramid_that_is_drawn_is_bid_by_one_half_and_brings_what_the_other_says(found):
    hits = np.zeros_like(found.chances[1])
    hits[..., 0] = 1
    scores = found.scores[0], np.full_like(found.scores[1], 4.5)
    other = dataclasses.replace(found, scores=scores, chances=(found.chances[0], hits))
    deals = play_pyramid(other, seed=2)
    assert [deal.bid for deal in deals] == [deal.bid for deal in play_pyramid(found, seed=2)]
    assert all(deal.taken == deal.bid for deal in deals)
    assert {deal.expected for deal in deals} == {4.5}


def test_labels_are_moved_apart_and_keep_their_order():
    places = [0.0, 0.1, 5.0, 5.0, 9.0]
    moved = spread(places, 1.0)
    assert np.all(np.diff(moved) >= 1 - 1e-9)
    assert moved[4] == 9.0
    assert np.mean(moved[2:4]) == 5.0


def test_a_short_quota_is_studied_too():
    rules = PyramidRules(deals_per_player=3, quota=(0, 1, 1, 1, 0, 0, 0))
    short = find(made_up_table(rules, 3), sequences=50)
    assert len(short.states.left) == 8
    assert short.most == 30
    assert requirements_of(short, (0, 2), (1, 2, 3))[0].bid == 2
