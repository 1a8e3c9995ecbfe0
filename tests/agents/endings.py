"""Endings of Pyramid, and their double-dummy scores by brute force through the engine itself.

The search below plays every legal card of every seat on copies of the engine's own record, so
that what is legal, who wins a trick and what a deal scores are the engine's. It knows no card
that stands for another, no bound and no memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.envs import PyramidRules
from bidwise.envs.core import compilation as jit
from bidwise.envs.core.cards import DECK_24, bit, nth_bit
from bidwise.envs.core.compilation import compiler
from bidwise.envs.core.instructions import lowest_bit, popcount
from bidwise.envs.games import get_game
from bidwise.envs.pyramid.actions import FIRST_DECLARATION
from bidwise.envs.pyramid.engine import begin_deal, legal_cards, play
from bidwise.envs.pyramid.scoring import declarer_points
from bidwise.envs.states import new_states

FOLLOWING = ("any", "suit", "suit_then_trump")
MOST_CARDS = 6

_NONE = np.uint64(0)
_FAR = 127  # beyond every score

compiled = compiler(Path(jit.__file__).parent, Path(__file__).parent)


def rules_of(following: str) -> PyramidRules:
    return PyramidRules(following=following, no_trump=True)


@dataclass(frozen=True)
class Endings:
    """N endings of one shape: as many players, as many cards a hand, one rule for followers."""

    hands: NDArray[np.uint32]  # (N, players) bit masks
    trump: NDArray[np.int64]  # (N,) 0..4
    declarer: NDArray[np.int64]  # (N,)
    leader: NDArray[np.int64]  # (N,)
    size: int
    following: str

    def __len__(self) -> int:
        return len(self.hands)

    @property
    def num_players(self) -> int:
        return self.hands.shape[1]

    def cards(self, row: int) -> list[list[int]]:
        """The card ids of each seat."""
        return [DECK_24.cards(int(hand)) for hand in self.hands[row]]

    @property
    def options(self) -> dict[str, Any]:
        """All endings as ``solve_batch`` takes them, but for the hands."""
        return {
            "trump": self.trump,
            "declarer": self.declarer,
            "leader": self.leader,
            "rules": rules_of(self.following),
        }

    def asked(self, row: int) -> dict[str, Any]:
        """One ending as ``solve`` takes it, but for the hands."""
        return {
            "trump": int(self.trump[row]),
            "declarer": int(self.declarer[row]),
            "leader": int(self.leader[row]),
            "rules": rules_of(self.following),
        }

    def where(self, row: int) -> str:
        """What to quote to see an ending again."""
        return f"{self.cards(row)} {self.asked(row)}"

    def turned(self, steps: int) -> Endings:
        """The same endings with everybody moved `steps` seats to the left."""
        return replace(
            self,
            hands=np.roll(self.hands, steps, axis=1),
            declarer=(self.declarer + steps) % self.num_players,
            leader=(self.leader + steps) % self.num_players,
        )

    def renamed(self, suits: NDArray[np.int64]) -> Endings:
        """The same endings with suit s called ``suits[s]``."""
        hands = np.zeros_like(self.hands)
        for suit, name in enumerate(suits):
            ranks = self.hands >> np.uint32(6 * suit) & np.uint32(0b111111)
            hands |= ranks << np.uint32(6 * name)
        return replace(self, hands=hands, trump=np.append(suits, 4)[self.trump])


def random_endings(
    rng: np.random.Generator, count: int, num_players: int, size: int, following: str
) -> Endings:
    """Endings drawn uniformly: cards, trump or none, who declares and who leads."""
    decks = rng.permuted(np.tile(np.arange(24), (count, 1)), axis=1)[:, : num_players * size]
    bits = np.uint32(1) << decks.astype(np.uint32).reshape(count, num_players, size)
    return Endings(
        hands=np.bitwise_or.reduce(bits, axis=2),
        trump=rng.integers(5, size=count),
        declarer=rng.integers(num_players, size=count),
        leader=rng.integers(num_players, size=count),
        size=size,
        following=following,
    )


def shapes(sizes: range) -> list[tuple[int, int, str]]:
    """Every number of players, of cards a hand, and every rule for followers."""
    return list(product((2, 3, 4), sizes, FOLLOWING))


# ------------------------------------------------------------------------- on the engine's records


@compiled
def _begin(states: Any, trumps: Any, leaders: Any) -> None:
    """The hands and the dealer stand: the declarer names a trump, and any seat is to lead."""
    for i in range(len(states)):
        state = states[i]
        begin_deal(state)
        play(state, FIRST_DECLARATION + int(trumps[i]))
        state.leader = leaders[i]
        state.player = leaders[i]


@compiled
def _play_on(states: Any, steps: Any, picks: Any) -> None:
    """Play ``steps[i]`` legal cards on table i, each chosen by a number."""
    for i in range(len(states)):
        state = states[i]
        for step in range(steps[i]):
            cards = legal_cards(state)
            n = int(picks[i, step]) % int(popcount(cards))
            play(state, int(nth_bit(cards, n)))


@compiled
def _play_each(states: Any, cards: Any) -> None:
    for i in range(len(states)):
        play(states[i], int(cards[i]))


@compiled
def _legal_each(states: Any, words: Any) -> None:
    for i in range(len(states)):
        words[i] = legal_cards(states[i])


@compiled
def _enter(state: Any, before: int, scores: Any) -> Any:
    """The cards to be tried at a record; at the end none, and its scores by bid."""
    declarer = int(state.declarer)
    if state.tricks_played == state.hand_size:
        for bid in range(len(scores)):
            scores[bid] = declarer_points(bid, int(state.tricks_taken[declarer]) - before)
        return _NONE
    for bid in range(len(scores)):
        scores[bid] = -_FAR if state.player == declarer else _FAR
    return legal_cards(state)


@compiled
def _leave(declares: bool, reached: Any, scores: Any) -> None:
    """Take what one card has led to into the scores of the seat that may play it."""
    for bid in range(len(scores)):
        if declares:
            scores[bid] = max(scores[bid], reached[bid])
        else:
            scores[bid] = min(scores[bid], reached[bid])


@compiled
def _search_each(
    states: Any, before: Any, stack: Any, untried: Any, line: Any, scores: Any
) -> None:
    """Write what each record is worth, by bid. Row d of `stack`, `untried` and `line` is the
    record d cards later, the cards not yet tried there, and what those tried are worth."""
    for i in range(len(states)):
        depth = 0
        stack[0] = states[i]
        untried[0] = _enter(stack[0], int(before[i]), line[0])
        while True:
            cards = untried[depth]
            if cards != _NONE:
                card = int(lowest_bit(cards))
                untried[depth] = cards & ~bit(card)
                stack[depth + 1] = stack[depth]
                depth += 1
                play(stack[depth], card)
                untried[depth] = _enter(stack[depth], int(before[i]), line[depth])
            elif depth > 0:
                depth -= 1
                declares = stack[depth].player == stack[depth].declarer
                _leave(declares, line[depth + 1], line[depth])
            else:
                break
        for bid in range(scores.shape[1]):
            scores[i, bid] = line[0, bid]


def records(endings: Endings) -> NDArray[np.void]:
    """A record of the engine for each ending: declared, nothing played."""
    players = endings.num_players
    states = new_states(
        get_game("pyramid"), len(endings), rules_of(endings.following), players, 0, "match"
    )
    states["hands"][:, :players] = endings.hands
    states["hand_size"] = endings.size
    states["dealer"] = (endings.declarer - 1) % players
    _begin(states, endings.trump, endings.leader)
    return states


def played_on(
    states: NDArray[np.void], steps: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.void]:
    """Copies of the records after so many random legal cards."""
    states = states.copy()
    _play_on(states, steps, rng.integers(1 << 30, size=(len(states), max(int(steps.max()), 1))))
    return states


def after_each(states: NDArray[np.void], cards: NDArray[np.int64]) -> NDArray[np.void]:
    """Copies of the records after one card each."""
    states = states.copy()
    _play_each(states, cards)
    return states


def legal_of(states: NDArray[np.void]) -> list[list[int]]:
    """The ids of the cards that may be played at each record."""
    words = np.zeros(len(states), np.uint64)
    _legal_each(states, words)
    return [DECK_24.cards(int(word)) for word in words]


def brute_force(
    states: NDArray[np.void], num_bids: int, before: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Scores (N, num_bids) for the bids 0, 1, …, on tricks beyond those taken `before` (N,)."""
    stack = np.zeros(4 * MOST_CARDS + 1, states.dtype)
    if jit.INTERPRETED:
        stack = stack.view(np.recarray)
    untried = np.zeros(len(stack), np.uint64)
    line = np.zeros((len(stack), num_bids), np.int64)
    scores = np.zeros((len(states), num_bids), np.int64)
    _search_each(states, before, stack, untried, line, scores)
    return scores


