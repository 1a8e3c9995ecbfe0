"""Spades' rule sheet: its switches, its presets, and what it refuses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bidwise.envs.core.checks import check_choice, check_flag, check_int, presets_of

__all__ = [
    "BAG_AFTER",
    "BID_ORDER",
    "DOUBLE_NIL",
    "FAILED_NIL_TRICKS",
    "FIRST_LEAD",
    "SPADE_LEADS",
    "SpadesRules",
]

BID_ORDER = ("pairs", "clockwise")
DOUBLE_NIL = ("off", "blind")
FIRST_LEAD = ("left", "right", "two_of_clubs")
SPADE_LEADS = ("broken", "last_resort")
BAG_AFTER = ("zero", "carry")
FAILED_NIL_TRICKS = ("bag", "contract")

_ZONE: dict[str, Any] = {
    "bid_order": "clockwise",
    "first_lead": "left",
    "overtrick_points": 1,
    "bag_limit": 10,
}
_STANDARD: dict[str, Any] = {**_ZONE, "double_nil": "off", "bag_after": "carry", "mercy": None}
_PRESETS: dict[str, dict[str, Any]] = {
    "piki": {},
    "zone": _ZONE,
    "standard": _STANDARD,
    "openspiel": {
        **_STANDARD,
        "failed_nil_tricks": "contract",
        "mercy": -350,
        "spade_leads": "last_resort",
    },
}


@dataclass(frozen=True)
class SpadesRules:
    """The switches of Spades; the defaults are the preset ``"piki"``, the source text.

    Raises:
        ValueError: a value that is unknown or out of range; it names the field.
    """

    bid_order: str = "pairs"
    """``"pairs"``: left of dealer, that player's partner, dealer's partner, dealer;
    ``"clockwise"``: from left of dealer."""

    double_nil: str = "blind"
    """``"blind"``: before looking, each player may bid double nil; ``"off"``: no such step."""

    first_lead: str = "right"
    """Who leads the first trick: the player ``"right"`` or ``"left"`` of the dealer, or who holds
    the ``"two_of_clubs"``, which must then be led; where nobody does, the left of the dealer."""

    spade_leads: str = "broken"
    """A spade may be led once one was played to an earlier trick (``"broken"``), or only when
    nothing else is held (``"last_resort"``)."""

    overtrick_points: int = -1
    """Points for each trick beyond the contract, -100..100."""

    bag_limit: int | None = 11
    """So many tricks in the bag cost `bag_fine` points, 1..100; None: they never do, and the bag
    goes on counting."""

    bag_after: str = "zero"
    """What a fine leaves in the bag: nothing (``"zero"``), or, after a fine for each full
    `bag_limit`, the rest (``"carry"``)."""

    failed_nil_tricks: str = "bag"
    """Tricks of a failed nil go to the ``"bag"`` only, or count towards the ``"contract"``."""

    target: int = 500
    """A pair at so many points or more ends the match, 1..12000."""

    mercy: int | None = -200
    """A pair at so many points or less ends the match, -12000..-1; None: never."""

    max_deals: int | None = 100
    """A match still open after so many deals is truncated, 1..12000; None: never."""

    pair_bid_cap: int = 13
    """No bid may lift its pair's sum above this, 0..26."""

    pair_bid_min: int = 0
    """The second of a pair to bid must lift the pair's sum to this, 0..13; either nil counts 0."""

    nil_points: int = 100
    """Points for a nil, won or lost, 0..1000."""

    double_nil_points: int = 200
    """Points for a double nil, won or lost, 0..1000."""

    double_nil_behind: int = 0
    """Double nil is offered only to a pair that is at least so many points behind the other,
    0..12000; 0: to both pairs."""

    bag_fine: int = 100
    """Points that a full bag costs, 0..1000."""

    first_trick_spades: bool = True
    """False: to the first trick a spade may be led, or played when void of the suit led, only by
    who holds nothing else."""

    def __post_init__(self) -> None:
        check_choice("bid_order", self.bid_order, BID_ORDER)
        check_choice("double_nil", self.double_nil, DOUBLE_NIL)
        check_choice("first_lead", self.first_lead, FIRST_LEAD)
        check_choice("spade_leads", self.spade_leads, SPADE_LEADS)
        check_int("overtrick_points", self.overtrick_points, -100, 100)
        if self.bag_limit is not None:
            check_int("bag_limit", self.bag_limit, 1, 100)
        check_choice("bag_after", self.bag_after, BAG_AFTER)
        check_choice("failed_nil_tricks", self.failed_nil_tricks, FAILED_NIL_TRICKS)
        check_int("target", self.target, 1, 12_000)
        if self.mercy is not None:
            check_int("mercy", self.mercy, -12_000, -1)
        if self.max_deals is not None:
            check_int("max_deals", self.max_deals, 1, 12_000)
        check_int("pair_bid_cap", self.pair_bid_cap, 0, 26)
        check_int("pair_bid_min", self.pair_bid_min, 0, 13)
        if self.pair_bid_min > self.pair_bid_cap:
            raise ValueError(
                f"pair_bid_min: {self.pair_bid_min} is more than pair_bid_cap, {self.pair_bid_cap}"
            )
        check_int("nil_points", self.nil_points, 0, 1000)
        check_int("double_nil_points", self.double_nil_points, 0, 1000)
        check_int("double_nil_behind", self.double_nil_behind, 0, 12_000)
        check_int("bag_fine", self.bag_fine, 0, 1000)
        check_flag("first_trick_spades", self.first_trick_spades)

    @classmethod
    def preset(cls, name: str) -> SpadesRules:
        """The rules of a preset: ``"piki"``, ``"zone"``, ``"standard"`` or ``"openspiel"``."""
        return cls(**presets_of(_PRESETS, name))

    @classmethod
    def presets(cls) -> tuple[str, ...]:
        """Names of all presets."""
        return tuple(_PRESETS)
