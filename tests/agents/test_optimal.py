"""The exact order of a pyramid's bids, against plain ways to find it."""

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import order as plain
from score_tables import FULL, outcome_tables, points_of, weights_of

from bidwise.agents.order.optimal import (
    cross_fit,
    exchange_values,
    shadow_prices,
    solve,
    spare_values,
)
from bidwise.agents.order.orders import UniformOrder
from bidwise.agents.order.sequences import sample_sequences
from bidwise.agents.order.states import states_of
from bidwise.agents.order.strategies import order_of

QUOTAS = [
    (2, 1),
    (1, 1, 1),
    (0, 3, 2),
    (1, 2, 3, 2, 1),
    (1, 1, 1, 1, 1, 1, 1),
    (2, 0, 1, 3, 0, 2, 1),
]


def table(hands, denominations, quota, seed):
    """Outcomes of both folds, their scores, and weights."""
    outcomes = outcome_tables(hands, denominations, len(quota), seed)
    return outcomes, points_of(outcomes), weights_of(hands, seed)


def policy_of(order):
    """An order as the plain reference takes it."""

    def policy(left, hand):
        bid, denomination = order.choose(left, hand)
        return int(bid), int(denomination)

    return policy


# ------------------------------------------------------------------------------- states


def test_a_full_pyramid_has_2880_states():
    states = states_of(FULL)
    assert len(states.left) == 2 * 3 * 4 * 5 * 4 * 3 * 2 == 2880
    assert states.turns == 16
    assert tuple(states.left[states.full]) == FULL
    assert not states.left[0].any()


@pytest.mark.parametrize("quota", [FULL, *QUOTAS])
def test_states_are_all_tuples_of_counts_and_lead_to_smaller_ones(quota):
    states = states_of(quota)
    assert {tuple(row) for row in states.left.tolist()} == set(plain.all_left(quota))
    assert np.array_equal(states.index(states.left), np.arange(len(states.left)))
    assert np.array_equal(states.deals_left, states.left.sum(axis=1))


@pytest.mark.parametrize("quota", [(), (0, 0), (1, -1), (1, 0.5), (9,) * 7])
def test_a_quota_that_is_none_is_refused(quota):
    with pytest.raises(ValueError, match="quota"):
        states_of(quota)


@pytest.mark.parametrize("left", [(1, 2), (0, 0, 0, 0, 0, 0, 2), (-1, 0, 0, 0, 0, 0, 0), 3])
def test_what_cannot_be_left_is_refused(left):
    with pytest.raises(ValueError, match="left"):
        states_of(FULL).index(left)


# ------------------------------------------------------------------------------- values


@pytest.mark.parametrize("quota", QUOTAS)
@pytest.mark.parametrize("denominations", [1, 4, 5])
def test_every_state_is_worth_what_the_uncompressed_programme_says(quota, denominations):
    _, scores, weights = table(37, denominations, quota, seed=sum(quota))
    optimal = solve(scores[0], weights, quota)
    expected = plain.values(scores[0].tolist(), (weights / weights.sum()).tolist(), quota)
    for left, value in expected.items():
        assert optimal.values[states_of(quota).index(left)] == pytest.approx(value, abs=1e-9)


def test_a_full_pyramid_is_worth_what_the_uncompressed_programme_says():
    _, scores, weights = table(24, 5, FULL, seed=8)
    optimal = solve(scores[0], weights, FULL)
    expected = plain.values(scores[0].tolist(), (weights / weights.sum()).tolist(), FULL)
    assert len(expected) == 2880
    found = [expected[tuple(left)] for left in states_of(FULL).left.tolist()]
    np.testing.assert_allclose(optimal.values, found, rtol=0, atol=1e-9)
    assert optimal.value == optimal.values[-1]


@given(
    quota=st.lists(st.integers(0, 2), min_size=1, max_size=4).filter(any).map(tuple),
    hands=st.integers(1, 6),
    seed=st.integers(0, 2**20),
)
@settings(max_examples=30, deadline=None)
def test_any_small_quota_agrees_with_the_uncompressed_programme(quota, hands, seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 11, (hands, 2, len(quota))).astype(float)  # with many ties
    weights = rng.integers(0, 5, hands) + (np.arange(hands) == 0)
    optimal = solve(scores, weights, quota)
    expected = plain.values(scores.tolist(), (weights / weights.sum()).tolist(), quota)
    assert optimal.value == pytest.approx(expected[quota], abs=1e-9)
    assert optimal.valued_by(scores)[-1] == pytest.approx(expected[quota], abs=1e-9)


