"""One pyramid played by the exact order, as people would write it down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bidwise.agents.outcomes.hands import class_hands
from bidwise.envs.core.cards import DECK_24
from bidwise.envs.pyramid.drawing import draw_pyramid
from bidwise.envs.pyramid.scoring import declarer_points
from bidwise.train.studies.analysis.findings import Findings
from bidwise.train.studies.analysis.requirements import denomination_text, hand_text

__all__ = ["Deal", "deals_text", "play_pyramid", "pyramid_text"]

_SUITS = 4


@dataclass(frozen=True)
class Deal:
    """One deal of a pyramid."""

    hand: str
    bid: int
    trump: str
    expected: float
    """Points by the half of the layouts that did not decide."""
    price: float
    """What the bid was worth keeping, by the half that decided."""
    taken: int
    points: int


def play_pyramid(found: Findings, seed: int) -> list[Deal]:
    """Sixteen hands in their order, each bid by the exact order, each outcome drawn.

    One half of the layouts decides; by how much a bid is missed is drawn from the other. In
    which direction is not in the table: where both can be, it is the one where the next bid
    promises the hand more. Hands are shown with their suits named at random.

    Args:
        seed: of the hands, the names of their suits and the outcomes.
    """
    random = np.random.default_rng(seed)
    order, states = found.fit.orders[0], found.states
    shares = found.weights / found.weights.sum()
    state, deals = states.full, []
    for _ in range(states.turns):
        hand = int(random.choice(len(shares), p=shares))
        bids, denominations = order.choose(states.left[state], hand)
        bid, denomination = int(bids), int(denominations)
        missed = int(random.choice(7, p=found.chances[1][hand, denomination, bid]))
        scores = order.keys[hand]
        below, above = bid - missed, bid + missed
        up = below < 0 or (
            above < len(scores) and 0 < bid < len(scores) - 1 and scores[bid + 1] > scores[bid - 1]
        )
        taken = above if up else below
        after = state - int(states.strides[bid])
        names = random.permutation(_SUITS)
        deals.append(
            Deal(
                hand_text(_renamed(int(class_hands()[hand]), names.tolist())),
                bid,
                denomination_text(
                    int(names[denomination]) if denomination < _SUITS else denomination
                ),
                float(found.scores[1][hand, denomination, bid]),
                float(order.ahead[state] - order.ahead[after]),
                taken,
                declarer_points(bid, taken),
            )
        )
        state = after
    return deals


def _renamed(mask: int, names: list[int]) -> int:
    """A hand with each suit called by its new name."""
    ranks = DECK_24.num_ranks
    return DECK_24.mask(ranks * names[card // ranks] + card % ranks for card in DECK_24.cards(mask))


def pyramid_text(deals: list[Deal], quota: tuple[int, ...], title: str) -> str:
    """The score sheet."""
    return draw_pyramid([(deal.bid, deal.taken) for deal in deals], quota, title)


def deals_text(deals: list[Deal]) -> str:
    """The deals line by line: what was held, what was bid, what it promised and brought."""
    lines = [f"deal  {'hand':<17} bid  expects  price  taken  points  total"]
    total = 0
    for number, deal in enumerate(deals, start=1):
        total += deal.points
        lines.append(
            f"{number:>4}  {deal.hand:<17} {deal.bid} {deal.trump:<2} {deal.expected:>7.1f} "
            f"{deal.price:>6.1f} {deal.taken:>6} {deal.points:>7} {total:>6}"
        )
    return "\n".join(lines)
