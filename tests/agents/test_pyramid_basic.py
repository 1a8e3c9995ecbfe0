"""Facts of the Pyramid rule sheet ``basic-v1``, counted by hand."""

import pytest
from sitting import changed, choice

from bidwise.envs import PyramidRules

SOURCE = PyramidRules.preset("piramida")
SILENT = changed(SOURCE, conference="silent")
DECK = [rank + suit for suit in "CDHS" for rank in "9TJQKA"]


def hands_with(hand):
    """Seat 0 holds `hand` (spades.hearts.diamonds.clubs), the others share the rest."""
    suits = hand.split(".")
    own = [rank + suit for suit, ranks in zip("SHDC", suits, strict=True) for rank in ranks]
    assert len(own) == 6
    rest = [card for card in DECK if card not in own]
    return [" ".join(own), *(" ".join(rest[k::3]) for k in range(3))]


@pytest.mark.parametrize(
    ("hand", "declaration"),
    [
        ("AKQJT9...", "5:S"),  # 1 + 1 + 4 * 3/4
        ("AKQJ.A..9", "4:S"),  # 3 1/2 + 1/2
        ("AKQ.AK.A.", "4:S"),  # 2 3/4 + 3/4 + 1/2
        ("9TJ.9.9.9", "2:S"),  # 2 1/4
        ("9TJ.K.9.9", "2:S"),  # 2 1/2: 2 and 3 are equally near, so the lower
        ("9TJ.A.9.9", "3:S"),  # 2 3/4
        ("AK..9TJQ.", "4:D"),  # the longest suit, however weak: 3 + 1/2 + 1/4
        (".9TJ.AKQ.", "3:D"),  # of equally long suits the stronger: 2 3/4
        ("AKQ.9TJ..", "3:S"),
        ("9QA.TQA..", "3:H"),  # the third card decides
        ("9T.9T.9.9", "1:H"),  # quite equal: the first; 1 1/2, the lower of 1 and 2
        ("9T.9.9T.9", "1:D"),
    ],
)
def test_a_hand_declares(hand, declaration):
    assert choice("pyramid", hands_with(hand), rules=SOURCE) == declaration


@pytest.mark.parametrize(
    ("spent", "declaration"),
    [
        ([0, 0, 0, 0, 0, 0, 0], "4:S"),
        ([0, 0, 0, 0, 3, 0, 0], "3:S"),  # 3 and 5 are equally near
        ([0, 0, 0, 4, 3, 0, 0], "5:S"),
        ([0, 0, 0, 4, 3, 2, 0], "2:S"),
        ([0, 0, 3, 4, 3, 2, 0], "6:S"),
        ([0, 2, 3, 4, 3, 2, 1], "0:S"),
    ],
)
def test_the_bid_is_the_nearest_unspent_number(spent, declaration):
    hands = hands_with("AKQ.AK.A.")
    assert choice("pyramid", hands, rules=SOURCE, spent=[spent] * 4) == declaration


def test_no_trump_is_never_declared():
    hands = hands_with("AK.AK.A.A")
    assert choice("pyramid", hands, rules="inventor") == "4:H"  # 2 + 3/4 + 1/2 + 1/2


# ------------------------------------------------------------------------------ cards


def play(*hands, cards, rules=SILENT):
    """Seat 0 declares, first action of `cards`, and leads."""
    return choice("pyramid", hands, cards, rules=rules)


FOUR = "KC AC 9D", "9C TC JC", "QC TD JD", "QD KD AD"


def test_the_declarer_leads_the_cheapest_sure_winner_while_short():
    assert play(*FOUR, cards="2:S") == "KC"
    assert play("KC JC 9D", "9C TC QD", "QC TD JD", "AC KD AD", cards="2:S") == "9D"


def test_the_declarer_who_has_the_bid_plays_low():
    assert play(*FOUR, cards="0:S") == "9D"
    assert play(*FOUR, cards="1:S KC 9C QC QD") == "9D"
    assert play(*FOUR, cards="2:S KC 9C QC QD") == "AC"


