"""One deal: what was dealt, what was done, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.envs import game as games
from bidwise.envs.core.checks import check_int
from bidwise.envs.core.compilation import compiled
from bidwise.envs.game import Game, is_legal
from bidwise.envs.games import get_game
from bidwise.envs.states import apply_reset, new_states

__all__ = [
    "BEFORE_TRICKS",
    "Deal",
    "Outcome",
    "Played",
    "has_rows",
    "play_actions",
    "read_hands",
    "read_start",
    "totals_of",
    "why_refused",
]

BEFORE_TRICKS = -1
"""In the place of a trick's number: the action is one of the bidding."""


@compiled
def _play_deal(states: Any, actions: Any, bid_decisions: int, tricks: Any) -> int:
    """Play until the deal is over, an action is illegal or none is left; how many were played."""
    state = states[0]
    for k in range(len(actions)):
        action = int(actions[k])
        if not is_legal(state, action):
            return k
        bidding = (bid_decisions >> int(state.decision)) & 1
        tricks[k] = BEFORE_TRICKS if bidding else int(state.tricks_played)
        if games.play(state, action):
            return k + 1
    return len(actions)


@dataclass(frozen=True)
class Outcome:
    """What a finished deal came to."""

    tricks: tuple[int, ...]
    """Tricks taken, by seat."""
    points: tuple[int, ...]
    """What the deal added to each total: a player's; in Spades a pair's, fines included."""
    totals: tuple[int, ...]
    """The totals after it."""
    bags: tuple[int, ...] | None
    """The pairs' bags after it (Spades)."""


@dataclass(frozen=True)
class Played:
    """How far some actions were played into a deal."""

    actions: tuple[int, ...]
    """Those that were played; fewer than given where one is illegal or the deal is over."""
    tricks: tuple[int, ...]
    """The trick of each, from 0; ``BEFORE_TRICKS`` in the bidding."""
    outcome: Outcome | None
    """None while the deal is open."""


def totals_of(game: Game, state: Any) -> tuple[int, ...]:
    """The record's totals: a player's; in Spades a pair's."""
    count = 2 if game.pairs else int(state["num_players"])
    return tuple(int(total) for total in state["totals"][:count])


def play_actions(game: Game, states: NDArray[np.void], actions: Iterable[int]) -> Played:
    """Play into the deal on the one record; its successor is not dealt.

    Any integers may be given: playing stops before the first that the rules forbid.
    """
    before = totals_of(game, states[0])
    # Beyond 64 bits nothing is an action; 2**63 - 1 is none either.
    given = np.array([min(max(int(a), -1), 2**63 - 1) for a in actions], np.int64)
    tricks = np.zeros(len(given), np.int64)
    bids = sum(1 << decision for decision in game.bid_decisions)
    count = int(_play_deal(states, given, bids, tricks))
    state, outcome = states[0], None
    if count and state["tricks_played"] == state["hand_size"]:
        players = int(state["num_players"])
        after = totals_of(game, state)
        has_bags = "bags" in (game.dtype.names or ())
        outcome = Outcome(
            tricks=tuple(int(taken) for taken in state["tricks_taken"][:players]),
            points=tuple(new - old for new, old in zip(after, before, strict=True)),
            totals=after,
            bags=tuple(int(bag) for bag in state["bags"]) if has_bags else None,
        )
    return Played(tuple(given[:count].tolist()), tuple(tricks[:count].tolist()), outcome)


def has_rows(game: Game, option: str) -> bool:
    """Whether a reset option is a row of numbers for each player, as Pyramid's `spent` is."""
    return bool(game.dtype[option].shape[0] > 4)


def read_start(game: Game, state: Any) -> dict[str, Any]:
    """The reset options, beside hands and dealer, with which a match would begin at this deal;
    only those that differ from a fresh match."""
    start: dict[str, Any] = {}
    players = int(state["num_players"])
    for name in game.option_names:
        if name in ("hands", "dealer") or not state[name].any():
            continue
        values = state[name]
        if name == "totals":
            start[name] = totals_of(game, state)
        elif has_rows(game, name):
            rows = values.reshape(4, -1)[:players]
            start[name] = tuple(tuple(int(value) for value in row) for row in rows)
        else:
            start[name] = tuple(int(value) for value in values)
    return start


def read_hands(game: Game, state: Any) -> tuple[tuple[int, ...], ...]:
    """Sorted card ids of each seat."""
    players = int(state["num_players"])
    return tuple(tuple(game.deck.cards(int(hand))) for hand in state["hands"][:players])


@dataclass(frozen=True)
class Deal:
    """One deal by itself, outside of any match."""

    game: str
    rules: Any
    """A rules dataclass."""
    dealer: int
    hands: tuple[tuple[int, ...], ...]
    """The cards dealt to each seat; equal numbers, fewer than a full hand for endings."""
    actions: tuple[int, ...] = ()
    start: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Reset's options ``totals``, ``bags`` and ``spent``, where the match stood before."""

    def begin(self) -> NDArray[np.void]:
        """One record (1,) on which the deal has been dealt and nothing played.

        Raises:
            ValueError: what was dealt cannot be; it begins with the field's name.
        """
        game = get_game(self.game)
        states = new_states(game, 1, self.rules, len(self.hands), 0, "match")
        check_int("dealer", self.dealer, 0, len(self.hands) - 1)
        return apply_reset(game, states, {**self.start, "hands": self.hands, "dealer": self.dealer})

    def play(self) -> tuple[np.void, Played]:
        """The table's record after the actions (a successor is not dealt), and their play.

        Raises:
            ValueError: as :meth:`begin`, or for an action that the rules forbid.
        """
        game, states = get_game(self.game), self.begin()
        played = play_actions(game, states, self.actions)
        if len(played.actions) < len(self.actions):
            why = why_refused(game, states, played, self.actions)
            raise ValueError(f"actions: number {len(played.actions)}: {why}")
        return states[0], played


def why_refused(
    game: Game, states: NDArray[np.void], played: Played, actions: Sequence[int]
) -> str:
    """Why the first of the actions that was not played cannot be."""
    if played.outcome is not None:
        return "the deal is over"
    state, action = states[0], actions[len(played.actions)]
    return f"player_{int(state['player'])}: {game.why_illegal(state, action)}"
