"""An observation holds what its seat may know and nothing else.

Permuting the cards that a seat cannot see changes no byte of its observation or mask, at any
decision of the deal; turning the table changes no relative observation.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from tabletop import a_deal, aec, any_legal, is_over, legal, play, seat_to_act

from bidwise.envs import CardGameEnv, IllegalActionError, PyramidRules, SpadesRules

LOOK, DOUBLE_NIL, FIRST_SPADES_BID = 66, 67, 52


def known_cards(
    env: CardGameEnv, seat: int, dealer: int, played: list[tuple[int, int]]
) -> set[int]:
    """Cards still held that a seat may know by the rule sheet."""
    hands = env.hands
    if env.game.name == "spades":
        spoken = {who for who, action in played if action >= FIRST_SPADES_BID}
        blind = env.rules.double_nil == "blind"
        return set(hands[seat]) if not blind or seat in spoken else set()
    declarer = (dealer + 1) % env.num_players
    known = set(hands[seat])
    if env.rules.conference == "open" and seat != declarer:
        for other in range(env.num_players):
            if other != declarer:
                known |= set(hands[other])
    return known


def with_hidden_cards_permuted(
    hands: list[list[int]], known: set[int], played: list[tuple[int, int]], deck: int, rng: Random
) -> list[list[int]]:
    """First hands that differ in cards which are neither known nor played; cards that were
    not dealt are hidden as well."""
    on_table = {action for _, action in played if action < deck}
    dealt = {card for hand in hands for card in hand}
    places = [
        (seat, k)
        for seat, hand in enumerate(hands)
        for k, card in enumerate(hand)
        if card not in known and card not in on_table
    ]
    hidden = [hands[seat][k] for seat, k in places] + [
        card for card in range(deck) if card not in dealt
    ]
    if rng.random() < 0.5:
        rng.shuffle(hidden)
    elif len(hidden) > 1:
        # Two cards change places: where suits must be followed, this is more often possible.
        a, b = rng.sample(range(len(hidden)), 2)
        hidden[a], hidden[b] = hidden[b], hidden[a]
    changed = [list(hand) for hand in hands]
    for (seat, k), card in zip(places, hidden, strict=False):
        changed[seat][k] = card
    return changed


def compare_under_permutations(
    env: CardGameEnv, twin: CardGameEnv, hands: list[list[int]], dealer: int, rng: Random
) -> Counter[str]:
    """Play a random deal; at every decision permute for every seat, replay, and compare.
    How many comparisons there were, by the kind of decision."""
    deck = env.game.deck.num_cards
    env.reset(options={"hands": hands, "dealer": dealer})
    compared: Counter[str] = Counter()
    played: list[tuple[int, int]] = []
    while not is_over(env):
        kind = env.game.decisions[int(env.state["decision"])]
        for seat in range(env.num_players):
            known = known_cards(env, seat, dealer, played)
            for _ in range(4):
                other = with_hidden_cards_permuted(hands, known, played, deck, rng)
                if list(map(set, other)) == list(map(set, hands)):
                    continue
                twin.reset(options={"hands": other, "dealer": dealer})
                try:
                    for _, action in played:
                        twin.step(action)
                except IllegalActionError:
                    continue  # these cards could not have been played so
                agent = f"player_{seat}"
                expected, seen = env.observe(agent), twin.observe(agent)
                # Only who holds the turn may see a mask, and of cards only by its own hand.
                np.testing.assert_equal(seen, expected)
                assert twin.hands != env.hands
                compared[kind] += 1
                break
        seat, action = seat_to_act(env), any_legal(env, rng)
        env.step(action)
        played.append((seat, action))
    return compared


@pytest.mark.parametrize("conference", ["open", "signals", "silent"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_permuting_unseen_cards_changes_nothing_in_pyramid(
    num_players: int, conference: str
) -> None:
    rng = Random(num_players)
    compared: Counter[str] = Counter()
    for number, following in enumerate(("any", "suit", "suit_then_trump", "any")):
        rules = PyramidRules(following=following, conference=conference, no_trump=True)
        env, twin = (
            aec("pyramid", num_players=num_players, rules=rules, deals=1) for _ in range(2)
        )
        size = 6 if number else 4
        hands = a_deal("pyramid", rng, size, num_players)
        compared += compare_under_permutations(env, twin, hands, rng.randrange(num_players), rng)
    # Of four conferring players only the declarer does not know where every card is.
    watching = 1 if conference == "open" and num_players == 4 else num_players
    assert compared["declare"] >= 4 * watching - 1
    assert compared["card"] >= 30 * watching
    if conference == "signals" and num_players > 2:
        assert compared["signal"] >= 20


@pytest.mark.parametrize("preset", ["piki", "standard", "openspiel"])
def test_permuting_unseen_cards_changes_nothing_in_spades(preset: str) -> None:
    rng = Random(17)
    env, twin = (aec("spades", rules=preset, deals=1) for _ in range(2))
    compared: Counter[str] = Counter()
    for size in (13, 5, 8):
        hands = a_deal("spades", rng, size)
        compared += compare_under_permutations(env, twin, hands, rng.randrange(4), rng)
    if preset == "piki":
        assert compared["look"] >= 3 * 4 * 4  # each of four to look, each seen by four seats
    assert compared["bid"] >= 24
    assert compared["card"] >= 150


@pytest.mark.parametrize("game", ["pyramid", "spades"])
def test_the_deck_the_seed_and_the_table_are_in_no_observation(game: str) -> None:
    """The same cards dealt by other seeds look the same."""
    views = []
    for seed in (1, 2**64 - 1):
        env = aec(game, deals=1)
        env.reset(seed=seed, options={"hands": a_deal(game, Random(3), 6), "dealer": 1})
        play(env, Random(4), 9)
        views.append([env.observe(agent) for agent in env.possible_agents])
    np.testing.assert_equal(views[0], views[1])


def test_own_hand_is_hidden_until_look_though_bids_before_it_are_seen() -> None:
    env = aec("spades", rules="piki")
    env.reset(seed=3, options={"dealer": 3})
    views = env.game.layout.views
    order = [0, 2, 1, 3]  # left of dealer, partner, dealer's partner, dealer
    for turn, seat in enumerate(order):
        before = views(env.observe(f"player_{seat}")["observation"])
        assert seat_to_act(env) == seat
        assert not before["hand"].any()
        assert legal(env) == [LOOK, DOUBLE_NIL]
        spoken = [(other - seat) % 4 for other in order[:turn]]
        assert [bid - 1 for bid in before["bids"][spoken]] == [2, 0, 1][:turn]
        if turn == 1:
            env.step(DOUBLE_NIL)
        else:
            env.step(LOOK)
            looked = views(env.observe(f"player_{seat}")["observation"])
            assert np.flatnonzero(looked["hand"]).tolist() == env.hands[seat]
            env.step(FIRST_SPADES_BID + (2, 0, 1, 3)[turn])
        for other in range(4):
            shown = views(env.observe(f"player_{other}")["observation"])["hand"].any()
            assert shown == (other in order[: turn + 1])


def test_looking_shows_others_nothing() -> None:
    env = aec("spades", rules="piki")
    env.reset(seed=3, options={"dealer": 3})
    env.step(LOOK)
    for other in (1, 2, 3):
        assert not env.game.layout.views(env.observe(f"player_{other}")["observation"])[
            "hand"
        ].any()


@pytest.mark.parametrize("conference", ["open", "signals", "silent"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_only_conferring_defenders_see_each_others_hands(num_players: int, conference: str) -> None:
    env = aec("pyramid", num_players=num_players, rules=PyramidRules(conference=conference))
    env.reset(seed=9, options={"dealer": 0})
    rng = Random(9)
    for _ in range(20):
        for seat in range(num_players):
            seen = env.game.layout.views(env.observe(f"player_{seat}")["observation"])
            assert np.flatnonzero(seen["hand"]).tolist() == env.hands[seat]
            for steps in range(1, 4):
                other = (seat + steps) % num_players
                confer = conference == "open" and steps < num_players and 1 not in (seat, other)
                expected = env.hands[other] if confer else []
                assert np.flatnonzero(seen["shared_hands"][steps - 1]).tolist() == expected
        play(env, rng, 1)
        if env.dealer != 0:
            break


# ---------------------------------------------------------------------- turning the table


def turned(values: list[Any], by: int) -> list[Any]:
    """What seat s had is now with seat s + by."""
    return [values[(seat - by) % len(values)] for seat in range(len(values))]


PYRAMIDS = [
    {"num_players": n, "rules": PyramidRules(conference=conference, following=following)}
    for n, conference, following in (
        (2, "signals", "suit"),
        (3, "open", "suit_then_trump"),
        (3, "signals", "any"),
        (4, "open", "any"),
        (4, "signals", "suit"),
        (4, "silent", "suit_then_trump"),
    )
]


@pytest.mark.parametrize("keywords", PYRAMIDS)
def test_turning_a_pyramid_table_turns_nothing_in_what_seats_see(keywords: dict[str, Any]) -> None:
    players, rng = keywords["num_players"], Random(1)
    for steps in range(1, players):
        first, second = (aec("pyramid", deals=1, **keywords) for _ in range(2))
        hands, dealer = a_deal("pyramid", rng, 6, players), rng.randrange(players)
        totals = [rng.randrange(-300, 300) for _ in range(players)]
        spent = [[0, 1, 1, 0, 0, 2, 0] for _ in range(players)]
        for seat in range(players):
            spent[seat][3] = seat % 2
            spent[seat][4] = 1 - seat % 2
        first.reset(options={"hands": hands, "dealer": dealer, "totals": totals, "spent": spent})
        second.reset(
            options={
                "hands": turned(hands, steps),
                "dealer": (dealer + steps) % players,
                "totals": turned(totals, steps),
                "spent": turned(spent, steps),
            }
        )
        compare_turned(first, second, steps, rng)


@pytest.mark.parametrize(
    "rules",
    [
        "piki",
        "zone",
        "standard",
        SpadesRules(first_lead="left"),
        SpadesRules(first_lead="two_of_clubs"),
    ],
)
def test_turning_a_spades_table_turns_nothing_in_what_seats_see(rules: Any) -> None:
    rng = Random(2)
    for steps in (1, 2, 3):
        first, second = (aec("spades", deals=1, rules=rules) for _ in range(2))
        hands, dealer = a_deal("spades", rng, 13), rng.randrange(4)
        totals, bags = [123, -45], [3, 7]
        first.reset(options={"hands": hands, "dealer": dealer, "totals": totals, "bags": bags})
        swap = -1 if steps % 2 else 1
        second.reset(
            options={
                "hands": turned(hands, steps),
                "dealer": (dealer + steps) % 4,
                "totals": totals[::swap],
                "bags": bags[::swap],
            }
        )
        compare_turned(first, second, steps, rng)


def compare_turned(first: CardGameEnv, second: CardGameEnv, steps: int, rng: Random) -> None:
    players = first.num_players
    while True:
        for seat in range(players):
            seen = first.observe(f"player_{seat}")
            np.testing.assert_equal(second.observe(f"player_{(seat + steps) % players}"), seen)
        if is_over(first):
            break
        action = any_legal(first, rng)
        first.step(action)
        second.step(action)
        for seat in range(players):
            turned_reward = second.rewards[f"player_{(seat + steps) % players}"]
            assert turned_reward == first.rewards[f"player_{seat}"]
    assert is_over(second)