def test_the_declarer_who_is_beyond_the_bid_plays_low():
    hands = "KC AC 9D QD", "9C TC JC TD", "QC JD KD 9H", "AD TH JH QH"
    assert play(*hands, cards="0:S KC 9C QC AD") == "9D"


def test_trumps_come_last():
    assert play(*FOUR, cards="2:C") == "KC"
    assert play(*FOUR, cards="0:C") == "9D"
    assert play("9C AC KD", "TC JC QC", "9D TD JD", "QD 9H AD", cards="0:C") == "KD"


# Below, seat 1 takes the first trick and leads to the second.


def test_the_declarer_takes_as_cheaply_as_can_be_while_short():
    hands = "9C TH QH AH", "AC JH 9D TD", "TC 9H JD QD", "JC TS JS KD"
    so_far = "9C AC TC JC JH 9H KD"
    assert play(*hands, cards=f"1:S {so_far}") == "QH"
    assert play(*hands, cards=f"0:S {so_far}") == "TH"


def test_the_declarer_may_ruff_where_any_card_follows():
    hands = "9C TH 9S AS", "AC JH 9D TD", "TC 9H JD QD", "JC TS JS KD"
    assert play(*hands, cards="1:S 9C AC TC JC JH 9H KD") == "9S"


def test_defenders_deny_a_declarer_who_is_short():
    hands = "TH QH 9C", "9H JH KH", "TC JC QC", "KC AC 9D"
    assert play(*hands, cards="1:S TH") == "JH"
    assert play(*hands, cards="1:S QH") == "KH"


def test_defenders_leave_tricks_to_a_declarer_who_has_the_bid():
    hands = "TH QH 9C", "9H JH KH", "TC JC QC", "KC AC 9D"
    assert play(*hands, cards="0:S TH") == "9H"


def test_defenders_leave_a_trick_that_a_fellow_holds():
    hands = "TH QH 9C", "JH JC 9D", "KH AH TC", "KC AC TD"
    assert play(*hands, cards="1:S TH JH") == "TC"
    assert play(*hands, cards="1:S TH 9D") == "KH"


def test_defenders_lead_a_sure_winner_while_the_declarer_is_short():
    hands = "9C TC JC", "AC AD KD", "9H TH JH", "QC QD QH"
    assert play(*hands, cards="1:S 9C AC 9H QC") == "KD"
    hands = "9C TC JC", "AC QD KD", "9H TH AD", "QC TD QH"
    assert play(*hands, cards="1:S 9C AC 9H QC") == "QD"


@pytest.mark.parametrize(("conference", "card"), [("open", "KD"), ("silent", "9H")])
def test_cards_that_fellow_defenders_show_are_no_danger(conference, card):
    rules = changed(SOURCE, conference=conference)
    hands = "9C TC JC", "AC KD 9H", "AD TH JH", "QC QD QH"
    assert play(*hands, cards="1:S 9C AC TH QC", rules=rules) == card


def test_a_defender_says_token_0_whatever_comes():
    rules = changed(SOURCE, conference="signals")
    hands = "TH QH 9C", "9H JH KH", "TC JC QC", "KC AC 9D"
    assert choice("pyramid", hands, "1:S TH", rules=rules) == "say:0"


@pytest.mark.parametrize(
    ("following", "card"), [("any", "9D"), ("suit", "TH"), ("suit_then_trump", "TH")]
)
def test_low_means_low_among_legal_cards(following, card):
    rules = changed(SILENT, following=following)
    hands = "9H QH 9C", "TH 9D AH", "TC JC QC", "KC AC TD"
    assert play(*hands, cards="0:S 9H", rules=rules) == card


def test_two_players():
    hands = "KC AC 9D", "QC TD JD"
    assert choice("pyramid", hands, "2:S", rules=SOURCE) == "KC"
    assert choice("pyramid", hands, "2:S 9D", rules=SOURCE) == "TD"
