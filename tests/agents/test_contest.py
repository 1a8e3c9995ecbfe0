"""The order with the best chance to win, against plain ways to find it."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import order as plain
from score_tables import FULL, outcome_tables, points_of, weights_of

from bidwise.agents.order.contest import cross_fit_contest, solve_contest
from bidwise.agents.order.optimal import solve
from bidwise.agents.order.sequences import sample_sequences
from bidwise.agents.order.totals import Totals, best_of, mixture, winning_chance


def rivals_for(quota, seed):
    """A made-up distribution over some of the totals that a pyramid can have."""
    rng = np.random.default_rng(seed)
    totals = 10 * sum(quota) - 2 * np.arange(0, 3 * sum(quota))[::-1]
    return Totals(totals, rng.dirichlet(np.ones(len(totals))))


def as_dict(totals):
    pairs = zip(totals.totals.tolist(), totals.chances.tolist(), strict=True)
    return {total: chance for total, chance in pairs if chance > 0}


# ---------------------------------------------------------------------- final totals


def test_the_best_of_independent_rivals_is_counted_by_all_pairs():
    first = Totals(np.array([100, 110, 120]), np.array([0.2, 0.5, 0.3]))
    second = Totals(np.array([90, 110, 130]), np.array([0.1, 0.6, 0.3]))
    expected = dict.fromkeys((90, 100, 110, 120, 130), 0.0)
    for (a, p), (b, q) in itertools.product(as_dict(first).items(), as_dict(second).items()):
        expected[max(a, b)] += p * q
    assert as_dict(best_of([first, second])) == pytest.approx(
        {total: chance for total, chance in expected.items() if chance}
    )
    assert as_dict(best_of(first)) == pytest.approx(as_dict(first))
    own = Totals(np.array([110, 120]), np.array([0.4, 0.6]))
    won = 0.4 * (0.2 + 0.25 * 0.5) + 0.6 * (0.7 + 0.25 * 0.3)
    assert winning_chance(own, first, tie=0.25) == pytest.approx(won)


def test_what_a_distribution_says_of_itself():
    totals = Totals(np.array([100, 110, 120]), np.array([0.2, 0.5, 0.3]))
    assert totals.mean == pytest.approx(111)
    assert totals.deviation == pytest.approx(7)
    assert (totals.below(110), totals.at(110), totals.at(111)) == (0.2, 0.5, 0)
    assert [totals.quantile(share) for share in (0, 0.2, 0.21, 0.7, 1)] == [
        100, 100, 110, 110, 120,
    ]  # fmt: skip
    other = Totals(np.array([104, 120]), np.array([0.5, 0.5]))
    assert as_dict(mixture(totals, other)) == pytest.approx(
        {100: 0.1, 104: 0.25, 110: 0.25, 120: 0.4}
    )


@pytest.mark.parametrize(
    ("totals", "chances"),
    [([1, 2], [1.0]), ([2, 1], [0.5, 0.5]), ([1, 2], [0.5, 0.6]), ([1, 2], [1.5, -0.5]), ([], [])],
)
def test_what_is_no_distribution_is_refused(totals, chances):
    with pytest.raises(ValueError, match="totals"):
        Totals(np.array(totals), np.array(chances))


# ---------------------------------------------------------------------- the best chance


@pytest.mark.parametrize("quota", [(1, 1, 1), (0, 2, 2), (1, 1, 1, 1, 1), (2, 0, 1, 0, 0, 1, 1)])
@pytest.mark.parametrize("tie", [0.5, 0, 1])
def test_the_chance_to_win_is_that_of_the_uncompressed_programme(quota, tie):
    outcomes = outcome_tables(6, 4, len(quota), seed=1)[0]
    weights = weights_of(6, seed=2)
    rivals = rivals_for(quota, seed=3)
    found = solve_contest(outcomes, weights, quota, rivals, tie=tie)
    expected = plain.best_chance(
        outcomes.tolist(), (weights / weights.sum()).tolist(), quota, as_dict(rivals), tie
    )
    assert found.in_sample == pytest.approx(expected, abs=1e-12)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert winning_chance(found.totals, rivals, tie) == pytest.approx(expected, abs=1e-12)


@given(
    quota=st.lists(st.integers(0, 2), min_size=2, max_size=4).filter(any).map(tuple),
    seed=st.integers(0, 2**20),
    layouts=st.sampled_from([2, 8]),
)
@settings(max_examples=25, deadline=None)
def test_any_small_contest_agrees_with_the_uncompressed_programme(quota, seed, layouts):
    """Few layouts make many denominations equal and many outcomes certain."""
    outcomes = outcome_tables(4, 3, len(quota), seed, layouts=layouts)
    weights = weights_of(4, seed)
    shares = (weights / weights.sum()).tolist()
    rivals = rivals_for(quota, seed)
    found = solve_contest(outcomes[0], weights, quota, rivals, valued_by=outcomes[1])
    expected = plain.best_chance(outcomes[0].tolist(), shares, quota, as_dict(rivals), 0.5)
    assert found.in_sample == pytest.approx(expected, abs=1e-12)
    totals = plain.totals(found.choose, outcomes[0].tolist(), shares, quota)
    own = Totals(np.array(list(totals)), np.array(list(totals.values())))
    assert winning_chance(own, rivals) == pytest.approx(expected, abs=1e-12)


def test_another_table_values_the_bids_and_trumps_that_the_first_decided():
    quota = (1, 1, 1, 1)
    outcomes = outcome_tables(5, 3, 4, seed=5)
    weights = weights_of(5, seed=5)
    shares = (weights / weights.sum()).tolist()
    rivals = rivals_for(quota, seed=8)
    found = solve_contest(outcomes[0], weights, quota, rivals, valued_by=outcomes[1])
    totals = plain.totals(found.choose, outcomes[1].tolist(), shares, quota)
    assert as_dict(found.totals) == pytest.approx(totals, abs=1e-12)
    assert found.value == pytest.approx(winning_chance(found.totals, rivals), abs=1e-12)
    reverse = solve_contest(outcomes[1], weights, quota, rivals, valued_by=outcomes[0])
    both = cross_fit_contest(outcomes[0], outcomes[1], weights, quota, rivals)
    assert both.value == (found.value + reverse.value) / 2
    assert both.in_sample == (found.in_sample + reverse.in_sample) / 2
    assert both.totals.mean == pytest.approx((found.totals.mean + reverse.totals.mean) / 2)
    np.testing.assert_allclose(both.spending.sum(axis=0), quota, atol=1e-12)


def test_against_rivals_of_any_total_alike_points_are_all_that_counts():
    """The chance to win then grows by the same step with every two points."""
    outcomes = outcome_tables(50, 4, 7, seed=2)[0]
    weights = weights_of(50, seed=2)
    anywhere = Totals(np.arange(24, 162, 2), np.full(69, 1 / 69))
    optimal = solve(points_of(outcomes), weights, FULL)
    found = solve_contest(outcomes, weights, FULL, anywhere)
    assert found.value == pytest.approx(((optimal.value - 24) / 2 + 0.5) / 69, abs=1e-9)
    assert found.totals.mean == pytest.approx(optimal.value, abs=1e-9)
    np.testing.assert_allclose(found.spending, optimal.occupancy(outcomes).spending, atol=1e-9)


def test_aiming_at_the_win_wins_more_and_scores_less():
    outcomes = outcome_tables(60, 4, 7, seed=3)[0]
    weights = weights_of(60, seed=3)
    totals = solve(points_of(outcomes), weights, FULL).occupancy(outcomes).totals()
    rivals = [totals] * 3
    found = solve_contest(outcomes, weights, FULL, rivals)
    assert found.value > winning_chance(totals, rivals) + 0.002
    assert found.totals.mean < totals.mean
    assert found.totals.deviation > totals.deviation  # one in four wins: the bold do
    assert winning_chance(totals, totals) == pytest.approx(0.5)


def test_a_rival_surely_beaten_and_one_out_of_reach():
    outcomes = outcome_tables(5, 4, 7, seed=3)[0]
    for total, chance in ((22, 1), (162, 0)):
        rival = Totals(np.array([total]), np.array([1.0]))
        assert solve_contest(outcomes, np.ones(5), FULL, rival).value == pytest.approx(chance)


def test_simulated_contests_are_won_as_often_as_worked_out():
    outcomes = outcome_tables(40, 4, 7, seed=4)
    weights = weights_of(40, seed=4)
    rivals = solve(points_of(outcomes[0]), weights, FULL).occupancy(outcomes[0]).totals()
    found = solve_contest(outcomes[0], weights, FULL, rivals, valued_by=outcomes[1])
    rng = np.random.default_rng(0)
    won = []
    for hands in sample_sequences(weights, 16, 1_000, seed=5):
        left, total = list(FULL), 0
        for hand in hands.tolist():
            bid, denomination = found.choose(left, total, hand)
            chances = outcomes[1][hand, denomination, bid]
            total += 10 - 2 * int(rng.choice(7, p=chances))
            left[bid] -= 1
        won.append(rivals.below(total) + 0.5 * rivals.at(total))
    error = np.std(won, ddof=1) / np.sqrt(len(won))
    assert error < 0.02
    assert abs(np.mean(won) - found.value) < 3 * error


def test_threads_change_nothing_and_progress_counts_all_states():
    outcomes = outcome_tables(20, 4, 7, seed=3)
    rivals = rivals_for(FULL, seed=1)
    done = []
    one = solve_contest(outcomes[0], np.ones(20), FULL, rivals, valued_by=outcomes[1])
    two = solve_contest(
        outcomes[0],
        np.ones(20),
        FULL,
        rivals,
        valued_by=outcomes[1],
        threads=2,
        progress=done.append,
    )
    assert sum(done) == 2879
    assert len(done) > 100
    for name in ("chances", "values", "reach", "spending"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()


def test_what_a_contest_goes_through_adds_up():
    outcomes = outcome_tables(20, 4, 7, seed=3)
    found = solve_contest(
        outcomes[0], np.ones(20), FULL, rivals_for(FULL, seed=1), valued_by=outcomes[1]
    )
    np.testing.assert_allclose(found.spending.sum(axis=0), FULL, atol=1e-12)
    for deals_left in range(17):
        met = found.reach[found.states.deals_left == deals_left]
        assert met.sum() == pytest.approx(1, abs=1e-12)
    assert found.reach[0].sum() == pytest.approx(1, abs=1e-12)
    assert found.totals.totals[0] >= 24
    assert np.all(np.diff(found.chances, axis=1) <= 1e-12)  # a trick missed never helps


@pytest.mark.parametrize(
    ("left", "total", "hand", "word"),
    [
        (FULL, 2, 0, "total"),
        ((1, 2, 3, 3, 3, 2, 1), 9, 0, "total"),
        ((1, 2, 3, 3, 3, 2, 1), 12, 0, "total"),
        ((1, 2, 3, 3, 3, 2, 1), 2, 0, "total"),
        ((0,) * 7, 100, 0, "left"),
        (FULL, 0, 5, "hand"),
        (FULL, 0, -1, "hand"),
    ],
)
def test_what_cannot_be_chosen_for_is_refused(left, total, hand, word):
    found = solve_contest(outcome_tables(5, 4, 7, 3)[0], np.ones(5), FULL, rivals_for(FULL, 1))
    found.choose((1, 2, 3, 3, 3, 2, 1), 4, 0)
    with pytest.raises(ValueError, match=word):
        found.choose(left, total, hand)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"tie": 1.5}, "tie"),
        ({"threads": 0}, "threads"),
        ({"rivals": []}, "rivals"),
        ({"quota": (1,) * 8}, "quota"),
        ({"weights": np.ones(4)}, "weights"),
        ({"valued_by": outcome_tables(5, 5, 7, 3)[0]}, "differ"),
        ({"option_outcomes": np.zeros((5, 4, 7, 7))}, "sum to one"),
    ],
)
def test_a_contest_that_does_not_fit_is_refused(change, word):
    given_arguments = {
        "option_outcomes": outcome_tables(5, 4, 7, 3)[0],
        "weights": np.ones(5),
        "quota": FULL,
        "rivals": rivals_for(FULL, 1),
    }
    with pytest.raises(ValueError, match=word):
        solve_contest(**{**given_arguments, **change})
