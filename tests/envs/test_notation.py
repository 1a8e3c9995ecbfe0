"""Deals as one line: the rules as examples, both directions, refusals with their column."""

from __future__ import annotations

import numpy as np
import pytest

from bidwise import envs
from bidwise.envs.records.deals import Deal
from bidwise.envs.records.notation import LONGEST, NotationError, parse_deal, write_deal

# One line a fact: a deal, the tricks of each seat, the points (a player's, a pair's), the bags.
FACTS = {
    "a trump beats higher cards of the suit led": (
        "pyramid dealer=3 : AH | KH | 9S | JS : 1:S / AH KH 9S JS",
        [0, 0, 0, 1],
        [8, 0, 0, 0],
        None,
    ),
    "without trump or a higher card of the suit led, the lead wins": (
        "pyramid dealer=3 : 9H | AC | AD | KC : 1:S / 9H AC AD KC",
        [1, 0, 0, 0],
        [10, 0, 0, 0],
        None,
    ),
    "no trump is the inventor's fifth denomination": (
        "pyramid inventor dealer=0 : AS 9H | KH 9C : 2:NT / KH 9H / 9C AS",
        [0, 2],
        [0, 10],
        None,
    ),
    "six tricks announced, none taken: two points lost": (
        "pyramid dealer=1 : 9C 9D 9H 9S TC TD | AC AD AH AS KC KD"
        " : 6:S / TD KD / KC TC / AD 9D / AC 9C / AH 9H / AS 9S",
        [0, 6],
        [-2, 0],
        None,
    ),
    "a defender signals before a card": (
        "pyramid conference=signals dealer=2 : AH | KH | 9S : 0:C / AH say:7 KH say:0 9S",
        [1, 0, 0],
        [8, 0, 0],
        None,
    ),
    "nil takes a trick, the partner reaches two and takes one; the trick goes to the bag": (
        "spades zone dealer=3 : AS 2H | KS 3H | 3S 4H | 4S 5H"
        " : look nil look bid:1 look bid:2 look bid:1 / 2H 3H 4H 5H / 4S AS KS 3S",
        [1, 0, 0, 1],
        [-120, -20],
        [1, 0],
    ),
    "an eleventh trick in the bag costs a hundred and empties it": (
        "spades dealer=3 bags=10,0 : AS | KS | QS | JS"
        " : look nil double-nil look nil look bid:1 / QS JS AS KS",
        [1, 0, 0, 0],
        [-100 - 100 + 200, 0 + 100 - 10],
        [0, 0],
    ),
    "standard keeps what is beyond ten": (
        "spades standard dealer=3 bags=9,0 : AKS | 23H | QJS | 45H"
        " : nil bid:1 nil bid:1 / AS 2H JS 4H / KS 3H QS 5H",
        [2, 0, 0, 0],
        [-100 + 100 - 100, -20],
        [1, 0],
    ),
    "openspiel counts a failed nil's tricks towards the contract": (
        "spades openspiel dealer=3 : AS | 2H | QS | 4H : nil nil bid:1 nil / AS 2H QS 4H",
        [1, 0, 0, 0],
        [-100 + 10, 200],
        [0, 0],
    ),
}


@pytest.mark.parametrize("fact", FACTS)
def test_fact(fact: str) -> None:
    line, tricks, points, bags = FACTS[fact]
    outcome = parse_deal(line).play()[1].outcome
    assert outcome is not None
    assert list(outcome.tricks) == tricks
    assert list(outcome.points) == points
    assert outcome.bags == (None if bags is None else tuple(bags))


def test_a_lines_parts() -> None:
    deal = parse_deal(
        "spades standard target=300 mercy=None dealer=2 totals=120,-50 bags=3,0"
        " : AK2S | 3C 3D QS | TH 98C | 7D 2C 7H : "
    )
    assert (deal.game, deal.dealer, deal.actions) == ("spades", 2, ())
    assert deal.rules.target == 300
    assert deal.rules.bid_order == "clockwise"
    assert deal.start == {"totals": (120, -50), "bags": (3, 0)}
    deck = envs.get_game("spades").deck
    assert [deck.names(hand) for hand in deal.hands] == [
        "2S KS AS",
        "3C 3D QS",
        "8C 9C TH",
        "2C 7D 7H",
    ]
    assert write_deal(deal) == (
        "spades standard target=300 dealer=2 totals=120,-50 bags=3,0"
        " : AK2S | QS 3D 3C | TH 98C | 7H 7D 2C"
    )


