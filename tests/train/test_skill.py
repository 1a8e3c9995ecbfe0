"""The ordering skill index and its interval."""

import math

import numpy as np
import pytest

from bidwise.agents.order.sequences import sample_sequences
from bidwise.agents.order.strategies import compare, exact_means
from bidwise.train.compare.intervals import student_t
from bidwise.train.compare.skill import skill_index

QUOTA = (1, 1, 2, 1)


def test_random_is_zero_and_the_programme_is_one():
    rng = np.random.default_rng(0)
    random, optimal = rng.normal(117, 5, 50), rng.normal(132, 5, 50)
    for agent, index in ((random, 0), (optimal, 1), ((random + optimal) / 2, 0.5)):
        found = skill_index(agent, random, optimal)
        assert found.mean == pytest.approx(index, abs=1e-12)
        assert found.low == pytest.approx(index, abs=1e-6)
        assert found.high == pytest.approx(index, abs=1e-6)
        assert found.low <= found.mean <= found.high
        assert found.units == 50
    assert skill_index(random - 30, random, optimal).mean < -1


def test_the_interval_holds_the_ratios_that_students_t_cannot_reject():
    rng = np.random.default_rng(1)
    random = rng.normal(0, 3, 12)
    optimal = random + rng.normal(4, 3, 12)
    agent = random + rng.normal(2, 3, 12)
    found = skill_index(agent, random, optimal)
    assert found.mean == pytest.approx((agent - random).mean() / (optimal - random).mean())

    def t_of(ratio):
        residuals = (agent - random) - ratio * (optimal - random)
        return residuals.mean() / (residuals.std(ddof=1) / math.sqrt(12))

    assert abs(t_of(found.low)) == pytest.approx(student_t(11), rel=1e-9)
    assert abs(t_of(found.high)) == pytest.approx(student_t(11), rel=1e-9)
    assert found.low < found.mean < found.high


@pytest.mark.parametrize(
    ("agent", "random", "optimal", "word"),
    [
        ([1.0, 2.0], [1.0], [1.0, 2.0], "one length"),
        ([[1.0, 2.0]], [[1.0, 2.0]], [[1.0, 2.0]], "one length"),
        ([1.0], [0.0], [2.0], "2 independent units"),
        ([1.0, math.nan], [0.0, 0.0], [2.0, 2.0], "finite"),
        ([1.0, 2.0, 3.0], [0.0, 5.0, 1.0], [2.0, 1.0, 4.0], "tell the optimal order from random"),
        ([1.0, 2.0], [3.0, 3.1], [1.0, 1.1], "tell the optimal order from random"),
    ],
)
def test_what_has_no_index_is_refused(agent, random, optimal, word):
    with pytest.raises(ValueError, match=word):
        skill_index(agent, random, optimal)


def test_intervals_hold_the_exact_index_19_times_in_20():
    """Small runs of real strategies, whose index over all sequences is known exactly."""
    rng = np.random.default_rng(5)
    first, second = rng.normal(6, 2, (1, 30, 3, 4)) + rng.normal(0, 0.4, (2, 30, 3, 4))
    weights = rng.integers(1, 25, 30)
    means = exact_means(first, second, weights, QUOTA)
    runs, size = 3_000, 15
    sequences = sample_sequences(weights, sum(QUOTA), runs * size, seed=6)
    names = ("random", "best-now", "above-mean", "top-down", "dp")
    worths = compare(first, second, weights, sequences, QUOTA, names)
    for name in ("best-now", "above-mean", "top-down"):
        exact = (means[name] - means["random"]) / (means["dp"] - means["random"])
        held = 0
        for run in range(runs):
            part = slice(run * size, (run + 1) * size)
            found = skill_index(worths[name][part], worths["random"][part], worths["dp"][part])
            held += found.low <= exact <= found.high
        assert 0.935 < held / runs < 0.965, name
