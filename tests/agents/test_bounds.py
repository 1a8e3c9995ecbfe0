"""What the solver takes as sure, without search, against every line of play."""

from __future__ import annotations

import numpy as np
import pytest
from endings import FOLLOWING, brute_scores, random_endings, shapes
from numpy.typing import NDArray
from reference import double_dummy as reference

from bidwise.agents.solvers.bounds import certain_answers, certain_by_a_card
from bidwise.agents.solvers.intervals import interval
from bidwise.agents.solvers.trick import strength_of
from bidwise.agents.solvers.workspace import (
    OWNER,
    READY,
    new_workspace,
    prepare,
    prepare_trumps,
)


def prepared(hands: list[list[int]], trump: int) -> NDArray[np.int64]:
    """A workspace made ready for these hands, the declarer's first."""
    work = new_workspace()
    for player, hand in enumerate(hands):
        for card in hand:
            work[OWNER + card] = player
    prepare(work[OWNER:READY], work)
    if trump < 4:
        prepare_trumps(work[OWNER:READY], trump, work)
    return work


def mask(*hands: list[int]) -> int:
    return sum(1 << card for hand in hands for card in hand)


def said(word: int, tricks: int) -> list[tuple[int, int]]:
    """What a word says: bids that are missed by no more than so many tricks."""
    return [
        (bid, missed)
        for bid in range(tricks + 1)
        for missed in range(max(bid, tricks - bid))
        if word & interval(max(bid - missed, 0), min(bid + missed, tricks))
    ]


@pytest.mark.parametrize("following", FOLLOWING)
def test_what_is_sure_between_tricks_holds(following: str) -> None:
    rng = np.random.default_rng(FOLLOWING.index(following))
    told = 0
    for num_players, size, _ in (one for one in shapes(range(2, 4)) if one[2] == following):
        endings = random_endings(rng, 150, num_players, size, following)
        brute = brute_scores(endings).tolist()
        for row, scores in enumerate(brute):
            declarer, trump = int(endings.declarer[row]), int(endings.trump[row])
            hands = endings.cards(row)
            hands = hands[declarer:] + hands[:declarer]
            work, live = prepared(hands, trump), mask(*hands)
            leads = int(endings.leader[row]) == declarer
            duty = FOLLOWING.index(following)
            word = int(certain_answers(work, live, leads, True, duty, trump, size))
            if leads:
                own, others = mask(hands[0]), mask(*hands[1:])
                word |= int(certain_by_a_card(work, live, own, others, -1, -1, duty, trump, size))
            for bid, missed in said(word, size):
                told += 1
                assert scores[bid] >= 10 - 2 * missed, (endings.where(row), bid)
    assert told > 300


@pytest.mark.parametrize("following", FOLLOWING)
def test_what_is_sure_by_a_card_inside_a_trick_holds(following: str) -> None:
    """The player before the declarer has led; all others, if any, play after him."""
    rng = np.random.default_rng(10 + FOLLOWING.index(following))
    duty, told = FOLLOWING.index(following), 0
    for num_players, size in [(3, 2), (3, 3), (4, 2), (4, 3)]:
        endings = random_endings(rng, 40, num_players, size, following)
        for row in range(len(endings)):
            hands, trump = endings.cards(row), int(endings.trump[row])
            work = prepared(hands, trump)
            card = hands[-1].pop(int(rng.integers(size)))
            led = card // 6
            legal = [own for own in hands[0] if own // 6 == led] if duty else []
            if duty == 2 and not legal:
                legal = [own for own in hands[0] if own // 6 == trump]
            legal = legal or hands[0]
            live, later = mask(*hands), mask(*hands[1:-1])
            strength = int(strength_of(card, led, trump))
            word = int(
                certain_by_a_card(work, live, mask(legal), later, led, strength, duty, trump, size)
            )
            scores = reference.solve(
                hands, trump=trump, following=following, leader=num_players - 1, trick=[card]
            )
            for bid, missed in said(word, size):
                told += 1
                assert scores[bid] >= 10 - 2 * missed, (hands, card, trump, bid)
    assert told > 40


def test_an_ace_of_trumps_is_a_trick_and_a_low_discard_loses_one() -> None:
    """♠A ♥9 against ♠K ♥T, spades trump: with the other to lead, any card may follow."""
    hands = [[23, 6], [22, 7]]
    word = int(certain_answers(prepared(hands, 3), mask(*hands), False, True, 0, 3, 2))
    assert word == interval(1, 2) | interval(0, 1)
