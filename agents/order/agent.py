"""The agent ``"ordering"``: Pyramid bids spent in the best order for a table of scores.

It names the bid and the trump that the dynamic program of
:mod:`bidwise.agents.order.optimal` has for its hand and for the bids it has left. It sees
nothing else when it declares: not the totals, not what the others have left. Scores are those
of both halves of the table's layouts together; an agent wants them all, where a measurement
lets one half decide and the other value. The table is double dummy unless another is given, and
the order is exact for that table, not for the game.

Cards and signals are another agent's, and so is a declaration of which the optimal order knows
nothing: with a hand of fewer than six cards, or with bids left that its quota does not hold.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.base import Agent, Setting
from bidwise.agents.order.optimal import OptimalOrder, solve
from bidwise.agents.order.orders import IndexOrder
from bidwise.agents.outcomes.hands import class_of, class_weights
from bidwise.agents.outcomes.table import Outcomes, shipped
from bidwise.agents.registry import make
from bidwise.envs.core.cards import NO_TRUMP
from bidwise.envs.pyramid import GAME, PyramidRules
from bidwise.envs.pyramid.actions import FIRST_DECLARATION, NUM_DENOMINATIONS
from bidwise.envs.pyramid.observation import LAYOUT
from bidwise.envs.pyramid.rules import NUM_BIDS
from bidwise.envs.pyramid.state import DECLARE, HAND_SIZE, NUM_CARDS, NUM_RANKS

__all__ = [
    "ORDERING",
    "OrderingAgent",
    "declaration_actions",
    "make_ordering",
    "optimal_order_of",
    "suit_order",
]

ORDERING = "ordering"

_DECISION = LAYOUT.offsets["decision"]
_SUITS = np.arange(4, dtype=np.uint32) * np.uint32(NUM_RANKS)
_SUIT = np.uint32((1 << NUM_RANKS) - 1)
_NOTHING = -1


def suit_order(hands: NDArray[Any]) -> NDArray[np.int64]:
    """The suits of hands (N,) from the least to the greatest holding: (N, 4).

    Holdings are compared as numbers, ace the highest bit; of equal ones the lower suit comes
    first. In a class's representative the suits stand in this order, so that its suit `k` is
    suit ``suit_order(hand)[k]`` of any hand of the class.
    """
    holdings = hands.astype(np.uint32)[:, None] >> _SUITS & _SUIT
    order: NDArray[np.int64] = holdings.argsort(axis=1, kind="stable")
    return order


def declaration_actions(
    order: IndexOrder, hands: NDArray[Any], left: NDArray[Any]
) -> NDArray[np.int64]:
    """What an order over the 6,907 hand classes declares.

    Args:
        order: such as a :class:`~bidwise.agents.order.optimal.OptimalOrder`.
        hands: (N,) masks of the declarers' cards.
        left: (N, 7) how many of each bid they have left.

    Returns:
        (N,) int64 actions, -1 where the order does not say: a hand is not of six cards, or no
        bid or more of them are left than its quota holds.
    """
    actions = np.full(len(hands), _NOTHING, np.int64)
    quota = np.array(order.states.quota)
    known = np.bitwise_count(hands) == HAND_SIZE
    known &= ((left >= 0) & (left <= quota)).all(axis=1) & left.any(axis=1)
    rows = np.flatnonzero(known)
    if len(rows):
        held = hands[rows]
        bids, denominations = order.choose(left[rows], class_of(held))
        suits = suit_order(held)[np.arange(len(rows)), np.minimum(denominations, NO_TRUMP - 1)]
        named = np.where(denominations < NO_TRUMP, suits, NO_TRUMP)
        actions[rows] = FIRST_DECLARATION + NUM_DENOMINATIONS * bids + named
    return actions


class OrderingAgent(Agent):
    """Declares by an order; everything else is `rest`'s to decide.

    Args:
        name: the agent's.
        order: over the 6,907 hand classes and the bids 0..6.
        rest: an agent of Pyramid.

    Raises:
        ValueError: an order of other hands or bids, or an agent of another game.
    """

    def __init__(self, name: str, order: IndexOrder, rest: Agent, seed: int = 0) -> None:
        super().__init__(name, GAME, seed)
        if order.denominations.shape != (len(class_weights()), NUM_BIDS):
            raise ValueError(
                f"order: expected {len(class_weights())} hand classes and {NUM_BIDS} bids, "
                f"got {order.denominations.shape}"
            )
        if rest.game is not GAME:
            raise ValueError(f"rest: an agent of {rest.game.name} cannot play {GAME.name}")
        self.order = order
        self.rest = rest

    @property
    def _asked(self) -> tuple[Agent, ...]:
        return (self.rest,)

    def _decide(
        self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        actions = np.full(len(observations), _NOTHING, np.int64)
        rows = np.flatnonzero(observations[:, _DECISION] == DECLARE)
        if len(rows):
            actions[rows] = self._declare(observations[rows], action_masks[rows])
        others = np.flatnonzero(actions == _NOTHING)
        if len(others):
            actions[others] = self.rest.act_batch(observations[others], action_masks[others])
        return actions

    def _declare(
        self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Declarations (B,), -1 where the order names none that is legal."""
        seen = LAYOUT.views(observations)
        bits = np.packbits(seen["hand"] != 0, axis=1, bitorder="little").astype(np.uint32)
        hands = bits @ (np.uint32(1) << np.arange(0, NUM_CARDS, 8, dtype=np.uint32))
        # One byte a turn: the bid plus one. They are counted in one go, a row's own counts
        # standing in NUM_BIDS + 1 places of which the first, of turns to come, is not looked at.
        turns = np.clip(seen["announced"][:, 0], 0, NUM_BIDS).astype(np.int64)
        places = turns + (NUM_BIDS + 1) * np.arange(len(turns))[:, None]
        counts = np.bincount(places.ravel(), minlength=(NUM_BIDS + 1) * len(turns))
        spent = counts.reshape(len(turns), NUM_BIDS + 1)[:, 1:]
        actions = declaration_actions(self.order, hands, seen["quota"] - spent)
        legal = action_masks[np.arange(len(actions)), actions] != 0
        return np.where(legal, actions, _NOTHING)


