"""Pieces of a table drawn as text: hands, the trick, seats around it, sheets side by side.

A *block* is a list of lines. Drawings are plain text of at most 100 columns; :func:`colour`
adds red suits for a terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from bidwise.envs.core.cards import SUIT_SYMBOLS, Deck

__all__ = [
    "WIDTH",
    "beside",
    "card_text",
    "colour",
    "draw_hand",
    "draw_seats",
    "flow",
    "grid",
    "hide_hand",
    "join_lines",
    "join_names",
    "last_trick",
    "preset_name",
    "seat_name",
    "to_act",
]

Block = list[str]

WIDTH = 100
"""Columns that no drawing exceeds."""

_NOTHING = "–"
_BOX = 21
_RED = re.compile(r"[♥♦](?: ?[2-9TJQKA](?!\w))*")


def seat_name(seat: int) -> str:
    """The agent on a seat."""
    return f"player_{seat}"


def join_lines(lines: Block) -> str:
    """A finished drawing: no spaces at the ends of lines, a newline after the last."""
    return "\n".join(line.rstrip() for line in lines) + "\n"


def join_names(names: Sequence[str]) -> str:
    """``"a"``, ``"a and b"``, ``"a, b and c"``."""
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def card_text(deck: Deck, card: int) -> str:
    """A card as people write it: ``"♠T"``."""
    suit, rank = divmod(card, deck.num_ranks)
    return SUIT_SYMBOLS[suit] + deck.ranks[rank]


def preset_name(rules: Any) -> str:
    """``"piki rules"``, or ``"zone rules, changed"`` after the preset that is nearest."""

    def changes(name: str) -> int:
        preset = rules.preset(name)
        return sum(getattr(rules, one.name) != getattr(preset, one.name) for one in fields(rules))

    nearest = min(rules.presets(), key=changes)
    return f"{nearest} rules" + (", changed" if changes(nearest) else "")


def draw_hand(deck: Deck, cards: Iterable[int]) -> Block:
    """A line a suit, spades first, high cards first."""
    held = sorted(cards, reverse=True)
    block = []
    for suit in range(3, -1, -1):
        ranks = [
            deck.ranks[card % deck.num_ranks] for card in held if card // deck.num_ranks == suit
        ]
        block.append(f"{SUIT_SYMBOLS[suit]} {' '.join(ranks) or _NOTHING}")
    return block


def hide_hand(count: int) -> Block:
    """A hand of so many cards that the viewer may not see."""
    return [" ".join("▒" * count) or _NOTHING, "", "", ""]


def _padded(block: Block, width: int = 0) -> Block:
    width = max(width, *map(len, block)) if block else width
    return [line.ljust(width) for line in block]


def beside(blocks: Sequence[Block], gap: int = 2) -> Block:
    """Blocks side by side, their tops aligned."""
    height = max(map(len, blocks))
    columns = [_padded(block + [""] * (height - len(block))) for block in blocks]
    return [(" " * gap).join(row) for row in zip(*columns, strict=True)]


def flow(blocks: Sequence[Block], gap: int = 2, width: int = WIDTH) -> Block:
    """Blocks side by side, in as many rows as the width asks for."""
    rows: list[list[Block]] = []
    used = width + 1
    for block in blocks:
        size = max(map(len, block))
        if used + gap + size > width:
            rows.append([])
            used = -gap
        rows[-1].append(block)
        used += gap + size
    lines: Block = []
    for row in rows:
        lines += [""] * bool(lines) + beside(row, gap)
    return lines


def _draw_trick(cards: Sequence[str]) -> Block:
    """The table with four cards (``""``: none) at the bottom, left, top and right."""
    south, west, north, east = cards
    inner = _BOX - 2
    middle = f"  {west:<5}{east:>{inner - 9}}  "
    rows = [north.center(inner), "", middle, "", south.center(inner)]
    return [
        "╭" + "─" * inner + "╮",
        *("│" + row.ljust(inner) + "│" for row in rows),
        "╰" + "─" * inner + "╯",
    ]


def draw_seats(blocks: Sequence[Block], cards: Sequence[str], bottom: int) -> Block:
    """Two to four seats around the trick, clockwise from seat `bottom`.

    Args:
        blocks: each seat's own block.
        cards: each seat's card on the table, ``""`` for none.
    """
    players = len(blocks)
    seats = [(bottom + k) % players for k in range(players)]
    sides = {2: (0, 2), 3: (0, 1, 3), 4: (0, 1, 2, 3)}[players]
    at: list[Block] = [[], [], [], []]
    on_table = [""] * 4
    for side, seat in zip(sides, seats, strict=True):
        at[side], on_table[side] = blocks[seat], cards[seat]
    south, west, north, east = at
    box = _draw_trick(on_table)
    left = max(22, *map(len, west), 0)
    top = max(0, (len(box) - max(len(west), len(east))) // 2)
    sides_block = beside(
        [_padded([""] * top + west, left), box, [""] * top + east],
        gap=3,
    )
    margin = " " * (left + 3 + 4)
    return [margin + line for line in north] + sides_block + [margin + line for line in south]


def to_act(state: Any, what: Mapping[int, str]) -> str:
    """Who is to act, and to do what (by decision), and who led to the trick on the table."""
    led = f"; {seat_name(int(state['leader']))} led" if state["trick_size"] else ""
    return f"{seat_name(int(state['player']))} {what[int(state['decision'])]}{led}"


def last_trick(deck: Deck, state: Any) -> Block:
    """The trick taken last, in the order of play; nothing before the first."""
    number = int(state["tricks_played"])
    if not number:
        return []
    cards = [card for card in range(deck.num_cards) if state["played_trick"][card] == number]
    cards.sort(key=lambda card: int(state["played_place"][card]))
    shown = " ".join(card_text(deck, card) for card in cards)
    return ["", f"Last trick: {shown}, taken by {seat_name(int(state['leader']))}"]


_LINES = {
    # up, down, left, right: joints of single lines; of a double vertical.
    (0, 0, 1, 1): "──",
    (1, 1, 0, 0): "│║",
    (0, 1, 0, 1): "┌╓",
    (0, 1, 1, 0): "┐╖",
    (1, 0, 0, 1): "└╙",
    (1, 0, 1, 0): "┘╜",
    (1, 1, 0, 1): "├╟",
    (1, 1, 1, 0): "┤╢",
    (0, 1, 1, 1): "┬╥",
    (1, 0, 1, 1): "┴╨",
    (1, 1, 1, 1): "┼╫",
}


def grid(rows: Sequence[Sequence[tuple[int, int, str]]], double: Iterable[int]) -> Block:
    """Boxes around cells, joined where they touch.

    Args:
        rows: cells of each row as (first column, columns, text); their borders stand on the
            columns just outside.
        double: columns whose vertical lines are double.
    """
    doubled = set(double)
    width = max(first + size for row in rows for first, size, _ in row) + 1
    joints = [[[0, 0, 0, 0] for _ in range(width)] for _ in range(2 * len(rows) + 1)]
    text = [[" "] * width for _ in range(2 * len(rows) + 1)]
    for number, row in enumerate(rows):
        above, line, below = 2 * number, 2 * number + 1, 2 * number + 2
        for first, size, content in row:
            left, right = first - 1, first + size
            for column in (left, right):
                joints[above][column][1] = joints[line][column][0] = 1
                joints[line][column][1] = joints[below][column][0] = 1
            for y in (above, below):
                for column in range(left, right + 1):
                    joints[y][column][2] |= column > left
                    joints[y][column][3] |= column < right
            text[line][first:right] = content.center(size)[:size]
    for y, joint_row in enumerate(joints):
        for x, joint in enumerate(joint_row):
            if any(joint):
                text[y][x] = _LINES[tuple(joint)][x in doubled]  # type: ignore[index]
    return ["".join(line) for line in text]


def colour(text: str) -> str:
    """A drawing for a terminal that knows ANSI colours: hearts and diamonds in red."""
    return _RED.sub(lambda found: f"\x1b[31m{found.group()}\x1b[0m", text)