@pytest.mark.parametrize(
    ("quota", "hands", "denominations"), [((1, 1, 1), 2, 1), ((1, 1), 3, 2), ((2, 1), 2, 2)]
)
def test_no_policy_at_all_is_better(quota, hands, denominations):
    _, scores, weights = table(hands, denominations, quota, seed=11)
    shares = (weights / weights.sum()).tolist()
    optimal = solve(scores[0], weights, quota)
    worths = [
        plain.worth(policy, scores[0].tolist(), shares, quota)
        for policy in plain.every_policy(quota, hands, denominations)
    ]
    assert len(worths) >= 100
    assert optimal.value == pytest.approx(max(worths), abs=1e-9)
    own = plain.worth(policy_of(optimal), scores[0].tolist(), shares, quota)
    assert own == pytest.approx(max(worths), abs=1e-9)


# ------------------------------------------------ Derman, Lieberman and Ross (1972)


@pytest.mark.parametrize("seed", range(4))
def test_product_rewards_give_the_thresholds_of_derman_lieberman_and_ross(seed):
    """The i-th interval goes to the i-th smallest multiplier, and no multiplier moves a bound."""
    rng = np.random.default_rng(seed)
    worths = rng.uniform(-3, 3, 60)
    weights = rng.integers(1, 9, 60)
    shares = weights / weights.sum()
    jobs = 7
    for _ in range(2):
        multipliers = np.sort(rng.uniform(0, 5, jobs))
        optimal = solve((worths[:, None] * multipliers)[:, None, :], weights, (1,) * jobs)
        for left in itertools.product((0, 1), repeat=jobs):
            jobs_left = sum(left)
            if not jobs_left:
                continue
            waiting = np.flatnonzero(left)
            means = plain.thresholds(worths, shares, jobs_left + 1)[1:-1]
            value = optimal.values[states_of((1,) * jobs).index(left)]
            assert value == pytest.approx(multipliers[waiting] @ means, abs=1e-9)
            bounds = plain.thresholds(worths, shares, jobs_left)
            places = np.searchsorted(bounds[1:-1], worths, side="left")
            bids, _ = optimal.choose(left, np.arange(60))
            assert np.array_equal(bids, waiting[places])


def test_the_first_bound_of_derman_lieberman_and_ross_is_the_mean_hand():
    assert plain.thresholds([0.0, 1.0], [0.5, 0.5], 2)[1] == 0.5
    assert plain.thresholds([0.0, 1.0], [0.5, 0.5], 3)[1:-1] == [0.25, 0.75]


# ------------------------------------------------------------------------ another table


@pytest.mark.parametrize("quota", [(1, 1, 1), (2, 1, 1), (0, 2, 2)])
def test_an_order_is_valued_by_another_table_with_its_own_bids_and_trumps(quota):
    _, scores, weights = table(4, 3, quota, seed=3)
    shares = (weights / weights.sum()).tolist()
    optimal = solve(scores[0], weights, quota)
    expected = plain.worth(policy_of(optimal), scores[1].tolist(), shares, quota)
    assert optimal.valued_by(scores[1])[-1] == pytest.approx(expected, abs=1e-9)
    second = solve(scores[1], weights, quota)
    reverse = plain.worth(policy_of(second), scores[0].tolist(), shares, quota)
    both = cross_fit(scores[0], scores[1], weights, quota)
    assert both.value == pytest.approx((expected + reverse) / 2, abs=1e-9)
    assert both.in_sample == pytest.approx((optimal.value + second.value) / 2, abs=1e-12)


def test_an_order_is_worth_to_itself_what_it_claims():
    _, scores, weights = table(150, 4, FULL, seed=5)
    optimal = solve(scores[0], weights, FULL)
    np.testing.assert_allclose(optimal.valued_by(scores[0]), optimal.values, atol=1e-9, rtol=0)


