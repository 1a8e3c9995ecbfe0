"""The reference of Pyramid against the vectors of its rules, and small facts of the game."""

from __future__ import annotations

from typing import Any

import pytest

from . import pyramid


def pyramid_hands(*hands: str) -> list[list[int]]:
    return [[pyramid.parse_card(text) for text in hand.split()] for hand in hands]


def pyramid_rules(preset: str = "piramida", **switches: Any) -> dict[str, Any]:
    assert set(switches) <= set(pyramid.PRESETS[preset])
    return {**pyramid.PRESETS[preset], **switches}


def declare(bid: int, denomination: str) -> int:
    return pyramid.FIRST_DECLARATION + 5 * bid + "CDHSN".index(denomination)


def play_out(match: pyramid.Match, actions: list[int]) -> None:
    for action in actions:
        match.play(action)
    assert match.player is None


def test_spent_bids_of_the_text_score_twenty_four_and_are_illegal() -> None:
    scores = [pyramid.declarer_score(*row) for row in [(6, 4), (5, 4), (5, 0), (3, 3)]]
    assert (scores, sum(scores)) == ([6, 8, 0, 10], 24)
    match = pyramid.Match(pyramid_rules(), 2, dealer=1)
    match.spent = [[0, 0, 0, 1, 0, 2, 1] for _ in range(2)]
    match.deal(pyramid_hands("9C TC JC QC KC AC", "9D TD JD QD KD AD"))
    bids = [(action - pyramid.FIRST_DECLARATION) // 5 for action in match.legal()]
    assert sorted(set(bids)) == [0, 1, 2, 3, 4]
    quota = match.rules["quota"]
    left = [quota[bid] - match.spent[0][bid] for bid in range(7)]
    assert left == [1, 2, 3, 3, 3, 0, 0]


@pytest.mark.parametrize(("trick", "winner"), [("AH KH 9S JS", "JS"), ("9H AC AD KC", "9H")])
def test_the_highest_trump_or_else_the_suit_led_wins(trick: str, winner: str) -> None:
    cards = trick.split()
    match = pyramid.Match(pyramid_rules(), 4, dealer=3)
    match.deal(pyramid_hands(*cards))
    play_out(match, [declare(1, "S")] + [pyramid.parse_card(card) for card in cards])
    assert match.tricks_taken == [int(card == winner) for card in cards]


@pytest.mark.parametrize(
    ("off_by", "score"), [(0, 10), (1, 8), (2, 6), (3, 4), (4, 2), (5, 0), (6, -2)]
)
def test_a_declarer_loses_two_points_for_each_trick_off_the_bid(off_by: int, score: int) -> None:
    assert pyramid.declarer_score(6, 6 - off_by) == pyramid.declarer_score(0, off_by) == score


def test_a_full_pyramid_scores_between_24_and_160() -> None:
    quota = pyramid_rules()["quota"]
    rows = [[pyramid.declarer_score(bid, taken) for taken in range(7)] for bid in range(7)]
    assert sum(n * min(row) for n, row in zip(quota, rows, strict=True)) == 24
    assert sum(n * max(row) for n, row in zip(quota, rows, strict=True)) == 160


def test_the_player_left_of_the_dealer_declares_and_leads() -> None:
    match = pyramid.Match(pyramid_rules(), 3, dealer=0)
    match.deal(pyramid_hands("9C", "TC", "JC"))
    assert (match.player, match.declarer, match.decision) == (1, 1, "declare")
    match.play(declare(0, "C"))
    assert (match.player, match.leader, match.decision) == (1, 1, "card")


@pytest.mark.parametrize(
    ("following", "trump", "expected"),
    [
        ("any", "S", "AC 9H 9S"),
        ("suit", "S", "AC 9H 9S"),
        ("suit_then_trump", "S", "9S"),
        ("suit_then_trump", "D", "AC 9H 9S"),
        ("suit_then_trump", "N", "AC 9H 9S"),
    ],
)
def test_a_void_follower_must_trump_only_under_suit_then_trump(
    following: str, trump: str, expected: str
) -> None:
    match = pyramid.Match(pyramid_rules("inventor", following=following), 2, dealer=1)
    match.deal(pyramid_hands("9D TD JD", "AC 9H 9S"))
    match.play(declare(0, trump))
    match.play(pyramid.parse_card("9D"))
    assert match.legal() == pyramid_hands(expected)[0]


@pytest.mark.parametrize(
    ("following", "expected"), [("any", "9D 9S"), ("suit", "9D"), ("suit_then_trump", "9D")]
)
def test_a_follower_must_follow_suit_unless_any_card_may_be_played(
    following: str, expected: str
) -> None:
    match = pyramid.Match(pyramid_rules(following=following), 2, dealer=1)
    match.deal(pyramid_hands("AD KD", "9D 9S"))
    match.play(declare(0, "S"))
    match.play(pyramid.parse_card("AD"))
    assert match.legal() == pyramid_hands(expected)[0]


def test_no_trump_is_a_fifth_denomination_only_where_the_rules_say_so() -> None:
    hands = pyramid_hands("9C TC", "JC QC")
    for preset, count in [("piramida", 28), ("inventor", 35)]:
        match = pyramid.Match(pyramid_rules(preset), 2, dealer=1)
        match.deal(hands)
        assert len(match.legal()) == count


def test_without_a_trump_the_suit_led_wins() -> None:
    match = pyramid.Match(pyramid_rules("inventor"), 2, dealer=1)
    match.deal(pyramid_hands("9C", "AS"))
    play_out(match, [declare(1, "N"), *pyramid_hands("9C AS")[0]])
    assert match.tricks_taken == [1, 0]


def test_a_defender_signals_before_each_card_and_the_declarer_never() -> None:
    match = pyramid.Match(pyramid_rules(conference="signals"), 3, dealer=2)
    match.deal(pyramid_hands("9C 9D", "AC TD", "TC JD"))
    match.play(declare(1, "S"))
    for seat, card in [(0, "9C"), (1, "AC"), (2, "TC"), (1, "TD"), (2, "JD"), (0, "9D")]:
        if seat != 0:
            assert (match.player, match.decision) == (seat, "signal")
            assert match.legal() == list(range(59, 67))
            match.play(59 + seat)
        assert (match.player, match.decision) == (seat, "card")
        match.play(pyramid.parse_card(card))
    assert match.public()["signals"] == [(0, 1, 1), (0, 2, 2), (1, 1, 1), (1, 2, 2)]


def test_two_players_do_not_signal() -> None:
    match = pyramid.Match(pyramid_rules(conference="signals"), 2, dealer=1)
    match.deal(pyramid_hands("9C", "TC"))
    play_out(match, [declare(0, "C"), *pyramid_hands("9C TC")[0]])
    assert match.public()["signals"] == []


def test_defenders_know_each_others_hands_only_under_an_open_conference() -> None:
    hands = pyramid_hands("9C", "TC", "JC")
    for conference in ("open", "signals", "silent"):
        match = pyramid.Match(pyramid_rules(conference=conference), 3, dealer=2)
        match.deal(hands)
        assert match.private(0) == set(hands[0])
        both = set(hands[1]) | set(hands[2])
        assert match.private(1) == (both if conference == "open" else set(hands[1]))


def test_a_match_of_pyramid_ends_with_the_last_pyramid_and_equal_totals_share_it() -> None:
    rules = pyramid_rules(deals_per_player=2, quota=(0, 1, 1, 0, 0, 0, 0))
    match = pyramid.Match(rules, 2, dealer=0)
    for deal, (bid, declarer) in enumerate([(1, 1), (1, 0), (2, 1), (2, 0)]):
        assert match.result is None
        match.deal(pyramid_hands("AC AD", "9C 9D"))
        assert (match.dealer, match.player) == (deal % 2, declarer)
        match.play(declare(bid, "S"))
        while match.player is not None:
            match.play(match.legal()[-1])
    assert match.result == "terminated"
    assert match.public()["announcements"] == [[(1, 2), (2, 2)], [(1, 0), (2, 0)]]
    assert (match.scores, match.winners) == ([18, 14], [0])
    match = pyramid.Match(rules, 2, dealer=0)
    match.spent = [[0, 1, 1, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0]]
    match.scores = [18, 8]
    match.deal(pyramid_hands("9C 9D", "AC AD"))
    play_out(match, [declare(2, "S"), *pyramid_hands("AC 9C AD 9D")[0]])
    assert (match.scores, match.winners) == ([18, 18], [0, 1])


def test_a_full_match_spends_every_quota_and_then_ends() -> None:
    match = pyramid.Match(pyramid_rules(), 3, dealer=1)
    for deal in range(48):
        assert match.result is None, deal
        match.deal(pyramid_hands("9C", "TC", "JC"))
        match.play(match.legal()[-1])
        while match.player is not None:
            match.play(match.legal()[0])
    assert match.spent == [list(match.rules["quota"])] * 3
    assert match.result == "terminated"
    with pytest.raises(ValueError, match="over"):
        match.deal(pyramid_hands("9C", "TC", "JC"))


def test_an_illegal_action_is_refused() -> None:
    match = pyramid.Match(pyramid_rules(), 2, dealer=1)
    match.deal(pyramid_hands("9C", "TC"))
    with pytest.raises(ValueError, match="not legal"):
        match.play(pyramid.parse_card("9C"))


def test_sequences_of_one_and_two_card_deals_are_counted() -> None:
    one = pyramid.Match(pyramid_rules(), 3, dealer=0)
    one.deal(pyramid_hands("9C", "TC", "JC"))
    assert pyramid.count_sequences(one) == 28
    two = pyramid.Match(pyramid_rules(), 2, dealer=0)
    two.deal(pyramid_hands("9C 9D", "TC TD"))
    assert pyramid.count_sequences(two) == 28 * 2 * 2
    signals = pyramid.Match(pyramid_rules(conference="signals"), 3, dealer=0)
    signals.deal(pyramid_hands("9C", "TC", "JC"))
    assert pyramid.count_sequences(signals) == 28 * 8 * 8
    assert two.player == 1, "counting leaves the match where it was"
