"""How good a hand must be before a precious bid is spent on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.order.occupancy import occupancy_of
from bidwise.agents.order.orders import IndexOrder
from bidwise.agents.order.scores import picked
from bidwise.agents.outcomes.hands import class_hands
from bidwise.envs.core.cards import DECK_24, SUIT_SYMBOLS
from bidwise.train.studies.analysis.findings import Findings

__all__ = ["Requirement", "denomination_text", "hand_text", "quantiles", "requirements_of"]

_STATES = 64
"""Looked at together; more would take gigabytes."""

_RARE = 1e-12


@dataclass(frozen=True)
class Requirement:
    """Who gets a bid at one deal, among the pyramids that still hold it then."""

    bid: int
    deal: int
    """From 1."""
    held: float
    """Share of pyramids that hold the bid before this deal."""
    spent: float
    """Share of those that spend it at this deal."""
    points: float
    """What the hands that get it expect with it, on average."""
    least: float
    """What all but the weakest tenth of them expect at least."""
    example: str
    """A hand in the middle of them."""
    trump: str
    """Its trump."""


def hand_text(mask: int) -> str:
    """A hand as people hold it, spades first: ``"♠AKQ ♥J9 ♣T"``."""
    cards = sorted(DECK_24.cards(mask), reverse=True)
    parts = []
    for suit in range(3, -1, -1):
        ranks = [
            DECK_24.ranks[card % DECK_24.num_ranks]
            for card in cards
            if card // DECK_24.num_ranks == suit
        ]
        if ranks:
            parts.append(SUIT_SYMBOLS[suit] + "".join(ranks))
    return " ".join(parts)


def denomination_text(denomination: int) -> str:
    """A suit's symbol, or "NT"."""
    return SUIT_SYMBOLS[denomination] if denomination < len(SUIT_SYMBOLS) else "NT"


def quantiles(
    values: NDArray[np.float64], weights: NDArray[np.float64], shares: Sequence[float]
) -> list[float]:
    """The values (n,) below which these shares of the weight (n,) lie."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    places = np.searchsorted(reached, np.array(shares) * reached[-1])
    return [float(values[order[min(place, len(order) - 1)]]) for place in places]


def requirements_of(
    found: Findings, bids: Sequence[int], deals: Sequence[int]
) -> list[Requirement]:
    """What a bid needs at some deals (from 1), bid by bid; those that are never spent there are
    left out.

    The order is decided by one half of the layouts and what hands expect is told by the other,
    both ways.
    """
    states = found.states
    reaches = [
        occupancy_of(states, optimal.shares()[:, :, None]).reach for optimal in found.fit.orders
    ]
    spent_on = [
        {deal: _spent_on(optimal, reach, deal) for deal in deals}
        for optimal, reach in zip(found.fit.orders, reaches, strict=True)
    ]
    first, second = found.fit.orders
    expected = (
        picked(found.scores[1], first.denominations),
        picked(found.scores[0], second.denominations),
    )
    requirements = []
    for bid in bids:
        for deal in deals:
            met = states.deals_left == states.turns - deal + 1
            holding = met & (states.left[:, bid] > 0)
            held = float(sum(reach[holding].sum() for reach in reaches)) / 2
            shares = np.concatenate([spent[deal][:, bid] for spent in spent_on]) / 2
            points = np.concatenate([scores[:, bid] for scores in expected])
            if held < _RARE or shares.sum() < _RARE:
                continue
            least, middle = quantiles(points, shares, (0.1, 0.5))
            mine = spent_on[0][deal][:, bid]
            # The commonest of the hands nearest the middle, so that it is one that people meet.
            near = np.argsort(np.where(mine > 0, np.abs(expected[0][:, bid] - middle), np.inf))
            near = near[: max(1, min(20, int((mine > 0).sum())))]
            example = int(near[np.argmax(found.weights[near])])
            requirements.append(
                Requirement(
                    bid,
                    deal,
                    held,
                    float(shares.sum()) / held,
                    float(shares @ points / shares.sum()),
                    least,
                    hand_text(int(class_hands()[example])),
                    denomination_text(int(first.denominations[example, bid])),
                )
            )
    return requirements


def _spent_on(order: IndexOrder, reach: NDArray[np.float64], deal: int) -> NDArray[np.float64]:
    """(H, B) chance that a deal brings the hand and the bid is spent on it."""
    states = order.states
    met = np.flatnonzero((states.deals_left == states.turns - deal + 1) & (reach > _RARE))
    num_hands, num_bids = order.keys.shape
    spent = np.zeros((num_hands, num_bids))
    for begin in range(0, len(met), _STATES):
        some = met[begin : begin + _STATES]
        best = np.full((len(some), num_hands), -np.inf)
        chosen = np.zeros((len(some), num_hands), np.int8)
        for bid in range(num_bids):
            held = states.left[some, bid] > 0
            ahead = order.ahead[np.where(held, some - states.strides[bid], 0)]
            sums = np.where(held, ahead, -np.inf)[:, None] + order.keys[:, bid]
            chosen[sums > best] = bid
            np.maximum(best, sums, out=best)
        for bid in range(num_bids):
            spent[:, bid] += reach[some] @ (chosen == bid)
    return spent * order.weights[:, None]
