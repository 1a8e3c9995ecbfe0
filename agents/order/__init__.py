"""The order in which a pyramid's bids are best spent: hands, what they take, and what to bid.

Of hands know only :mod:`~bidwise.agents.outcomes.hands` and
:mod:`~bidwise.agents.outcomes.table`; the optimal orders and strategies work on arrays.
"""

from bidwise.agents.order.contest import (
    Contest,
    CrossContest,
    cross_fit_contest,
    solve_contest,
)
from bidwise.agents.order.optimal import CrossFit, OptimalOrder, cross_fit, solve
from bidwise.agents.order.strategies import STRATEGIES, compare
from bidwise.agents.outcomes.hands import class_of, class_weights
from bidwise.agents.outcomes.table import Outcomes, shipped

__all__ = [
    "STRATEGIES",
    "Contest",
    "CrossContest",
    "CrossFit",
    "OptimalOrder",
    "Outcomes",
    "class_of",
    "class_weights",
    "compare",
    "cross_fit",
    "cross_fit_contest",
    "shipped",
    "solve",
    "solve_contest",
]
