"""The double-dummy solver: small endings worked out by hand, recorded deals, and symmetries."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from endings import FOLLOWING, Endings, random_endings, rules_of, shapes
from numpy.typing import NDArray
from reference import double_dummy as reference
from reference.pyramid import SUITS, parse_card

from bidwise.agents.solvers import pyramid

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "cases" / "pyramid_double_dummy.jsonl")
    .read_text()
    .splitlines()
]
DENOMINATIONS = (*SUITS, "NT")


def cards(text: str) -> list[int]:
    return [parse_card(name) for name in text.split()]


def scores(
    text: str,
    *,
    trump: str,
    following: str,
    declarer: int = 0,
    leader: int | None = None,
    trick: str = "",
) -> list[int]:
    """Scores by bid of an ending written "seat 0 | seat 1 | …", on which the reference agrees."""
    hands = [cards(hand) for hand in text.split("|")]
    table, denomination = cards(trick), DENOMINATIONS.index(trump)
    found = pyramid.solve(
        hands,
        trump=denomination,
        rules=rules_of(following),
        declarer=declarer,
        leader=leader,
        trick=table,
    ).tolist()
    plain = reference.solve(
        hands,
        trump=denomination,
        following=following,
        declarer=declarer,
        leader=leader,
        trick=table,
    )
    assert found == plain
    return found


# ---------------------------------------------------------------------- who wins a trick, and leads


@pytest.mark.parametrize("following", FOLLOWING)
def test_the_highest_card_of_the_suit_led_wins(following: str) -> None:
    """The ace of hearts does not follow, so the ten of clubs takes the trick."""
    assert scores("TC | AH | 9C", trump="S", following=following) == [8, 10]


@pytest.mark.parametrize("following", FOLLOWING)
def test_without_trump_no_suit_is_trump(following: str) -> None:
    """Whatever is led wins: AH, for the other has no heart; KS over TS, and the king of clubs
    takes neither. Both tricks. (Spades or clubs as trump would cost one.)"""
    assert scores("AH KS | KC TS", trump="NT", following=following) == [6, 8, 10]


def test_the_winner_of_a_trick_leads_to_the_next() -> None:
    """9D led, QD follows and wins; the *other* then leads KC and the king of hearts is worthless:
    none. KH led: either KC is thrown and QD beats 9D, or QD ruffs and 9D ruffs KC: one."""
    assert scores("9D KH | KC QD", trump="D", following="suit") == [10, 10, 8]


def test_the_third_seat_leads_once_it_has_won() -> None:
    """QD led, KD wins and the third seat leads QH: none. KC led wins, and the third seat has
    thrown KD (the queen then wins: two) or QH (one), as suits the defenders."""
    hands = "KC QD | JC QC | KD QH"
    assert scores(hands, trump="NT", following="suit") == [10, 8, 8]


def test_a_defender_may_lead() -> None:
    """Seat 0 leads against seat 1, the declarer: 9S is taken by TS, and the ace wins too (two);
    JS takes TS, and then 9S is led, which the ace does not follow (none). Led by the declarer
    the ace wins at once, and TS wins or not as seat 0 throws 9S or JS: one or two; or TS is led,
    and it is two or none."""
    hands = "9S JS | AH TS"
    options = {"trump": "NT", "following": "suit", "declarer": 1}
    assert scores(hands, **options, leader=0) == [6, 8, 6]  # type: ignore[arg-type]
    assert scores(hands, **options) == [6, 8, 8]  # type: ignore[arg-type]


def test_play_goes_round_past_the_last_seat() -> None:
    """Seat 2 led QH; seat 0 plays, then the declarer in seat 1. KH falls to the ace, 9S ruffs."""
    options: dict[str, Any] = {"trump": "S", "following": "any", "declarer": 1, "leader": 2}
    assert scores("KH | AH |", **options, trick="QH") == [8, 10]
    assert scores("9S | AH |", **options, trick="QH") == [10, 8]


# ---------------------------------------------------------------------- what a follower may play


def test_with_any_card_allowed_a_suit_can_be_ruffed_by_one_who_holds_it() -> None:
    """Bound to follow, the other loses KS to AS and 9H to AH: two. Free, the other can keep KS
    for the ace of hearts (one), or not (two)."""
    hands = "AS AH | KS 9H"
    assert scores(hands, trump="S", following="suit") == [6, 8, 10]
    assert scores(hands, trump="S", following="any") == [6, 8, 8]


def test_who_is_void_must_trump() -> None:
    """An ace is led, and by `suit_then_trump` the nine of spades has to take it; then 9C, which
    the other ace does not follow: none. By `suit` 9C may be thrown first, and 9S ruffs later:
    one trick or none, as the defender likes."""
    hands = "AH AD | 9S 9C"
    assert scores(hands, trump="S", following="suit_then_trump") == [10, 8, 6]
    assert scores(hands, trump="S", following="suit") == [8, 8, 6]


def test_without_trump_who_is_void_plays_anything() -> None:
    """The same hands without trump: the aces win."""
    hands = "AH AD | 9S 9C"
    assert scores(hands, trump="NT", following="suit_then_trump") == [6, 8, 10]


def test_nobody_must_beat_a_trump() -> None:
    """AD led, KS ruffs; seat 2 may play 9S under it, seat 1 leads AC, and AS takes TS: none. (Bound
    to beat KS with AS, seat 2 would lead 9S, and TS win.) TS led loses, and so does AD later."""
    hands = "AD TS | AC KS | 9S AS"
    assert scores(hands, trump="S", following="suit_then_trump") == [10, 8, 6]


def test_nobody_must_beat_a_card_of_the_suit_led() -> None:
    """QS led: under JS it wins, and QH wins too (two); KS beats it and JS is led (none). QH led
    wins, and then QS faces the king (one) or the jack (two)."""
    assert scores("QH QS | JS KS", trump="NT", following="suit") == [6, 8, 8]


# ---------------------------------------------------------------------- who wants what


def test_a_bid_between_can_be_worse_than_both() -> None:
    """9S led loses to TS, and AH is led: none. JS led wins, and 9S wins too: two. Never one."""
    assert scores("9S JS | AH TS", trump="C", following="suit") == [10, 8, 10]


def test_defenders_give_tricks_to_who_bids_none() -> None:
    """Whatever is led, the other beats it and loses a later trick, or ducks and loses both."""
    assert scores("QH AH | JH KH", trump="H", following="suit") == [6, 8, 8]


def test_the_defender_across_is_no_partner() -> None:
    """A club led is ruffed with JD or TD and all the rest lost (none); or seats 2 and 3 throw KH
    and TS, and have to ruff the second club (one). All three defenders choose together."""
    hands = "TC JC | 9H AH | JD KH | TD TS"
    assert scores(hands, trump="D", following="suit") == [8, 8, 6]


# ---------------------------------------------------------------------- cards that are not equal


def test_a_card_on_the_table_lies_between_two_that_are_held() -> None:
    """The declarer's QH lies between TH and KH. TH is ducked: two. KH wins, and TH falls to AH:
    one. Now the defender's JH between TH and QH: QH wins and TH loses to KH (one), TH loses and
    QH loses to KH (none)."""
    options: dict[str, Any] = {"trump": "C", "following": "suit"}
    assert scores("AH | TH KH", **options, trick="QH") == [6, 8, 8]
    assert scores("TH QH | KH", **options, trick="JH", leader=1) == [10, 10, 8]


def test_a_card_of_another_hand_lies_between_two_that_are_held() -> None:
    """TC led beats 9C, and AH wins next (two); or JC beats it and 9C is led, which AH does not
    follow (none). AH led wins, and then TC beats 9C (two) or falls to JC (one)."""
    assert scores("TC AH | 9C JC", trump="S", following="suit") == [6, 8, 8]


def test_cards_left_out_of_the_deal_win_nothing() -> None:
    """TH and TC are the highest of their suits that were dealt: both win, whatever lies aside."""
    assert scores("TH TC | 9H 9C", trump="NT", following="suit") == [6, 8, 10]
    assert scores("TH TC | 9H 9C | 9D 9S", trump="NT", following="suit") == [6, 8, 10]


def test_the_last_card_is_played_without_choice() -> None:
    assert scores("9C | AC | AD | AH", trump="NT", following="any") == [10, 8]
    assert scores(" | AC", trump="S", following="any", trick="9S") == [8, 10]


# ---------------------------------------------------------------------- recorded deals


def test_the_recorded_deals_come_out_alike() -> None:
    assert len(CASES) == 240
    for case in CASES:
        found = pyramid.solve(case["hands"], trump=case["trump"], rules=rules_of(case["following"]))
        assert found.dtype == np.int8
        assert found.tolist() == case["score_by_bid"], case


def test_the_recorded_deals_come_out_alike_in_batches() -> None:
    groups: dict[tuple[str, int, int], list[dict[str, Any]]] = {}
    for case in CASES:
        shape = case["following"], len(case["hands"]), len(case["hands"][0])
        groups.setdefault(shape, []).append(case)
    for (following, _, _), members in groups.items():
        found = pyramid.solve_batch(
            np.array(
                [[sum(1 << card for card in hand) for hand in case["hands"]] for case in members],
                np.uint32,
            ),
            trump=np.array([case["trump"] for case in members]),
            rules=rules_of(following),
        )
        assert found.dtype == np.int8
        assert found.tolist() == [case["score_by_bid"] for case in members]


def reference_agrees(num_players: int, size: int, following: str, most: int) -> None:
    members = [
        case
        for case in CASES
        if case["following"] == following
        and len(case["hands"]) == num_players
        and len(case["hands"][0]) == size
    ]
    assert members
    for case in members[:most]:
        plain = reference.solve(case["hands"], trump=case["trump"], following=following)
        assert plain == case["score_by_bid"], case


@pytest.mark.parametrize(
    ("num_players", "size", "following"),
    [(2, 6, "any"), (2, 6, "suit"), (2, 6, "suit_then_trump"), (4, 3, "any")],
)
def test_the_plain_search_agrees_with_recorded_deals(
    num_players: int, size: int, following: str
) -> None:
    reference_agrees(num_players, size, following, most=2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("num_players", "size", "following", "most"),
    [
        (2, 6, "any", 99),
        (2, 6, "suit", 99),
        (2, 6, "suit_then_trump", 99),
        (3, 6, "suit", 8),
        (3, 6, "suit_then_trump", 12),
        (4, 3, "any", 99),
        (4, 4, "any", 99),
    ],
)
def test_the_plain_search_agrees_with_more_recorded_deals(
    num_players: int, size: int, following: str, most: int
) -> None:
    reference_agrees(num_players, size, following, most)


# ---------------------------------------------------------------------- what changes nothing


def some_deals(rng: np.random.Generator, count: int) -> list[Endings]:
    """Deals of all shapes, fewer of those that are long to solve."""
    deals = []
    for num_players, size, following in shapes(range(1, 7)):
        is_long = num_players == 4 and following == "any" and size > 4
        number = count // 20 if is_long else count
        deals.append(random_endings(rng, number, num_players, size, following))
    return deals


def solved(endings: Endings) -> NDArray[np.int8]:
    found: NDArray[np.int8] = pyramid.solve_batch(endings.hands, **endings.options)
    return found


def test_scores_are_even_in_range_and_change_by_two_at_most() -> None:
    for deals in some_deals(np.random.default_rng(1), 60):
        found = solved(deals).astype(int)
        assert found.shape == (len(deals), deals.size + 1)
        assert (found % 2 == 0).all()
        assert (found <= 10).all()
        assert (found >= 10 - 2 * deals.size).all()
        assert (abs(np.diff(found, axis=1)) <= 2).all()


def test_the_names_of_suits_change_nothing() -> None:
    rng = np.random.default_rng(2)
    for deals in some_deals(rng, 40):
        suits = np.array(list(permutations(range(4)))[rng.integers(1, 24)])
        assert (solved(deals.renamed(suits)) == solved(deals)).all()


def test_all_names_of_suits_give_one_score() -> None:
    for num_players, size, following in ((2, 6, "any"), (3, 5, "suit"), (4, 4, "suit_then_trump")):
        deals = random_endings(np.random.default_rng(3), 10, num_players, size, following)
        first = solved(deals)
        for suits in permutations(range(4)):
            assert (solved(deals.renamed(np.array(suits))) == first).all()


def test_moving_everybody_round_the_table_changes_nothing() -> None:
    for deals in some_deals(np.random.default_rng(4), 30):
        first = solved(deals)
        for steps in range(1, deals.num_players):
            assert (solved(deals.turned(steps)) == first).all()


def test_the_order_in_which_cards_are_listed_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    for num_players, size, following in shapes(range(2, 5)):
        deals = random_endings(rng, 5, num_players, size, following)
        for row in range(len(deals)):
            hands, options = deals.cards(row), deals.asked(row)
            mixed = [rng.permutation(hand).tolist() for hand in hands]
            first = pyramid.solve(hands, **options)
            assert (pyramid.solve(mixed, **options) == first).all()
            assert (pyramid.solve(tuple(map(tuple, mixed)), **options) == first).all()
