"""What a game is to the adapters: a record, sizes, and seven functions over the record.

A game registers itself with :func:`register`; the functions below then act on its records,
chosen by the record's dtype: at compile time in compiled code, at run time in plain Python.
No adapter knows a game by name.

The module is some 310 lines long, since each of the seven verbs stands here twice: as plain Python,
and as what compiled code calls.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
from numba.extending import overload
from numba.np.numpy_support import from_dtype
from numpy.typing import NDArray

from bidwise.envs.core.cards import Deck
from bidwise.envs.core.compilation import compiled
from bidwise.envs.core.layout import Layout
from bidwise.envs.core.vocabulary import DECIDE, ENV_IDS

__all__ = [
    "GAMES",
    "Game",
    "IllegalActionError",
    "Policy",
    "Rules",
    "begin_deal",
    "common_fields",
    "deal",
    "is_legal",
    "legal",
    "observe",
    "play",
    "register",
    "reward",
    "start",
]


class IllegalActionError(ValueError):
    """An action that the rules forbid: the message names the seat, the action and the rule."""


class Policy(Protocol):
    """Whoever decides for seats that the learner does not play.

    A policy may also carry ``kernel``, a :class:`bidwise.envs.batch.policies.KernelPolicy`; then it
    is called inside the engine's loop instead.
    """

    def act_batch(
        self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Legal actions (B,) for observations (B, F) and masks (B, A), one decision a row."""
        ...


class Rules(Protocol):
    """A game's frozen dataclass of switches."""

    @classmethod
    def preset(cls, name: str) -> Any: ...

    @classmethod
    def presets(cls) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Game:
    """One game: constants, the compiled functions of its engine, the plain ones of its edge.

    Compiled, over a record: ``start(state)`` begins match number ``state["match"]`` and deals;
    ``deal(state)`` deals its next deal, ``begin_deal(state)`` begins one whose hands and
    dealer stand; ``play(state, action)`` applies a legal action and tells whether it ended a
    deal; ``legal(state)`` gives the legal actions as two words, ids 0..63 and 64..;
    ``observe(state, seat, row, changed)`` writes an observation, where `changed` tells what the
    row may not have right yet: ``EVERYTHING``, whatever changes within ``THIS_DEAL``, or what
    one action has changed; ``reward(state, mode, rewards)`` writes what each seat earned by the
    deal that has just ended.

    Plain: ``write_rules`` and ``read_rules`` between a record and the rules dataclass,
    ``apply_options`` for reset's options, texts of actions, the reason why one is illegal,
    and a drawing of the table. ``pairs``: totals belong to the two pairs of partners (seats
    0, 2 and 1, 3), not to each player.
    """

    name: str
    module: str
    """The module that holds the game as ``GAME``."""
    deck: Deck
    dtype: np.dtype[np.void]
    layout: Layout
    num_actions: int
    player_counts: tuple[int, ...]
    rules: Any
    default_preset: str
    decisions: tuple[str, ...]
    bid_decisions: tuple[int, ...]
    pairs: bool
    start: Callable[..., Any]
    deal: Callable[..., Any]
    begin_deal: Callable[..., Any]
    play: Callable[..., Any]
    legal: Callable[..., Any]
    observe: Callable[..., Any]
    reward: Callable[..., Any]
    write_rules: Callable[[Any, Any, int], None]
    read_rules: Callable[[Any], Any]
    apply_options: Callable[[Any, Mapping[str, Any]], None]
    option_names: tuple[str, ...]
    action_name: Callable[[int], str]
    parse_action: Callable[[str], int]
    why_illegal: Callable[[Any, int], str]
    draw_table: Callable[[Any], str]

    @property
    def env_id(self) -> str:
        """Its id in PettingZoo's and Gymnasium's registries."""
        return ENV_IDS[self.name]

    def get_rules(self, rules: Any) -> Any:
        """The rules of a preset's name, or the given rules dataclass, checked."""
        if isinstance(rules, str):
            return self.rules.preset(rules)
        if not isinstance(rules, self.rules):
            raise ValueError(
                f"rules: expected the name of a preset or {self.rules.__name__}, "
                f"got {type(rules).__name__}"
            )
        return rules

    def decide_bits(self, decide: str) -> int:
        """The kinds of decision that `decide` gives to the learner, bit `decision` set for each."""
        if decide not in DECIDE:
            raise ValueError(f"decide: {decide!r} is not one of {', '.join(DECIDE)}")
        bids = sum(1 << k for k in self.bid_decisions)
        every = sum(1 << k for k in range(1, len(self.decisions)))
        return {"all": every, "bids": bids, "cards": every & ~bids}[decide]

    def __reduce__(self) -> tuple[Any, ...]:
        """A game is one object a process: what is pickled is where it stands."""
        return _game_in, (self.module,)

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self


def _game_in(module: str) -> Game:
    game: Game = importlib.import_module(module).GAME
    return game


GAMES: dict[str, Game] = {}
"""Every registered game by its name."""


def register(game: Game) -> None:
    """Make a game known to every adapter."""
    missing = {name for name, *_ in common_fields(1)} - set(game.dtype.names or ())
    if missing:
        raise ValueError(f"{game.name}: its record lacks {', '.join(sorted(missing))}")
    GAMES[game.name] = game
    _game_of.cache_clear()


