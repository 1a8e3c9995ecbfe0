"""Standard errors over layouts, against tables that are made many times over."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from order_tables import made_up_table

from bidwise.envs import PyramidRules
from bidwise.train.compare.intervals import Estimate, student_t
from bidwise.train.studies.analysis.findings import find
from bidwise.train.studies.analysis.sampling_error import error_of_halves, error_of_value, widened

SHORT = PyramidRules(deals_per_player=4, quota=(1, 0, 0, 2, 0, 0, 1))


def test_halves_tell_how_uncertain_their_mean_is():
    """Bids of a hand share some of their noise, as bids do that share layouts."""
    rng = np.random.default_rng(4)
    sequences = rng.integers(0, 30, (50, 16))
    declarations = [rng.integers(0, (7, 3), (50, 16, 2)) for _ in range(2)]
    means, errors = [], []
    for _ in range(400):
        shared = rng.normal(0, 2, (2, 30, 1, 1))
        halves = shared + rng.normal(0, 1, (2, 30, 3, 7))
        table = halves.mean(axis=0)
        values = [table[sequences, one[:, :, 1], one[:, :, 0]].sum(axis=1) for one in declarations]
        means.append(np.mean(values))
        errors.append(error_of_halves(halves[0] - halves[1], sequences, declarations))
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(means), rel=0.1)


def test_the_values_of_tables_of_other_layouts_spread_as_is_said():
    """Hands as strong as those of one table, dealt anew."""
    base = made_up_table(SHORT, 3, layouts=400)
    shares = base.counts.sum(axis=0) / 400
    rng = np.random.default_rng(1)
    values, errors = [], []
    for _ in range(7):
        counts = rng.multinomial(8, shares, (2, *shares.shape[:2])).astype(np.uint8)
        again = find(dataclasses.replace(base, layouts=16, counts=counts), sequences=500)
        values.append(again.fit.value)
        errors.append(error_of_value(again))
    spread = np.std(values, ddof=1)
    # Here bids go wrong independently, so that the error of the worst case is more than enough.
    assert 0.5 * spread < np.mean(errors) < 4 * spread


def test_with_one_layout_in_each_half_nothing_is_known():
    assert error_of_value(find(made_up_table(SHORT, 3, layouts=2), sequences=50)) is None


def test_independent_errors_add_as_squares():
    estimate = Estimate(5.0, 5.0 - 3 * student_t(9), 5.0 + 3 * student_t(9), 10)
    wide = widened(estimate, 4.0)
    assert (wide.mean, wide.units) == (5.0, 10)
    assert wide.high - 5 == pytest.approx(5 * student_t(9))
    assert 5 - wide.low == pytest.approx(5 * student_t(9))