def test_a_table_of_nothing_but_noise_flatters_itself_and_not_the_other_fold():
    """Every option is worth 0 in truth."""
    rng = np.random.default_rng(0)
    worths = []
    for _ in range(40):
        first, second = rng.normal(size=(2, 40, 4, 7))
        both = cross_fit(first, second, np.ones(40), FULL)
        assert both.in_sample > 15
        worths.append(both.value)
    error = np.std(worths, ddof=1) / np.sqrt(len(worths))
    assert abs(np.mean(worths)) < 3 * error
    assert error < 0.5


# ----------------------------------------------------------------------------- the occupancy


@pytest.mark.parametrize("quota", [(2, 1, 1), (1, 0, 2), (0, 2, 2)])
def test_final_totals_are_those_counted_pyramid_by_pyramid(quota):
    outcomes, scores, weights = table(5, 3, quota, seed=17)
    optimal = solve(scores[0], weights, quota)
    found = optimal.occupancy(outcomes[1]).totals()
    policy = policy_of(optimal)
    expected = plain.totals(
        lambda left, _, hand: policy(left, hand),
        outcomes[1].tolist(),
        (weights / weights.sum()).tolist(),
        quota,
    )
    chances = dict(zip(found.totals.tolist(), found.chances.tolist(), strict=True))
    assert {t: p for t, p in chances.items() if p > 0} == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("strategy", ["random", "top-down", "best-now", "above-mean", "dp"])
def test_what_a_pyramid_goes_through_adds_up(strategy):
    outcomes, scores, weights = table(120, 5, FULL, seed=21)
    order = order_of(strategy, scores[0], weights, FULL)
    occupancy = order.occupancy(outcomes[1])
    np.testing.assert_allclose(occupancy.spending.sum(axis=0), FULL, atol=1e-12)
    np.testing.assert_allclose(occupancy.spending.sum(axis=1), np.ones(16), atol=1e-12)
    np.testing.assert_allclose(occupancy.spending, order.spending(), atol=1e-12)
    for deals_left in range(17):
        met = occupancy.reach[states_of(FULL).deals_left == deals_left]
        assert met.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(occupancy.shares[1:].sum(axis=1), 1, atol=1e-12)
    assert not occupancy.shares[states_of(FULL).left == 0].any()
    values = order.valued_by(scores[1])
    for state in (0, 1, 5, 700, 2000, 2879):
        totals = occupancy.totals(state)
        assert totals.chances.sum() == pytest.approx(1, abs=1e-12)
        assert totals.mean == pytest.approx(values[state], abs=1e-9)
    whole = occupancy.totals()
    assert whole.totals[0] >= 24
    assert whole.totals[-1] <= 160
    assert not np.any(whole.totals % 2)
    later = occupancy.totals(700, earned=50)
    assert later.mean == pytest.approx(values[700] + 50, abs=1e-9)


def test_a_pyramid_scores_24_at_worst_and_160_at_best():
    """Every bid missed by as much as it can be; every bid hit."""
    worst = np.zeros((1, 1, 7, 7))
    best = np.zeros((1, 1, 7, 7))
    for bid in range(7):
        worst[0, 0, bid, max(bid, 6 - bid)] = 1
        best[0, 0, bid, 0] = 1
    for outcomes, total in ((worst, 24), (best, 160)):
        occupancy = solve(points_of(outcomes), [1], FULL).occupancy(outcomes)
        assert occupancy.totals().mean == pytest.approx(total)
        assert occupancy.totals().at(total) == pytest.approx(1)


def test_simulated_pyramids_have_the_programmes_mean():
    outcomes, scores, weights = table(200, 4, FULL, seed=1)
    optimal = solve(scores[0], weights, FULL)
    count = 20_000
    sequences = sample_sequences(weights, 16, count, seed=2)
    declarations = optimal.play(sequences)
    chances = outcomes[1][sequences, declarations[:, :, 1], declarations[:, :, 0]]
    draws = np.random.default_rng(3).random((count, 16, 1))
    missed = (draws > np.cumsum(chances, axis=2)).sum(axis=2).clip(max=6)
    totals = (10 - 2 * missed).sum(axis=1)
    value = optimal.valued_by(scores[1])[-1]
    occupancy = optimal.occupancy(outcomes[1])
    error = totals.std(ddof=1) / np.sqrt(count)
    assert abs(totals.mean() - value) < 3 * error
    assert totals.std() == pytest.approx(occupancy.totals().deviation, rel=0.03)
    for turn in (0, 7, 15):
        spent = np.bincount(declarations[:, turn, 0], minlength=7) / count
        np.testing.assert_allclose(spent, occupancy.spending[turn], atol=0.015)


