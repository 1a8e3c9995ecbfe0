"""Pyramid's rule sheet: its switches, its presets, and what it refuses.

Pyramid (Piramida) was invented by Albinas Borisevicius in Vilnius, 19 January 1979.
"""

from __future__ import annotations

from dataclasses import dataclass

from bidwise.envs.core.checks import check_choice, check_flag, check_int, presets_of

__all__ = ["CONFERENCE", "FOLLOWING", "PyramidRules"]

FOLLOWING = ("any", "suit", "suit_then_trump")
CONFERENCE = ("open", "signals", "silent")

MAX_DEALS_PER_PLAYER = 16
NUM_BIDS = 7

_PRESETS = {
    "piramida": {},
    "inventor": {"following": "suit_then_trump", "no_trump": True, "conference": "silent"},
}


@dataclass(frozen=True)
class PyramidRules:
    """The switches of Pyramid; the defaults are the preset ``"piramida"``, the source text.

    Raises:
        ValueError: a value that is unknown or does not fit the others; it names the field.
    """

    following: str = "any"
    """What a follower may play: ``"any"`` card; ``"suit"``: must follow suit, void plays
    anything; ``"suit_then_trump"``: void must play a trump, and anything only without one."""

    no_trump: bool = False
    """Whether "no trump" may be declared beside the four suits."""

    conference: str = "open"
    """What defenders share: ``"open"``: they see each other's hands; ``"signals"``: with 3 or
    4 players a defender says one of 8 public tokens before each card; ``"silent"``: nothing."""

    deals_per_player: int = 16
    """How often each player declares, 1..16."""

    quota: tuple[int, ...] = (1, 2, 3, 4, 3, 2, 1)
    """How often each of the bids 0..6 must be spent; sums to `deals_per_player`."""

    def __post_init__(self) -> None:
        check_choice("following", self.following, FOLLOWING)
        check_flag("no_trump", self.no_trump)
        check_choice("conference", self.conference, CONFERENCE)
        check_int("deals_per_player", self.deals_per_player, 1, MAX_DEALS_PER_PLAYER)
        if not isinstance(self.quota, tuple | list) or len(self.quota) != NUM_BIDS:
            raise ValueError(f"quota: expected {NUM_BIDS} counts, one a bid, got {self.quota!r}")
        for count in self.quota:
            check_int("quota", count, 0, MAX_DEALS_PER_PLAYER)
        object.__setattr__(self, "quota", tuple(int(count) for count in self.quota))
        if sum(self.quota) != self.deals_per_player:
            raise ValueError(
                f"quota: {self.quota} sums to {sum(self.quota)}, "
                f"but deals_per_player is {self.deals_per_player}"
            )

    @classmethod
    def preset(cls, name: str) -> PyramidRules:
        """The rules of a preset: ``"piramida"`` or ``"inventor"``."""
        return cls(**presets_of(_PRESETS, name))

    @classmethod
    def presets(cls) -> tuple[str, ...]:
        """Names of all presets."""
        return tuple(_PRESETS)
