"""Hands up to the names of the suits, against orbits that are counted one by one."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from bidwise.agents.outcomes import hands

_RANKS = 6


def _all_hands():
    return [sum(1 << card for card in cards) for cards in combinations(range(24), 6)]


def _suits(hand):
    return [hand >> _RANKS * suit & 63 for suit in range(4)]


def _hand(suits):
    return sum(cards << _RANKS * suit for suit, cards in enumerate(suits))


ALL = _all_hands()


def _orbits(pairs, images):
    """Pairs of (hand, trump) by orbit, walked through the images that renamings give them."""
    orbits, left = [], set(pairs)
    for pair in pairs:
        if pair in left:
            orbit = images(*pair)
            left -= orbit
            orbits.append(orbit)
    return orbits


def _renamed(hand, trump):
    """Every image of a hand and its trump (None: none named) under renamings of the suits."""
    found = set()
    for names in permutations(range(4)):
        suits = [0] * 4
        for suit, cards in enumerate(_suits(hand)):
            suits[names[suit]] = cards
        found.add((_hand(suits), None if trump is None else names[trump]))
    return found


@pytest.fixture(scope="module")
def orbits():
    return _orbits([(hand, None) for hand in ALL], _renamed)


@pytest.fixture(scope="module")
def trump_orbits():
    # Every pair can be renamed to one with spades as trump, so those begin all orbits.
    return _orbits([(hand, 3) for hand in ALL], _renamed)


def test_there_are_so_many_hands_and_classes(orbits, trump_orbits):
    assert (len(ALL), len(orbits), len(trump_orbits)) == (134_596, 6_907, 24_930)
    assert len(ALL) == hands.NUM_HANDS
    assert len(orbits) == hands.NUM_CLASSES
    assert len(trump_orbits) == hands.NUM_TRUMP_CLASSES


def test_a_class_is_an_orbit_and_its_weight_the_orbits_size(orbits):
    weights = hands.class_weights()
    seen = set()
    for orbit in orbits:
        (number,) = set(hands.class_of(np.array([hand for hand, _ in orbit])).tolist())
        assert weights[number] == len(orbit)
        seen.add(number)
    assert seen == set(range(6_907))
    assert weights.sum() == 134_596


def test_a_trump_class_is_an_orbit_of_hand_and_trump(trump_orbits):
    weights = hands.trump_class_weights()
    seen = set()
    for orbit in trump_orbits:
        masks, trumps = np.array(sorted(orbit)).T
        (number,) = set(hands.trump_class_of(masks, trumps).tolist())
        assert weights[number] == len(orbit)
        seen.add(number)
    assert seen == set(range(24_930))
    assert weights.sum() == 4 * 134_596


def test_representatives_belong_to_their_classes():
    assert hands.class_of(hands.class_hands()).tolist() == list(range(6_907))
    numbers = hands.trump_class_of(hands.trump_class_hands(), 3)
    assert numbers.tolist() == list(range(24_930))
    assert set(hands.class_hands().tolist()) <= set(ALL)
    assert set(hands.trump_class_hands().tolist()) <= set(ALL)


def test_trump_classes_are_those_of_a_class_with_each_suit_as_trump():
    table = hands.trump_classes()
    assert table.shape == (6_907, 4)
    masks = hands.class_hands()
    for suit in range(4):
        assert np.array_equal(table[:, suit], hands.trump_class_of(masks, suit))
    # Weighted by their hands, classes with their four trumps are all pairs.
    counted = np.bincount(table.ravel(), np.repeat(hands.class_weights(), 4), minlength=24_930)
    assert np.array_equal(counted, hands.trump_class_weights())


def test_a_hand_may_be_a_number_or_an_array_of_any_shape():
    spades, hearts = 63 << 18, 63 << 12
    assert hands.class_of(spades) == hands.class_of(hearts)
    assert isinstance(hands.class_of(spades), np.int32)
    assert hands.trump_class_of(spades, 3) == hands.trump_class_of(hearts, 2)
    assert hands.trump_class_of(spades, 3) != hands.trump_class_of(spades, 2)
    grid = np.array([[spades, hearts, spades]], np.uint64)
    assert hands.class_of(grid).shape == (1, 3)
    assert hands.trump_class_of(grid.T, np.arange(4)).shape == (3, 4)
    assert hands.class_of(np.zeros(0, np.uint32)).shape == (0,)


@pytest.mark.parametrize("mask", [0, 0b11111, 0b1111111, 63 << 19, -63])
def test_what_is_no_hand_of_six_cards_is_refused(mask):
    with pytest.raises(ValueError, match="hands: "):
        hands.class_of(np.array([63, mask]))
    with pytest.raises(ValueError, match="hands: "):
        hands.trump_class_of(mask, 0)


@pytest.mark.parametrize("trump", [-1, 4, 1.0])
def test_a_trump_is_a_suit(trump):
    with pytest.raises(ValueError, match="trump: "):
        hands.trump_class_of(63, trump)


def test_a_mask_is_a_whole_number():
    with pytest.raises(ValueError, match="hands: expected bit masks, got float64"):
        hands.class_of(np.array([63.0]))


def test_tables_are_shared_so_nobody_may_write_to_them():
    for table in (
        hands.class_hands(),
        hands.trump_class_hands(),
        hands.class_weights(),
        hands.trump_class_weights(),
        hands.trump_classes(),
    ):
        with pytest.raises(ValueError, match="read-only"):
            table.flat[0] = 0