def test_the_mean_course_is_that_of_both_orders():
    outcomes, scores, weights = table(60, 4, FULL, seed=9)
    both = cross_fit(scores[0], scores[1], weights, FULL)
    occupancy = both.occupancy(outcomes[0], outcomes[1])
    assert occupancy.totals().mean == pytest.approx(both.value, abs=1e-9)
    np.testing.assert_allclose(occupancy.spending.sum(axis=0), FULL, atol=1e-12)
    met = occupancy.reach[:, None] * occupancy.shares
    for turn in range(16):
        at_turn = met[states_of(FULL).deals_left == 16 - turn].sum(axis=0)
        np.testing.assert_allclose(at_turn, occupancy.spending[turn], atol=1e-12)


# ------------------------------------------------------------------------------- prices


def test_a_price_is_what_the_rest_of_the_pyramid_loses():
    _, scores, weights = table(80, 4, FULL, seed=4)
    optimal = solve(scores[0], weights, FULL)
    states = optimal.states
    prices = shadow_prices(optimal.values, states)
    assert np.array_equal(np.isnan(prices), states.left == 0)
    left = (0, 1, 3, 2, 0, 1, 1)
    state = states.index(left)
    below = states.index((0, 1, 2, 2, 0, 1, 1))
    assert prices[state, 2] == optimal.values[state] - optimal.values[below]
    # The best excess of a score over its price is zero in the mean of all hands.
    excess = np.nanmax(optimal.keys[:, None, :] - prices[1:], axis=2)
    np.testing.assert_allclose(optimal.weights @ excess, 0, atol=1e-9)
    bids, _ = optimal.choose(left, np.arange(80))
    assert np.array_equal(bids, np.nanargmax(optimal.keys - prices[state], axis=1))


def test_a_spare_bid_is_worth_its_price_above_that_of_any_unspent_one():
    _, scores, weights = table(30, 4, FULL, seed=4)
    optimal = solve(scores[0], weights, FULL)
    states, values = optimal.states, optimal.values
    spare = spare_values(values, states)
    state = states.index((0, 0, 2, 1, 0, 0, 0))
    without_2 = values[states.index((0, 0, 1, 1, 0, 0, 0))]
    without_3 = values[states.index((0, 0, 2, 0, 0, 0, 0))]
    assert spare[state, 3] == pytest.approx((2 * without_2 + without_3) / 3 - without_3)
    assert spare[state, 2] == pytest.approx((2 * without_2 + without_3) / 3 - without_2)
    assert np.array_equal(np.isnan(spare), states.left == 0)
    np.testing.assert_allclose(np.nansum(spare * states.left, axis=1), 0, atol=1e-9)


def test_an_exchange_keeps_the_number_of_deals():
    _, scores, weights = table(30, 4, FULL, seed=4)
    optimal = solve(scores[0], weights, FULL)
    states, values = optimal.states, optimal.values
    exchange = exchange_values(values, states)
    state = states.index((0, 1, 3, 2, 0, 1, 1))
    other = states.index((1, 1, 2, 2, 0, 1, 1))
    assert exchange[state, 0, 2] == values[other] - values[state]
    assert exchange[other, 2, 0] == values[state] - values[other]
    assert np.isnan(exchange[state, 2, 0])  # no 0 is left to give away
    assert np.isnan(exchange[state, 6, 0])
    assert np.isnan(exchange[state, 6, 1])  # the quota holds one 6, and it is unspent
    assert exchange[state, 6, 6] == 0


