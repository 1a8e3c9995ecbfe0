"""Single deals of Spades against OpenSpiel's `spades`, under the preset made for it.

OpenSpiel reads bags off the totals and never breaks spades, so that only deals from 0 to 0 with
empty bags can be compared (see the rules page).
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from reference import spades

pyspiel = pytest.importorskip("pyspiel")

DEALS = 500
LONG_DEALS = 5_000
DEALER = 3  # there seat 0 bids and leads first

AMOUNTS = pytest.mark.parametrize(
    "deals", [DEALS, pytest.param(LONG_DEALS, marks=pytest.mark.long)]
)


def deal_in_openspiel(hands: list[list[int]]) -> Any:
    state = pyspiel.load_game("spades").new_initial_state()
    for place in range(spades.HAND_SIZE):
        for seat in range(4):
            state.apply_action(hands[seat][place])
    return state


def random_hands(rng: Random) -> list[list[int]]:
    deck = list(range(52))
    rng.shuffle(deck)
    return [sorted(deck[13 * seat : 13 * seat + 13]) for seat in range(4)]


def choose(legal: list[int], rng: Random) -> int:
    """Any legal card; bids mostly low, so that contracts are made as well as missed."""
    if legal[0] >= spades.FIRST_BID and rng.random() < 0.8:
        legal = legal[:5]
    return rng.choice(legal)


def test_cards_and_bids_have_the_same_numbers() -> None:
    state = pyspiel.load_game("spades").new_initial_state()
    for action in range(52):
        text = state.action_to_string(0, action)
        assert spades.parse_card(text[1] + text[0]) == action
    bids = [state.action_to_string(0, spades.FIRST_BID + bid) for bid in range(14)]
    assert bids == ["Nil", *(str(bid) for bid in range(1, 14))]


@AMOUNTS
def test_the_references_deals_are_openspiels(deals: int) -> None:
    for seed in range(deals):
        rng = Random(seed)
        hands = random_hands(rng)
        state = deal_in_openspiel(hands)
        match = spades.Match(spades.PRESETS["openspiel"], dealer=DEALER)
        match.deal(hands)
        while not state.is_terminal():
            legal = state.legal_actions()
            assert (match.player, match.legal()) == (state.current_player(), legal), seed
            action = choose(legal, rng)
            state.apply_action(action)
            match.play(action)
        assert match.player is None, seed
        assert match.deal_points == state.returns(), seed


@AMOUNTS
def test_the_products_deals_are_openspiels(deals: int) -> None:
    from bidwise import envs

    env = envs.spades_env(rules="openspiel").unwrapped
    for seed in range(deals):
        rng = Random(seed)
        hands = random_hands(rng)
        state = deal_in_openspiel(hands)
        env.reset(seed=seed, options={"hands": hands, "dealer": DEALER})
        while not state.is_terminal():
            legal = state.legal_actions()
            agent = env.agent_selection
            mask = env.observe(agent)["action_mask"].tolist()
            assert agent == f"player_{state.current_player()}", seed
            assert [action for action, bit in enumerate(mask) if bit] == legal, seed
            action = choose(legal, rng)
            state.apply_action(action)
            env.step(action)
        assert [int(total) for total in env.scores] == state.returns()[:2], seed
