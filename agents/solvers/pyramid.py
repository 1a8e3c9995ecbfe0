"""Pyramid with all hands open: the declarer against all others as one, exactly.

The values are *double-dummy values*: what the declarer reaches when everybody sees every card
and the others play as one against him. Only where the defenders see all cards that the declarer
does not hold (4 players, conference ``open``) is that also an upper bound for every declarer.

>>> from bidwise.agents.solvers import pyramid
>>> pyramid.solve([[23, 12], [22, 13]], trump=3).tolist()
[6, 8, 10]

Positions of few tricks are kept for the process, whatever the deal, the trump or the bid: never
more than :data:`MEMORY_LIMIT` bytes, which takes every number of players, every duty to follow
and both kinds of trump; 80 MB for one of them with 4 players, 11 MB with 3. They fill as one
solves, so that first solves are slower than later ones.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from bidwise.agents.solvers.batch import solve_range
from bidwise.agents.solvers.endings import EXACT_TRICKS, Endings, ending_numbering, new_endings
from bidwise.agents.solvers.intervals import scores_of_words
from bidwise.agents.solvers.positions import Positions, batch_of_deals, single_position
from bidwise.agents.solvers.workspace import new_workspace
from bidwise.envs.core.cards import NO_TRUMP
from bidwise.envs.core.checks import check_int

__all__ = ["MEMORY_LIMIT", "CardValues", "solve", "solve_batch", "solve_cards", "solve_positions"]

MEMORY_LIMIT = 512 * 2**20
_CHUNK = {2: 16384, 3: 1024, 4: 64}
"""Rows of a thread's piece, by number of players: a tenth of a second's work or so."""


@dataclass(frozen=True)
class CardValues:
    """What each card of the player to move leaves possible.

    Attributes:
        scores: (n + 1,) int8, the declarer's score for bids 0..n of the n tricks to come.
        cards: ids of the cards that may be played, ascending.
        card_scores: (len(cards), n + 1) int8, the declarer's scores after each of them.
    """

    scores: NDArray[np.int8]
    cards: tuple[int, ...]
    card_scores: NDArray[np.int8]

    def keeping(self, bid: int) -> tuple[int, ...]:
        """The cards after which the score for a bid is still `scores[bid]`.

        Raises:
            ValueError: a bid that is not in 0..n.
        """
        check_int("bid", bid, 0, len(self.scores) - 1)
        kept = self.card_scores[:, bid] == self.scores[bid]
        return tuple(card for card, keeps in zip(self.cards, kept, strict=True) if keeps)


def solve(
    hands: Any,
    *,
    trump: int,
    rules: Any = "piramida",
    declarer: int = 0,
    leader: int | None = None,
    trick: Any = (),
) -> NDArray[np.int8]:
    """The declarer's double-dummy score for every bid.

    Args:
        hands: a list of card ids for each of 2 to 4 players, 1..6 cards; those who have played
            to the current trick hold one card less.
        trump: 0..3 for ♣ ♦ ♥ ♠, 4 for none.
        rules: a preset's name or PyramidRules; only `following` matters.
        declarer: the declarer's seat.
        leader: the seat that leads, or has led to `trick`; the declarer if None.
        trick: ids of the cards on the table, in the order played, no longer in `hands`.

    Returns:
        (n + 1,) int8: 10 − 2·|bid − taken| for bids 0..n, where n counts the tricks to come with
        the current one, and `taken` those of them that the declarer takes.

    Raises:
        ValueError: a position that cannot be; it names what is wrong.
    """
    positions = single_position(hands, trump, rules, declarer, leader, trick)
    words, _ = solve_positions(positions)
    scores: NDArray[np.int8] = _scores(words, positions.tricks)[0]
    return scores


def solve_cards(
    hands: Any,
    *,
    trump: int,
    rules: Any = "piramida",
    declarer: int = 0,
    leader: int | None = None,
    trick: Any = (),
) -> CardValues:
    """The double-dummy scores of a position, and those after each card that may be played.

    Args and errors as :func:`solve`.
    """
    positions = single_position(hands, trump, rules, declarer, leader, trick)
    words, card_words = solve_positions(positions, cards=True)
    legal = np.flatnonzero(card_words[0] >= 0)
    return CardValues(
        _scores(words, positions.tricks)[0],
        tuple(legal.tolist()),
        _scores(card_words[0, legal], positions.tricks),
    )


def solve_batch(
    hands: Any,
    *,
    trump: Any,
    rules: Any = "piramida",
    declarer: Any = 0,
    leader: Any = None,
    threads: int = 1,
    progress: bool | Callable[[int], None] = False,
) -> NDArray[np.int8]:
    """Double-dummy scores of many positions between tricks.

    Args:
        hands: (N, players) whole numbers, bit masks of card ids, all hands of one length 1..6.
        trump, declarer, leader: one for all rows, or (N,) of them; see :func:`solve`.
        rules: a preset's name or PyramidRules; only `following` matters.
        threads: how many to use, 1 or more.
        progress: True for a progress bar on the terminal; or a function that is called now and
            then with how many more rows are done.

    Returns:
        (N, n + 1) int8 scores for bids 0..n.

    Raises:
        ValueError: rows that cannot be; it names what is wrong.
    """
    positions = batch_of_deals(hands, trump, rules, declarer, leader)
    if progress is True:
        with Progress(transient=True) as bar:
            task = bar.add_task("Solving", total=len(positions.hands))
            words, _ = solve_positions(
                positions, threads=threads, progress=lambda done: bar.advance(task, done)
            )
    else:
        words, _ = solve_positions(positions, threads=threads, progress=progress or None)
    return _scores(words, positions.tricks)


def solve_positions(
    positions: Positions,
    *,
    cards: bool = False,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What the declarer can hold in each position, in words of `solvers.intervals`.

    Returns:
        (N,) int64 words, and with `cards` (N, 24) int64: the words after each card that may be
        played, -1 for the others; else (0, 24).
    """
    check_int("threads", threads, 1, 256)
    count, players = positions.hands.shape
    words: NDArray[np.int64] = np.zeros(count, np.int64)
    card_words: NDArray[np.int64] = np.full((count if cards else 0, 24), -1, np.int64)
    kinds = [
        (has_trump, _kept(players, positions.following, has_trump))
        for has_trump in (True, False)
        if ((positions.trumps < NO_TRUMP) == has_trump).any()
    ]
    chunk = _CHUNK[players]
    pieces = [(first, min(first + chunk, count)) for first in range(0, count, chunk)]

    stopped = threading.Event()

    def piece(bounds: tuple[int, int]) -> int:
        if stopped.is_set():
            return 0
        for has_trump, endings in kinds:
            solve_range(
                ending_numbering(players, has_trump).numbers,
                *endings,
                _workspace(players, positions.following, has_trump),
                EXACT_TRICKS[players],
                positions.following,
                has_trump,
                positions.hands,
                positions.trumps,
                positions.declarers,
                positions.leaders,
                positions.on_table,
                words,
                card_words,
                *bounds,
            )
        return bounds[1] - bounds[0]

    if threads == 1 or len(pieces) == 1:
        for bounds in pieces:
            done = piece(bounds)
            if progress is not None:
                progress(done)
        return words, card_words
    with ThreadPoolExecutor(threads) as pool:
        # Who presses Ctrl-C twice may be heard the second time anywhere below: one flag, set
        # first, is all that it takes for the pieces that wait to come to nothing.
        try:
            running = {pool.submit(piece, bounds) for bounds in pieces}
            while running:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for one in finished:
                    if progress is not None:
                        progress(one.result())
                    else:
                        one.result()
        finally:
            stopped.set()
    return words, card_words


def _scores(words: NDArray[np.int64], tricks: int) -> NDArray[np.int8]:
    scores: NDArray[np.int8] = np.empty((len(words), tricks + 1), np.int8)
    scores_of_words(words, tricks, scores)
    return scores


@cache
def _kept(players: int, following: int, has_trump: bool) -> Endings:
    """The endings that this process knows, shared by its threads."""
    return new_endings(ending_numbering(players, has_trump))


_LOCAL = threading.local()


def _workspace(players: int, following: int, has_trump: bool) -> NDArray[np.int64]:
    """The calling thread's workspace: what it remembers holds for one kind of game only."""
    spaces = _LOCAL.__dict__.setdefault("spaces", {})
    kind = (players, following, has_trump)
    if kind not in spaces:
        spaces[kind] = new_workspace()
    found: NDArray[np.int64] = spaces[kind]
    return found
