"""A deal as one line of text, so that a test of a rule or a puzzle is one line.

::

    pyramid dealer=3 : AH | KH | 9S | JS : 1:S / AH KH 9S JS

Three parts stand between colons: what is played, the hands, the actions. The first names
the game, a preset if it is not the default one, the dealer, whatever rule differs from the preset
(``following=suit``) and where the match stood (``totals=480,-20 bags=9,0``; Pyramid's
``spent=0,0,1,0,0,0,0;...``, a row a player). A hand, from seat 0 on, lists ranks before
their suit: ``AKS TH 942C``. Actions go by their names; ``/`` marks where a trick begins and
may be left out. The line may stop anywhere; ``write_deal`` and ``parse_deal`` are inverses.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.envs.core.cards import SUIT_LETTERS, Deck
from bidwise.envs.game import Game
from bidwise.envs.games import GAMES, get_game
from bidwise.envs.records.deals import (
    BEFORE_TRICKS,
    Deal,
    Played,
    has_rows,
    play_actions,
    why_refused,
)

__all__ = [
    "NotationError",
    "parse_actions",
    "parse_deal",
    "parse_hand",
    "split_words",
    "write_actions",
    "write_deal",
    "write_hand",
]

LONGEST = 20_000
"""Characters of a line; the longest deal has some 600."""

_WHOLE = re.compile(r"-?[0-9]{1,9}")
_WORDS = {"True": True, "False": False, "None": None}

Token = tuple[int, str]
"""A word, and the column where it begins, from 1."""


class NotationError(ValueError):
    """A text that is no deal: the column (from 1), and the reason."""

    def __init__(self, column: int, reason: str) -> None:
        super().__init__(f"column {column}: {reason}")
        self.column = column
        self.reason = reason


def split_words(text: str) -> list[Token]:
    """The words of a text, each with its column."""
    return [(found.start() + 1, found.group()) for found in re.finditer(r"\S+", text)]


def _short(text: str) -> str:
    return repr(text) if len(text) <= 40 else repr(text[:40]) + "…"


def _split(tokens: Iterable[Token], mark: str) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token[1] == mark:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def write_hand(deck: Deck, cards: Iterable[int]) -> str:
    """A hand by suits, spades first, high ranks first: ``"AKS TH 942C"``."""
    groups: dict[int, str] = {}
    num_ranks = deck.num_ranks
    for card in sorted(cards, reverse=True):
        suit, rank = divmod(card, num_ranks)
        groups[suit] = groups.get(suit, "") + deck.ranks[rank]
    return " ".join(ranks + SUIT_LETTERS[suit] for suit, ranks in groups.items())


def parse_hand(deck: Deck, words: Iterable[Token], seen: set[int]) -> tuple[int, ...]:
    """Sorted card ids of a hand's words; they are added to `seen`, and refused if there."""
    cards = []
    for column, word in words:
        ranks: list[int] = []
        for place, letter in enumerate(word, start=column):
            if letter in deck.ranks:
                ranks.append(deck.ranks.index(letter))
            elif letter not in SUIT_LETTERS:
                raise NotationError(
                    place,
                    f"{letter!r} is neither a rank of {deck.ranks} nor a suit of {SUIT_LETTERS}",
                )
            elif not ranks:
                raise NotationError(place, f"no rank stands before {letter!r}")
            else:
                for rank in ranks:
                    card = SUIT_LETTERS.index(letter) * deck.num_ranks + rank
                    if card in seen:
                        raise NotationError(place, f"card {deck.name(card)} is given twice")
                    seen.add(card)
                    cards.append(card)
                ranks = []
        if ranks:
            raise NotationError(column, f"no suit stands after {_short(word)}")
    return tuple(sorted(cards))


def write_actions(game: Game, played: Played) -> str:
    """Names of the actions, a ``/`` before each trick: ``"4:S / AS KS 9S JS / ..."``."""
    words, trick = [], BEFORE_TRICKS
    for action, of in zip(played.actions, played.tricks, strict=True):
        if of != trick:
            words.append("/")
            trick = of
        words.append(game.action_name(action))
    return " ".join(words)


def parse_actions(game: Game, states: NDArray[np.void], tokens: Sequence[Token]) -> Played:
    """Play the named actions into the deal on the one record.

    Raises:
        NotationError: no action of the game, or one that the rules forbid to the seat in turn,
            or a ``/`` where no trick begins.
    """
    columns: list[int] = []
    actions: list[int] = []
    marks: list[tuple[int, int]] = []
    for column, word in tokens:
        if word == "/":
            marks.append((column, len(actions)))
            continue
        try:
            actions.append(game.parse_action(word))
        except ValueError:
            raise NotationError(column, f"{_short(word)} is no action of {game.name}") from None
        columns.append(column)
    played = play_actions(game, states, actions)
    count = len(played.actions)
    if count < len(actions):
        raise NotationError(columns[count], why_refused(game, states, played, actions))
    before = (BEFORE_TRICKS, *played.tricks)
    begins = [k for k in range(count) if played.tricks[k] != before[k]]
    for column, k in marks:
        if k not in begins:
            raise NotationError(column, "'/' stands before no trick's first action")
        begins.remove(k)
    return played


