"""What the double-dummy solver is not to be asked, and how it says so."""

from __future__ import annotations

import time
from concurrent.futures import Future
from typing import Any

import numpy as np
import pytest

from bidwise.agents.solvers import pyramid

GOOD: dict[str, Any] = {"hands": [[0, 7], [1, 8], [2, 9]], "trump": 3, "rules": "inventor"}

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a card twice in a hand": ({"hands": [[0, 0], [1, 8], [2, 9]]}, "hands|card"),
    "a card in two hands": ({"hands": [[0, 7], [0, 8], [2, 9]]}, "hands|card"),
    "hands of two lengths": ({"hands": [[0, 7], [1], [2, 9]]}, "hands"),
    "one hand longer": ({"hands": [[0, 7, 8], [1, 6], [2, 9]]}, "hands"),
    "no cards": ({"hands": [[], [], []]}, "hands|cards"),
    "no hands": ({"hands": []}, "hands"),
    "one player": ({"hands": [[0, 7]]}, "hands|players"),
    "five players": ({"hands": [[0], [1], [2], [3], [4]]}, "hands|players"),
    "seven cards": ({"hands": [list(range(7)), list(range(7, 14))]}, "hands|cards"),
    "a card below the deck": ({"hands": [[-1, 7], [1, 8], [2, 9]]}, "hands|card"),
    "a card beyond the deck": ({"hands": [[24, 7], [1, 8], [2, 9]]}, "hands|card"),
    "half a card": ({"hands": [[0.5, 7], [1, 8], [2, 9]]}, "hands|card"),
    "a card by its name": ({"hands": [["9C", "TD"], [1, 8], [2, 9]]}, "hands|card"),
    "text for hands": ({"hands": "9C TC"}, "hands|card"),
    "text for a hand": ({"hands": ["9C", "TC"]}, "hands|card"),
    "one flat list": ({"hands": [0, 1, 2]}, "hands|card"),
    "nothing for hands": ({"hands": None}, "hands"),
    "an array that is one number for hands": ({"hands": np.array(5)}, "hands"),
    "an array that is one number for a hand": ({"hands": [np.array(0), [1]]}, "hands"),
    "an array that is one number for a trick": ({"trick": np.array(10)}, "trick"),
    "a trump below": ({"trump": -1}, "trump"),
    "a trump beyond": ({"trump": 5}, "trump"),
    "a trump by its name": ({"trump": "S"}, "trump"),
    "half a trump": ({"trump": 1.5}, "trump"),
    "no word on trump": ({"trump": None}, "trump"),
    "unknown rules": ({"rules": "whist"}, "rules"),
    "another game's rules": ({"rules": "piki"}, "rules"),
    "a number for rules": ({"rules": 1}, "rules"),
    "a declarer below": ({"declarer": -1}, "declarer"),
    "a declarer beyond": ({"declarer": 3}, "declarer"),
    "half a declarer": ({"declarer": 0.5}, "declarer"),
    "a leader below": ({"leader": -1}, "leader"),
    "a leader beyond": ({"leader": 3}, "leader"),
    "half a leader": ({"leader": 0.5}, "leader"),
    "a trick card still in its hand": (
        {"hands": [[0], [1, 8], [2, 9]], "trick": [0]},
        "trick|hands|card",
    ),
    "a trick card in another hand": (
        {"hands": [[0], [1, 8], [2, 9]], "trick": [8]},
        "trick|hands|card",
    ),
    "a trick card twice": (
        {"hands": [[0], [1], [2, 9]], "trick": [7, 7]},
        "trick|card",
    ),
    "a trick card beyond the deck": ({"hands": [[0], [1, 8], [2, 9]], "trick": [24]}, "trick|card"),
    "a trick card by its name": ({"hands": [[0], [1, 8], [2, 9]], "trick": ["TD"]}, "trick|card"),
    "a trick card, yet hands of one length": ({"trick": [10]}, "trick|hands"),
    "a trick led by another seat": (
        {"hands": [[0], [1, 8], [2, 9]], "trick": [10], "leader": 1},
        "trick|hands|leader",
    ),
    "a trick of another length": (
        {"hands": [[0], [1], [2, 9]], "trick": [10]},
        "trick|hands",
    ),
    "no trick, yet a seat has played": ({"hands": [[0], [1, 8], [2, 9]]}, "trick|hands"),
    "a trick already complete": (
        {"hands": [[0, 7], [1, 8], [2, 9]], "trick": [3, 4, 5]},
        "trick",
    ),
    "a longer trick than there are seats": (
        {"hands": [[0, 7], [1, 8], [2, 9]], "trick": [3, 4, 5, 6]},
        "trick",
    ),
    "a number for a trick": ({"trick": 3}, "trick"),
}


