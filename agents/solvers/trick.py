"""A trick, card by card: what may follow, and who is ahead."""

from __future__ import annotations

from typing import Any

from bidwise.agents.solvers.compilation import compiled

__all__ = ["legal_cards", "strength_of", "suit_of", "trick_so_far"]


@compiled
def suit_of(card: int) -> int:
    """card // 6 for cards 0..23; a signed division costs more than what it is used in."""
    return (43 * card) >> 8


@compiled
def strength_of(card: int, led: int, trump: int) -> int:
    """A card's strength in a trick; negative if it cannot win."""
    suit = suit_of(card)
    if suit == trump:
        return card + 32
    return card if suit == led else -1


@compiled
def legal_cards(hand: int, led: int, trump: int, following: int) -> int:
    """The cards of a hand that may follow a lead of suit `led`; -1: the hand leads."""
    if led >= 0 and following > 0:
        same = hand & (63 << (6 * led))
        if same:
            return same
        if following == 2 and trump < 4 and hand & (63 << (6 * trump)):
            return hand & (63 << (6 * trump))
    return hand


@compiled
def trick_so_far(
    trick: Any, on_table: int, leader: int, players: int, trump: int
) -> tuple[int, int, int]:
    """The suit led, the best card's strength and its player; -1, -1 and 0 before the lead."""
    led = -1
    strength = -1
    ahead = 0
    for place in range(on_table):
        card = int(trick[place])
        if place == 0:
            led = suit_of(card)
        own = strength_of(card, led, trump)
        if own > strength:
            strength = own
            ahead = (leader + place) % players
    return led, strength, ahead
