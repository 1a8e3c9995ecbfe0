"""Records of matches: JSON Lines, and their replay, which trusts nothing that it reads.

A match is a header line, a line for each deal, and a closing line:

- header: ``format``, ``version``, ``game``, ``env``, ``num_players``, ``rules`` (every field),
  ``deals`` (``"match"``, or the episode's number of deals), ``seed``, ``table``, ``match``,
  and ``start``: reset's options, as far as they differ from a fresh match (``hands`` says
  ``"given"``; the hands stand in the first deal's line);
- a deal: ``deal`` (its number in the match, from 0), ``dealer``, ``hands`` and ``actions`` as
  in :mod:`bidwise.envs.records.notation`; of a finished one ``tricks`` taken (by seat), ``points``,
  and the ``totals`` after it (by seat; in Spades by pair, with the ``bags``);
- closing line: ``end`` (``"terminated"``; ``"truncated"`` by `max_deals`; ``"open"``: the
  match goes on, and the deal on the table is told as far as it was played), ``scores``,
  ``winners`` (indices of the highest scores, none of an open match), and the ``sha256`` of
  all lines before.

A match has one spelling. :func:`replay` deals from the seed, plays every action, writes each
line anew and compares: it accepts what :func:`write_match` writes, and nothing else. The
checksum tells of edits that happen to be legal play; it is no signature.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bidwise.envs.core.checks import rules_from_fields
from bidwise.envs.core.files import append_chunks, write_chunks
from bidwise.envs.core.vocabulary import RUNNING
from bidwise.envs.game import Game
from bidwise.envs.games import GAMES, get_game
from bidwise.envs.records.deals import Deal, Outcome, totals_of
from bidwise.envs.records.json_lines import LONGEST_LINE, Line, RecordError, cut, read_line
from bidwise.envs.records.matches import (
    FORMAT,
    HEADER,
    RESULTS,
    VERSION,
    begin_match,
    deal_line,
    dealt,
    end_line,
    header_line,
    winners_of,
    write_match,
)
from bidwise.envs.records.notation import NotationError, parse_actions, parse_hand, split_words
from bidwise.envs.states import deal_one

__all__ = [
    "PlayedDeal",
    "RecordError",
    "Replayed",
    "read_matches",
    "replay",
    "save",
    "write_match",
]

LONGEST_MATCH = 1 << 26
"""Bytes of a match: some 100,000 deals."""


@dataclass(frozen=True)
class PlayedDeal:
    """One deal of a match, and what came of it."""

    number: int
    """Of the match, from 0."""
    deal: Deal
    """The deal by itself; its `start` tells where the match stood."""
    outcome: Outcome | None
    """None while the deal is open."""


@dataclass(frozen=True)
class Replayed:
    """A match that was played again and is as its record says."""

    game: Game
    rules: Any
    num_players: int
    start: np.void
    """The table's record at the match's beginning."""
    actions: tuple[int, ...]
    """All actions since."""
    deals: tuple[PlayedDeal, ...]
    state: np.void
    """The table's record now; an env whose ``state`` it becomes plays on from here."""
    result: str
    """``"terminated"``, ``"truncated"`` or ``"open"``."""
    scores: tuple[int, ...]
    """Totals: a player's; in Spades a pair's."""
    winners: tuple[int, ...]
    """Indices of the highest scores, several where they share the win; none while open."""


def _check_header(head: Line) -> tuple[Game, Any]:
    """The header's game and rules; other fields have the right names, if not values."""
    found = head.found
    if found.get("format") != FORMAT:
        head.refuse(f"no header: the field 'format' is not {FORMAT!r}")
    if found.get("version") != VERSION:
        head.refuse(f"version: {cut(repr(found.get('version')), 40)}; this reads {VERSION}")
    head.check_names("header", found, HEADER)
    if not isinstance(found["game"], str) or found["game"] not in GAMES:
        head.refuse(f"game: {cut(repr(found['game']), 40)} is not one of {', '.join(GAMES)}")
    game = get_game(found["game"])
    head.check_values({"env": game.env_id}, "this plays")
    for name in ("rules", "start"):
        if not isinstance(found[name], dict):
            head.refuse(f"{name}: expected an object, got {cut(repr(found[name]), 40)}")
    head.check_names("rules", found["rules"], game.rules.__dataclass_fields__)
    for name in found["start"]:
        if name not in game.option_names:
            head.refuse(f"start: unknown field {cut(name, 40)!r}")
    if found["start"].get("hands", "given") != "given":
        head.refuse("start: hands may only be 'given'; they stand in the first deal's line")
    try:
        return game, rules_from_fields(game.rules, found["rules"])
    except ValueError as error:
        head.refuse(f"rules: {error}")


def _given_hands(game: Game, row: Line) -> tuple[tuple[int, ...], ...]:
    hands = row.found.get("hands")
    if not isinstance(hands, list) or not all(isinstance(hand, str) for hand in hands):
        row.refuse("hands: expected a list of hands as text")
    seen: set[int] = set()
    given = []
    for seat, hand in enumerate(hands):
        try:
            given.append(parse_hand(game.deck, split_words(hand), seen))
        except NotationError as error:
            row.refuse(f"hands: player_{seat}, {error}")
    return tuple(given)