def test_prices_are_averaged_over_the_states_that_are_met():
    outcomes, scores, weights = table(30, 4, FULL, seed=4)
    optimal = solve(scores[0], weights, FULL)
    occupancy = optimal.occupancy(outcomes[1])
    prices = occupancy.at_turn(shadow_prices(optimal.values, optimal.states))
    assert prices.shape == (16, 7)
    assert np.array_equal(prices[0], shadow_prices(optimal.values, optimal.states)[-1])
    last = [optimal.weights @ optimal.keys[:, bid] for bid in range(7)]
    np.testing.assert_allclose(prices[15], last, atol=1e-9)
    # Between them by how often each state is met.
    met = (optimal.states.deals_left == 8) & (optimal.states.left[:, 3] > 0)
    there = shadow_prices(optimal.values, optimal.states)[met, 3]
    assert prices[8, 3] == pytest.approx(np.average(there, weights=occupancy.reach[met]), abs=1e-9)
    assert abs(prices[8, 3] - there.mean()) > 0.01


# ------------------------------------------------------------------------------- choices


def test_one_decision_and_a_batch_are_the_same():
    _, scores, weights = table(50, 5, FULL, seed=6)
    optimal = solve(scores[0], weights, FULL)
    rng = np.random.default_rng(0)
    left = optimal.states.left[rng.integers(1, 2880, 200)]
    hands = rng.integers(0, 50, 200)
    bids, denominations = optimal.choose(left, hands)
    assert np.all(np.take_along_axis(left, bids[:, None], 1) > 0)
    assert np.array_equal(denominations, scores[0].argmax(axis=1)[hands, bids])
    for i in range(0, 200, 20):
        one = optimal.choose(tuple(left[i]), int(hands[i]))
        assert (int(one[0]), int(one[1])) == (bids[i], denominations[i])


@pytest.mark.parametrize(
    ("left", "hand", "word"), [((0,) * 7, 0, "left"), (FULL, 50, "hand"), (FULL, -1, "hand")]
)
def test_what_cannot_be_chosen_for_is_refused(left, hand, word):
    _, scores, weights = table(50, 4, FULL, seed=6)
    with pytest.raises(ValueError, match=word):
        solve(scores[0], weights, FULL).choose(left, hand)


def test_drawn_random_orders_spend_unspent_numbers_evenly():
    _, scores, weights = table(20, 4, FULL, seed=6)
    order = order_of("random", scores[0], weights, FULL)
    assert isinstance(order, UniformOrder)
    sequences = sample_sequences(weights, 16, 20_000, seed=1)
    declarations = order.play(sequences, seed=2)
    for bid, count in enumerate(FULL):
        assert np.all((declarations[:, :, 0] == bid).sum(axis=1) == count)
    for turn in (0, 8, 15):
        spent = np.bincount(declarations[:, turn, 0], minlength=7) / len(declarations)
        np.testing.assert_allclose(spent, order.spending()[turn], atol=0.015)


BAD_TABLES = [
    (partial(np.zeros, (5, 4, 6)), np.ones(5), "scores"),
    (partial(np.zeros, (5, 7)), np.ones(5), "scores"),
    (partial(np.full, (5, 4, 7), np.nan), np.ones(5), "scores"),
    (partial(np.zeros, (5, 4, 7)), np.ones(4), "weights"),
    (partial(np.zeros, (5, 4, 7)), np.zeros(5), "weights"),
    (partial(np.zeros, (5, 4, 7)), -np.ones(5), "weights"),
]


@pytest.mark.parametrize(("scores", "weights", "word"), BAD_TABLES)
def test_tables_that_do_not_fit_are_refused(scores, weights, word):
    with pytest.raises(ValueError, match=word):
        solve(scores(), weights, FULL)


def test_outcomes_that_cannot_be_are_refused():
    outcomes, scores, weights = table(5, 4, FULL, seed=6)
    optimal = solve(scores[0], weights, FULL)
    with pytest.raises(ValueError, match="sum to one"):
        optimal.occupancy(outcomes[0] / 2)
    beyond = np.zeros_like(outcomes[0])
    beyond[..., 6] = 1
    with pytest.raises(ValueError, match="bid 1 cannot be missed by more than 5"):
        optimal.occupancy(beyond)
    with pytest.raises(ValueError, match="shape"):
        optimal.occupancy(outcomes[0][..., :6])
