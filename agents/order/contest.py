"""The order with the best chance to end above rivals whose final totals have a distribution.

Beside the bids left the state holds by how many tricks the bids so far were missed: the total
is 10 points a deal less two for each. With W = P(best rival below) + tie · P(best rival equal)
for the empty pyramid,

    W(s, m) = Σ_h w_h · max over d and unspent b of Σ_x p[h, d, b, x] · W(s - b, m + x)

for every number of misses that can be met. The result is exact for that table and for rivals
that do not answer. One table decides; another may value, as in :mod:`.optimal order`.

Equal totals share the win. A `tie` of one half makes 2 W - 1 the reward ``"win"`` of the
environments (1 for a sole winner, 0 for sharers, -1 for others); 0 counts sole wins only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidwise.agents.order.contest_kernels import (
    BEYOND,
    MOST_MISSES,
    decide_states,
    spread,
    value_states,
)
from bidwise.agents.order.scores import checked_outcomes, points, shares
from bidwise.agents.order.states import States, states_of
from bidwise.agents.order.totals import Totals, best_of, mixture, totals_of_misses

__all__ = ["Contest", "CrossContest", "cross_fit_contest", "solve_contest"]

_CHUNK = 8
"""States that a thread takes at a time."""


@dataclass(frozen=True, eq=False)
class Contest:
    """An order that aims at the win; `M` numbers of tricks missed in all."""

    states: States

    outcomes: NDArray[np.float64]
    """(H, D, B, B) the table that decides."""

    chances: NDArray[np.float64]
    """(S, M) best chance in each state after 0, 1, ... misses, by the table that decides; zero
    where so many misses cannot be."""

    values: NDArray[np.float64]
    """(S, M) the same decisions by the table that values."""

    reach: NDArray[np.float64]
    """(S, M) chance that a pyramid passes there, by the table that values."""

    spending: NDArray[np.float64]
    """(turns, B) chance that b is spent at each announcement."""

    @property
    def in_sample(self) -> float:
        """Chance to win by the table that decided."""
        return float(self.chances[self.states.full, 0])

    @property
    def value(self) -> float:
        """Chance to win by the table that values."""
        return float(self.values[self.states.full, 0])

    @property
    def totals(self) -> Totals:
        """The final total under this order, by the table that values."""
        return totals_of_misses(self.reach[0], int(points(1)[0]) * self.states.turns)

    def choose(self, left: ArrayLike, total: int, hand: int) -> tuple[int, int]:
        """The bid to spend and its denomination, by the table that decides.

        Args:
            left: (B,) how many of each bid are unspent.
            total: own points so far.
            hand: the hand class.

        Raises:
            ValueError: a pyramid that is empty or does not fit the quota, a total that it
                cannot have, an unknown hand.
        """
        states = self.states
        state = int(states.index(left))
        if state == 0:
            raise ValueError("left: no bid is left to choose from")
        if not 0 <= hand < len(self.outcomes):
            raise ValueError(f"hand: {hand} is not in 0..{len(self.outcomes) - 1}")
        hit, slip = (int(value) for value in points(2))
        missed, odd = divmod(
            hit * (states.turns - int(states.deals_left[state])) - total, hit - slip
        )
        if odd or not 0 <= missed < _widths(states, states.left[state]):
            raise ValueError(f"total: {total} cannot be what the bids spent have earned")
        kept = _worthwhile(self.outcomes[hand : hand + 1])[0]
        best, choice = -1.0, (-1, -1)
        for bid in np.flatnonzero(states.left[state]).tolist():
            rest = self.chances[state - states.strides[bid], missed:].tolist()
            for denomination in np.flatnonzero(kept[:, bid]).tolist():
                # Summed one by one as the compiled loop does: equals must be equal here too.
                chance = 0.0
                for share, after in zip(
                    self.outcomes[hand, denomination, bid].tolist(), rest, strict=False
                ):
                    chance += share * after
                if chance > best:
                    best, choice = chance, (bid, denomination)
        return choice


def _widths(states: States, left: NDArray[np.int8]) -> NDArray[np.int64]:
    """(...,) how many numbers of misses there can be so far: 0 up to all that was possible.

    `left` is (..., B), how many of each bid are unspent.
    """
    bids = np.arange(len(states.quota))
    most = np.maximum(bids, len(bids) - 1 - bids)
    spent = np.array(states.quota, np.int64) - left
    widths: NDArray[np.int64] = spent @ most + 1
    return widths


def _worthwhile(outcomes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(H, D, B) denominations that some rival could make the best for their hand and bid.

    Fewer misses never hurt, so one that misses by at most x as often as another for every x
    makes the other needless; of equal ones the first is kept.
    """
    within = np.cumsum(outcomes, axis=3)
    num_denominations = outcomes.shape[1]
    kept = np.ones(outcomes.shape[:3], np.bool_)
    for one in range(num_denominations):
        for other in range(num_denominations):
            if one != other:
                needless = (within[:, other] >= within[:, one]).all(axis=2)
                if one < other:
                    needless &= (within[:, other] > within[:, one]).any(axis=2)
                kept[:, one] &= ~needless
    return kept


