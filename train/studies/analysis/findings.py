"""What a study finds out about one outcome table: the exact order, and how others compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.agents import Agent
from bidwise.agents.order.agent import OrderingAgent
from bidwise.agents.order.occupancy import Occupancy, mean_occupancy
from bidwise.agents.order.optimal import CrossFit, cross_fit, shadow_prices, spare_values
from bidwise.agents.order.scores import mean_scores, picked, points
from bidwise.agents.order.sequences import sample_sequences
from bidwise.agents.order.states import States
from bidwise.agents.order.strategies import (
    STRATEGIES,
    compare,
    exact_means,
    order_of,
    value_agent,
)
from bidwise.agents.order.totals import Totals, totals_of_misses
from bidwise.agents.outcomes.hands import class_weights
from bidwise.agents.outcomes.table import DOUBLE_DUMMY, Outcomes
from bidwise.envs.core.drawing import preset_name
from bidwise.train.compare.intervals import Estimate, mean_interval
from bidwise.train.compare.skill import skill_index
from bidwise.train.run.chunks import Chunks
from bidwise.train.studies.analysis.agent_declarations import agent_declarations

__all__ = [
    "DP",
    "FLATTERED",
    "HINDSIGHT",
    "RANDOM",
    "Findings",
    "Standing",
    "bid_scores",
    "find",
    "kind_of_value",
    "note_of",
    "strength",
    "tricks_wanted",
]

RANDOM, DP, HINDSIGHT = "random", "dp", "hindsight"
"""The zero and the one of the skill index, and what only a clairvoyant can do."""


_WAYS = {
    "random": "each unspent number with equal chance",
    "top-down": "6 first, 0 last; blind to the hand, so on average exactly what random earns",
    "bottom-up": "0 first, 6 last; blind to the hand, so on average exactly what random earns",
    "best-now": "the largest score among the unspent bids",
    "above-mean": "the largest score above that bid's mean over all hands",
    "dp": "the exact dynamic program",
    "hindsight": "knows all hands before the first; one half of the layouts decides and the other "
    "values, so it bounds what can be done with what the deciding half knows",
}
_AGENT = "the agent's own bids and trumps"
FLATTERED = (
    "the agent's own bids and trumps; it decides by all layouts of its table, so if that is this "
    "table it is flattered: dp is the same order, valued by layouts that did not decide"
)


@dataclass(frozen=True)
class Standing:
    """How a way of bidding does on the same sequences of hands as all others."""

    points: Estimate
    """Of a pyramid, over sequences."""

    index: Estimate
    """The ordering skill index: random 0, dp 1."""

    exact: float | None
    """Points over all sequences there are, where they can be worked out."""

    about: str
    """How it bids."""


@dataclass(frozen=True, eq=False)
class Findings:
    """All that a study tells of one table; H hand classes, D denominations, 7 bids, S states."""

    outcomes: Outcomes

    weights: NDArray[np.int64]
    """(H,) how many hands each class has."""

    scores: tuple[NDArray[np.float64], NDArray[np.float64]]
    """(H, D, 7) mean points, by each half of the layouts."""

    chances: tuple[NDArray[np.float64], NDArray[np.float64]]
    """(H, D, 7, 7) chance to miss by 0..6 tricks, by each half."""

    fit: CrossFit
    """The exact order: one half decides and the other values, both ways."""

    occupancy: Occupancy
    """How its pyramids go, mean of both."""

    sequences: NDArray[np.int32]
    """(count, turns) hand classes that all ways of bidding were compared on."""

    standings: Mapping[str, Standing]
    """By strategy, then by agent."""

    totals: Mapping[str, Totals]
    """Distribution of the final total by strategy and agent; all but hindsight."""

    @property
    def states(self) -> States:
        """The states of the quota."""
        return self.fit.states

    @property
    def prices(self) -> NDArray[np.float64]:
        """(S, 7) shadow prices, points; see :func:`.optimal order.shadow_prices`."""
        return shadow_prices(self.fit.values, self.states)

    @property
    def spares(self) -> NDArray[np.float64]:
        """(S, 7) what a bid is worth beside the mean of all that are unspent, points."""
        return spare_values(self.fit.values, self.states)

    @property
    def most(self) -> int:
        """The largest total that a pyramid can have."""
        return int(points(1)[0]) * self.states.turns


def kind_of_value(outcomes: Outcomes) -> str:
    """What a table's figures are, in words that go wherever one stands."""
    if outcomes.source == DOUBLE_DUMMY:
        return "double-dummy values (all hands open), exact for this table"
    return f"values of play-outs, {outcomes.source}, exact for this table"


def note_of(found: Findings) -> str:
    """What a picture or a page is of, and what its figures are."""
    outcomes = found.outcomes
    kind = kind_of_value(outcomes)
    return (
        f"{outcomes.num_players} players, {preset_name(outcomes.rules)}. "
        f"{kind[0].upper()}{kind[1:]} of {outcomes.layouts} layouts."
    )


