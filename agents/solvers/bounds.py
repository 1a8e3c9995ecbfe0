"""What holds in a position whatever is played, so that it need not be searched.

- Every trump is played in some trick, and loses only to a higher one in it. So the declarer takes
  a trick for each of his trumps that stays unmatched when higher trumps of theirs are matched to
  his, each to one; and loses as many as any one defender's trumps stay unmatched against his.
- Where any card may follow, a declarer who does not lead can lose the trick while he holds a card,
  no trump, that is of another suit than the one led or is the lowest left of its suit; then the
  defenders lead again. Discarding from the suits in turn, he loses all but his longest suit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bidwise.agents.solvers.compilation import compiled
from bidwise.agents.solvers.intervals import answer_after
from bidwise.agents.solvers.trick import strength_of, suit_of
from bidwise.agents.solvers.workspace import CERTAIN_LOSSES, CERTAIN_WINS, SIDES
from bidwise.envs.core.instructions import lowest_bit

__all__ = ["certain_answers", "certain_by_a_card"]

WINS = 0x0101010101010100
"""The bits "at least 1, 2, .. of 0 tricks"; shifted by n they are of n tricks."""


@compiled
def certain_answers(
    suits: Any, live: int, leads: bool, settled: bool, following: int, trump: int, n: int
) -> int:
    """Intervals that hold without search.

    Args:
        leads: whether the declarer is to lead.
        settled: between tricks; False while defenders may still play cards out of `live`.
    """
    losses = 0
    certain = 0
    if trump < 4:
        mask = (live >> (6 * trump)) & 63
        if settled:
            losses = suits[CERTAIN_LOSSES + mask] >> 24
        wins = suits[CERTAIN_WINS + mask] >> 3
        # At least 1, 2, .. of n: bits 8 + n, 16 + n, ..
        certain = (WINS & ((1 << (8 * wins + 8)) - 1)) << n
    if following == 0 and not leads:
        total = 0
        stuck = 0
        for suit in range(4):
            if suit != trump:
                side = suits[SIDES + 64 * suit + ((live >> (6 * suit)) & 63)]
                total += side >> 8
                stuck = max(stuck, side & 0xFF)
        losses = max(losses, total - stuck)
    # At most n - 1, n - 2, .. of n: the bits n - 1, n - 2, .. of row 0.
    return certain | (((1 << losses) - 1) << (n - losses))


@compiled
def certain_by_a_card(
    suits: Any,
    live: int,
    cards: int,
    later: int,
    led: int,
    strength: int,
    following: int,
    trump: int,
    n: int,
) -> int:
    """Intervals of n tricks that hold because the declarer, whose turn it is, has the right card.

    A card that wins or loses its trick whatever follows leaves what is sure behind it.

    Args:
        cards: the cards he may play.
        later: the cards of those who play after him.
        led: the suit led, negative if he leads.
        strength: the best card's, negative if he leads.
    """
    certain = 0
    trumps = 0 if trump == 4 else 63 << (6 * trump)
    while cards:
        low = cards & -cards
        cards ^= low
        card = lowest_bit(np.uint64(low))
        suit = suit_of(card)
        own = strength_of(card, suit if led < 0 else led, trump)
        if own <= strength:
            behind = certain_answers(suits, live ^ low, False, False, following, trump, n - 1)
            certain |= answer_after(behind, n, False)
        else:
            higher = (63 << (6 * suit)) & -low
            beating = later & (higher if suit == trump else higher | trumps)
            if beating == 0:
                behind = certain_answers(suits, live ^ low, True, False, following, trump, n - 1)
                certain |= answer_after(behind, n, True)
    return certain
