"""The reference of Spades against the vectors of its rules, and small facts of the game."""

from __future__ import annotations

from typing import Any

import pytest

from . import spades

NIL, DOUBLE_NIL = spades.NIL, spades.DOUBLE_NIL

VECTORS = [
    ("piki", (4, 2), (5, 3), 0, 58, 2),
    ("zone", (4, 2), (5, 3), 0, 62, 2),
    ("standard", (4, 2), (5, 3), 0, 62, 2),
    ("piki", (4, 2), (4, 1), 0, -60, 0),
    ("zone", (4, 2), (4, 1), 0, -60, 0),
    ("standard", (4, 2), (4, 1), 0, -60, 0),
    ("piki", (2, 2), (4, 2), 8, 38, 10),
    ("zone", (2, 2), (4, 2), 8, -58, 0),
    ("standard", (2, 2), (4, 2), 8, -58, 0),
    ("piki", (2, 2), (4, 3), 8, -63, 0),
    ("zone", (2, 2), (4, 3), 8, -57, 0),
    ("standard", (2, 2), (4, 3), 8, -57, 1),
    ("piki", (NIL, 2), (1, 1), 0, -120, 1),
    ("zone", (NIL, 2), (1, 1), 0, -120, 1),
    ("standard", (NIL, 2), (1, 1), 0, -120, 1),
    ("piki", (NIL, 4), (0, 4), 0, 140, 0),
    ("zone", (NIL, 4), (0, 4), 0, 140, 0),
    ("standard", (NIL, 4), (0, 4), 0, 140, 0),
    ("piki", (DOUBLE_NIL, 4), (1, 4), 0, -160, 1),
    ("zone", (DOUBLE_NIL, 4), (1, 4), 0, -160, 1),
]


def spades_hands(*hands: str) -> list[list[int]]:
    return [[spades.parse_card(text) for text in hand.split()] for hand in hands]


def spades_rules(preset: str = "piki", **switches: Any) -> dict[str, Any]:
    assert set(switches) <= set(spades.PRESETS[preset])
    return {**spades.PRESETS[preset], **switches}


def play_out(match: spades.Match, actions: list[int]) -> None:
    for action in actions:
        match.play(action)
    assert match.player is None


@pytest.mark.parametrize(("preset", "bids", "taken", "bag", "points", "bag_after"), VECTORS)
def test_a_pairs_deal_scores_as_in_the_table(
    preset: str,
    bids: tuple[spades.Bid, spades.Bid],
    taken: tuple[int, int],
    bag: int,
    points: int,
    bag_after: int,
) -> None:
    rules = spades_rules(preset)
    assert spades.score_pair(rules, bids, taken, bag) == (points, bag_after)
    assert spades.score_pair(rules, bids[::-1], taken[::-1], bag) == (points, bag_after)


def one_trick_deal(preset: str, totals: list[int], **switches: Any) -> spades.Match:
    """Seat 0 bids 1 and takes it, all others make a nil: +110 for pair 0, +200 for pair 1."""
    match = spades.Match(spades_rules(preset, **switches), dealer=3)
    match.scores = list(totals)
    match.deal(spades_hands("AS", "2C", "3C", "4C"))
    while match.decision in ("look", "bid"):
        if match.decision == "look":
            match.play(spades.LOOK)
        match.play(spades.FIRST_BID + (1 if match.player == 0 else 0))
    while match.player is not None:
        match.play(match.legal()[0])
    assert match.deal_points == [110, 200, 110, 200]
    return match


@pytest.mark.parametrize("preset", ["piki", "zone", "standard"])
@pytest.mark.parametrize(
    ("totals", "ends", "winners"),
    [([510, 505], True, [0, 2]), ([505, 505], False, []), ([505, 510], True, [1, 3])],
)
def test_the_higher_total_at_the_target_wins_and_equal_totals_play_on(
    preset: str, totals: list[int], ends: bool, winners: list[int]
) -> None:
    match = one_trick_deal(preset, [totals[0] - 110, totals[1] - 200])
    assert match.scores == totals
    assert match.result == ("terminated" if ends else None)
    assert match.winners == winners


@pytest.mark.parametrize(("preset", "ends"), [("piki", True), ("zone", True), ("standard", False)])
def test_minus_200_ends_a_match_for_the_better_pair_only_under_mercy(
    preset: str, ends: bool
) -> None:
    match = spades.Match(spades_rules(preset), dealer=3)
    match.scores = [-180, -30]
    match.deal(spades_hands("2C", "AS", "3C", "4C"))
    while match.decision in ("look", "bid"):
        match.play(spades.LOOK if match.decision == "look" else spades.FIRST_BID + 1)
    while match.player is not None:
        match.play(match.legal()[0])
    assert match.scores == [-200, -50]
    assert match.result == ("terminated" if ends else None)
    assert match.winners == ([1, 3] if ends else [])