def test_the_rules_are_written_as_the_nearest_preset() -> None:
    rules = envs.PyramidRules("suit_then_trump", True, "open", 4, (1, 1, 1, 1, 0, 0, 0))
    deal = Deal("pyramid", rules, 0, ((0,), (1,)))
    text = write_deal(deal)
    assert text == (
        "pyramid inventor conference=open deals_per_player=4 quota=1,1,1,1,0,0,0 dealer=0 : 9C | TC"
    )
    assert parse_deal(text) == deal
    between = Deal("pyramid", envs.PyramidRules("suit", True), 0, ((0,), (1,)))
    assert write_deal(between).startswith("pyramid following=suit no_trump=True dealer=0 :")


def test_spent_bids_are_rows_a_player() -> None:
    deal = parse_deal("pyramid dealer=0 spent=0,0,0,1,0,0,1;0,1,0,0,0,0,0 : 9C | TC : 2:S / TC 9C")
    assert deal.start == {"spent": ((0, 0, 0, 1, 0, 0, 1), (0, 1, 0, 0, 0, 0, 0))}
    assert parse_deal(write_deal(deal)) == deal


def random_deal(rng: np.random.Generator) -> Deal:
    """A deal of either game under any preset, played at random for a while."""
    game = envs.get_game(str(rng.choice(["pyramid", "spades"])))
    players = int(rng.choice(game.player_counts))
    rules = game.rules.preset(str(rng.choice(game.rules.presets())))
    size = int(rng.integers(1, game.deck.num_cards // 4 + 1))
    cards = rng.permutation(game.deck.num_cards)[: players * size].reshape(players, size)
    hands = tuple(tuple(sorted(hand)) for hand in cards.tolist())
    deal = Deal(game.name, rules, int(rng.integers(players)), hands)
    env = envs.CardGameEnv(game.name, num_players=players, rules=rules, deals=1)
    env.reset(0, {"hands": hands, "dealer": deal.dealer})
    actions: list[int] = []
    for _ in range(int(rng.integers(0, 120))):
        if env.terminations[env.agent_selection]:
            break
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        actions.append(int(rng.choice(legal)))
        env.step(actions[-1])
    return Deal(game.name, rules, deal.dealer, hands, tuple(actions))


def test_write_and_parse_are_inverses() -> None:
    rng = np.random.default_rng(1)
    for _ in range(150):
        deal = random_deal(rng)
        text = write_deal(deal)
        assert parse_deal(text) == deal
        assert write_deal(parse_deal(text)) == text
        assert parse_deal(text.replace(" / ", " ").replace(" : ", "\n : ")) == deal


def column_of_refusal(text: str) -> int:
    """Where a line is refused; 1 for one that is not."""
    try:
        parse_deal(text)
    except NotationError as error:
        return error.column
    return 1


def test_any_beginning_of_a_line_is_a_deal_or_refused() -> None:
    rng = np.random.default_rng(2)
    for _ in range(10):
        text = write_deal(random_deal(rng))
        for length in range(len(text)):
            assert 1 <= column_of_refusal(text[:length]) <= length + 1


P = "pyramid dealer=3 : AH | KH | 9S | JS : 1:S / AH KH 9S JS"
REFUSED = {
    "": (1, "no ' : '"),
    "whist dealer=0 : AS": (1, "'whist' is none of pyramid, spades"),
    " : AH | KH": (1, "the first word is none of"),
    P.replace("pyramid", "pyramid zone"): (9, "preset 'zone' is not one of piramida, inventor"),
    P.replace("dealer=3", "dealer=4"): (9, "dealer: 4 is not in 0..3"),
    P.replace("dealer=3", "dealer=left"): (9, "dealer: expected a whole number"),
    P.replace("dealer=3", "dealer=None"): (9, "dealer: expected a whole number"),
    P.replace("dealer=3 ", ""): (9, "no dealer"),
    P.replace("dealer=3", "dealer=3 dealer=3"): (18, "dealer is given twice"),
    P.replace("dealer=3", "dealer=3 bags=1,2"): (18, "'bags=1,2' sets nothing that pyramid knows"),
    P.replace("dealer=3", "dealer=3 following=maybe"): (18, "following: 'maybe' is not one of"),
    P.replace("dealer=3", "dealer=3 quota=1,2"): (18, "quota: expected 7 counts"),
    P.replace("dealer=3", "dealer=3 totals=1,2"): (18, "totals: expected 4 whole numbers, got 2"),
    P.replace("dealer=3", "dealer=3 totals=1"): (18, "totals: expected several whole numbers"),
    P.replace("dealer=3", "dealer=3 totals=1,2.5,0,0"): (18, "'2.5' is no whole number"),
    P.replace("dealer=3", "dealer=3 spent=1,2,3,4"): (18, "spent: expected a row a player"),
    P.replace("dealer=3", "dealer=3 spent=1;2;3;4"): (18, "spent: expected 7 whole numbers"),
    P.replace("KH |", "XH |"): (25, "'X' is neither a rank of 9TJQKA nor a suit of CDHS"),
    P.replace("KH |", "2H |"): (25, "'2' is neither a rank"),
    P.replace("KH |", "K |"): (25, "no suit stands after 'K'"),
    P.replace("KH |", "H |"): (25, "no rank stands before 'H'"),
    P.replace("KH |", "AH |"): (26, "card AH is given twice"),
    P.replace("KH |", "KQH |"): (18, "lengths [1, 2, 1, 1]"),
    P.replace("KH |", "|"): (18, "lengths [1, 0, 1, 1]"),
    P.replace("| 9S | JS", "").replace("=3", "=1"): (43, "the deal is over"),
    P.replace("KH | 9S | JS", "KH | 9S | JS | QS"): (18, "num_players: 5 is not in 2..4"),
    P.replace("1:S", "1:NT"): (40, "player_0: 1:NT: these rules have no no-trump"),
    P.replace("1:S", "7:S"): (40, "'7:S' is no action of pyramid"),
    P.replace("1:S", "AH"): (40, "player_0: AH is a card, but the decision is to declare"),
    P.replace("KH 9S JS", "9S KH JS"): (49, "player_1: 9S is not held; holds KH"),
    P.replace("KH 9S JS", "KH / 9S JS"): (52, "'/' stands before no trick's first action"),
    P + " /": (58, "'/' stands before no trick's first action"),
    P + " 9H": (58, "the deal is over"),
    P + " : 9H": (58, "a third ':'"),
    "pyramid inventor dealer=1 : AH 9S | KH QC : 1:S / AH QC": (
        54,
        "player_1: QC: must follow hearts; holds KH",
    ),
    "spades bags=11,0 dealer=0 : AS | KS | QS | JS": (8, "bags: 11 is not in 0..10"),
    "spades totals=500,0 dealer=0 : AS | KS | QS | JS": (8, "totals: at [500, 0] the match is alr"),
    "spades dealer=0 : AS | KS | QS": (17, "num_players: 3"),
    "x" * (LONGEST + 1): (LONGEST + 1, "longer than"),
}


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_refusals_tell_column_and_reason(text: str) -> None:
    column, reason = REFUSED[text]
    with pytest.raises(NotationError) as refusal:
        parse_deal(text)
    assert reason in refusal.value.reason
    assert refusal.value.column == column
    assert str(refusal.value) == f"column {column}: {refusal.value.reason}"
    assert len(str(refusal.value)) < 500


def test_any_text_is_a_deal_or_refused() -> None:
    rng = np.random.default_rng(3)
    words = [
        *P.split(),
        "/",
        "|",
        ":",
        "spades",
        "dealer=0",
        "totals=",
        "=",
        "spent=;;",
        ",",
        "é",
        "\x00",
    ]
    for _ in range(3000):
        text = " ".join(rng.choice(words, int(rng.integers(0, 24))))
        assert 1 <= column_of_refusal(text) <= len(text) + 1


def test_a_deal_that_cannot_be_is_not_written() -> None:
    rules = envs.PyramidRules()
    with pytest.raises(ValueError, match="card 9C is given twice"):
        write_deal(Deal("pyramid", rules, 0, ((0,), (0,))))
    with pytest.raises(ValueError, match="number 1: player_1: KS is not held"):
        write_deal(Deal("pyramid", rules, 0, ((0,), (1,)), (24, 22)))
    with pytest.raises(ValueError, match="number 0: player_1: action 1000000"):
        write_deal(Deal("pyramid", rules, 0, ((0,), (1,)), (10**30,)))
