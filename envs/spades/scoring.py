"""What a Spades deal is worth to a pair, when a match is over, and what seats are rewarded with."""

from __future__ import annotations

from typing import Any

from bidwise.envs.core.compilation import compiled
from bidwise.envs.core.vocabulary import POINTS, RELATIVE, RUNNING
from bidwise.envs.spades.rules import BAG_AFTER, FAILED_NIL_TRICKS

__all__ = ["NO_BAG_LIMIT", "match_status", "pair_score", "reward"]

TRICK_POINTS = 10
NO_BAG_LIMIT = 0

_ZERO = BAG_AFTER.index("zero")
_CONTRACT = FAILED_NIL_TRICKS.index("contract")


@compiled
def pair_score(
    bids: tuple[int, int],
    double_nils: tuple[bool, bool],
    taken: tuple[int, int],
    bag: int,
    nil_points: tuple[int, int],
    overtrick_points: int,
    bag_limit: int,
    bag_fine: int,
    bag_after: int,
    failed_nil_tricks: int,
) -> tuple[int, int]:
    """A pair's score of one deal, and its bag after it.

    `bids`, `double_nils` and `taken` (tricks) are the two partners'. `nil_points` are
    those of a nil and of a double nil; `bag_limit` `NO_BAG_LIMIT` fines no bag. `bag_after` and
    `failed_nil_tricks` are indices into the choices of the rules module.
    """
    score = 0
    contract = 0
    towards = 0
    for k in range(2):
        if bids[k] == 0:
            worth = nil_points[1] if double_nils[k] else nil_points[0]
            score += worth if taken[k] == 0 else -worth
            if failed_nil_tricks == _CONTRACT:
                towards += taken[k]
            else:
                bag += taken[k]
        else:
            contract += bids[k]
            towards += taken[k]
    if towards < contract:
        score -= TRICK_POINTS * contract
    else:
        overtricks = towards - contract
        score += TRICK_POINTS * contract + overtrick_points * overtricks
        bag += overtricks
    if bag_limit != NO_BAG_LIMIT and bag >= bag_limit:
        if bag_after == _ZERO:
            score -= bag_fine
            bag = 0
        else:
            score -= bag_fine * (bag // bag_limit)
            bag = bag % bag_limit
    return score, bag


@compiled
def match_status(total_0: int, total_1: int, target: int, mercy: int) -> bool:
    """Whether a match with these totals is over; `mercy` 0 stands for never."""
    if total_0 == total_1:
        return False
    if total_0 >= target or total_1 >= target:
        return True
    return mercy < 0 and (total_0 <= mercy or total_1 <= mercy)


@compiled
def reward(state: Any, mode: int, rewards: Any) -> None:
    """Write each seat's reward for the deal that has just ended into a float row (4,)."""
    even = 0.0
    odd = 0.0
    if mode == POINTS:
        even = float(state.points[0])
        odd = float(state.points[1])
    elif mode == RELATIVE:
        even = float(state.points[0] - state.points[1])
        odd = -even
    elif state.status != RUNNING and state.totals[0] != state.totals[1]:
        even = 1.0 if state.totals[0] > state.totals[1] else -1.0
        odd = -even
    rewards[0] = even
    rewards[1] = odd
    rewards[2] = even
    rewards[3] = odd