def test_no_deal_follows_totals_that_end_a_match() -> None:
    match = spades.Match(spades_rules("piki"), dealer=3)
    match.scores = [-200, -50]
    with pytest.raises(ValueError, match="over"):
        match.deal(spades_hands("AS", "2C", "3C", "4C"))


@pytest.mark.parametrize(
    ("preset", "order", "leader"),
    [("piki", [2, 0, 3, 1], 0), ("zone", [2, 3, 0, 1], 2), ("standard", [2, 3, 0, 1], 2)],
)
def test_bids_and_first_lead_go_by_the_dealers_seat(
    preset: str, order: list[int], leader: int
) -> None:
    match = spades.Match(spades_rules(preset), dealer=1)
    match.deal(spades_hands("2C", "3C", "4C", "5C"))
    seats = []
    while match.decision != "card":
        if match.decision == "look":
            match.play(spades.LOOK)
        seats.append(match.player)
        match.play(spades.FIRST_BID)
    assert (seats, match.player) == (order, leader)


def test_a_hand_is_hidden_from_its_owner_until_the_owner_looks_or_says_double_nil() -> None:
    hands = spades_hands("2C", "3C", "4C", "5C")
    match = spades.Match(spades_rules(), dealer=3)
    match.deal(hands)
    assert [match.private(seat) for seat in range(4)] == [set()] * 4
    match.play(spades.LOOK)
    match.play(spades.FIRST_BID + 1)
    match.play(spades.SAY_DOUBLE_NIL)
    assert [sorted(match.private(seat)) for seat in range(4)] == [hands[0], [], hands[2], []]
    assert match.public()["bids"] == [1, None, "double nil", None]
    openly = spades.Match(spades_rules("standard"), dealer=3)
    openly.deal(hands)
    assert [openly.private(seat) for seat in range(4)] == [set(hand) for hand in hands]


@pytest.mark.parametrize(
    ("cap", "first", "second"), [(13, 13, 6), (0, 0, 0), (5, 5, 0), (18, 13, 11), (26, 13, 13)]
)
def test_no_bid_lifts_the_pairs_sum_above_the_cap(cap: int, first: int, second: int) -> None:
    match = spades.Match(spades_rules("standard", pair_bid_cap=cap), dealer=3)
    match.deal(spades_hands("2C", "3C", "4C", "5C"))
    assert match.legal() == list(range(52, 52 + first + 1))
    match.play(52 + min(first, 7))
    match.play(52)
    assert match.legal() == list(range(52, 52 + second + 1))


def test_double_nil_counts_as_nothing_under_the_cap() -> None:
    match = spades.Match(spades_rules(pair_bid_cap=4), dealer=3)
    match.deal(spades_hands("2C", "3C", "4C", "5C"))
    match.play(spades.SAY_DOUBLE_NIL)
    match.play(spades.LOOK)
    assert match.legal() == [52, 53, 54, 55, 56]


def in_play(rules: dict[str, Any], *hands: str) -> spades.Match:
    match = spades.Match(rules, dealer=3)
    match.deal(spades_hands(*hands))
    while match.decision != "card":
        match.play(spades.LOOK if match.decision == "look" else spades.FIRST_BID)
    return match


SPADE_LEADS = pytest.mark.parametrize("spade_leads", ["broken", "last_resort"])


@SPADE_LEADS
def test_a_spade_may_not_be_led_before_one_was_played(spade_leads: str) -> None:
    rules = spades_rules("standard", spade_leads=spade_leads)
    match = in_play(rules, "AC QC 2S", "3C 3H 4H", "3S 6C 7C", "5C 8C 9C")
    assert match.legal() == spades_hands("QC AC")[0]
    for card in ["AC", "3C", "6C", "5C"]:
        match.play(spades.parse_card(card))
    assert (match.player, match.legal()) == (0, spades_hands("QC")[0])


@pytest.mark.parametrize(("spade_leads", "leads"), [("broken", "5H 4S"), ("last_resort", "5H")])
def test_a_broken_spade_may_be_led_beside_other_suits(spade_leads: str, leads: str) -> None:
    rules = spades_rules("standard", spade_leads=spade_leads)
    match = in_play(rules, "AC KC 2S", "3S 4S 5H", "4C 6C 7C", "5C 8C 9C")
    for card in ["AC", "3S", "4C", "5C"]:
        match.play(spades.parse_card(card))
    assert (match.player, match.legal()) == (1, spades_hands(leads)[0])


@SPADE_LEADS
def test_a_hand_of_spades_alone_may_lead_one_at_any_time(spade_leads: str) -> None:
    rules = spades_rules("standard", spade_leads=spade_leads)
    match = in_play(rules, "AC KC 2S", "3S 3C 4C", "4H 6C 7C", "5C 8C 9C")
    for card in ["KC", "3C", "6C", "5C", "AC", "4C", "7C", "8C"]:
        match.play(spades.parse_card(card))
    assert (match.player, match.legal()) == (0, spades_hands("2S")[0])


