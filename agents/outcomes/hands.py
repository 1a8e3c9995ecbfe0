"""Pyramid hands up to the names of the suits: their classes, numbered without gaps.

A hand is a 24-bit mask of six cards, bit ``6 * suit + rank`` for each. Renaming suits changes
nothing that matters before a trump is named, so the 134,596 hands fall into 6,907 *classes*; once
a trump is named only the other three suits may be renamed, which leaves 24,930 *trump classes*.

Numbering. Write a hand as its four suits, six bits each, ``a b c d``: for a class sorted
``a <= b <= c <= d``, for a trump class ``d`` the trump and ``a <= b <= c``. Classes go by
``(d, c)`` first; those of one ``(d, c)`` by ``(b, a)``. Which pairs ``(b, a)`` go with it is told
by the number of cards left to them and by ``b <= c``, so they are the first so many of all pairs
with that number of cards, and a class's number is a sum of two numbers looked up: where its
``(d, c)`` begins, and the place of its ``(b, a)`` among its like.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidwise.envs.pyramid.state import HAND_SIZE, NUM_CARDS, NUM_RANKS

__all__ = [
    "NUM_CLASSES",
    "NUM_HANDS",
    "NUM_TRUMP_CLASSES",
    "TRUMP",
    "class_hands",
    "class_of",
    "class_weights",
    "trump_class_hands",
    "trump_class_of",
    "trump_class_weights",
    "trump_classes",
]

NUM_HANDS = comb(NUM_CARDS, HAND_SIZE)
NUM_CLASSES = 6_907
NUM_TRUMP_CLASSES = 24_930

TRUMP = 3
"""The trump of every trump class's representative: ♠."""

_SUITS = 1 << NUM_RANKS
_SUIT = np.uint32(_SUITS - 1)
_PAIR = 2 * NUM_RANKS


class _Numbering(NamedTuple):
    """The lookups of one kind of class, and all its representatives."""

    begins: NDArray[np.int32]  # (4096,) by the pair (d, c): number of its first class
    places: NDArray[np.int32]  # (4096,) by the pair (b, a): place among pairs of as many cards
    hands: NDArray[np.uint32]  # (classes,) by number


@cache
def _numbering(trump: bool) -> _Numbering:
    pairs = np.arange(_SUITS * _SUITS)
    upper, lower = pairs >> NUM_RANKS, pairs & int(_SUIT)
    sizes = np.bitwise_count(pairs).astype(np.int64)
    places = np.zeros(len(pairs), np.int32)
    begins = np.zeros(len(pairs), np.int32)
    # As a number a pair (b, a) is b * 64 + a, so that arange lists them in order.
    low_pairs = [pairs[(lower <= upper) & (sizes == size)] for size in range(HAND_SIZE + 1)]
    for alike in low_pairs:
        places[alike] = np.arange(len(alike))
    hands: list[NDArray[np.uint32]] = []
    count = 0
    high_pairs = pairs[(sizes <= HAND_SIZE) & (trump | (lower <= upper))]
    for high in high_pairs:
        alike = low_pairs[HAND_SIZE - sizes[high]]
        fitting = alike[: np.searchsorted(alike >> NUM_RANKS, lower[high], side="right")]
        begins[high] = count
        count += len(fitting)
        hands.append((high << _PAIR | fitting).astype(np.uint32))
    return _Numbering(begins, places, _frozen(np.concatenate(hands)))


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _checked(hands: ArrayLike) -> NDArray[np.uint32]:
    given = np.asarray(hands)
    if given.dtype.kind not in "iu":
        raise ValueError(f"hands: expected bit masks, got {given.dtype}")
    if given.dtype != np.uint32 and given.size and (given.min() < 0 or given.max() >> NUM_CARDS):
        raise ValueError(f"hands: a mask has cards beyond the {NUM_CARDS} of the deck")
    masks = given.astype(np.uint32)
    right = (np.bitwise_count(masks) == HAND_SIZE) & (masks >> np.uint32(NUM_CARDS) == 0)
    if not right.all():
        wrong = int(masks[~right].flat[0])
        raise ValueError(
            f"hands: mask {wrong:#x} does not hold {HAND_SIZE} of the {NUM_CARDS} cards"
        )
    return masks


def _suit(masks: Any, suit: int) -> Any:
    return masks >> np.uint32(NUM_RANKS * suit) & _SUIT