def common_fields(num_cards: int) -> list[tuple[Any, ...]]:
    """Fields that every game's record has; the adapters use no others.

    Seats are absolute here. ``played_by``, ``played_trick``, ``played_place`` and ``trick``
    hold 0 for "not", else the number plus one.
    """
    return [
        ("hands", np.uint64, (4,)),
        ("seed", np.uint64),
        ("table", np.uint64),
        ("match", np.uint64),
        ("deal_number", np.int32),  # of the match, from 0
        ("deals_played", np.int32),  # in this episode
        ("episode_deals", np.int32),  # an episode ends after so many; 0: with the match
        ("played_by", np.int8, (num_cards,)),
        ("played_trick", np.int8, (num_cards,)),
        ("played_place", np.int8, (num_cards,)),
        ("trick", np.int8, (4,)),  # cards on the table, by seat
        ("tricks_taken", np.int8, (4,)),
        ("num_players", np.int8),
        ("hand_size", np.int8),
        ("player", np.int8),
        ("decision", np.int8),
        ("status", np.int8),
        ("dealer", np.int8),
        ("leader", np.int8),
        ("winning_seat", np.int8),  # of the trick on the table, so far
        ("winning_card", np.int8),
        ("trick_size", np.int8),
        ("tricks_played", np.int8),
    ]


# One function a verb. The plain body serves interpreted mode, the overload compiled code.


@cache
def _game_of(dtype: np.dtype[np.void]) -> Game:
    for game in GAMES.values():
        if game.dtype == dtype:
            return game
    raise TypeError(f"no game has records of {dtype}")


def _function(state: Any, name: str) -> Any:
    for game in GAMES.values():
        if state == from_dtype(game.dtype):
            return getattr(game, name)
    return None


def start(state: Any) -> None:
    """Begin the match that the record names, and deal its first deal."""
    _game_of(state.dtype).start(state)


def deal(state: Any) -> None:
    """Deal the next deal of the match."""
    _game_of(state.dtype).deal(state)


def begin_deal(state: Any) -> None:
    """Begin a deal whose hands and dealer stand in the record."""
    _game_of(state.dtype).begin_deal(state)


def play(state: Any, action: int) -> bool:
    """Apply a legal action; whether it ended a deal (whose successor is not dealt yet)."""
    ended: bool = _game_of(state.dtype).play(state, action)
    return ended


def legal(state: Any) -> tuple[Any, Any]:
    """The legal actions as two words: ids 0..63 and 64.. (uint64 each)."""
    words: tuple[Any, Any] = _game_of(state.dtype).legal(state)
    return words


def observe(state: Any, seat: int, row: Any, changed: int) -> None:
    """Write what `seat` sees into an int8 row (F,), which is right but for what `changed` says."""
    _game_of(state.dtype).observe(state, seat, row, changed)


def reward(state: Any, mode: int, rewards: Any) -> None:
    """Write what each seat earned by the deal just ended into a float row (players,)."""
    _game_of(state.dtype).reward(state, mode, rewards)


# What compiled code calls instead: numba asks each of these, with the arguments' types, for the
# function of the record's own game. Strict would refuse the annotations.


@overload(start, strict=False)  # type: ignore[untyped-decorator]  # numba is untyped
def _compiled_start(state: Any) -> Any:
    function = _function(state, "start")
    return lambda state: function(state)


@overload(deal, strict=False)  # type: ignore[untyped-decorator]  # numba is untyped
def _compiled_deal(state: Any) -> Any:
    function = _function(state, "deal")
    return lambda state: function(state)


@overload(begin_deal, strict=False)  # type: ignore[untyped-decorator]  # numba is untyped
def _compiled_begin_deal(state: Any) -> Any:
    function = _function(state, "begin_deal")
    return lambda state: function(state)


@overload(play, strict=False)  # type: ignore[untyped-decorator]  # numba is untyped
def _compiled_play(state: Any, action: Any) -> Any:
    function = _function(state, "play")
    return lambda state, action: function(state, action)


@overload(legal, strict=False)  # type: ignore[untyped-decorator]  # numba is untyped
def _compiled_legal(state: Any) -> Any:
    function = _function(state, "legal")
    return lambda state: function(state)


@overload(observe, strict=False)  # type: ignore[untyped-decorator]  # numba is untyped
def _compiled_observe(state: Any, seat: Any, row: Any, changed: Any) -> Any:
    function = _function(state, "observe")
    return lambda state, seat, row, changed: function(state, seat, row, changed)


@overload(reward, strict=False)  # type: ignore[untyped-decorator]  # numba is untyped
def _compiled_reward(state: Any, mode: Any, rewards: Any) -> Any:
    function = _function(state, "reward")
    return lambda state, mode, rewards: function(state, mode, rewards)


@compiled
def is_legal(state: Any, action: int) -> bool:
    """Whether the rules allow an action to the seat that is to act; any integer may be asked."""
    if action < 0 or action >= 128:
        return False
    low, high = legal(state)
    word = low if action < 64 else high
    return bool((word >> np.uint64(action & 63)) & np.uint64(1))
