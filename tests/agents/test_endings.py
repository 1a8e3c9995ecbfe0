"""How the solver numbers endings, and how much it may keep of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bidwise.agents.solvers import pyramid
from bidwise.agents.solvers.endings import EXACT_TRICKS, ending_numbering, new_endings
from bidwise.agents.solvers.intervals import NEEDED, answer_after, interval, question_after
from bidwise.agents.solvers.lookup import number_of, squeeze, word_of
from bidwise.envs.pyramid.rules import FOLLOWING

KINDS = list(itertools.product((2, 3, 4), (True, False)))


def suit_key(owners: tuple[int, ...]) -> int:
    """A suit's sort key from the owners of its cards, the lowest card first."""
    return len(owners) << 12 | sum(owner << 2 * place for place, owner in enumerate(owners))


def random_suits(
    rng: np.random.Generator, players: int, tricks: int
) -> tuple[tuple[int, ...], ...]:
    """Owners by suit of a random position: every player holds as many cards."""
    owners = rng.permutation(np.repeat(np.arange(players), tricks))
    while True:
        suits = rng.integers(0, 4, len(owners))
        if np.bincount(suits, minlength=4).max() <= 6:
            return tuple(tuple(int(o) for o in owners[suits == suit]) for suit in range(4))


@pytest.mark.parametrize(("players", "has_trump"), KINDS)
def test_two_positions_have_one_number_only_if_they_are_alike(
    players: int, has_trump: bool
) -> None:
    rng = np.random.default_rng(players)
    numbers, sizes = ending_numbering(players, has_trump)
    for tricks in range(1, EXACT_TRICKS[players] + 1):
        size = sizes[0 if tricks <= 3 else 1 if tricks == 4 else 2]
        seen: dict[object, int] = {}
        for _ in range(3000):
            suits = random_suits(rng, players, tricks)
            trump = int(rng.integers(0, 4)) if has_trump else 4
            leader = int(rng.integers(0, players))
            number = number_of(numbers, players, tricks, trump, *map(suit_key, suits), leader)
            sides = sorted(suits[suit] for suit in range(4) if suit != trump)
            alike = (tuple(sides), suits[trump] if has_trump else None, leader)
            assert seen.setdefault(alike, number) == number
            assert 0 <= number < size
        assert len(set(seen.values())) == len(seen)


def test_all_that_a_process_may_keep_stays_below_the_limit() -> None:
    kept = 0
    for players, has_trump in KINDS:
        endings = new_endings(ending_numbering(players, has_trump))
        kept += len(FOLLOWING) * sum(array.nbytes for array in endings)
    assert 300e6 < kept < pyramid.MEMORY_LIMIT == 512 * 2**20


def test_a_squeezed_word_unfolds_to_itself() -> None:
    numbers, _ = ending_numbering(4, True)
    rng = np.random.default_rng(0)
    for tricks in (1, 2, 3, 4):
        for _ in range(100):
            word = int(rng.integers(0, 2**56)) & int(NEEDED[tricks])
            assert word_of(numbers, tricks, squeeze(word, tricks)) == word


@pytest.mark.parametrize("won", [True, False])
@pytest.mark.parametrize("tricks", range(2, 7))
def test_a_question_behind_a_trick_settles_the_question_before_it(tricks: int, won: bool) -> None:
    # Tricks still to be taken, behind the trick, against what is asked before it.
    for low, high in itertools.combinations_with_replacement(range(tricks + 1), 2):
        bit = interval(low, high)
        if not bit & int(NEEDED[tricks]):
            continue
        behind = int(question_after(bit, tricks, won))
        for taken in range(tricks):
            answer = sum(
                interval(a, b)
                for a, b in itertools.combinations_with_replacement(range(tricks), 2)
                if interval(a, b) & behind and a <= taken <= b
            )
            held = bool(int(answer_after(answer, tricks, won)) & bit)
            assert held == (low <= taken + won <= high)