def _write_value(value: Any) -> str:
    if isinstance(value, tuple):
        return (";" if isinstance(value[0], tuple) else ",").join(map(_write_value, value))
    return str(value)


def _parse_value(column: int, text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if ";" in text:
        return tuple(_numbers(column, row) for row in text.split(";"))
    if "," in text:
        return _numbers(column, text)
    return int(text) if _WHOLE.fullmatch(text) else text


def _numbers(column: int, text: str) -> tuple[int, ...]:
    words = text.split(",")
    for word in words:
        if not _WHOLE.fullmatch(word):
            raise NotationError(column, f"{_short(word)} is no whole number")
    return tuple(map(int, words))


def _write_rules(game: Game, rules: Any) -> list[str]:
    """A preset's name, unless it is the default's, and what differs from that preset."""
    best: list[str] | None = None
    for name in game.rules.presets():
        preset = game.rules.preset(name)
        changes = [
            f"{field.name}={_write_value(getattr(rules, field.name))}"
            for field in dataclasses.fields(rules)
            if getattr(rules, field.name) != getattr(preset, field.name)
        ]
        if best is None or len(changes) < len(best):
            best, nearest = changes, name
    assert best is not None
    return best if nearest == game.default_preset else [nearest, *best]


def write_deal(deal: Deal) -> str:
    """The deal as one line, in the notation's one canonical spelling.

    Raises:
        ValueError: the deal cannot be, or an action is illegal.
    """
    game, (_, played) = get_game(deal.game), deal.play()
    head = [game.name, *_write_rules(game, deal.rules), f"dealer={deal.dealer}"]
    for name in game.option_names:
        if name in deal.start:
            rows = deal.start[name]
            value = tuple(tuple(row) if isinstance(row, list | tuple) else row for row in rows)
            head.append(f"{name}={_write_value(value)}")
    parts = [" ".join(head), " | ".join(write_hand(game.deck, hand) for hand in deal.hands)]
    if played.actions:
        parts.append(write_actions(game, played))
    return " : ".join(parts)


def parse_deal(text: str) -> Deal:
    """The deal that a line tells; every action is checked by the engine.

    Raises:
        NotationError: with the column and the reason.
    """
    if len(text) > LONGEST:
        raise NotationError(LONGEST + 1, f"longer than {LONGEST} characters")
    tokens = split_words(text)
    parts = _split(tokens, ":")
    colons = [column for column, word in tokens if word == ":"]
    if len(parts) < 2:
        raise NotationError(len(text) + 1, "no ' : ' stands before the hands")
    if len(parts) > 3:
        raise NotationError(colons[2], "a third ':'; expected game : hands : actions")
    head, hands = parts[0], _split(parts[1], "|")
    if not head or head[0][1] not in GAMES:
        word = _short(head[0][1]) + " is" if head else "the first word is"
        raise NotationError(head[0][0] if head else 1, f"{word} none of {', '.join(sorted(GAMES))}")
    game = get_game(head[0][1])
    columns: dict[str, int] = {"hands": colons[0], "num_players": colons[0]}
    preset, given = game.default_preset, head[1:]
    if given and "=" not in given[0][1]:
        column, preset = given.pop(0)
        if preset not in game.rules.presets():
            known = ", ".join(game.rules.presets())
            raise NotationError(column, f"preset {_short(preset)} is not one of {known}")
    rules_fields = {field.name for field in dataclasses.fields(game.rules)}
    changes: dict[str, Any] = {}
    start: dict[str, Any] = {}
    for column, word in given:
        name, equals, value = word.partition("=")
        if not equals or name not in rules_fields | set(game.option_names) - {"hands"}:
            raise NotationError(column, f"{_short(word)} sets nothing that {game.name} knows")
        if name in columns:
            raise NotationError(column, f"{name} is given twice")
        columns[name] = column
        (changes if name in rules_fields else start)[name] = _parse_value(column, value)
    if "dealer" not in start:
        raise NotationError(colons[0], "no dealer is given")
    for name, value in start.items():
        if name != "dealer" and not isinstance(value, tuple):
            raise NotationError(columns[name], f"{name}: expected several whole numbers")
        if name != "dealer" and has_rows(game, name) and not isinstance(value[0], tuple):
            raise NotationError(columns[name], f"{name}: expected a row a player, separated by ';'")
    seen: set[int] = set()
    dealt = tuple(parse_hand(game.deck, words, seen) for words in hands)
    try:
        rules = dataclasses.replace(game.rules.preset(preset), **changes)
        deal = Deal(game.name, rules, start.pop("dealer"), dealt, (), start)
        states = deal.begin()
    except ValueError as error:
        name = str(error).partition(":")[0]
        raise NotationError(columns.get(name, 1), str(error)) from None
    played = parse_actions(game, states, parts[2] if len(parts) == 3 else [])
    return dataclasses.replace(deal, actions=played.actions)