def _final_chances(best: Totals, turns: int, width: int, tie: float) -> NDArray[np.float64]:
    """(M,) chance that a final total with 0, 1, ... misses wins."""
    hit, slip = (int(value) for value in points(2))
    totals = hit * turns + (slip - hit) * np.arange(width)
    return np.array([best.below(total) + tie * best.at(total) for total in totals.tolist()])


def solve_contest(
    option_outcomes: ArrayLike,
    weights: ArrayLike,
    quota: Sequence[int],
    rivals: Totals | Sequence[Totals],
    *,
    valued_by: ArrayLike | None = None,
    tie: float = 0.5,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Contest:
    """The order with the best chance to win; seconds for a full pyramid and all hands.

    Args:
        option_outcomes: (H, D, B, B) probabilities of missing by 0.. tricks, that decide.
        weights: (H,) how often each hand class is dealt.
        quota: (B,) how often each bid must be spent; 7 bids at most.
        rivals: the distribution of the best rival's final total, or those of several
            independent rivals.
        valued_by: (H, D, B, B) the table that values; the deciding one when None.
        tie: what an equal total counts, 0..1.
        threads: how many work at once; the result does not depend on it.
        progress: called now and then with how many more states are done.

    Raises:
        ValueError: tables, weights, rivals or numbers that do not fit.
    """
    states = states_of(quota)
    num_bids = len(states.quota)
    if num_bids > MOST_MISSES:
        raise ValueError(f"quota: {num_bids} kinds of bid, at most {MOST_MISSES} are taken")
    if not 0 <= tie <= 1:
        raise ValueError(f"tie: {tie} is not in 0..1")
    if threads < 1:
        raise ValueError(f"threads: {threads} is not positive")
    outcomes = checked_outcomes(option_outcomes, num_bids)
    valuing = outcomes if valued_by is None else checked_outcomes(valued_by, num_bids)
    if valuing.shape != outcomes.shape:
        raise ValueError(f"outcomes: shapes {outcomes.shape} and {valuing.shape} differ")
    dealt = shares(weights, len(outcomes))

    widths = _widths(states, states.left)
    width = int(widths.max())
    chances = np.zeros((len(states.left), width + BEYOND))
    chances[0, :width] = _final_chances(best_of(rivals), states.turns, width, tie)
    tallies = np.zeros((len(states.left), num_bids, num_bids, width))
    hands, bids, denominations = np.nonzero(_worthwhile(outcomes).transpose(0, 2, 1))
    decide = np.zeros((len(hands), MOST_MISSES))
    decide[:, :num_bids] = outcomes[hands, denominations, bids]
    arguments = (
        states.left,
        states.strides,
        widths,
        np.searchsorted(hands, np.arange(len(outcomes) + 1)),
        bids,
        decide,
        np.ascontiguousarray(valuing[hands, denominations, bids]),
        dealt,
        chances,
        tallies,
    )

    def fill(numbers: NDArray[np.int64]) -> int:
        decide_states(numbers, *arguments)
        return len(numbers)

    with ThreadPoolExecutor(threads) as pool:
        for deals_left in range(1, states.turns + 1):
            level = np.flatnonzero(states.deals_left == deals_left)
            chunks = [level[i : i + _CHUNK] for i in range(0, len(level), _CHUNK)]
            for done in pool.map(fill, chunks):
                if progress is not None:
                    progress(done)

    values = np.zeros((len(states.left), width))
    values[0] = chances[0, :width]
    reach = np.zeros_like(values)
    spending = np.zeros((states.turns, num_bids))
    value_states(tallies, states.strides, widths, values)
    spread(tallies, states.strides, widths, states.deals_left, reach, spending)
    best = np.where(np.arange(width) < widths[:, None], chances[:, :width], 0.0)
    return Contest(states, outcomes, best, values, reach, spending)


@dataclass(frozen=True, eq=False)
class CrossContest:
    """Two contests, one decided by each half of the layouts and valued by the other."""

    contests: tuple[Contest, Contest]
    """Decided by fold 0 and by fold 1."""

    @property
    def value(self) -> float:
        """Chance to win, mean of both cross-valuations."""
        return (self.contests[0].value + self.contests[1].value) / 2

    @property
    def in_sample(self) -> float:
        """The mean of what both say of themselves."""
        return (self.contests[0].in_sample + self.contests[1].in_sample) / 2

    @property
    def totals(self) -> Totals:
        """The final total when a coin says which of the two orders is kept."""
        return mixture(self.contests[0].totals, self.contests[1].totals)

    @property
    def spending(self) -> NDArray[np.float64]:
        """(turns, B) chance that b is spent at each announcement, mean of both."""
        return (self.contests[0].spending + self.contests[1].spending) / 2


def cross_fit_contest(
    outcomes_0: ArrayLike,
    outcomes_1: ArrayLike,
    weights: ArrayLike,
    quota: Sequence[int],
    rivals: Totals | Sequence[Totals],
    *,
    tie: float = 0.5,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> CrossContest:
    """Fold 0 decides and fold 1 values, and the reverse; see :func:`solve_contest`.

    `progress` hears of every state twice.
    """
    first, second = (
        solve_contest(
            decide,
            weights,
            quota,
            rivals,
            valued_by=value,
            tie=tie,
            threads=threads,
            progress=progress,
        )
        for decide, value in ((outcomes_0, outcomes_1), (outcomes_1, outcomes_0))
    )
    return CrossContest((first, second))
