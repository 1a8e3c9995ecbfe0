"""The examples of the rules page: scores, winners of tricks, what may be bid, how a match ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tabletop import aec, is_over, legal, seat_to_act

from bidwise import envs
from bidwise.envs import CardGameEnv, IllegalActionError, PyramidRules, SpadesRules
from bidwise.envs.pyramid import declarer_points
from bidwise.envs.spades import pair_score


def cards(env: CardGameEnv, hands: Sequence[str]) -> list[list[int]]:
    return [[env.game.parse_action(card) for card in hand.split()] for hand in hands]


def say(env: CardGameEnv, *texts: str) -> None:
    for text in texts:
        env.step(env.game.parse_action(text))


def names(env: CardGameEnv) -> list[str]:
    return [env.game.action_name(action) for action in legal(env)]


# ---------------------------------------------------------------------- Pyramid


@pytest.mark.parametrize(
    ("bid", "taken", "points"),
    [(6, 4, 6), (5, 4, 8), (5, 0, 0), (3, 3, 10), (0, 0, 10), (6, 0, -2), (0, 6, -2), (6, 6, 10)],
)
def test_a_declarers_points(bid: int, taken: int, points: int) -> None:
    assert declarer_points(bid, taken) == points


def test_a_full_pyramid_scores_between_24_and_160() -> None:
    quota = (1, 2, 3, 4, 3, 2, 1)
    worst = [min(declarer_points(bid, taken) for taken in range(7)) for bid in range(7)]
    best = [max(declarer_points(bid, taken) for taken in range(7)) for bid in range(7)]
    assert sum(n * points for n, points in zip(quota, worst, strict=True)) == 24
    assert sum(n * points for n, points in zip(quota, best, strict=True)) == 160


def test_after_6_5_5_3_neither_5_nor_6_may_be_bid() -> None:
    spent = [0, 0, 0, 1, 0, 2, 1]
    for preset, denominations in (("piramida", "CDHS"), ("inventor", "CDHSN")):
        env = aec("pyramid", rules=preset, num_players=2)
        env.reset(options={"spent": [spent, spent], "totals": [24, 24]})
        bids = [name.split(":")[0] for name in names(env)]
        assert {bid: bids.count(bid) for bid in bids} == dict.fromkeys("01234", len(denominations))
        for text in ("5:C", "5:S", "6:H"):
            with pytest.raises(IllegalActionError, match=f"bid {text[0]}"):
                say(env, text)
        left = [quota - count for quota, count in zip(env.rules.quota, spent, strict=True)]
        assert left == [1, 2, 3, 3, 3, 0, 0]


def test_a_bid_may_be_made_until_its_last_is_spent() -> None:
    rules = PyramidRules(deals_per_player=3, quota=(0, 0, 2, 0, 0, 1, 0))
    env = aec("pyramid", num_players=2, rules=rules)
    hands = [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    for spent, bids in (
        ([0, 0, 0, 0, 0, 0, 0], {"2", "5"}),
        ([0, 0, 1, 0, 0, 0, 0], {"2", "5"}),
        ([0, 0, 2, 0, 0, 0, 0], {"5"}),
        ([0, 0, 1, 0, 0, 1, 0], {"2"}),
    ):
        env.reset(options={"spent": [spent, spent], "hands": hands})
        assert {name[0] for name in names(env)} == bids


def test_trump_may_be_a_suit_that_is_not_held_and_no_trump_needs_its_switch() -> None:
    env = aec("pyramid", num_players=2)
    env.reset(options={"hands": [[0, 1], [6, 7]], "dealer": 1})
    assert {name[2:] for name in names(env)} == {"C", "D", "H", "S"}
    env = aec("pyramid", num_players=2, rules="inventor")
    env.reset(options={"hands": [[0, 1], [6, 7]], "dealer": 1})
    assert {name[2:] for name in names(env)} == {"C", "D", "H", "S", "NT"}


@pytest.mark.parametrize(
    ("trump", "trick", "winner"),
    [
        ("S", "AH KH 9S JS", 3),
        ("S", "9H AC AD KC", 0),
        ("S", "9S AC AD AH", 0),
        ("S", "QS KS 9H AS", 3),
        ("C", "TH JH 9C AH", 2),
        ("NT", "9H AS AC TH", 3),
        ("NT", "9C AS AD AH", 0),
        ("D", "9C TC AC KC", 2),
        ("H", "KC AC 9H TH", 3),
    ],
)
def test_who_wins_a_pyramid_trick(trump: str, trick: str, winner: int) -> None:
    # No suit must be followed, so that any trick can be played; a second card to see who leads.
    rules = PyramidRules(following="any", no_trump=True)
    env = aec("pyramid", rules=rules)
    played = trick.split()
    spare = [card for card in ("9D", "TD", "JC", "QC", "KS", "TS", "QH") if card not in played]
    env.reset(
        options={
            "hands": cards(env, [f"{a} {b}" for a, b in zip(played, spare, strict=False)]),
            "dealer": 3,
        }
    )
    say(env, f"1:{trump}", *played)
    assert env.tricks_taken == [int(seat == winner) for seat in range(4)]
    assert seat_to_act(env) == winner


@pytest.mark.parametrize(
    ("following", "trump", "may"),
    [
        # led: ten of hearts; then what the follower may play
        ("any", "S", {"9H KH 9S AC": "9H KH 9S AC", "9S AC": "9S AC", "9C AC": "9C AC"}),
        ("suit", "S", {"9H KH 9S AC": "9H KH", "9S AC": "9S AC", "9C AC": "9C AC"}),
        (
            "suit_then_trump",
            "S",
            {"9H KH 9S AC": "9H KH", "9S AC": "9S", "9S JS AC": "9S JS", "9C AC": "9C AC"},
        ),
        ("suit_then_trump", "H", {"9H KH 9S AC": "9H KH", "9S AC": "9S AC"}),
        ("suit_then_trump", "NT", {"9H KH 9S AC": "9H KH", "9S AC": "9S AC"}),
    ],
)
def test_what_a_pyramid_follower_may_play(following: str, trump: str, may: dict[str, str]) -> None:
    env = aec("pyramid", num_players=2, rules=PyramidRules(following=following, no_trump=True))
    for hand, allowed in may.items():
        lead = "TH " + " ".join(["QD KD AD"][0].split()[: len(hand.split()) - 1])
        env.reset(options={"hands": cards(env, [lead, hand]), "dealer": 1})
        say(env, f"1:{trump}", "TH")
        assert set(names(env)) == set(allowed.split())


def test_there_is_no_duty_to_beat_a_trump() -> None:
    env = aec("pyramid", num_players=3, rules="inventor")
    env.reset(options={"hands": cards(env, ["TH 9D", "QS 9C", "9S KS"]), "dealer": 2})
    say(env, "1:S", "TH", "QS")
    assert names(env) == ["9S", "KS"]


def test_only_the_declarer_scores() -> None:
    env = aec("pyramid", reward="points", deals=1)
    env.reset(options={"hands": cards(env, ["AS KS", "9H TH", "JD QD", "9C TC"]), "dealer": 3})
    say(env, "2:S", "AS", "9H", "JD", "9C", "KS", "TH", "QD", "TC")
    assert env.scores == [10, 0, 0, 0]
    assert env.rewards == {"player_0": 10.0, "player_1": 0.0, "player_2": 0.0, "player_3": 0.0}


def test_the_relative_reward_is_the_declarers_points_against_equal_shares() -> None:
    env = aec("pyramid", reward="relative", deals=1)
    env.reset(options={"hands": cards(env, ["AS KS", "9H TH", "JD QD", "9C TC"]), "dealer": 3})
    say(env, "1:S", "AS", "9H", "JD", "9C", "KS", "TH", "QD", "TC")
    assert env.scores == [8, 0, 0, 0]
    assert env.rewards["player_0"] == 8.0
    for seat in (1, 2, 3):
        assert env.rewards[f"player_{seat}"] == pytest.approx(-8 / 3, abs=1e-6)


def test_defenders_say_a_token_before_each_card_a_lead_too_and_the_declarer_never() -> None:
    env = aec("pyramid", num_players=3, rules=PyramidRules(conference="signals"), deals=1)
    env.reset(options={"hands": cards(env, ["9H TH", "AH KH", "JD QD"]), "dealer": 2})
    say(env, "0:S", "9H")
    tokens = [f"say:{token}" for token in range(8)]
    assert (seat_to_act(env), names(env)) == (1, tokens)
    say(env, "say:5")
    assert (seat_to_act(env), names(env)) == (1, ["KH", "AH"])
    say(env, "AH")
    assert (seat_to_act(env), names(env)) == (2, tokens)
    say(env, "say:0", "JD")
    assert (seat_to_act(env), names(env)) == (1, tokens)  # the winner signals before its lead
    say(env, "say:7", "KH", "say:7", "QD")
    assert (seat_to_act(env), names(env)) == (0, ["TH"])
    for seat in range(3):
        seen = env.game.layout.views(env.observe(f"player_{seat}")["observation"])["signals"]
        assert seen[0, (1 - seat) % 3] == 6
        assert seen[0, (2 - seat) % 3] == 1
        assert seen[1, (1 - seat) % 3] == seen[1, (2 - seat) % 3] == 8
        assert not seen[:, (0 - seat) % 3].any()


def test_two_players_have_nobody_to_signal_to() -> None:
    env = aec("pyramid", num_players=2, rules=PyramidRules(conference="signals"), deals=1)
    env.reset(options={"hands": [[0, 1], [6, 7]], "dealer": 1})
    say(env, "0:S", "9C")
    assert names(env) == ["9D", "TD"]


# ---------------------------------------------------------------------- Spades: scores

PRESETS = ("piki", "zone", "standard")
NILS = (100, 200)

# case: bids, double nils, taken, bag; then (score, bag) under piki, zone, standard
DEAL_SCORES: list[tuple[Any, ...]] = [
    ((2, 4), (0, 0), (5, 3), 0, (58, 2), (62, 2), (62, 2)),
    ((5, 1), (0, 0), (0, 8), 0, (58, 2), (62, 2), (62, 2)),
    ((3, 3), (0, 0), (5, 0), 0, (-60, 0), (-60, 0), (-60, 0)),
    ((3, 1), (0, 0), (3, 3), 8, (38, 10), (-58, 0), (-58, 0)),
    ((1, 3), (0, 0), (3, 4), 8, (-63, 0), (-57, 0), (-57, 1)),
    ((0, 2), (0, 0), (1, 1), 0, (-120, 1), (-120, 1), (-120, 1)),
    ((2, 0), (0, 0), (1, 1), 0, (-120, 1), (-120, 1), (-120, 1)),
    ((0, 4), (0, 0), (0, 4), 0, (140, 0), (140, 0), (140, 0)),
    ((0, 4), (1, 0), (1, 4), 0, (-160, 1), (-160, 1), None),
    # beyond the page's table, by its items 7 to 9
    ((0, 4), (1, 0), (0, 4), 0, (240, 0), (240, 0), None),
    ((0, 0), (0, 0), (0, 0), 3, (200, 3), (200, 3), (200, 3)),
    ((0, 0), (0, 0), (2, 0), 0, (0, 2), (0, 2), (0, 2)),
    ((0, 0), (1, 0), (0, 3), 0, (100, 3), (100, 3), None),
    ((0, 3), (0, 0), (2, 4), 5, (-71, 8), (-69, 8), (-69, 8)),
    ((1, 1), (0, 0), (7, 6), 9, (-91, 0), (-69, 0), (-169, 0)),
    ((13, 0), (0, 0), (13, 0), 0, (230, 0), (230, 0), (230, 0)),
    ((0, 1), (0, 0), (12, 1), 9, (-190, 0), (-190, 0), (-290, 1)),
]


@pytest.mark.parametrize("case", DEAL_SCORES, ids=str)
def test_what_a_spades_deal_is_worth(case: tuple[Any, ...]) -> None:
    bids, double_nils, taken, bag, *expected = case
    for preset, worth in zip(PRESETS, expected, strict=True):
        if worth is None:
            continue
        rules = SpadesRules.preset(preset)
        for order in (1, -1):
            given = pair_score(
                bids[::order],
                tuple(bool(double) for double in double_nils[::order]),
                taken[::order],
                bag,
                (rules.nil_points, rules.double_nil_points),
                rules.overtrick_points,
                rules.bag_limit,
                rules.bag_fine,
                ("zero", "carry").index(rules.bag_after),
                ("bag", "contract").index(rules.failed_nil_tricks),
            )
            assert given == worth, preset


def test_failed_nil_tricks_count_towards_the_contract_where_the_rules_say_so() -> None:
    for taken, worth in (((1, 1), (-80, 0)), ((2, 1), (-79, 1)), ((1, 0), (-120, 0))):
        assert pair_score((0, 2), (False, False), taken, 0, NILS, 1, 10, 100, 1, 1) == worth
    # Two nils: the contract is 0, all their tricks are overtricks.
    assert pair_score((0, 0), (False, False), (2, 1), 0, NILS, 1, 10, 100, 1, 1) == (-197, 3)


# ---------------------------------------------------------------------- Spades: at the table


def spades(rules: Any, hands: Sequence[str], **options: Any) -> CardGameEnv:
    env = aec("spades", rules=rules)
    env.reset(options={"hands": cards(env, hands), "dealer": 3, **options})
    return env


def test_failed_nil_tricks_go_to_the_bag() -> None:
    hands = ("AC 2D", "3C 3D", "4C AD", "5C 5D")
    for preset in ("standard", "zone"):
        env = spades(preset, hands)
        for bid in ("nil", "bid:1", "bid:2", "bid:1"):
            say(env, *(["look"] if preset == "zone" else []), bid)
        say(env, "AC", "3C", "4C", "5C", "2D", "3D", "AD")
        before = env.scores
        say(env, "5D")
        assert before == [0, 0]
        assert env.scores == [-120, -20]
        assert env.bags == [1, 0]


def test_both_pairs_have_a_contract_and_partners_share_it() -> None:
    env = spades("standard", ("AC 2D", "3C AD", "4C 4D", "5C 5D"))
    say(env, "bid:1", "bid:1", "nil", "nil", "AC", "3C", "4C", "5C", "2D", "AD", "4D", "5D")
    assert env.scores == [110, 110]


def after_a_deal_worth_110_each(rules: Any, totals: list[int]) -> CardGameEnv:
    env = spades(rules, ("AC 2D", "3C AD", "4C 4D", "5C 5D"), totals=totals)
    say(env, "bid:1", "bid:1", "nil", "nil", "AC", "3C", "4C", "5C", "2D", "AD", "4D", "5D")
    assert env.scores == [total + 110 for total in totals]
    return env


def test_510_wins_over_505_and_505_each_means_another_deal() -> None:
    env = after_a_deal_worth_110_each("standard", [400, 395])
    assert is_over(env)
    env = after_a_deal_worth_110_each("standard", [395, 395])
    assert not is_over(env)
    assert [len(hand) for hand in env.hands] == [13] * 4
    env = after_a_deal_worth_110_each("standard", [389, 389])
    assert not is_over(env)
    env = after_a_deal_worth_110_each("standard", [390, 100])
    assert is_over(env)


def test_the_higher_total_wins_even_if_negative() -> None:
    """−200 against −50 is over under `piki`, and −50 wins; `standard` plays on."""
    for rules, over in ((SpadesRules(double_nil="off"), True), ("standard", False)):
        env = aec("spades", rules=rules, reward="win")
        hands = cards(env, ("AC 2D", "3C AD", "4C 4D", "5C 5D"))
        env.reset(options={"hands": hands, "dealer": 3, "totals": [-180, -30]})
        say(env, *["bid:1"] * 4)
        assert seat_to_act(env) == (2 if over else 0)  # who leads: right or left of the dealer
        if over:
            say(env, "4C", "5C", "AC", "3C", "2D", "AD", "4D", "5D")
        else:
            say(env, "AC", "3C", "4C", "5C", "2D", "AD", "4D", "5D")
        assert env.scores == [-200, -50]
        assert is_over(env) == over
        if over:
            assert [env.rewards[f"player_{seat}"] for seat in range(4)] == [-1.0, 1.0, -1.0, 1.0]
    env = aec("spades", rules=SpadesRules(double_nil="off"))
    env.reset(options={"hands": hands, "dealer": 3, "totals": [-179, -30]})
    say(env, *["bid:1"] * 4, "4C", "5C", "AC", "3C", "2D", "AD", "4D", "5D")
    assert env.scores == [-199, -50]
    assert not is_over(env)


@pytest.mark.parametrize(
    ("bag_limit", "bag_after", "fine", "left"),
    [(11, "zero", 100, 0), (10, "carry", 100, 1), (12, "zero", 0, 11), (5, "carry", 100, 1)],
)
def test_bags_are_fined_and_emptied_or_carried(
    bag_limit: int, bag_after: str, fine: int, left: int
) -> None:
    """A failed nil that takes two tricks, into a bag of 9 (or 4)."""
    rules = SpadesRules(
        double_nil="off",
        bid_order="clockwise",
        first_lead="left",
        mercy=None,
        bag_limit=bag_limit,
        bag_after=bag_after,
    )
    bag = 4 if bag_limit == 5 else 9
    env = spades(rules, ("AC AD", "3C 3D", "4C 4D", "5C 5D"), bags=[bag, 0])
    say(env, "nil", "nil", "bid:1", "bid:1", "AC", "3C", "4C", "5C", "AD", "3D", "4D", "5D")
    assert env.scores == [-100 - 10 - fine, 100 - 10]
    assert env.bags == [left, 0]


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        ("AH KH 9S JS", 3),
        ("9H AC AD KC", 0),
        ("2S AC AD AH", 0),
        ("2C 3C 2S AC", 2),
        ("2H 2S 3S TH", 2),
        ("2D 3D KD AC", 2),
    ],
)
def test_who_wins_a_spades_trick(trick: str, winner: int) -> None:
    env = aec("spades", rules="standard", deals=1)
    env.reset(options={"hands": cards(env, trick.split()), "dealer": 3})
    say(env, *["bid:1"] * 4, *trick.split())
    assert is_over(env)
    assert env.tricks_taken == [int(seat == winner) for seat in range(4)]


@pytest.mark.parametrize(
    ("bid_order", "order"), [("pairs", (3, 1, 0, 2)), ("clockwise", (3, 0, 1, 2))]
)
@pytest.mark.parametrize(("first_lead", "leader"), [("right", 1), ("left", 3)])
def test_who_bids_when_and_who_leads(
    bid_order: str, order: tuple[int, ...], first_lead: str, leader: int
) -> None:
    rules = SpadesRules(bid_order=bid_order, first_lead=first_lead, double_nil="off")
    env = aec("spades", rules=rules)
    env.reset(options={"dealer": 2})
    seats = []
    for _ in range(4):
        seats.append(seat_to_act(env))
        say(env, "bid:3")
    assert tuple(seats) == order
    assert seat_to_act(env) == leader


def test_double_nil_is_said_before_looking_and_is_a_bid() -> None:
    env = aec("spades", rules="zone")
    env.reset(options={"dealer": 3})
    assert names(env) == ["look", "double-nil"]
    say(env, "double-nil")
    assert seat_to_act(env) == 1
    say(env, "look")
    assert seat_to_act(env) == 1
    assert names(env) == ["nil", *(f"bid:{n}" for n in range(1, 14))]


@pytest.mark.parametrize("cap", [0, 1, 5, 13, 20, 26])
def test_a_bid_lifts_no_pair_above_its_cap(cap: int) -> None:
    """The pair's first bidder is bound as well; nil is always possible."""
    env = aec("spades", rules=SpadesRules(double_nil="off", pair_bid_cap=cap))
    for first in range(min(cap, 13) + 1):
        env.reset(options={"dealer": 3})
        assert len(names(env)) == min(cap, 13) + 1
        env.step(52 + first)
        assert seat_to_act(env) == 2
        assert legal(env) == [52 + bid for bid in range(min(cap - first, 13) + 1)]


