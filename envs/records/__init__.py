"""Deals and whole matches as text, and their replay.

:mod:`~bidwise.envs.records.notation` has a deal in one line,
:mod:`~bidwise.envs.records.reading` a match as JSON Lines.
"""

from bidwise.envs.records.deals import Deal, Outcome
from bidwise.envs.records.json_lines import RecordError
from bidwise.envs.records.matches import write_match
from bidwise.envs.records.notation import NotationError, parse_deal, write_deal
from bidwise.envs.records.reading import PlayedDeal, Replayed, read_matches, replay, save

__all__ = [
    "Deal",
    "NotationError",
    "Outcome",
    "PlayedDeal",
    "RecordError",
    "Replayed",
    "parse_deal",
    "read_matches",
    "replay",
    "save",
    "write_deal",
    "write_match",
]
