"""The tables that come with bidwise, from their bytes to points at the table."""

from __future__ import annotations

import numpy as np
import pytest

from bidwise.agents.double_dummy_matches import play_matches
from bidwise.agents.order import cross_fit, shipped
from bidwise.agents.order.agent import optimal_order_of
from bidwise.agents.outcomes.hands import class_weights
from bidwise.agents.outcomes.table import DOUBLE_DUMMY, TABLES, num_rows, table_name
from bidwise.envs import PyramidRules

SHIPPED = [(rules, players) for rules in PyramidRules.presets() for players in (2, 3, 4)]


def test_there_is_one_for_every_preset_and_number_of_players() -> None:
    found = sorted(path.name for path in TABLES.iterdir())
    assert found == sorted(table_name(players, rules) for rules, players in SHIPPED)
    assert sum(path.stat().st_size for path in TABLES.iterdir()) < 4_000_000


@pytest.mark.parametrize(("rules", "players"), SHIPPED)
def test_it_says_what_it_is_of(rules: str, players: int) -> None:
    table = shipped(players, rules)
    assert table.rules == PyramidRules.preset(rules)
    assert table.source == DOUBLE_DUMMY
    assert table.layouts >= 64
    assert table.counts.shape == (2, num_rows(table.rules), 7, 7)
    assert (table.counts.sum(axis=3, dtype=np.int64) == table.layouts // 2).all()
    assert table.provenance["command"].startswith("bidwise outcomes ")


@pytest.mark.parametrize(("rules", "players"), SHIPPED)
def test_what_the_deciding_half_claims_is_no_less_than_what_it_earns(
    rules: str, players: int
) -> None:
    table = shipped(players, rules)
    scores = table.option_scores(0), table.option_scores(1)
    fit = cross_fit(*scores, class_weights(), table.rules.quota)
    assert fit.value < fit.in_sample < fit.value + 1.5


@pytest.mark.parametrize(
    ("rules", "players", "matches"), [("inventor", 2, 400), ("piramida", 2, 400)]
)
def test_at_the_table_the_order_earns_what_its_table_says(
    rules: str, players: int, matches: int
) -> None:
    # Hands dealt by the engine, declarations by the order, cards by the solver for both sides:
    # none of the layouts that made the table.
    table = shipped(players, rules)
    scores = table.option_scores(0), table.option_scores(1)
    fit = cross_fit(*scores, class_weights(), table.rules.quota)
    order = optimal_order_of(table.rules, players)
    totals = play_matches(matches, rules=rules, num_players=players, seed=3, order=order).totals
    own = totals.mean(axis=1)  # a match's pyramids are of the same deals
    error = own.std(ddof=1) / np.sqrt(matches)
    assert fit.value - 4 * error < own.mean() < order.value + 4 * error