def test_a_spade_may_be_led_once_spades_are_broken() -> None:
    hands = ("2S 3H 4H", "AC 2H 5S", "KC AH 6S", "QC KH 7S")
    env = spades(SpadesRules(double_nil="off", first_lead="left"), hands)
    say(env, *["bid:1"] * 4)
    assert names(env) == ["3H", "4H"]
    say(env, "3H", "2H", "AH", "KH")
    assert names(env) == ["KC"]  # seat 2 leads, and spades are not broken
    say(env, "KC", "QC")
    assert names(env) == ["4H", "2S"]  # void in clubs: anything, on any trick
    say(env, "2S", "AC")
    assert seat_to_act(env) == 0
    assert names(env) == ["4H"]
    env = spades("standard", ("2S 3S 4H", "2H 5H AC", "3H 6H KC", "7H 8H QC"))
    say(env, *["bid:1"] * 4, "4H", "5H", "6H", "8H")
    say(env, "QC")
    assert names(env) == ["2S", "3S"]
    say(env, "2S", "AC", "KC")
    assert names(env) == ["3S"]


def test_a_spade_that_breaks_in_this_trick_counts_from_the_next_and_a_forced_lead_too() -> None:
    env = spades("standard", ("2S 3S 4S", "2H 5H 5S", "3H 6H 6S", "7H 8H 7S"))
    say(env, *["bid:1"] * 4)
    assert names(env) == ["2S", "3S", "4S"]  # nothing but spades
    say(env, "2S", "5S", "6S", "7S")
    assert seat_to_act(env) == 3
    assert names(env) == ["7H", "8H"]
    env = spades("standard", ("2S 3S 4S", "2H 5H 5S", "3H 6H 6S", "7H 7S 8S"))
    say(env, *["bid:1"] * 4, "2S", "5S", "6S", "7S")
    assert names(env) == ["7H", "8S"]  # the forced lead has broken them


