"""Words that arguments and records of every game share, and the numbers that stand for them."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "DECIDE",
    "ENV_IDS",
    "EVERYTHING",
    "ILLEGAL",
    "OVER",
    "POINTS",
    "RELATIVE",
    "REWARDS",
    "RUNNING",
    "TERMINATED",
    "THIS_DEAL",
    "TRUNCATED",
    "WIN",
]

ENV_IDS: Mapping[str, str] = {
    "pyramid": "bidwise/Pyramid-v0",
    "spades": "bidwise/Spades-v0",
}
"""The games by name, with their ids in PettingZoo's and Gymnasium's registries."""

RUNNING, TERMINATED, TRUNCATED = range(3)
"""`status` of a record: the episode goes on, has ended, was cut off by `max_deals`."""

OVER = 0
"""`decision` of a record in which nobody is to act; the games number theirs from 1."""

POINTS, RELATIVE, WIN = range(3)
REWARDS: Mapping[str, int] = {"points": POINTS, "relative": RELATIVE, "win": WIN}
"""What a seat is rewarded with."""

DECIDE = ("all", "bids", "cards")
"""What a learner decides of its own seat."""

EVERYTHING, THIS_DEAL = -2, -1
"""What may have changed since a row for observations was written: everything, or whatever
changes within a deal. An action instead of them: only what this one has changed."""

ILLEGAL = ("raise", "terminate", "penalise")
"""What an illegal action leads to."""
