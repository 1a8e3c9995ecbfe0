"""The agents that come with bidwise, by their names."""

from __future__ import annotations

from bidwise.agents.heuristics import BASIC, make_basic
from bidwise.agents.order.agent import ORDERING, make_ordering
from bidwise.agents.random import RANDOM, make_random
from bidwise.agents.registry import make, names, register

__all__ = ["make", "names", "register"]

register(RANDOM, make_random)
register("basic", make_basic)
register(BASIC, make_basic)
register(ORDERING, make_ordering)
