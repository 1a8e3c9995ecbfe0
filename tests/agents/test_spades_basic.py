"""Facts of the Spades rule sheet ``basic-v1``, counted by hand."""

import pytest
from sitting import changed, choice

from bidwise.envs import SpadesRules

STANDARD = SpadesRules.preset("standard")
DECK = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]


def hands_with(hand):
    """Seat 0 holds `hand` (spades.hearts.diamonds.clubs), the others share the rest."""
    suits = hand.split(".")
    own = [rank + suit for suit, ranks in zip("SHDC", suits, strict=True) for rank in ranks]
    assert len(own) == 13
    rest = [card for card in DECK if card not in own]
    return [" ".join(own), *(" ".join(rest[k::3]) for k in range(3))]


@pytest.mark.parametrize(
    ("hand", "bid"),
    [
        ("AKQ2.A32.K2.5432", 5),  # A K Q, the fourth spade, a side ace, 3/4: 5 3/4
        ("432.5432.5432.32", 1),  # nothing: at least 1, never nil
        (".A5432.A432.5432", 2),  # two side aces
        (".AK432.A432.5432", 2),  # and 3/4
        (".AK432.AK32.5432", 3),  # and 3/4 again: 3 1/2
        (".AK432.AK32.K432", 4),  # and 3/4 again: 4 1/4
        ("432.K.65432.A432", 1),  # a bare king is no king
        ("K.AK32.K432.5432", 2),  # nor is a bare king of spades: 1 + 3/4 + 3/4
        ("K2.AK3.K432.5432", 3),  # guarded by one spade below
        ("AK.543.65432.432", 2),  # the king beside the ace needs no guard
        ("A.5432.65432.432", 1),
        ("Q3.A432.6543.432", 1),  # the queen needs two below it
        ("Q32.A432.654.432", 2),
        ("AQ.5432.6543.432", 1),  # beside ace or king one below is enough
        ("AQ2.543.6543.432", 2),
        ("KQ2.543.6543.432", 2),  # K above Q and 2, Q above 2
        ("KQ.5432.6543.432", 1),  # K above Q; nothing below Q
        ("5432.543.654.432", 1),  # the fourth spade
        ("65432.543.65.432", 2),
        ("QJT9.A32.654.432", 3),  # Q, the fourth spade, a side ace
        ("AKQJT98765432...", 13),
        ("AKQJT98765.A.A.A", 13),
    ],
)
def test_a_hand_bids(hand, bid):
    assert choice("spades", hands_with(hand), rules=STANDARD) == f"bid:{bid}"


@pytest.mark.parametrize(
    ("cap", "partner", "bid"),
    [(13, "bid:8", "bid:5"), (13, "bid:9", "bid:4"), (13, "bid:13", "nil"), (0, "nil", "nil")],
)
def test_a_bid_stays_under_the_pairs_cap(cap, partner, bid):
    hands = hands_with("AKQ2.A32.K2.5432")
    hands = [hands[2], hands[1], hands[0], hands[3]]
    others = "nil" if cap == 0 else "bid:1"
    rules = changed(STANDARD, pair_bid_cap=cap)
    assert choice("spades", hands, f"{partner} {others}", rules=rules) == bid


def test_it_always_looks():
    assert choice("spades", hands_with("432.5432.5432.32"), rules="piki") == "look"


def play(*hands, bids, cards="", rules=STANDARD):
    """Seat 0 bids and leads first."""
    return choice("spades", hands, f"{bids} {cards}", rules=rules)


ONES = "bid:1 bid:1 bid:1 bid:1"


def test_the_cheapest_winner_takes_a_needed_trick():
    hands = "TH 2C 3C", "9H QH AH", "2H 4C 5C", "3H 6C 7C"
    assert play(*hands, bids=ONES, cards="TH") == "QH"


def test_without_a_winner_the_lowest():
    hands = "AH 2C 3C", "9H QH KH", "2H 4C 5C", "3H 6C 7C"
    assert play(*hands, bids=ONES, cards="AH") == "9H"


def test_a_void_ruffs_with_its_lowest_spade():
    hands = "AH 2C 3C", "4C 6S 9S", "2H 5C 6C", "3H 7C 8C"
    assert play(*hands, bids=ONES, cards="AH") == "6S"


def test_a_ruff_is_overruffed_as_cheaply_as_can_be():
    hands = "AH 2C 3C", "2H 9C TC", "8S 5C 6C", "7S 9S QS"
    assert play(*hands, bids=ONES, cards="AH 2H 8S") == "9S"


def test_a_trick_that_the_partner_holds_is_left_alone():
    hands = "QH 2C 3C", "2H 4C 5C", "3H KH AH", "4H 6C 7C"
    assert play(*hands, bids=ONES, cards="QH 2H") == "3H"


def test_spades_come_last_among_low_cards():
    hands = "AC 2C", "3C 4C", "2S QH", "5C 6C"
    assert play(*hands, bids=ONES, cards="AC 3C") == "QH"