def arguments(change: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    keywords = {**GOOD, **change}
    return keywords.pop("hands"), keywords


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused(name: str) -> None:
    change, word = REFUSED[name]
    hands, keywords = arguments(change)
    for ask in (pyramid.solve, pyramid.solve_cards):
        with pytest.raises((ValueError, TypeError), match=word):
            ask(hands, **keywords)


def test_what_is_changed_above_is_in_order_itself() -> None:
    hands, keywords = arguments({})
    assert pyramid.solve(hands, **keywords).shape == (3,)
    hands, keywords = arguments({"hands": [[0], [1, 8], [2, 9]], "trick": [7]})
    assert pyramid.solve(hands, **keywords).shape == (3,)
    hands, keywords = arguments({"hands": [[0, 7], [1], [2]], "trick": (8, 9), "leader": 1})
    assert pyramid.solve(hands, **keywords).shape == (3,)


def masks(*hands: list[int]) -> list[int]:
    return [sum(1 << card for card in hand) for hand in hands]


ROWS = np.array([masks([0, 7], [1, 8], [2, 9]), masks([3, 7], [1, 4], [2, 9])], np.uint32)

BATCHES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "a card in two hands": (
        np.array([masks([0, 7], [1, 8]), masks([0, 7], [0, 8])], np.uint32),
        {},
        "hands|card",
    ),
    "hands of two lengths": (np.array([masks([0, 7], [1])], np.uint32), {}, "hands"),
    "rows of two lengths": (
        np.array([masks([0, 7], [1, 8]), masks([0], [1])], np.uint32),
        {},
        "hands",
    ),
    "no cards": (np.zeros((2, 3), np.uint32), {}, "hands|cards"),
    "seven cards": (np.array([[0x7F, 0x3F80]], np.uint32), {}, "hands|cards"),
    "a card beyond the deck": (np.array([[1 << 24, 1]], np.uint32), {}, "hands|card"),
    "one row without its batch": (ROWS[0], {}, "hands"),
    "one player": (ROWS[:, :1], {}, "hands|players"),
    "five players": (np.array([[1, 2, 4, 8, 16]], np.uint32), {}, "hands|players"),
    "masks with a point": (ROWS.astype(float), {}, "hands"),
    "too few trumps": (ROWS, {"trump": np.array([1])}, "trump"),
    "too many trumps": (ROWS, {"trump": np.array([1, 2, 3])}, "trump"),
    "a trump beyond": (ROWS, {"trump": np.array([1, 5])}, "trump"),
    "a trump below": (ROWS, {"trump": np.array([-1, 1])}, "trump"),
    "half trumps": (ROWS, {"trump": np.array([0.5, 1.5])}, "trump"),
    "one trump beyond": (ROWS, {"trump": 5}, "trump"),
    "a declarer beyond": (ROWS, {"declarer": np.array([0, 3])}, "declarer"),
    "too few declarers": (ROWS, {"declarer": np.array([0])}, "declarer"),
    "a leader below": (ROWS, {"leader": np.array([-1, 0])}, "leader"),
    "a leader beyond": (ROWS, {"leader": 3}, "leader"),
    "too many leaders": (ROWS, {"leader": np.array([0, 1, 2])}, "leader"),
    "unknown rules": (ROWS, {"rules": "whist"}, "rules"),
    "no threads": (ROWS, {"threads": 0}, "threads"),
    "half a thread": (ROWS, {"threads": 0.5}, "threads"),
}


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_that_cannot_be_is_refused(name: str) -> None:
    hands, change, word = BATCHES[name]
    keywords: dict[str, Any] = {"trump": 3, "rules": "inventor", **change}
    with pytest.raises((ValueError, TypeError), match=word):
        pyramid.solve_batch(hands, **keywords)


def test_the_batch_that_is_changed_above_is_in_order_itself() -> None:
    assert pyramid.solve_batch(ROWS, trump=3, rules="inventor").shape == (2, 3)


def test_work_that_is_stopped_stops_even_if_the_stopping_is_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solved: list[int] = []

    def solve_slowly(*arguments: Any) -> None:
        time.sleep(0.01)
        solved.append(arguments[-2])

    def interrupt(*ignored: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(pyramid, "solve_range", solve_slowly)
    monkeypatch.setattr(Future, "cancel", interrupt)
    hands = np.tile(np.array([[1, 2, 4, 8]]), (64 * 200, 1))
    with pytest.raises(KeyboardInterrupt):
        pyramid.solve_batch(hands, trump=4, threads=2, progress=interrupt)
    assert len(solved) < 50