def _sorted(x: Any, y: Any) -> tuple[Any, Any]:
    return np.minimum(x, y), np.maximum(x, y)


def _number(a: Any, b: Any, c: Any, d: Any, trump: bool) -> Any:
    """Class numbers of hands by suits; a, b, c in any order."""
    a, b = _sorted(a, b)
    b, c = _sorted(b, c)
    a, b = _sorted(a, b)
    width = np.uint32(NUM_RANKS)
    numbering = _numbering(trump)
    return numbering.begins[d << width | c] + numbering.places[b << width | a]


@overload
def class_of(hands: int | np.integer[Any]) -> np.int32: ...
@overload
def class_of(hands: NDArray[Any]) -> NDArray[np.int32]: ...
def class_of(hands: Any) -> Any:
    """The class of hands.

    Args:
        hands: a mask of six cards, or an array of them of any shape.

    Returns:
        int32 of that shape, 0..6906.

    Raises:
        ValueError: a mask that is no hand of six cards.
    """
    masks = _checked(hands)
    a, b = _sorted(_suit(masks, 0), _suit(masks, 1))
    c, d = _sorted(_suit(masks, 2), _suit(masks, 3))
    # The greatest of the four belongs to d; _number sorts the others.
    b, d = _sorted(b, d)
    return _number(a, b, c, d, trump=False)


@overload
def trump_class_of(hands: int | np.integer[Any], trump: int | np.integer[Any]) -> np.int32: ...
@overload
def trump_class_of(hands: NDArray[Any], trump: ArrayLike) -> NDArray[np.int32]: ...
@overload
def trump_class_of(hands: ArrayLike, trump: NDArray[Any]) -> NDArray[np.int32]: ...
def trump_class_of(hands: Any, trump: Any) -> Any:
    """The trump class of hands with a suit as trump.

    Args:
        hands: a mask of six cards, or an array of them.
        trump: suits 0..3, of a shape that fits by broadcasting.

    Returns:
        int32 of the common shape, 0..24929.

    Raises:
        ValueError: a mask that is no hand of six cards, or a trump that is no suit.
    """
    masks, suits = _checked(hands), np.asarray(trump)
    if suits.dtype.kind not in "iu" or (suits.size and (suits.min() < 0 or suits.max() > 3)):
        raise ValueError(f"trump: {trump!r} is not a suit 0..3")
    shift = suits.astype(np.uint32) * np.uint32(NUM_RANKS)
    of_trump = masks >> shift & _SUIT
    below = masks & ((np.uint32(1) << shift) - np.uint32(1))
    rest = below | (masks >> shift >> np.uint32(NUM_RANKS)) << shift
    return _number(_suit(rest, 0), _suit(rest, 1), _suit(rest, 2), of_trump, trump=True)


def class_hands() -> NDArray[np.uint32]:
    """(6907,) uint32, read-only: a representative of each class."""
    return _numbering(trump=False).hands


def trump_class_hands() -> NDArray[np.uint32]:
    """(24930,) uint32, read-only: a representative of each trump class; its trump is ♠."""
    return _numbering(trump=True).hands


@cache
def class_weights() -> NDArray[np.int64]:
    """(6907,) int64, read-only: how many hands each class has; they sum to 134,596."""
    return _frozen(_arrangements(class_hands(), 4))


@cache
def trump_class_weights() -> NDArray[np.int64]:
    """(24930,) int64, read-only: how many pairs of hand and trump each class has; they sum to
    4 × 134,596."""
    return _frozen(4 * _arrangements(trump_class_hands(), 3))


def _arrangements(hands: NDArray[np.uint32], count: int) -> NDArray[np.int64]:
    """In how many ways suits 0..count-1, sorted, can be put in order.

    Suits are laid down one by one: the k-th has k places to go, and m equal ones in a row
    were counted m! times.
    """
    ways = np.ones(len(hands), np.int64)
    equal = np.ones(len(hands), np.int64)
    for suit in range(1, count):
        same = _suit(hands, suit) == _suit(hands, suit - 1)
        equal = np.where(same, equal + 1, 1)
        ways = ways * (suit + 1) // equal
    return ways


@cache
def trump_classes() -> NDArray[np.int32]:
    """(6907, 4) int32, read-only: the trump class of each class's representative with each suit
    as trump."""
    return _frozen(trump_class_of(class_hands()[:, None], np.arange(4)))
