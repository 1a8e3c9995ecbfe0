"""The order of a pyramid's bids, written plainly: dictionaries over tuples of unspent bids.

Tables are nested lists: ``scores[hand][denomination][bid]`` points and
``outcomes[hand][denomination][bid][missed]`` probabilities. `weights` sum to one. `left` is a
tuple with how many of each bid are unspent.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache

Left = tuple[int, ...]
Choice = tuple[int, int]  # bid, denomination
Policy = Callable[[Left, int], Choice]


def without(left: Left, bid: int) -> Left:
    return (*left[:bid], left[bid] - 1, *left[bid + 1 :])


def options(left: Left, denominations: int) -> list[Choice]:
    return [(b, d) for b in range(len(left)) if left[b] for d in range(denominations)]


def all_left(quota: Sequence[int]) -> list[Left]:
    return list(itertools.product(*(range(count + 1) for count in quota)))


# ------------------------------------------------------------------------------- points


def values(scores, weights, quota) -> dict[Left, float]:
    """Mean points still to come under the best order, for every pyramid."""
    found: dict[Left, float] = {}
    for left in sorted(all_left(quota), key=sum):
        found[left] = sum(
            weight
            * max(
                (row[d][b] + found[without(left, b)] for b, d in options(left, len(row))),
                default=0.0,
            )
            for weight, row in zip(weights, scores, strict=True)
        )
    return found


def worth(policy: Policy, scores, weights, quota) -> float:
    """Mean points of a policy, over every sequence of hands one after another."""
    total = 0.0
    for hands in itertools.product(range(len(weights)), repeat=sum(quota)):
        left, chance, points = tuple(quota), 1.0, 0.0
        for hand in hands:
            bid, denomination = policy(left, hand)
            points += scores[hand][denomination][bid]
            left = without(left, bid)
            chance *= weights[hand]
        total += chance * points
    return total


def every_policy(quota: Left, hands: int, denominations: int) -> Iterator[Policy]:
    """All rules that name a bid and a trump for each pyramid and hand."""
    places = [(left, hand) for left in all_left(quota) if any(left) for hand in range(hands)]
    for chosen in itertools.product(*(options(left, denominations) for left, _ in places)):
        rule = dict(zip(places, chosen, strict=True))
        yield lambda left, hand, rule=rule: rule[left, hand]


def best_assignment(scores, hands: Sequence[int], quota) -> float:
    """The most points when all hands are known: every order of the bids is tried."""
    bids = [b for b, count in enumerate(quota) for _ in range(count)]
    return max(
        sum(max(row[b] for row in scores[hand]) for hand, b in zip(hands, order, strict=True))
        for order in set(itertools.permutations(bids))
    )


def thresholds(worths: Sequence[float], weights: Sequence[float], jobs: int) -> list[float]:
    """Derman, Lieberman and Ross (1972): a_0 ≤ ... ≤ a_n between n + 1 hands' intervals.

    Hands with worths x arrive one after another, jobs with multipliers p_1 ≤ ... ≤ p_n wait, and
    a hand given to a job earns their product. With n jobs left a hand in (a_{i-1,n}, a_{i,n}]
    goes to the i-th smallest, whatever the multipliers are, and a_{i,n+1} is the mean worth of
    the hand that the i-th smallest of n jobs will get. So the list for `jobs` is made of those
    means for one job less, between minus and plus infinity.
    """
    infinity = float("inf")
    bounds = [-infinity, infinity]
    for _ in range(jobs - 1):
        means = []
        for low, high in itertools.pairwise(bounds):
            inside = below = above = 0.0
            for x, weight in zip(worths, weights, strict=True):
                if x <= low:
                    below += weight
                elif x > high:
                    above += weight
                else:
                    inside += weight * x
            # A bound that no hand lies beyond is multiplied by no chance at all.
            means.append(
                inside + (low * below if below else 0.0) + (high * above if above else 0.0)
            )
        bounds = [-infinity, *means, infinity]
    return bounds


# ------------------------------------------------------------------------ whole totals


def totals(
    policy: Callable[[Left, int, int], Choice], outcomes, weights, quota
) -> dict[int, float]:
    """The distribution of the final total under a policy of left, own total and hand."""
    found: dict[tuple[Left, int], float] = {(tuple(quota), 0): 1.0}
    for _ in range(sum(quota)):
        after: dict[tuple[Left, int], float] = defaultdict(float)
        for (left, total), chance in found.items():
            for hand, weight in enumerate(weights):
                bid, denomination = policy(left, total, hand)
                for missed, p in enumerate(outcomes[hand][denomination][bid]):
                    if p == 0:
                        continue
                    after[without(left, bid), total + 10 - 2 * missed] += chance * weight * p
        found = after
    result: dict[int, float] = defaultdict(float)
    for (_, total), chance in found.items():
        result[total] += chance
    return {total: chance for total, chance in sorted(result.items()) if chance > 0}


def best_chance(outcomes, weights, quota, rivals: dict[int, float], tie: float) -> float:
    """The best chance to end above the best rival, a tie counting `tie`."""

    @cache
    def chance(left: Left, total: int) -> float:
        if not any(left):
            return sum(
                p * (1.0 if total > t else tie if total == t else 0.0) for t, p in rivals.items()
            )
        return sum(
            weight
            * max(
                sum(
                    p * chance(without(left, b), total + 10 - 2 * missed)
                    for missed, p in enumerate(row[d][b])
                    if p
                )
                for b, d in options(left, len(row))
            )
            for weight, row in zip(weights, outcomes, strict=True)
        )

    return chance(tuple(quota), 0)
