"""How fast Pyramid is solved: contracts a CPU-second, the slowest deal, and the exact order."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.order.optimal import solve as solve_order
from bidwise.agents.outcomes.hands import NUM_CLASSES, class_weights
from bidwise.agents.solvers import pyramid
from bidwise.envs.core.cards import NO_TRUMP
from bidwise.envs.pyramid.rules import NUM_BIDS, PyramidRules
from bidwise.envs.pyramid.state import HAND_SIZE, NUM_CARDS
from bidwise.train.benchmarks.rounds import Rounds
from bidwise.train.benchmarks.samples import Sample
from bidwise.train.benchmarks.targets import Claim
from bidwise.train.benchmarks.timing import Workload, measure

__all__ = ["LEAST_CONTRACTS", "WARM_UP", "measure_solving", "random_deals", "solver_loop"]

LEAST_CONTRACTS = {
    (4, "any"): 5e3,
    (4, "suit_then_trump"): 2e5,
    (3, "any"): 1e5,
    (2, "any"): 3e6,
    (2, "suit_then_trump"): 5e6,
}
"""Targets with a warm table: (deal, trump, bid) a CPU-second of one core, by players and
following."""

WARM_UP = 20.0
"""CPU seconds of solving before a measurement: what endings are worth is kept and fills up."""

_BATCH, _WIDE_BATCH, _SMALL_BATCH = 1024, 8192, 64
"""Deals of a call, few where one takes long; with two players many."""

_POOL = 4
"""Calls whose deals are solved again and again."""

_SLOWEST_DEALS = 1_000
_MOST_SECONDS_A_DEAL = 0.25
_MOST_SECONDS_ORDER = 0.5


def random_deals(count: int, num_players: int, seed: int) -> NDArray[np.int64]:
    """(count, players) bit masks of six cards each, dealt at random."""
    order = np.random.default_rng(seed).random((count, NUM_CARDS)).argsort(axis=1)
    cards = order[:, : HAND_SIZE * num_players].reshape(count, num_players, HAND_SIZE)
    masks: NDArray[np.int64] = (1 << cards.astype(np.int64)).sum(axis=2)
    return masks


def solver_loop(
    num_players: int, following: str, warm_up: float = WARM_UP, *, again: bool = False
) -> Workload:
    """Deals with a random trump each, for all bids, on one core.

    Nothing of a deal is kept but what its endings of few tricks are worth, which is shared by all
    deals. `again`: the same deals over and over, so that the table of endings is warm for them;
    else deals that were never seen, after a warm-up of so many CPU seconds.

    The workload warms up when it is first called. It returns contracts and CPU seconds of its
    thread.
    """
    rules = PyramidRules(following=following)
    size = _WIDE_BATCH if num_players == 2 else _BATCH
    if (num_players, following) == (4, "any"):
        size = _SMALL_BATCH
    turn = 0

    def solve() -> float:
        nonlocal turn
        seed = turn % _POOL if again else turn + _POOL
        turn += 1
        deals = random_deals(size, num_players, seed)
        trumps = np.random.default_rng([seed]).integers(0, NO_TRUMP, size)
        began = time.thread_time()
        pyramid.solve_batch(deals, trump=trumps, rules=rules)
        return time.thread_time() - began

    def loop(seconds: float) -> tuple[int, float]:
        contracts, elapsed = 0, 0.0
        while True:
            elapsed += solve()
            contracts += size * NUM_BIDS
            if elapsed >= seconds:
                return contracts, elapsed

    warm = False

    def workload(seconds: float) -> tuple[int, float]:
        nonlocal warm
        if not warm:
            warm = True
            if not again:
                # Two players have so few endings that they are all known in no time.
                loop(warm_up if num_players > 2 else warm_up / 10)
            elif warm_up > 0:
                for _ in range(_POOL):
                    solve()
        return loop(seconds)

    return workload


def measure_solving(
    seconds: float,
    rounds: Rounds,
    *,
    warm_up: float = WARM_UP,
    slowest_of: int = _SLOWEST_DEALS,
    on_progress: Callable[[], None] | None = None,
) -> tuple[dict[str, Sample], list[Claim]]:
    """Measure everything, on one core.

    Returns:
        contracts a CPU-second by players and following; and the claims.
    """
    names = {key: f"contracts a CPU second, {key[0]} players, {key[1]}" for key in LEAST_CONTRACTS}
    loops = {f"{names[key]}, new deals": solver_loop(*key, warm_up) for key in names}
    loops |= {names[key]: solver_loop(*key, warm_up, again=True) for key in names}
    rates = measure(loops, seconds, rounds, on_progress, key="solver")
    order = rounds.take("order", ["seconds"], lambda: {"seconds": _seconds_of_order()})
    # Where all rounds above were kept from a run that was killed, the solver is still cold.
    slowest = Rounds(1, rounds.chunks).take(
        "slowest-deal",
        ["seconds"],
        lambda: {"seconds": _slowest_deal(slowest_of)},
        begin=lambda: loops[f"{names[4, 'any']}, new deals"](0.0),
    )
    claims = [
        Claim(names[key], rates[names[key]], least, unit="/CPU s")
        for key, least in LEAST_CONTRACTS.items()
    ]
    claims.append(
        Claim(
            f"slowest of {slowest_of:,} deals, 4 players, any, 28 contracts",
            slowest["seconds"],
            at_most=_MOST_SECONDS_A_DEAL,
            unit="CPU s",
        )
    )
    claims.append(
        Claim(
            "points order over all hands, 5 denominations",
            order["seconds"],
            at_most=_MOST_SECONDS_ORDER,
            unit="CPU s",
        )
    )
    return rates, claims


def _slowest_deal(count: int) -> float:
    """CPU seconds of the slowest deal, with every trump and bid."""
    slowest = 0.0
    for deal in random_deals(count, 4, seed=-1 & 0xFFFF):
        began = time.thread_time()
        pyramid.solve_batch(np.tile(deal, (4, 1)), trump=np.arange(4), rules="piramida")
        slowest = max(slowest, time.thread_time() - began)
    return slowest


def _seconds_of_order() -> float:
    """CPU seconds of finding the optimal order; they do not depend on the table's scores."""
    scores = np.random.default_rng(0).uniform(-2, 10, (NUM_CLASSES, 5, NUM_BIDS))
    quota = PyramidRules().quota
    solve_order(scores[:50], np.ones(50), quota)  # compiled, where it is not yet
    began = time.thread_time()
    solve_order(scores, class_weights(), quota)
    return time.thread_time() - began
