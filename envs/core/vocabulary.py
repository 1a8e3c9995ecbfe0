"""Words that arguments and records of every game share, and the numbers that stand for them."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "DECIDE",
    "ENV_IDS",
    "ILLEGAL",
    "OVER",
    "POINTS",
    "RELATIVE",
    "REWARDS",
    "RUNNING",
    "TERMINATED",
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

ILLEGAL = ("raise", "terminate", "penalise")
"""What an illegal action leads to."""
