"""Action ids, their meaning and their text are inverses, and the ids are the contract's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tabletop import GAMES

from bidwise.envs import get_game, pyramid, spades

SUITS = "CDHS"
MODULES = {"pyramid": pyramid, "spades": spades}
NUM_ACTIONS = {"pyramid": 67, "spades": 68}

every_game = pytest.mark.parametrize("game", GAMES)


@every_game
def test_encode_and_decode_action_are_inverses(game: str) -> None:
    module = MODULES[game]
    meanings = [module.decode_action(action) for action in range(NUM_ACTIONS[game])]
    assert len(set(meanings)) == NUM_ACTIONS[game] == get_game(game).num_actions
    assert [module.encode_action(what) for what in meanings] == list(range(NUM_ACTIONS[game]))


@every_game
def test_action_name_and_parse_action_are_inverses(game: str) -> None:
    module = MODULES[game]
    names = [module.action_name(action) for action in range(NUM_ACTIONS[game])]
    assert len(set(names)) == NUM_ACTIONS[game]
    assert [module.parse_action(name) for name in names] == list(range(NUM_ACTIONS[game]))
    assert module.action_name(np.int64(3)) == names[3]


def test_pyramids_ids_are_the_contracts() -> None:
    what = pyramid.Action
    for suit in range(4):
        for rank, letter in enumerate("9TJQKA"):
            assert pyramid.parse_action(letter + SUITS[suit]) == 6 * suit + rank
            assert pyramid.encode_action(what("card", card=6 * suit + rank)) == 6 * suit + rank
    for bid in range(7):
        for denomination, name in enumerate(("C", "D", "H", "S", "NT")):
            action = 24 + 5 * bid + denomination
            assert pyramid.parse_action(f"{bid}:{name}") == action
            declared = what("declaration", bid=bid, denomination=denomination)
            assert pyramid.decode_action(action) == declared
    for token in range(8):
        assert pyramid.decode_action(59 + token) == what("signal", token=token)
        assert pyramid.parse_action(f"say:{token}") == 59 + token


def test_spades_ids_are_the_contracts() -> None:
    what = spades.Action
    for suit in range(4):
        for rank, letter in enumerate("23456789TJQKA"):
            assert spades.parse_action(letter + SUITS[suit]) == 13 * suit + rank
            assert spades.decode_action(13 * suit + rank) == what("card", card=13 * suit + rank)
    for bid in range(14):
        assert spades.decode_action(52 + bid) == what("bid", bid=bid)
    assert spades.parse_action("nil") == 52
    assert spades.parse_action("bid:13") == 65
    assert spades.decode_action(66) == what("look")
    assert spades.decode_action(67) == what("double_nil")
    assert [spades.action_name(action) for action in (66, 67)] == ["look", "double-nil"]


@pytest.mark.parametrize("action", [-1, -67, 67, 68, 128, 10**12])
@every_game
def test_ids_out_of_range_mean_nothing(game: str, action: int) -> None:
    if game == "spades" and action == 67:
        return
    for function in (MODULES[game].decode_action, MODULES[game].action_name):
        with pytest.raises(ValueError, match=str(action)):
            function(action)


@pytest.mark.parametrize(
    "text", ["", "9", "as", "AX", "1C", "10C", "7:S", "-1:S", "say:8", "bid:14"]
)
@every_game
def test_texts_that_name_no_action_are_refused(game: str, text: str) -> None:
    with pytest.raises(ValueError, match="no action"):
        MODULES[game].parse_action(text)


NO_PYRAMID_ACTIONS: list[dict[str, Any]] = [
    {"kind": "card", "card": 24},
    {"kind": "card", "card": -1},
    {"kind": "card"},
    {"kind": "card", "card": 3, "bid": 1},
    {"kind": "declaration", "bid": 7, "denomination": 0},
    {"kind": "declaration", "bid": 1, "denomination": 5},
    {"kind": "declaration", "bid": -1, "denomination": 2},
    {"kind": "declaration", "bid": 1},
    {"kind": "signal", "token": 8},
    {"kind": "signal", "token": -1},
    {"kind": "bid", "bid": 3},
]
NO_SPADES_ACTIONS: list[dict[str, Any]] = [
    {"kind": "card", "card": 52},
    {"kind": "card", "card": -1},
    {"kind": "bid", "bid": 14},
    {"kind": "bid", "bid": -1},
    {"kind": "bid"},
    {"kind": "look", "bid": 1},
    {"kind": "pass"},
]


@pytest.mark.parametrize("fields", NO_PYRAMID_ACTIONS)
def test_what_names_no_pyramid_action_has_no_id(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no action"):
        pyramid.encode_action(pyramid.Action(**fields))


@pytest.mark.parametrize("fields", NO_SPADES_ACTIONS)
def test_what_names_no_spades_action_has_no_id(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no action"):
        spades.encode_action(spades.Action(**fields))


@every_game
def test_card_ids_and_texts_are_inverses(game: str) -> None:
    deck = get_game(game).deck
    cards = range(deck.num_cards)
    assert [deck.parse(deck.name(card)) for card in cards] == list(cards)
    assert deck.cards(deck.mask(cards)) == list(cards)
    assert deck.names([0, 1]) == f"{deck.name(0)} {deck.name(1)}"
    for text in ("", "A", "ASS", "XS", "AX"):
        with pytest.raises(ValueError, match="no card"):
            deck.parse(text)
    for card in (-1, deck.num_cards):
        with pytest.raises(ValueError, match=str(card)):
            deck.name(card)
        with pytest.raises(ValueError, match=str(card)):
            deck.mask([card])
    with pytest.raises(ValueError, match="twice"):
        deck.mask([5, 5])