def test_where_spades_are_the_last_resort_breaking_them_changes_nothing() -> None:
    env = spades("openspiel", ("2S 3S 4S", "2H 5H 5S", "3H 6H 6S", "7H 7S 8S"))
    say(env, *["bid:1"] * 4, "2S", "5S", "6S", "7S")
    assert names(env) == ["7H"]


def test_both_partners_get_their_pairs_deal_score() -> None:
    for reward, even, odd in (("points", 110, -20), ("relative", 130, -130)):
        env = aec("spades", rules="standard", reward=reward, deals=1)
        hands = cards(env, ("AC AD", "3C 3D", "4C 4D", "5C 5D"))
        env.reset(options={"hands": hands, "dealer": 3})
        say(env, "bid:1", "bid:1", "nil", "bid:1", "AC", "3C", "4C", "5C", "AD", "3D", "4D", "5D")
        # bid one, took two: 10 + 1, and the partner's nil
        even = even + 1
        expected = [even, odd - (reward == "relative")] * 2
        assert [env.rewards[f"player_{seat}"] for seat in range(4)] == expected


def test_random_hands_are_six_cards_whatever_the_number_of_players() -> None:
    for players in (2, 3, 4):
        env = envs.pyramid_env(num_players=players)
        env.reset(seed=players)
        held = [card for hand in env.hands for card in hand]
        assert len(held) == len(set(held)) == 6 * players
