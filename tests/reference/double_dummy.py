"""Pyramid with all hands open, written from the rule sheet: every line of play, one by one.

The declarer wants the highest score, all others together the lowest. Nothing is left out of
the search: no card stands for another and no line is cut short. What has been worked out for a
position is remembered, and that is all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reference.pyramid import SUITS, Card, card_of, declarer_score, id_of, playable, winning_place


class Position(NamedTuple):
    """Cards still held by each seat, who led (or is to lead), and what lies on the table."""

    hands: tuple[tuple[Card, ...], ...]
    leader: int
    table: tuple[Card, ...]

    @property
    def player(self) -> int:
        return (self.leader + len(self.table)) % len(self.hands)

    @property
    def is_over(self) -> bool:
        return not self.table and not any(self.hands)


def position_of(
    hands: Sequence[Sequence[int]], leader: int = 0, trick: Sequence[int] = ()
) -> Position:
    return Position(
        tuple(tuple(card_of(card) for card in sorted(hand)) for hand in hands),
        leader,
        tuple(card_of(card) for card in trick),
    )


class Solver:
    """Double-dummy scores by one rule for followers, one trump (4 is none), one declarer."""

    def __init__(self, following: str, trump: int, declarer: int = 0) -> None:
        self.following = following
        self.trump = None if trump == len(SUITS) else SUITS[trump]
        self.declarer = declarer
        self._known: dict[tuple[Position, int], int] = {}

    def legal(self, position: Position) -> list[Card]:
        led = position.table[0] if position.table else None
        return playable(list(position.hands[position.player]), led, self.trump, self.following)

    def after(self, position: Position, card: Card) -> tuple[Position, bool]:
        """The position once a card is played, and whether the declarer has won a trick by it."""
        hands = list(position.hands)
        hands[position.player] = tuple(c for c in position.hands[position.player] if c != card)
        table = (*position.table, card)
        if len(table) < len(hands):
            return Position(tuple(hands), position.leader, table), False
        winner = (position.leader + winning_place(list(table), self.trump)) % len(hands)
        return Position(tuple(hands), winner, ()), winner == self.declarer

    def score(self, position: Position, missing: int) -> int:
        """The declarer's score if `missing` tricks from here on are just what was bid.

        Fewer than none are missing where the declarer has more than enough already.
        """
        if position.is_over:
            return declarer_score(missing, 0)
        key = (position, missing)
        if key not in self._known:
            scores = [self.score_after(position, card, missing) for card in self.legal(position)]
            self._known[key] = max(scores) if position.player == self.declarer else min(scores)
        return self._known[key]

    def score_after(self, position: Position, card: Card, missing: int) -> int:
        following, won = self.after(position, card)
        return self.score(following, missing - won)


def solve(
    hands: Sequence[Sequence[int]],
    *,
    trump: int,
    following: str,
    declarer: int = 0,
    leader: int | None = None,
    trick: Sequence[int] = (),
) -> list[int]:
    """The declarer's score for each bid from 0 to the number of cards in the longest hand."""
    solver = Solver(following, trump, declarer)
    position = position_of(hands, declarer if leader is None else leader, trick)
    return [solver.score(position, bid) for bid in range(max(map(len, hands)) + 1)]


def solve_cards(
    hands: Sequence[Sequence[int]],
    *,
    trump: int,
    following: str,
    declarer: int = 0,
    leader: int | None = None,
    trick: Sequence[int] = (),
) -> dict[int, list[int]]:
    """For each card that the seat to play may play, the scores by bid that stay possible."""
    solver = Solver(following, trump, declarer)
    position = position_of(hands, declarer if leader is None else leader, trick)
    bids = range(max(map(len, hands)) + 1)
    return {
        id_of(card): [solver.score_after(position, card, bid) for bid in bids]
        for card in solver.legal(position)
    }
