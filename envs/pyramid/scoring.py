"""What a Pyramid deal is worth, and what its seats are rewarded with."""

from __future__ import annotations

from typing import Any

from bidwise.envs.core.compilation import compiled
from bidwise.envs.core.vocabulary import POINTS, RELATIVE, RUNNING

__all__ = ["declarer_points", "reward"]


@compiled
def declarer_points(bid: int, taken: int) -> int:
    """10 for the number of tricks announced, two less for each trick that it was missed by."""
    return 10 - 2 * abs(bid - taken)


@compiled
def reward(state: Any, mode: int, rewards: Any) -> None:
    """Write each seat's reward for the deal that has just ended into a float row (players,)."""
    num_players = int(state.num_players)
    declarer = int(state.declarer)
    points = int(state.points)
    for seat in range(num_players):
        rewards[seat] = 0.0
    if mode == POINTS:
        rewards[declarer] = points
    elif mode == RELATIVE:
        for seat in range(num_players):
            rewards[seat] = -points / (num_players - 1)
        rewards[declarer] = points
    elif state.status != RUNNING:
        best = state.totals[0]
        for seat in range(1, num_players):
            best = max(best, state.totals[seat])
        sharing = 0
        for seat in range(num_players):
            sharing += state.totals[seat] == best
        for seat in range(num_players):
            if state.totals[seat] < best:
                rewards[seat] = -1.0
            elif sharing == 1:
                rewards[seat] = 1.0
