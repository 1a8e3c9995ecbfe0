"""``"double-dummy"``: a yardstick for Pyramid that cheats. It looks at everybody's cards.

It is no agent: it reads the tables' records, where an agent sees what its seat may know, so it
can sit at no table, and :func:`bidwise.agents.make` refuses its name. Studies use it to play
deals as they come out with all hands open, the declarer against all others as one.

What it does is fixed:

- a declaration is that of a given order, by hand and bids left; without an order, or where
  the order does not say, it is the best score of this very deal among the unspent bids: of
  equally good ones the smaller bid, then the lower suit, no trump last;
- a card is one that keeps the best score for the side to play: for the declarer the highest
  that can be forced, for defenders the lowest; of several the lowest id;
- a signal is token 0, which means nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.order.agent import declaration_actions
from bidwise.agents.order.orders import IndexOrder
from bidwise.agents.solvers.intervals import scores_of_words
from bidwise.agents.solvers.positions import Positions
from bidwise.agents.solvers.pyramid import solve_positions
from bidwise.envs.core.cards import NO_TRUMP
from bidwise.envs.core.checks import check_int
from bidwise.envs.core.vocabulary import OVER
from bidwise.envs.pyramid import GAME
from bidwise.envs.pyramid.actions import FIRST_DECLARATION, FIRST_SIGNAL, NUM_DENOMINATIONS
from bidwise.envs.pyramid.rules import NUM_BIDS
from bidwise.envs.pyramid.state import CARD, DECLARE, NUM_CARDS

__all__ = ["DoubleDummy"]

_MISSED = 2
"""Points that each trick above or below the bid costs."""


class _Kind(NamedTuple):
    """What positions that are solved together have in common."""

    players: int
    following: int
    tricks: int


class DoubleDummy:
    """Decides any seat's turn from the table's whole record.

    Args:
        order: names declarations, such as a
            :class:`~bidwise.agents.order.optimal.OptimalOrder`; None: the best score now.
        threads: how many the solver may use.
    """

    def __init__(self, order: IndexOrder | None = None, *, threads: int = 1) -> None:
        check_int("threads", threads, 1, 256)
        self._order = order
        self._threads = threads

    def act_states(self, states: NDArray[np.void]) -> NDArray[np.int64]:
        """Legal actions (B,) for records (B,) of Pyramid, one for each seat to act.

        Raises:
            ValueError: other records, or one in which nobody is to act.
        """
        if states.ndim != 1 or states.dtype != GAME.dtype:
            raise ValueError(
                f"states: expected records (B,) of {GAME.name}, got {states.dtype} of shape "
                f"{states.shape}"
            )
        decisions = states["decision"]
        if (decisions == OVER).any():
            raise ValueError(f"states: the game of row {int((decisions == OVER).argmax())} is over")
        actions = np.full(len(states), FIRST_SIGNAL, np.int64)
        for decision, decide in ((DECLARE, self._declare), (CARD, self._choose_cards)):
            rows = np.flatnonzero(decisions == decision)
            if len(rows):
                actions[rows] = decide(states[rows])
        return actions

    def _declare(self, states: NDArray[np.void]) -> NDArray[np.int64]:
        actions = np.full(len(states), -1, np.int64)
        left = _left(states)
        if self._order is not None:
            held = states["hands"][np.arange(len(states)), states["declarer"]]
            actions = declaration_actions(self._order, held, left)
            # An order made for other rules may name no trump where it is forbidden.
            named = (actions - FIRST_DECLARATION) % NUM_DENOMINATIONS
            actions[(named == NO_TRUMP) & (states["no_trump"] == 0)] = -1
        for kind, rows in _kinds(states):
            open_rows = rows[actions[rows] < 0]
            if len(open_rows):
                actions[open_rows] = self._best_now(states[open_rows], left[open_rows], kind)
        return actions

    def _best_now(
        self, states: NDArray[np.void], left: NDArray[np.int64], kind: _Kind
    ) -> NDArray[np.int64]:
        """The unspent bid and the trump with the best score of the deal."""
        # In the order of the actions, so that of equal scores the first action is taken.
        scores = np.empty((len(states), NUM_BIDS, NUM_DENOMINATIONS), np.int64)
        no_trump = bool(states["no_trump"].any())
        scores[:, :, NO_TRUMP] = 0
        for denomination in range(NUM_DENOMINATIONS if no_trump else NO_TRUMP):
            positions = _positions(states, kind, np.full(len(states), denomination))
            words, _ = solve_positions(positions, threads=self._threads)
            scores[:, :, denomination] = _scores(words, kind.tricks, np.arange(NUM_BIDS))
        allowed = (left > 0)[:, :, None] & np.ones(NUM_DENOMINATIONS, np.bool_)
        allowed[states["no_trump"] == 0, :, NO_TRUMP] = False
        worst = np.iinfo(np.int64).min
        best = np.where(allowed, scores, worst).reshape(len(states), -1).argmax(axis=1)
        actions: NDArray[np.int64] = FIRST_DECLARATION + best.astype(np.int64)
        return actions

    def _choose_cards(self, states: NDArray[np.void]) -> NDArray[np.int64]:
        actions = np.empty(len(states), np.int64)
        for kind, rows in _kinds(states):
            some = states[rows]
            trumps = some["denomination"].astype(np.int64)
            _, words = solve_positions(
                _positions(some, kind, trumps), cards=True, threads=self._threads
            )
            declarers = some["declarer"]
            taken = some["tricks_taken"][np.arange(len(some)), declarers]
            wanted = (some["bid"] - taken).astype(np.int64)
            scores = _scores(words.ravel(), kind.tricks, np.repeat(wanted, NUM_CARDS)[:, None])
            sides = np.where(some["player"] == declarers, 1, -1)[:, None]
            worth = sides * scores.reshape(words.shape)
            worst = np.iinfo(np.int64).min
            actions[rows] = np.where(words >= 0, worth, worst).argmax(axis=1)
        return actions


def _kinds(states: NDArray[np.void]) -> list[tuple[_Kind, NDArray[np.int64]]]:
    """The kinds of position among records, each with its rows."""
    keys = np.stack(
        [
            states["num_players"],
            states["following"],
            states["hand_size"] - states["tricks_played"],
        ],
        axis=1,
    )
    kinds, of_row = np.unique(keys, axis=0, return_inverse=True)
    return [
        (_Kind(*map(int, kind)), np.flatnonzero(of_row.ravel() == number))
        for number, kind in enumerate(kinds)
    ]


def _left(states: NDArray[np.void]) -> NDArray[np.int64]:
    """(B, 7) how many of each bid the declarers have left."""
    spent = states["spent"].reshape(len(states), -1, NUM_BIDS)
    own = spent[np.arange(len(states)), states["declarer"]]
    left: NDArray[np.int64] = states["quota"].astype(np.int64) - own
    return left


def _positions(states: NDArray[np.void], kind: _Kind, trumps: NDArray[np.int64]) -> Positions:
    leaders = states["leader"].astype(np.int64)
    seats = (leaders[:, None] + np.arange(kind.players)) % kind.players
    # A seat that has not played to the trick has 0 there: -1 behind the last card.
    on_table = np.full((len(states), 4), -1, np.int64)
    on_table[:, : kind.players] = np.take_along_axis(states["trick"], seats, axis=1) - 1
    return Positions(
        kind.following,
        kind.tricks,
        states["hands"][:, : kind.players].astype(np.int64),
        trumps,
        states["declarer"].astype(np.int64),
        leaders,
        on_table,
    )


def _scores(words: NDArray[np.int64], tricks: int, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Scores (N, K) for wanting so many (K,) or (N, K) of the tricks to come.

    Wanted may be tricks that are taken already, or more than can come: a bid outside 0..tricks
    costs what the nearest one inside does, and each trick between them.
    """
    scores = np.empty((len(words), tricks + 1), np.int8)
    scores_of_words(words, tricks, scores)
    wanted = np.broadcast_to(wanted, (len(words), wanted.shape[-1]))
    inside = np.clip(wanted, 0, tricks)
    nearest = np.take_along_axis(scores, inside, axis=1).astype(np.int64)
    reached: NDArray[np.int64] = nearest - _MISSED * np.abs(wanted - inside)
    return reached