def brute_scores(endings: Endings) -> NDArray[np.int64]:
    """Scores (N, size + 1) of the endings."""
    return brute_force(records(endings), endings.size + 1, np.zeros(len(endings), np.int64))


# ------------------------------------------------------------------------- positions inside tricks


@dataclass(frozen=True)
class Position:
    """A position as ``solve`` takes it."""

    hands: list[list[int]]
    trick: list[int]
    trump: int
    declarer: int
    leader: int
    following: str

    @property
    def size(self) -> int:
        """Tricks still to be taken, the one on the table included."""
        return max(map(len, self.hands))

    def asked(self) -> dict[str, Any]:
        return {
            "trump": self.trump,
            "declarer": self.declarer,
            "leader": self.leader,
            "trick": self.trick,
            "rules": rules_of(self.following),
        }


def position_of(state: Any, following: str) -> Position:
    """What lies open at a record."""
    players, leader = int(state["num_players"]), int(state["leader"])
    return Position(
        hands=[DECK_24.cards(int(hand)) for hand in state["hands"][:players]],
        trick=[
            int(state["trick"][(leader + k) % players]) - 1 for k in range(int(state["trick_size"]))
        ],
        trump=int(state["denomination"]),
        declarer=int(state["declarer"]),
        leader=leader,
        following=following,
    )