def find(
    outcomes: Outcomes,
    *,
    agents: Sequence[Agent] = (),
    sequences: int = 4000,
    seed: int = 0,
    chunks: Chunks | None = None,
) -> Findings:
    """Work out the exact order of a table, and how strategies and agents compare with it.

    Args:
        outcomes: the table.
        agents: of Pyramid, made for the table's rules and players.
        sequences: how many of 16 hands (as many as the quota has bids) are compared on.
        seed: of the sequences and of what agents see beside their hands.
        chunks: where the agents' bids are kept.

    Raises:
        ValueError: a quota of one kind of bid, an agent that does not fit, or sequences too few
            for an interval.
    """
    weights, quota = class_weights(), outcomes.rules.quota
    if sum(count > 0 for count in quota) < 2:
        raise ValueError(f"quota: {quota} holds one kind of bid, so there is no order to study")
    half = outcomes.layouts // 2
    scores = (outcomes.option_scores(0), outcomes.option_scores(1))
    chances = (outcomes.option_counts(0) / half, outcomes.option_counts(1) / half)
    fit = cross_fit(*scores, weights, quota)
    occupancy = fit.occupancy(*chances)
    hands = sample_sequences(weights, fit.states.turns, sequences, seed)
    earned = compare(*scores, weights, hands, quota)
    totals = {
        name: occupancy.totals() if name == DP else _totals(name, scores, chances, weights, quota)
        for name in STRATEGIES
        if name != HINDSIGHT
    }
    abouts = {}
    for number, agent in enumerate(agents):
        name = _label(agent.name, earned)
        abouts[name] = FLATTERED if isinstance(agent, OrderingAgent) else _AGENT
        declarations = agent_declarations(
            agent,
            hands,
            num_players=outcomes.num_players,
            rules=outcomes.rules,
            seed=seed,
            chunks=chunks,
            key=f"bids-{number}",
        )
        earned[name] = value_agent(declarations, hands, *scores, quota)
        totals[name] = _totals_of_declarations(declarations, hands, chances)
    exact = exact_means(*scores, weights, quota)
    standings = {
        name: Standing(
            mean_interval(values),
            skill_index(values, earned[RANDOM], earned[DP]),
            exact.get(name),
            abouts.get(name) or _WAYS[name],
        )
        for name, values in earned.items()
    }
    return Findings(outcomes, weights, scores, chances, fit, occupancy, hands, standings, totals)


def _label(name: str, taken: Mapping[str, Any]) -> str:
    """An agent's name; a strategy or another agent may have it already."""
    label, number = f"{name} (agent)", 2
    while label in taken:
        label, number = f"{name} (agent {number})", number + 1
    return label


def _totals(
    name: str,
    scores: tuple[NDArray[np.float64], NDArray[np.float64]],
    chances: tuple[NDArray[np.float64], NDArray[np.float64]],
    weights: NDArray[np.int64],
    quota: tuple[int, ...],
) -> Totals:
    """Of a strategy: one half decides and the other values, both ways."""
    first = order_of(name, scores[0], weights, quota).occupancy(chances[1])
    second = order_of(name, scores[1], weights, quota).occupancy(chances[0])
    return mean_occupancy(first, second).totals()


def _totals_of_declarations(
    declarations: NDArray[np.int8],
    hands: NDArray[np.int32],
    chances: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> Totals:
    """Of bids that were chosen hand by hand: the mean over the sequences."""
    bids, denominations = declarations[:, :, 0], declarations[:, :, 1]
    missed = (
        chances[0][hands, denominations, bids] + chances[1][hands, denominations, bids]
    ) / 2  # (count, turns, 7)
    count, turns, width = missed.shape
    spread = np.zeros((count, turns * (width - 1) + 1))
    spread[:, 0] = 1.0
    for turn in range(turns):
        before = spread.copy()
        spread *= missed[:, turn, :1]
        for tricks in range(1, width):
            spread[:, tricks:] += before[:, :-tricks] * missed[:, turn, tricks, None]
    return totals_of_misses(spread.mean(axis=0), int(points(1)[0]) * turns)


def bid_scores(found: Findings) -> NDArray[np.float64]:
    """(H, 7) points of each hand class and bid: the trump by one half, its value by the other."""
    first, second = found.scores
    ours, theirs = (optimal.denominations for optimal in found.fit.orders)
    return (picked(second, ours) + picked(first, theirs)) / 2


def tricks_wanted(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """(...,) tricks taken on average by who bids 6, from the points (..., 7) of each bid.

    Who bids 6 plays for every trick and misses by what is not taken.
    """
    hit, slip = points(2)
    most = scores.shape[-1] - 1
    tricks: NDArray[np.float64] = most - (hit - scores[..., most]) / (hit - slip)
    return tricks


def strength(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """(H,) tricks that a hand takes on average if it bids 6, with its best trump.

    It sorts hands and is no figure to show: the layouts that chose the trump flatter it.

    Args:
        chances: (H, D, 7, 7) of missing by 0..6 tricks.
    """
    most: NDArray[np.float64] = tricks_wanted(mean_scores(chances)).max(axis=1)
    return most