def test_equal_ranks_go_by_suit():
    hands = "AC 2C 5C", "3C 4C 6C", "8H 8D 9D", "7C 8C 9C"
    assert play(*hands, bids=ONES, cards="AC 3C") == "8D"


THREE = "AC KC 2D", "3C 4C 5C", "6C 7C 8C", "9C TC JC"


def test_the_leader_plays_the_cheapest_sure_winner():
    assert play(*THREE, bids=ONES) == "KC"


def test_a_card_is_sure_once_all_above_it_are_gone():
    hands = "KC 2D 3D", "AC 4D 5D", "6C 7D 8D", "9C TD JD"
    assert play(*hands, bids=ONES) == "2D"
    hands = "KC QC 2D", "4C 4D 5D", "AC 7D 8D", "9C TD JD"
    after = "QC 4C AC 9C 7D TD 2D 4D"  # seat 3 wins with the ten
    assert play(*hands, bids=ONES, cards=after + " JD") == "KC"


def test_a_side_winner_is_led_before_a_spade():
    hands = "AS AC 2D", "3C 4C 2S", "5C 6C 3S", "7C 8C 4S"
    assert play(*hands, bids=ONES) == "AC"


def test_a_pair_that_has_its_contract_plays_low():
    hands = "AC KC 2D", "3C 4C 5C", "6C 7C 8C", "9C TC JC"
    won = "KC 3C 6C 9C"
    assert play(*hands, bids="bid:2 bid:1 nil bid:1", cards=won) == "AC"
    assert play(*hands, bids="bid:1 bid:1 nil bid:1", cards=won) == "2D"


def test_tricks_count_for_the_pair():
    hands = "2C 3C 3D AD", "4C 5C 6D 7D", "KC AC 8D 9D", "6C 7C TD JD"
    partner_took_two = "2C 4C AC 6C KC 7C 3C 5C 8D TD"
    assert play(*hands, bids="bid:2 bid:1 bid:1 bid:1", cards=partner_took_two) == "AD"
    assert play(*hands, bids="bid:1 bid:1 bid:1 bid:1", cards=partner_took_two) == "3D"


# ------------------------------------------------------------------------------- nil


def test_a_nil_bidder_throws_the_highest_card_that_loses():
    hands = "TH 2C 3C", "9H QH AH", "2H 4C 5C", "3H 6C 7C"
    assert play(*hands, bids="bid:1 nil bid:1 bid:1", cards="TH") == "9H"
    hands = "KH 2C 3C", "9H QH AH", "2H 4C 5C", "3H 6C 7C"
    assert play(*hands, bids="bid:1 nil bid:1 bid:1", cards="KH") == "QH"


def test_a_void_nil_bidder_throws_its_highest_side_card():
    hands = "KH 2C 3C", "9D AD 2S", "2H 4C 5C", "3H 6C 7C"
    assert play(*hands, bids="bid:1 nil bid:1 bid:1", cards="KH") == "AD"
    hands = "KH 2C 3C", "9S AS 2S", "2H 4C 5C", "3H 6C 7C"
    assert play(*hands, bids="bid:1 nil bid:1 bid:1", cards="KH") == "2S"


def test_a_nil_bidder_leads_low():
    hands = "AC KC 2D", "3C 4C 5C", "6C 7C 8C", "9C TC JC"
    assert play(*hands, bids="nil bid:1 bid:1 bid:1") == "2D"


def test_a_standing_nil_is_covered_even_when_no_trick_is_needed():
    hands = "TH 2C 3C", "2H 4C 5C", "3H JH AH", "4H 6C 7C"
    assert play(*hands, bids="nil bid:1 bid:1 bid:1", cards="TH 2H") == "JH"
    hands = "2H TH 2C", "5H 4C 5C", "3H AH KH", "4H 6C 7C"
    won = "2H 5H KH 4H"  # seat 2 has its one trick and leads
    assert play(*hands, bids="nil bid:1 bid:1 bid:1", cards=won) == "3H"


@pytest.mark.parametrize(("failed", "card"), [("bag", "KH"), ("contract", "3H")])
def test_tricks_of_a_failed_nil_help_only_where_the_rules_say_so(failed, card):
    rules = changed(STANDARD, failed_nil_tricks=failed)
    hands = "AH QH 2C", "2H 4H 5C", "3H KH 6H", "7H 8H 9C"
    cards = "AH 2H 6H 7H QH 4H"  # the nil bidder has taken a trick and holds the next
    assert play(*hands, bids="nil bid:1 bid:2 bid:1", cards=cards, rules=rules) == card


@pytest.mark.parametrize(("failed", "card"), [("bag", "9D"), ("contract", "QD")])
def test_after_its_nil_failed_a_player_goes_on_for_the_pair_if_that_helps(failed, card):
    rules = changed(STANDARD, failed_nil_tricks=failed)
    hands = "AH 3D QD 9D", "2H JD TD 5C", "3H 4D 6C 7C", "4H 5D 8C 9C"
    cards = "AH 2H 3H 4H 3D JD 4D 5D TD 6C 8C"
    assert play(*hands, bids="nil bid:1 bid:3 bid:1", cards=cards, rules=rules) == card
