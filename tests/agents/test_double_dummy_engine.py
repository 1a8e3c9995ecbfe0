"""The double-dummy solver against brute force through the engine, and played out in the engine."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from endings import (
    FOLLOWING,
    Endings,
    Position,
    after_each,
    brute_force,
    brute_scores,
    legal_of,
    played_on,
    position_of,
    random_endings,
    records,
    rules_of,
    shapes,
)
from numpy.typing import NDArray
from reference import double_dummy as reference

from bidwise import envs
from bidwise.agents.solvers import pyramid

SEATS = (2, 3, 4)


def is_wide(num_players: int, size: int, following: str) -> bool:
    """Whether an ending has some 331,776 lines of play instead of a few thousand."""
    return (num_players, size, following) == (4, 4, "any")


# ---------------------------------------------------------------------- endings


def endings_come_out_alike(endings: Endings, singles: int) -> None:
    """In one batch, and the first `singles` one by one."""
    brute = brute_scores(endings)
    found = pyramid.solve_batch(endings.hands, **endings.options)
    for row in np.flatnonzero((found != brute).any(axis=1))[:1]:
        raise AssertionError(f"{endings.where(row)}: {found[row]}, brute force {brute[row]}")
    for row in range(min(singles, len(endings))):
        alone = pyramid.solve(endings.cards(row), **endings.asked(row))
        assert alone.tolist() == brute[row].tolist(), endings.where(row)


@pytest.mark.parametrize(("num_players", "size", "following"), shapes(range(1, 5)))
def test_endings_of_four_cards_and_fewer(num_players: int, size: int, following: str) -> None:
    rng = np.random.default_rng([1, num_players, size, FOLLOWING.index(following)])
    count = 12 if is_wide(num_players, size, following) else 500
    endings_come_out_alike(random_endings(rng, count, num_players, size, following), singles=20)


@pytest.mark.long
@pytest.mark.parametrize(("num_players", "size", "following"), shapes(range(1, 5)))
def test_a_hundred_thousand_endings(num_players: int, size: int, following: str) -> None:
    """36 shapes of 2,778 endings each."""
    rng = np.random.default_rng([2, num_players, size, FOLLOWING.index(following)])
    endings_come_out_alike(random_endings(rng, 2_778, num_players, size, following), singles=300)


@pytest.mark.long
@pytest.mark.parametrize(
    ("num_players", "size", "following", "count"),
    [
        (2, 5, "any", 5_000),
        (2, 5, "suit", 5_000),
        (2, 5, "suit_then_trump", 5_000),
        (2, 6, "any", 400),
        (2, 6, "suit", 1_000),
        (2, 6, "suit_then_trump", 1_000),
        (3, 5, "any", 100),
        (3, 5, "suit", 1_000),
        (3, 5, "suit_then_trump", 1_000),
        (3, 6, "suit_then_trump", 100),
        (4, 5, "suit_then_trump", 100),
    ],
)
def test_longer_endings(num_players: int, size: int, following: str, count: int) -> None:
    rng = np.random.default_rng([3, num_players, size, FOLLOWING.index(following)])
    endings_come_out_alike(random_endings(rng, count, num_players, size, following), singles=50)


def test_both_plain_searches_agree() -> None:
    """The reference, which does not know the engine, and brute force through it."""
    for num_players, size, following in shapes(range(1, 4)):
        rng = np.random.default_rng([4, num_players, size, FOLLOWING.index(following)])
        endings = random_endings(rng, 8, num_players, size, following)
        brute = brute_scores(endings)
        for row in range(len(endings)):
            plain = reference.solve(
                endings.cards(row),
                trump=int(endings.trump[row]),
                following=following,
                declarer=int(endings.declarer[row]),
                leader=int(endings.leader[row]),
            )
            assert plain == brute[row].tolist(), endings.where(row)


# ---------------------------------------------------------------------- positions reached by play


def positions_come_out_alike(
    rng: np.random.Generator, num_players: int, following: str, count: int, inside: bool
) -> int:
    """Positions that random legal play has led to, up to four tricks from the end, from deals of
    every length: scores, and those that each legal card keeps. How many there were."""
    looked_at = 0
    for size in range(1, 7):
        for left in range(1, min(size, 4) + 1):
            number = max(count // 20, 1) if is_wide(num_players, left, following) else count
            deals = random_endings(rng, number, num_players, size, following)
            on_table = rng.integers(1 if inside else 0, num_players if inside else 1, size=number)
            states = played_on(records(deals), (size - left) * num_players + on_table, rng)
            looked_at += number
            legal = legal_of(states)
            owner = np.repeat(np.arange(number), [len(cards) for cards in legal])
            declarer = states["declarer"]
            before = states["tricks_taken"][np.arange(number), declarer].astype(np.int64)
            children = after_each(states[owner], np.concatenate(legal))
            brute = brute_force(children, left + 1, before[owner])
            for row in range(number):
                position = position_of(states[row], following)
                by_card = brute[owner == row]
                declares = int(states[row]["player"]) == position.declarer
                best = by_card.max(axis=0) if declares else by_card.min(axis=0)
                position_comes_out_alike(position, legal[row], by_card, best)
    return looked_at


def position_comes_out_alike(
    position: Position, legal: list[int], by_card: NDArray[np.int64], best: NDArray[np.int64]
) -> None:
    assert pyramid.solve(position.hands, **position.asked()).tolist() == best.tolist(), position
    found = pyramid.solve_cards(position.hands, **position.asked())
    assert found.scores.tolist() == best.tolist(), position
    assert found.card_scores.shape == (len(legal), position.size + 1)
    values = dict(zip(found.cards, found.card_scores.tolist(), strict=True))
    assert values == dict(zip(legal, by_card.tolist(), strict=True)), position
    for bid in range(position.size + 1):
        keeping = [card for card in legal if values[card][bid] == best[bid]]
        assert sorted(found.keeping(bid)) == keeping, (position, bid)


@pytest.mark.parametrize("following", FOLLOWING)
@pytest.mark.parametrize("num_players", SEATS)
def test_positions_inside_tricks(num_players: int, following: str) -> None:
    rng = np.random.default_rng([5, num_players, FOLLOWING.index(following)])
    positions_come_out_alike(rng, num_players, following, 20, inside=True)


@pytest.mark.parametrize("following", FOLLOWING)
@pytest.mark.parametrize("num_players", SEATS)
def test_positions_between_tricks(num_players: int, following: str) -> None:
    rng = np.random.default_rng([6, num_players, FOLLOWING.index(following)])
    positions_come_out_alike(rng, num_players, following, 10, inside=False)


@pytest.mark.long
@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("following", FOLLOWING)
@pytest.mark.parametrize("num_players", SEATS)
def test_many_positions(num_players: int, following: str, inside: bool) -> None:
    rng = np.random.default_rng([7, num_players, FOLLOWING.index(following), inside])
    looked_at = positions_come_out_alike(rng, num_players, following, 300, inside)
    assert looked_at > 4_500


# ---------------------------------------------------------------------- long hands, card by card


def moved_on(scores: NDArray[np.int8], won: bool) -> list[int]:
    """Scores by bid before a trick, from those after it: a trick won is one fewer to take.

    Who has already more than was bid, or can no longer reach it, loses two for one more.
    """
    values = [int(score) for score in scores]
    return [values[0] - 2, *values] if won else [*values, values[-1] - 2]


def cards_lead_to_the_score(num_players: int, size: int, following: str, deals: int) -> None:
    """Along random play of deals too long for brute force: each position is worth what the best
    of its cards leads to. Brute force covers the last four cards, so this covers the rest."""
    rng = np.random.default_rng([8, num_players, size, FOLLOWING.index(following)])
    steps = rng.integers((size - 4) * num_players, size=deals)
    dealt = random_endings(rng, deals, num_players, size, following)
    states = played_on(records(dealt), steps, rng)
    legal = legal_of(states)
    for row in range(deals):
        before = states[row]
        position = position_of(before, following)
        children = after_each(states[[row] * len(legal[row])], np.array(legal[row]))
        reached = []
        for child in children:
            after = position_of(child, following)
            scores = pyramid.solve(after.hands, **after.asked())
            if child["tricks_played"] == before["tricks_played"]:
                reached.append(scores.tolist())
            else:
                reached.append(moved_on(scores, won=after.leader == after.declarer))
        declares = int(before["player"]) == position.declarer
        best = np.max(reached, axis=0) if declares else np.min(reached, axis=0)
        position_comes_out_alike(position, legal[row], np.array(reached), best)


LONG_HANDS = shapes(range(5, 7))


@pytest.mark.parametrize(("num_players", "size", "following"), LONG_HANDS)
def test_a_position_is_worth_what_its_best_card_leads_to(
    num_players: int, size: int, following: str
) -> None:
    cards_lead_to_the_score(num_players, size, following, deals=50)


@pytest.mark.long
@pytest.mark.parametrize(("num_players", "size", "following"), LONG_HANDS)
def test_many_positions_are_worth_what_their_best_cards_lead_to(
    num_players: int, size: int, following: str
) -> None:
    cards_lead_to_the_score(num_players, size, following, deals=2_000)


# ---------------------------------------------------------------------- played out


def play_out(num_players: int, following: str, deals: int, seed: int) -> None:
    """Whoever is to act plays any of the cards that keep the declarer's score, bid after bid."""
    chance = Random(seed)
    rng = np.random.default_rng(seed)
    rules = rules_of(following)
    env = envs.pyramid_env(num_players=num_players, rules=rules, deals=1, reward="points")
    dealt = random_endings(rng, deals, num_players, 6, following)
    for row in range(deals):
        hands, trump = dealt.cards(row), int(dealt.trump[row])
        declarer = int(dealt.declarer[row])
        scores = pyramid.solve(hands, trump=trump, rules=rules, declarer=declarer)
        for bid in range(7):
            dealer = (declarer - 1) % num_players
            env.reset(seed=0, options={"hands": hands, "dealer": dealer})
            env.step(24 + 5 * bid + trump)
            while not env.terminations["player_0"]:
                position = position_of(env.state, following)
                found = pyramid.solve_cards(position.hands, **position.asked())
                missing = bid - env.tricks_taken[declarer]
                env.step(chance.choice(found.keeping(min(max(missing, 0), position.size))))
            assert env.scores[declarer] == scores[bid], (hands, trump, declarer, bid)


@pytest.mark.parametrize(
    ("num_players", "following", "deals"),
    [
        (2, "any", 10),
        (2, "suit", 10),
        (2, "suit_then_trump", 10),
        (3, "any", 10),
        (3, "suit", 10),
        (3, "suit_then_trump", 10),
        (4, "any", 5),
        (4, "suit", 10),
        (4, "suit_then_trump", 10),
    ],
)
def test_playing_the_solvers_cards_ends_at_its_score(
    num_players: int, following: str, deals: int
) -> None:
    play_out(num_players, following, deals, seed=num_players)


@pytest.mark.long
@pytest.mark.parametrize("following", FOLLOWING)
@pytest.mark.parametrize("num_players", SEATS)
def test_playing_the_solvers_cards_ends_at_its_score_in_many_deals(
    num_players: int, following: str
) -> None:
    deals = 20 if (num_players, following) == (4, "any") else 100
    play_out(num_players, following, deals, seed=10 + num_players)
