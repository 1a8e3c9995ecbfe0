"""The reference of Spades against the vectors of its further switches."""

from __future__ import annotations

from typing import Any

import pytest

from . import spades
from .test_spades_rules import in_play, spades_hands, spades_rules

NIL, DOUBLE_NIL = spades.NIL, spades.DOUBLE_NIL


@pytest.mark.parametrize(
    ("switches", "bids", "taken", "bag", "points", "bag_after"),
    [
        ({}, (4, 3), (5, 4), 0, 72, 2),
        ({"nil_points": 50}, (6, NIL), (6, 0), 0, 110, 0),
        ({"nil_points": 50}, (6, NIL), (6, 1), 0, 10, 1),
        ({"nil_points": 50}, (6, DOUBLE_NIL), (6, 0), 0, 260, 0),
        ({"double_nil_points": 50}, (6, DOUBLE_NIL), (6, 1), 0, 10, 1),
        ({"nil_points": 0}, (6, NIL), (6, 1), 0, 60, 1),
        ({"bag_limit": None}, (2, 3), (4, 3), 9, 52, 11),
        ({"bag_limit": None, "bag_after": "zero"}, (1, 1), (7, 6), 995, 31, 1006),
        ({"bag_fine": 50}, (2, 3), (3, 3), 9, 1, 0),
        ({"bag_fine": 50, "bag_limit": 2}, (1, 1), (4, 3), 0, 25 - 100, 1),
        ({"bag_fine": 0}, (2, 3), (3, 3), 9, 51, 0),
    ],
)
def test_prices_of_nils_and_bags(
    switches: dict[str, Any],
    bids: tuple[Any, Any],
    taken: tuple[int, int],
    bag: int,
    points: int,
    bag_after: int,
) -> None:
    rules = spades_rules("standard", **switches)
    assert spades.score_pair(rules, bids, taken, bag) == (points, bag_after)
    assert spades.score_pair(rules, bids[::-1], taken[::-1], bag) == (points, bag_after)


@pytest.mark.parametrize(("first", "lowest", "highest"), [(2, 2, 11), (NIL, 4, 13), (4, 0, 9)])
def test_a_pairs_second_bid_reaches_its_minimum(first: int, lowest: int, highest: int) -> None:
    match = spades.Match(spades_rules("standard", pair_bid_min=4), dealer=3)
    match.deal(spades_hands("2C", "3C", "4C", "5C"))
    assert match.legal() == list(range(52, 66))
    match.play(52 + first)
    match.play(52)
    assert match.legal() == list(range(52 + lowest, 52 + highest + 1))


@pytest.mark.parametrize(("first", "may"), [(3, [66]), (4, [66, 67])])
def test_double_nil_is_no_way_around_the_minimum(first: int, may: list[int]) -> None:
    match = spades.Match(spades_rules("piki", pair_bid_min=4), dealer=3)
    match.deal(spades_hands("2C", "3C", "4C", "5C"))
    assert match.legal() == [66, 67]
    match.play(66)
    match.play(52 + first)
    assert match.legal() == may


@pytest.mark.parametrize(
    ("totals", "asked"),
    [([0, 0], []), ([0, 99], []), ([0, 100], [0, 2]), ([250, 100], [1, 3])],
)
def test_double_nil_is_for_those_behind(totals: list[int], asked: list[int]) -> None:
    match = spades.Match(spades_rules("piki", double_nil_behind=100), dealer=3)
    match.scores = list(totals)
    match.deal(spades_hands("2C", "3C", "4C", "5C"))
    assert [seat for seat in range(4) if not match.private(seat)] == asked
    looks = []
    while match.decision != "card":
        if match.decision == "look":
            looks.append(match.player)
            match.play(spades.LOOK)
        match.play(spades.FIRST_BID)
    assert sorted(looks) == asked


def test_the_two_of_clubs_is_led_by_its_holder_and_known_only_after_the_bids() -> None:
    rules = spades_rules("standard", first_lead="two_of_clubs")
    match = spades.Match(rules, dealer=3)
    match.deal(spades_hands("4C 5C", "6C 7C", "2C AC", "8C 9C"))
    assert match.leader == 0
    match = in_play(rules, "4C 5C", "6C 7C", "2C AC", "8C 9C")
    assert (match.leader, match.player, match.legal()) == (2, 2, [0])
    nobody = in_play(rules, "4C 5C", "6C 7C", "KC AC", "8C 9C")
    assert (nobody.player, nobody.legal()) == (0, [2, 3])


def test_no_spade_on_the_first_trick_but_from_a_hand_of_spades_or_to_follow_one() -> None:
    rules = spades_rules("standard", first_trick_spades=False)
    match = in_play(rules, "AC 2S", "3S 3H", "4S 5S", "5C 6C")
    assert match.legal() == spades_hands("AC")[0]
    match.play(spades.parse_card("AC"))
    assert match.legal() == spades_hands("3H")[0]
    match.play(spades.parse_card("3H"))
    assert match.legal() == spades_hands("4S 5S")[0]
    led = in_play(rules, "AS KS", "3S 3H", "4S 5S", "5C 6C")
    led.play(spades.parse_card("AS"))
    assert led.legal() == spades_hands("3S")[0]