def _replay(lines: Sequence[str], first: int) -> Replayed:
    def line(k: int, expected: str) -> Line:
        if k >= len(lines):
            raise RecordError(first + len(lines), f"the record ends before {expected}")
        return read_line(first + k, lines[k])

    head = line(0, "a header")
    game, rules = _check_header(head)
    row = line(1, "the first deal")
    hands = _given_hands(game, row) if "hands" in head.found["start"] else None
    try:
        states = begin_match(game, head.found, rules, hands)
    except (ValueError, TypeError) as error:
        (row if str(error).startswith("hands") else head).refuse(str(error))
    head.check("header", header_line(game, states[0]), "this match begins with")
    start = states[0].copy()
    deals: list[PlayedDeal] = []
    while True:
        deal, number = dealt(game, rules, states[0]), int(states[0]["deal_number"])
        if "actions" not in row.found:
            row.refuse(f"the line of deal {number} is missing")
        row.check_values(deal_line(game, number, deal), "the next deal of this match has")
        text = row.found["actions"]
        if not isinstance(text, str):
            row.refuse(f"actions: expected text, got {cut(repr(text), 40)}")
        try:
            played = parse_actions(game, states, split_words(text))
        except NotationError as error:
            row.refuse(f"actions: {error}")
        row.check("deal", deal_line(game, number, deal, played), "the play comes to")
        deals.append(PlayedDeal(number, replace(deal, actions=played.actions), played.outcome))
        if played.outcome is None or states[0]["status"] != RUNNING:
            break
        deal_one(states)
        row = line(1 + len(deals), f"deal {number + 1}")
    last = line(1 + len(deals), "the closing line")
    if "actions" in last.found:
        over = "unfinished" if played.outcome is None else "the match's last"
        last.refuse(f"a deal follows, but the deal before is {over}")
    closing = end_line(game, states[0], lines[: 1 + len(deals)])
    digest = closing.pop("sha256")
    last.check_values(closing, "the play comes to")
    last.check_values({"sha256": digest}, "the lines before, if nobody edited them, have")
    last.check("closing line", {**closing, "sha256": digest}, "the play comes to")
    if len(lines) > 2 + len(deals):
        raise RecordError(first + 2 + len(deals), "text after the closing line")
    return Replayed(
        game=game,
        rules=rules,
        num_players=int(start["num_players"]),
        start=start,
        actions=tuple(action for each in deals for action in each.deal.actions),
        deals=tuple(deals),
        state=states[0].copy(),
        result=RESULTS[int(states[0]["status"])],
        scores=totals_of(game, states[0]),
        winners=winners_of(game, states[0]),
    )


def _decode(number: int, line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise RecordError(number, f"no UTF-8: {error.reason} at byte {error.start}") from None


def replay(text: str | bytes) -> Replayed:
    """Play one match again from its record, checking everything in it.

    Raises:
        RecordError: the record is broken, cut off or edited, or says what cannot be; the
            line, and the reason.
    """
    if len(text) > LONGEST_MATCH:
        raise RecordError(1, f"the match is longer than {LONGEST_MATCH} bytes")
    if isinstance(text, bytes):
        text = "\n".join(_decode(k, line) for k, line in enumerate(text.split(b"\n"), start=1))
    *whole, rest = text.split("\n")
    lines = [line + "\n" for line in whole]
    return _replay([*lines, rest] if rest else lines, 1)


def read_matches(path: str | Path) -> Iterator[Replayed]:
    """Replay the matches of a file one after the other; only one is held in memory.

    Raises:
        RecordError: as :func:`replay`, with the line of the file; also for an empty file.
        OSError: the file cannot be read.
    """
    with Path(path).open("rb") as file:
        first, size = 1, 0
        lines: list[str] = []
        while line := file.readline(LONGEST_LINE + 1):
            number = first + len(lines)
            size += len(line)
            if len(line) > LONGEST_LINE:
                raise RecordError(number, f"longer than {LONGEST_LINE} bytes")
            if size > LONGEST_MATCH:
                raise RecordError(number, f"the match is longer than {LONGEST_MATCH} bytes")
            lines.append(_decode(number, line))
            if lines[-1].startswith('{"end":'):
                yield _replay(lines, first)
                first, size, lines = number + 1, 0, []
        if lines or first == 1:
            _replay(lines, first)


def save(path: str | Path, records: str | Iterable[str], *, append: bool = False) -> None:
    """Write matches to a file, whatever the platform's newlines; `append` adds to those there.

    All of them are written, or none: where that fails, the file is as it was before.

    Raises:
        ValueError: a record, or the file to be added to, does not end in a newline.
        OSError: the file cannot be written; it names the file and the cause.
    """
    texts = [records] if isinstance(records, str) else records
    where = Path(path)
    if not append:
        write_chunks(where, _encoded(texts))
        return
    if where.is_file() and where.stat().st_size:
        with where.open("rb") as file:
            file.seek(-1, 2)
            if file.read() != b"\n":
                raise ValueError(f"{path}: its last line is cut off")
    append_chunks(where, _encoded(texts))


def _encoded(texts: Iterable[str]) -> Iterator[bytes]:
    for text in texts:
        if not text.endswith("\n"):
            raise ValueError("records: a record does not end in a newline")
        yield text.encode()
