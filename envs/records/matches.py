"""A match as JSON Lines: what stands in each line, and :func:`write_match`.

The format is described in :mod:`bidwise.envs.records.reading`, which reads it.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.envs.core.checks import check_int
from bidwise.envs.core.vocabulary import RUNNING, TERMINATED, TRUNCATED
from bidwise.envs.game import Game
from bidwise.envs.records.deals import (
    Deal,
    Played,
    play_actions,
    read_hands,
    read_start,
    totals_of,
    why_refused,
)
from bidwise.envs.records.json_lines import to_line
from bidwise.envs.records.notation import write_actions, write_hand
from bidwise.envs.states import apply_reset, deal_one, new_states

__all__ = [
    "FORMAT",
    "HEADER",
    "RESULTS",
    "VERSION",
    "begin_match",
    "deal_line",
    "dealt",
    "end_line",
    "header_line",
    "winners_of",
    "write_match",
]

FORMAT = "bidwise match"
VERSION = 1
HEADER = (
    "format",
    "version",
    "game",
    "env",
    "num_players",
    "rules",
    "deals",
    "seed",
    "table",
    "match",
    "start",
)
"""Fields of a header."""

RESULTS = {RUNNING: "open", TERMINATED: "terminated", TRUNCATED: "truncated"}

_MOST_ACTIONS = 1024
"""No deal has so many."""


def _name_match(game: Game, head: Mapping[str, Any], rules: Any) -> NDArray[np.void]:
    """One record (1,) that names the header's match; nothing is dealt."""
    states = new_states(game, 1, rules, head["num_players"], head["seed"], head["deals"])
    for name in ("table", "match"):
        check_int(name, head[name], 0, 2**64 - 1)
        states[name] = np.uint64(head[name])
    return states


def begin_match(
    game: Game, head: Mapping[str, Any], rules: Any, hands: Sequence[Sequence[int]] | None
) -> NDArray[np.void]:
    """One record (1,) at the beginning that a header tells; `hands` where they are given.

    Raises:
        ValueError: what cannot be; it begins with the field's name.
    """
    options = {name: value for name, value in head["start"].items() if name != "hands"}
    if hands is not None:
        options["hands"] = hands
    return apply_reset(game, _name_match(game, head, rules), options)


def header_line(game: Game, state: Any) -> dict[str, Any]:
    """The header of a match that begins with this record."""
    rules = game.read_rules(state)
    head: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "game": game.name,
        "env": game.env_id,
        "num_players": int(state["num_players"]),
        "rules": dataclasses.asdict(rules),
        "deals": int(state["episode_deals"]) or "match",
        "seed": int(state["seed"]),
        "table": int(state["table"]),
        "match": int(state["match"]),
    }
    fresh = apply_reset(game, _name_match(game, head, rules), None)[0]
    start: dict[str, Any] = {}
    if not np.array_equal(fresh["hands"], state["hands"]):
        start["hands"] = "given"
    if fresh["dealer"] != state["dealer"]:
        start["dealer"] = int(state["dealer"])
    return {**head, "start": {**start, **read_start(game, state)}}


def dealt(game: Game, rules: Any, state: Any) -> Deal:
    """The deal that has just been dealt on a record."""
    return Deal(
        game.name,
        rules,
        int(state["dealer"]),
        read_hands(game, state),
        start=read_start(game, state),
    )


def deal_line(game: Game, number: int, deal: Deal, played: Played | None = None) -> dict[str, Any]:
    """The line of a deal as far as it has been played; without `played`, what was dealt."""
    line: dict[str, Any] = {
        "deal": number,
        "dealer": deal.dealer,
        "hands": [write_hand(game.deck, hand) for hand in deal.hands],
    }
    if played is not None:
        line["actions"] = write_actions(game, played)
    if played is not None and played.outcome is not None:
        outcome = dataclasses.asdict(played.outcome)
        line.update({name: value for name, value in outcome.items() if value is not None})
    return line


def winners_of(game: Game, state: Any) -> tuple[int, ...]:
    """Indices of the highest totals, once the match is over."""
    scores = totals_of(game, state)
    if state["status"] == RUNNING:
        return ()
    return tuple(k for k, score in enumerate(scores) if score == max(scores))


def end_line(game: Game, state: Any, lines: Iterable[str]) -> dict[str, Any]:
    """The closing line of a match that stands at this record, after the given lines."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode())
    return {
        "end": RESULTS[int(state["status"])],
        "scores": totals_of(game, state),
        "winners": winners_of(game, state),
        "sha256": digest.hexdigest(),
    }


def write_match(game: Game, start: np.void, actions: Sequence[int]) -> str:
    """A match as JSON Lines, each with its newline.

    Args:
        game: the game.
        start: the table's record at the match's beginning, freshly dealt.
        actions: all actions since.

    Raises:
        ValueError: `start` is no beginning that a reset can make, or an action is illegal.
    """
    head, rules = header_line(game, start), game.read_rules(start)
    hands = read_hands(game, start) if "hands" in head["start"] else None
    try:
        states = begin_match(game, head, rules, hands)
    except ValueError as error:
        raise ValueError(f"start: no match begins with such a record: {error}") from None
    for name in game.dtype.names or ():
        if not np.array_equal(states[0][name], start[name]):
            raise ValueError(f"start: no match begins with such a record: {name} differs")
    lines = [to_line(head)]
    first = 0
    while True:
        deal, number = dealt(game, rules, states[0]), int(states[0]["deal_number"])
        played = play_actions(game, states, actions[first : first + _MOST_ACTIONS])
        lines.append(to_line(deal_line(game, number, deal, played)))
        first += len(played.actions)
        if played.outcome is None or states[0]["status"] != RUNNING:
            break
        deal_one(states)
    if first < len(actions):
        why = why_refused(game, states, played, actions[first - len(played.actions) :])
        raise ValueError(f"actions: number {first}: {why}")
    return "".join([*lines, to_line(end_line(game, states[0], lines))])
