"""What may be asked of the solver: a position, or a batch of them, checked and in arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.envs.core.cards import DECK_24, NO_TRUMP
from bidwise.envs.core.checks import check_int
from bidwise.envs.pyramid.rules import FOLLOWING, PyramidRules
from bidwise.envs.pyramid.state import HAND_SIZE, NUM_CARDS

__all__ = ["Positions", "batch_of_deals", "following_of", "single_position"]

PLAYERS = (2, 3, 4)


@dataclass(frozen=True)
class Positions:
    """Positions of one number of players, duty to follow and number of tricks to come.

    Attributes:
        following: index into FOLLOWING.
        tricks: tricks to come, the current one included, 1..6.
        hands: (N, players) int64 masks, bit = card id.
        trumps, declarers, leaders: (N,) int64.
        on_table: (N, 4) int64 ids of the current trick's cards in order, -1 behind the last.
    """

    following: int
    tricks: int
    hands: NDArray[np.int64]
    trumps: NDArray[np.int64]
    declarers: NDArray[np.int64]
    leaders: NDArray[np.int64]
    on_table: NDArray[np.int64]


def following_of(rules: Any) -> int:
    """The duty to follow of a preset or of rules, as an index into FOLLOWING."""
    if isinstance(rules, str):
        rules = PyramidRules.preset(rules)
    if not isinstance(rules, PyramidRules):
        raise ValueError(f"rules: {rules!r} is neither a preset's name nor PyramidRules")
    return FOLLOWING.index(rules.following)


def single_position(
    hands: Any, trump: Any, rules: Any, declarer: Any, leader: Any, trick: Any
) -> Positions:
    """One position from lists of card ids, as a batch of one row.

    Raises:
        ValueError: what cannot be; it names the argument.
    """
    following = following_of(rules)
    if not _is_list(hands):
        raise ValueError(f"hands: expected a list of card ids for each player, got {hands!r}")
    players = len(hands)
    if players not in PLAYERS:
        raise ValueError(f"hands: a game has 2, 3 or 4 players, got hands for {players}")
    rows = [_cards(f"hands: player {seat}", hand) for seat, hand in enumerate(hands)]
    played = _cards("trick", trick)
    check_int("trump", trump, 0, NO_TRUMP)
    check_int("declarer", declarer, 0, players - 1)
    if leader is None:
        leader = declarer
    check_int("leader", leader, 0, players - 1)
    if len(played) >= players:
        raise ValueError(f"trick: {len(played)} cards on the table end a trick of {players}")
    tricks = max(map(len, rows))
    if not 1 <= tricks <= HAND_SIZE:
        raise ValueError(f"hands: a hand is 1 to {HAND_SIZE} cards, got {tricks}")
    have_played = {(leader + place) % players for place in range(len(played))}
    for seat, row in enumerate(rows):
        expected = tricks - (seat in have_played)
        if len(row) != expected:
            raise ValueError(
                f"hands: player {seat} should hold {expected} cards, holds {len(row)}: player "
                f"{leader} leads and the trick has {len(played)} cards"
            )
    dealt = [card for row in rows for card in row]
    for card in played:
        if card in dealt:
            raise ValueError(f"trick: {DECK_24.name(card)} is in a hand too")
    for card in dealt:
        if dealt.count(card) > 1:
            raise ValueError(f"hands: {DECK_24.name(card)} is held twice")
    if len(set(played)) != len(played):
        raise ValueError("trick: a card is on the table twice")
    return Positions(
        following,
        tricks,
        np.array([[DECK_24.mask(row) for row in rows]], np.int64),
        np.array([trump], np.int64),
        np.array([declarer], np.int64),
        np.array([leader], np.int64),
        np.array([[*played, *[-1] * (4 - len(played))]], np.int64),
    )


def _is_list(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        return values.ndim > 0
    return isinstance(values, Sequence) and not isinstance(values, str)


def _cards(what: str, cards: Any) -> list[int]:
    if not _is_list(cards):
        raise ValueError(f"{what}: expected a list of card ids, got {cards!r}")
    for card in cards:
        check_int(f"{what}: card", card, 0, NUM_CARDS - 1)
    return [int(card) for card in cards]


def batch_of_deals(hands: Any, trump: Any, rules: Any, declarer: Any, leader: Any) -> Positions:
    """Positions between tricks from an array of masks.

    Raises:
        ValueError: what cannot be; it names the argument and the first row at fault.
    """
    following = following_of(rules)
    masks: NDArray[Any] = np.asarray(hands)
    if masks.ndim != 2 or masks.dtype.kind not in "iu" or masks.shape[1] not in PLAYERS:
        raise ValueError(
            "hands: expected whole numbers of shape (N, players) with 2, 3 or 4 players, got "
            f"{masks.dtype} of shape {masks.shape}"
        )
    count, players = masks.shape
    if count == 0:
        raise ValueError("hands: no rows")
    _refuse("hands", (masks < 0) | (masks >= 1 << NUM_CARDS), "has a card that does not exist")
    masks = masks.astype(np.int64)
    held = np.bitwise_count(masks).astype(np.int64)
    together = np.bitwise_count(np.bitwise_or.reduce(masks, axis=1))
    _refuse("hands", held.sum(axis=1) != together, "holds a card twice")
    tricks = int(held[0, 0])
    _refuse("hands", held != tricks, f"has hands of other lengths than {tricks}")
    if not 1 <= tricks <= HAND_SIZE:
        raise ValueError(f"hands: a hand is 1 to {HAND_SIZE} cards, got {tricks}")
    declarers = _column("declarer", declarer, count, players - 1)
    return Positions(
        following,
        tricks,
        masks,
        _column("trump", trump, count, NO_TRUMP),
        declarers,
        declarers if leader is None else _column("leader", leader, count, players - 1),
        np.full((count, 4), -1, np.int64),
    )


def _refuse(what: str, wrong: NDArray[np.bool_], reason: str) -> None:
    rows = wrong.any(axis=1) if wrong.ndim == 2 else wrong
    if rows.any():
        raise ValueError(f"{what}: row {int(rows.argmax())} {reason}")


def _column(what: str, values: Any, count: int, high: int) -> NDArray[np.int64]:
    """(count,) int64 from one whole number or so many."""
    column: NDArray[Any] = np.asarray(values)
    if column.dtype.kind not in "iu" or column.shape not in ((), (count,)):
        raise ValueError(
            f"{what}: expected a whole number or {count} of them, got "
            f"{column.dtype} of shape {column.shape}"
        )
    _refuse(what, np.atleast_1d((column < 0) | (column > high)), f"is not in 0..{high}")
    return np.full(count, column, np.int64) if column.ndim == 0 else column.astype(np.int64)