def make_ordering(setting: Setting, play: str = "basic", table: str | None = None) -> Agent:
    """The agent ``"ordering"``.

    Args:
        setting: of Pyramid.
        play: name of the agent that plays the cards.
        table: file of an outcome table; None for the one that comes with bidwise.

    Raises:
        ValueError: a game other than Pyramid, an unknown agent, or a table that is missing,
            broken or made for other rules or another number of players.
    """
    if setting.game is not GAME:
        raise ValueError(f"{ORDERING}: it orders Pyramid's bids, asked for {setting.game.name}")
    for option, value in (("play", play), ("table", "" if table is None else table)):
        if not isinstance(value, str):
            raise ValueError(f"{ORDERING}: {option} is a name, not {value!r}")
    try:
        optimal = optimal_order_of(setting.rules, setting.num_players, table)
    except ValueError as error:
        raise ValueError(f"{ORDERING}: {error}") from None
    rest = make(
        play,
        game=GAME.name,
        rules=setting.rules,
        num_players=setting.num_players,
        seed=setting.seed,
    )
    options = [f"play={_shown(play)}"] if play != "basic" else []
    options += [f"table={_shown(table)}"] if table is not None else []
    name = f"{ORDERING}:{','.join(options)}" if options else ORDERING
    return OrderingAgent(name, optimal, rest, setting.seed)


def _shown(name: str) -> str:
    """A file's or agent's name as reports may hold it: absolute paths tell about the machine."""
    return Path(name).name if Path(name).is_absolute() else name


def optimal_order_of(
    rules: PyramidRules, num_players: int, table: str | Path | None = None
) -> OptimalOrder:
    """The optimal order that ``"ordering"`` bids by: for the rules' quota, by a whole table.

    Solved once a process for each table, quota and rules.

    Args:
        rules: the rules in force.
        num_players: 2, 3 or 4.
        table: file of an outcome table; None for the one that comes with bidwise.

    Raises:
        ValueError: as :func:`make_ordering`.
    """
    if table is None:
        return _solved(rules, num_players, None, 0, 0)
    path = Path(table)
    try:
        found = path.stat()
    except OSError:
        raise ValueError(
            f"table: {path} cannot be read; build one: bidwise outcomes --num-players "
            f"{num_players} --rule following={rules.following} "
            f"no_trump={str(rules.no_trump).lower()} --out {path}"
        ) from None
    return _solved(rules, num_players, path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=8)
def _solved(
    rules: PyramidRules, num_players: int, path: Path | None, written: int, size: int
) -> OptimalOrder:
    """An optimal order; a file is known by its time and size too, so that a new one is read."""
    if path is None:
        outcomes = shipped(num_players, rules)
    else:
        outcomes = Outcomes.load(path)
        if outcomes.num_players != num_players:
            raise ValueError(
                f"table: {path} is for {outcomes.num_players} players, asked for {num_players}"
            )
        try:
            outcomes = outcomes.under(rules)
        except ValueError as error:
            raise ValueError(f"table: {path}: {error}") from None
    return solve(outcomes.option_scores(), class_weights(), rules.quota)
