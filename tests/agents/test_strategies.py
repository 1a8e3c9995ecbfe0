"""Strategies compared on the same sequences of hands, and their bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import order as plain
from score_tables import FULL, outcome_tables, points_of, weights_of

from bidwise.agents.order.sequences import sample_sequences, value_declarations
from bidwise.agents.order.strategies import (
    STRATEGIES,
    compare,
    exact_means,
    hindsight,
    order_of,
    value_agent,
)

HANDS = 120


def tables(seed=0, hands=HANDS):
    outcomes = outcome_tables(hands, 4, 7, seed)
    return *points_of(outcomes), weights_of(hands, seed)


@pytest.fixture(scope="module")
def played():
    """(first, second, weights, sequences, what each strategy earns on them)."""
    first, second, weights = tables()
    sequences = sample_sequences(weights, 16, 20_000, seed=1)
    return first, second, weights, sequences, compare(first, second, weights, sequences, FULL)


# ------------------------------------------------------------------------------ sequences


def test_hands_are_dealt_by_their_weights_and_from_the_seed_alone():
    weights = np.array([1, 0, 3, 4])
    sequences = sample_sequences(weights, 16, 5_000, seed=7)
    assert sequences.shape == (5_000, 16)
    shares = np.bincount(sequences.ravel(), minlength=4) / sequences.size
    np.testing.assert_allclose(shares, weights / 8, atol=0.006)
    assert shares[1] == 0
    assert np.array_equal(sequences, sample_sequences(weights / 8, 16, 5_000, seed=7))
    assert not np.array_equal(sequences, sample_sequences(weights, 16, 5_000, seed=8))


def test_a_choice_is_worth_what_the_table_says_of_its_bid_and_trump():
    scores = np.arange(3 * 2 * 2, dtype=float).reshape(3, 2, 2)
    declarations = [[[0, 1], [1, 0], [1, 1]]]
    worth = value_declarations(declarations, [[2, 0, 1]], scores, (1, 2))
    assert worth.tolist() == [scores[2, 1, 0] + scores[0, 0, 1] + scores[1, 1, 1]]


def a_legal_choice():
    first, _, weights = tables()
    sequences = sample_sequences(weights, 16, 3, seed=0)
    return order_of("dp", first, weights, FULL).play(sequences), sequences, first


def test_an_overspent_bid_is_refused():
    declarations, sequences, scores = a_legal_choice()
    value_declarations(declarations, sequences, scores, FULL)
    declarations[1, :, 0] = np.where(declarations[1, :, 0] == 5, 4, declarations[1, :, 0])
    with pytest.raises(ValueError, match="row 1 spends bid 4 5 times, the quota is 3"):
        value_declarations(declarations, sequences, scores, FULL)
    with pytest.raises(ValueError, match="spends bid 4"):
        value_agent(declarations, sequences, scores, scores, FULL)


@pytest.mark.parametrize(
    ("place", "value", "word"),
    [
        ((2, 3, 0), 7, "bid 7"),
        ((2, 3, 0), -1, "bid -1"),
        ((0, 0, 1), 4, "denomination 4"),
        ((0, 0, 1), -1, "denomination -1"),
    ],
)
def test_an_unknown_bid_or_trump_is_refused(place, value, word):
    declarations, sequences, scores = a_legal_choice()
    declarations[place] = value
    with pytest.raises(ValueError, match=word):
        value_declarations(declarations, sequences, scores, FULL)


def test_choices_and_sequences_that_do_not_fit_are_refused():
    declarations, sequences, scores = a_legal_choice()
    for wrong in (declarations[:2], declarations[:, :15], declarations.astype(float)):
        with pytest.raises(ValueError, match="declarations"):
            value_declarations(wrong, sequences, scores, FULL)
    for wrong in (sequences[:, :15], sequences + HANDS, sequences - HANDS, sequences * 0.5):
        with pytest.raises(ValueError, match="sequences"):
            value_declarations(declarations, wrong, scores, FULL)
    with pytest.raises(ValueError, match="cannot be drawn"):
        sample_sequences([1, 2], 16, 0, seed=0)


# ------------------------------------------------------------------------------ strategies


def test_strategies_bid_as_their_names_say():
    first, _, weights = tables()
    sequences = sample_sequences(weights, 16, 4, seed=3)
    down = order_of("top-down", first, weights, FULL).play(sequences)
    up = order_of("bottom-up", first, weights, FULL).play(sequences)
    assert down[0, :, 0].tolist() == [6, 5, 5, 4, 4, 4, 3, 3, 3, 3, 2, 2, 2, 1, 1, 0]
    assert np.array_equal(up[:, :, 0], down[:, ::-1, 0])
    assert np.array_equal(down[:, :, 1], first.argmax(axis=1)[sequences, down[:, :, 0]])
    best = first.max(axis=1)
    means = np.average(best, axis=0, weights=weights)
    for name, keys in (("best-now", best), ("above-mean", best - means)):
        declarations = order_of(name, first, weights, FULL).play(sequences)
        for hands, row in zip(sequences, declarations, strict=True):
            left = np.array(FULL)
            for hand, (bid, trump) in zip(hands, row, strict=True):
                assert keys[hand, bid] == keys[hand, left > 0].max()
                assert first[hand, trump, bid] == best[hand, bid]
                left[bid] -= 1


@pytest.mark.parametrize("name", ["hindsight", "dynamic"])
def test_what_is_no_order_is_refused(name):
    first, _, weights = tables()
    with pytest.raises(ValueError, match=f"{name!r} is not an order"):
        order_of(name, first, weights, FULL)


@given(st.integers(0, 2**20), st.sampled_from([(1, 1, 1), (2, 1, 2), (0, 2, 1, 1), (1, 2, 0, 2)]))
@settings(max_examples=25, deadline=None)
def test_hindsight_finds_the_best_of_all_assignments(seed, quota):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 11, (5, 2, len(quota))).astype(float)
    sequences = rng.integers(0, 5, (4, sum(quota)))
    declarations = hindsight(scores, sequences, quota)
    worths = value_declarations(declarations, sequences, scores, quota)
    for hands, worth in zip(sequences.tolist(), worths, strict=True):
        assert worth == plain.best_assignment(scores.tolist(), hands, quota)


def test_by_the_table_that_decides_hindsight_beats_the_programme_and_that_all_others():
    first, _, weights = tables(seed=2)
    sequences = sample_sequences(weights, 16, 3_000, seed=1)
    worths = compare(first, first, weights, sequences, FULL)
    for name, worth in worths.items():
        assert np.all(worths["hindsight"] >= worth - 1e-9), name
    means = exact_means(first, first, weights, FULL)
    assert set(means) == set(STRATEGIES) - {"hindsight"}
    for name, mean in means.items():
        assert means["dp"] >= mean, name
    assert means["dp"] > max(means["best-now"], means["above-mean"]) > means["random"]
    assert worths["hindsight"].mean() > means["dp"]


def test_no_order_that_ignores_the_hand_is_better_than_another(played):
    """Each hand is as likely on each turn, so only which bids are spent would count."""
    means = exact_means(*played[:3], FULL)
    assert means["top-down"] == pytest.approx(means["random"], abs=1e-9)
    assert means["bottom-up"] == pytest.approx(means["random"], abs=1e-9)
    blind = np.average(played[0].max(axis=1), axis=0, weights=played[2]) @ FULL
    random = order_of("random", played[0], played[2], FULL)
    assert random.valued_by(played[0])[-1] == pytest.approx(blind, abs=1e-9)


def test_sampled_sequences_and_exact_means_agree(played):
    first, second, weights, sequences, worths = played
    assert tuple(worths) == STRATEGIES
    for name, mean in exact_means(first, second, weights, FULL).items():
        error = worths[name].std(ddof=1) / np.sqrt(len(sequences))
        assert 0 < error < 0.1
        assert abs(worths[name].mean() - mean) < 3.5 * error, name


def test_a_strategys_worth_on_a_sequence_is_the_mean_of_both_directions(played):
    first, second, weights, sequences, worths = played
    for name in ("dp", "best-now"):
        one = order_of(name, first, weights, FULL).play(sequences)
        other = order_of(name, second, weights, FULL).play(sequences)
        expected = value_declarations(one, sequences, second, FULL)
        expected = (expected + value_declarations(other, sequences, first, FULL)) / 2
        np.testing.assert_array_equal(worths[name], expected)
    few = sequences[:100]
    again = compare(first, second, weights, few, FULL, strategies=("dp", "random"))
    assert list(again) == ["dp", "random"]
    np.testing.assert_array_equal(again["dp"], worths["dp"][:100])


def test_random_on_a_sequence_is_the_mean_of_many_drawn_orders():
    first, second, weights = tables()
    sequences = sample_sequences(weights, 16, 3, seed=5)
    exact = compare(first, second, weights, sequences, FULL, strategies=["random"])["random"]
    many = np.repeat(sequences, 4_000, axis=0)
    drawn = np.zeros(len(many))
    for decide, value in ((first, second), (second, first)):
        declarations = order_of("random", decide, weights, FULL).play(many, seed=1)
        drawn += value_declarations(declarations, many, value, FULL) / 2
    for mean, draws in zip(exact, drawn.reshape(3, -1), strict=True):
        assert abs(draws.mean() - mean) < 3.5 * draws.std() / np.sqrt(draws.size)


def test_an_agents_bids_are_valued_by_both_halves(played):
    first, second, weights, sequences, _ = played
    declarations = order_of("random", first, weights, FULL).play(sequences, seed=9)
    worth = value_agent(declarations, sequences, first, second, FULL)
    both = value_declarations(declarations, sequences, (first + second) / 2, FULL)
    np.testing.assert_allclose(worth, both, atol=1e-9)
    assert worth.shape == (len(sequences),)
