"""Exact solvers: what a deal is worth when every hand is open.

>>> from bidwise import agents
>>> agents.solvers.pyramid.solve([[23], [22], [21], [20]], trump=3, rules="inventor").tolist()
[8, 10]
"""

from bidwise.agents.solvers import pyramid

__all__ = ["pyramid"]