def test_a_forced_spade_lead_breaks_spades() -> None:
    match = in_play(spades_rules("standard"), "2S 3S 6S", "AS KC 7S", "4S KD QD", "5S KH QH")
    for card in ["2S", "AS", "4S", "5S"]:
        match.play(spades.parse_card(card))
    assert (match.player, match.legal()) == (1, spades_hands("KC 7S")[0])


def test_a_follower_follows_suit_and_a_void_one_plays_anything() -> None:
    match = in_play(spades_rules("standard"), "AC KC", "2C 2S", "2D 3S", "3D 3H")
    match.play(spades.parse_card("AC"))
    assert match.legal() == spades_hands("2C")[0]
    match.play(spades.parse_card("2C"))
    assert match.legal() == spades_hands("2D 3S")[0]


@pytest.mark.parametrize(
    ("trick", "winner"),
    [("AC 2S 3S KC", "3S"), ("2C AD AH 3C", "3C"), ("2S 9S AC AD", "9S"), ("2C 2S AC KC", "2S")],
)
def test_the_highest_spade_or_else_the_suit_led_wins(trick: str, winner: str) -> None:
    cards = trick.split()
    match = in_play(spades_rules("standard"), *cards)
    play_out(match, [spades.parse_card(card) for card in cards])
    assert match.tricks_taken == [int(card == winner) for card in cards]


@pytest.mark.parametrize(
    ("failed_nil_tricks", "points", "bag"), [("bag", -120, 1), ("contract", -80, 0)]
)
def test_tricks_of_a_failed_nil_help_the_contract_only_where_the_rules_say_so(
    failed_nil_tricks: str, points: int, bag: int
) -> None:
    rules = spades_rules("standard", failed_nil_tricks=failed_nil_tricks)
    assert spades.score_pair(rules, (NIL, 2), (1, 1), 0) == (points, bag)


@pytest.mark.parametrize(
    ("failed_nil_tricks", "points", "bag"), [("bag", -100, 3), ("contract", -97, 3)]
)
def test_two_nils_make_no_contract_and_score_alone(
    failed_nil_tricks: str, points: int, bag: int
) -> None:
    rules = spades_rules("zone", failed_nil_tricks=failed_nil_tricks)
    assert spades.score_pair(rules, (NIL, DOUBLE_NIL), (0, 0), 0) == (300, 0)
    assert spades.score_pair(rules, (DOUBLE_NIL, NIL), (3, 0), 0) == (points, bag)


def test_a_carried_bag_is_fined_once_for_each_full_limit() -> None:
    carry = spades_rules("standard", bag_limit=3)
    assert spades.score_pair(carry, (1, 1), (5, 4), 1) == (20 + 7 - 200, 2)
    zero = spades_rules("zone", bag_limit=3)
    assert spades.score_pair(zero, (1, 1), (5, 4), 1) == (20 + 7 - 100, 0)


def test_a_match_open_after_max_deals_is_truncated_and_its_totals_stand() -> None:
    ahead = one_trick_deal("standard", [90, -10], max_deals=1)
    assert (ahead.scores, ahead.result, ahead.winners) == ([200, 190], "truncated", [0, 2])
    level = one_trick_deal("standard", [390, 300], max_deals=1)
    assert (level.scores, level.result, level.winners) == ([500, 500], "truncated", [0, 1, 2, 3])


def test_a_match_at_its_target_and_its_last_deal_at_once_is_terminated() -> None:
    match = one_trick_deal("standard", [390, 0], max_deals=1)
    assert (match.scores, match.result, match.winners) == ([500, 200], "terminated", [0, 2])


def test_the_deal_passes_clockwise() -> None:
    match = spades.Match(spades_rules("standard"), dealer=2)
    dealers = []
    for _ in range(5):
        match.deal(spades_hands("2C", "3C", "4C", "5C"))
        dealers.append(match.dealer)
        play_out(match, [52, 53, 54, 55, *clockwise_clubs(match.dealer)])
    assert dealers == [2, 3, 0, 1, 2]


def clockwise_clubs(dealer: int) -> list[int]:
    clubs = spades_hands("2C 3C 4C 5C")[0]
    return [clubs[(dealer + 1 + place) % 4] for place in range(4)]


def test_sequences_of_a_one_card_deal_are_counted() -> None:
    match = spades.Match(spades_rules("standard", pair_bid_cap=1), dealer=3)
    match.deal(spades_hands("2C", "3C", "4C", "5C"))
    assert spades.count_sequences(match) == 3 * 3
    blind = spades.Match(spades_rules("piki", pair_bid_cap=0), dealer=3)
    blind.deal(spades_hands("2C", "3C", "4C", "5C"))
    assert spades.count_sequences(blind) == 2**4
