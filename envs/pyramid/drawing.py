"""Pyramid as text: the table, and each player's score sheet.

The sheet is the inventor's: a line for each bid, the bid in the centre, the tricks taken
for each announcement of it to the left, the points to the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bidwise.envs.core.cards import DECK_24, NO_TRUMP, SUIT_SYMBOLS
from bidwise.envs.core.checks import check_int
from bidwise.envs.core.drawing import (
    card_text,
    draw_hand,
    draw_seats,
    flow,
    grid,
    hide_hand,
    join_lines,
    join_names,
    last_trick,
    preset_name,
    seat_name,
    to_act,
)
from bidwise.envs.core.vocabulary import RUNNING
from bidwise.envs.pyramid.rules import CONFERENCE, NUM_BIDS, PyramidRules
from bidwise.envs.pyramid.scoring import declarer_points
from bidwise.envs.pyramid.state import CARD, DECLARE, HAND_SIZE, SIGNAL, SLOTS, read_rules

__all__ = ["draw_pyramid", "draw_table"]

Announcement = tuple[int, int | None]
"""A bid, and the tricks taken; None where they are not known (yet)."""

_TO_DO = {DECLARE: "is to declare", SIGNAL: "is to say a signal", CARD: "is to play a card"}
_OPEN = CONFERENCE.index("open")
_UNKNOWN = "?"


def _sheet(announced: Sequence[Announcement], quota: Sequence[int]) -> list[list[tuple[str, str]]]:
    """For each bid 0..6 its slots as texts (taken, points), blank where unspent."""
    slots: list[list[tuple[str, str]]] = [[] for _ in range(NUM_BIDS)]
    for bid, taken in announced:
        check_int("bid", bid, 0, NUM_BIDS - 1)
        if taken is None:
            slots[bid].append((_UNKNOWN, _UNKNOWN))
        else:
            check_int("taken", taken, 0, HAND_SIZE)
            slots[bid].append((str(taken), str(declarer_points(bid, taken))))
    for bid, spent in enumerate(slots):
        if len(spent) > quota[bid]:
            raise ValueError(f"bid {bid}: announced {len(spent)} times, the quota is {quota[bid]}")
        spent += [("", "")] * (quota[bid] - len(spent))
    return slots


def draw_pyramid(
    announced: Sequence[Announcement],
    quota: Sequence[int] = PyramidRules().quota,
    title: str = "",
) -> str:
    """One player's sheet, boxed: at the left the tricks taken, the bid, at the right the points.

    Args:
        announced: (bid, tricks taken) in the order of the announcements, which fill their
            line from the centre outwards; None for tricks not known.
        quota: how often each bid 0..6 may be announced.
        title: a line above.

    Raises:
        ValueError: no bid or number of tricks, or a bid announced more often than its quota.
    """
    slots = _sheet(announced, quota)
    side = 5 * max(quota)
    rows = []
    for bid in range(NUM_BIDS - 1, -1, -1):
        row = [(side + 1, 3, str(bid))]
        for k, (taken, points) in enumerate(slots[bid], start=1):
            row += [(side + 1 - 5 * k, 4, f"{taken:>2}"), (side + 5 * k, 4, f"{points:>2}")]
        if slots[bid]:
            rows.append(row)
    total = sum(int(points) for spent in slots for _, points in spent if points.strip(_UNKNOWN))
    lines = [
        *([title.center(2 * side + 5), ""] if title else []),
        "taken".center(side) + " bid " + "points".center(side),
        *grid(rows, double=(side, side + 4)),
        " " * (side + 5) + f"sum {total}".center(side),
    ]
    return join_lines(lines)


def _draw_sheet(announced: Sequence[Announcement], quota: Sequence[int], title: str) -> list[str]:
    """One player's sheet for the table: as narrow as it goes."""
    slots = _sheet(announced, quota)
    width = 2 * max(quota) - 1
    middle = max(width + 2, len(title) // 2)
    lines = [" " * (middle - len(title) // 2) + title]
    for bid in range(NUM_BIDS - 1, -1, -1):
        if quota[bid]:
            left = " ".join(taken or "·" for taken, _ in reversed(slots[bid]))
            right = " ".join(f"{points or '·':>2}" for _, points in slots[bid])
            lines.append(f"{left:>{middle - 2}} │{bid}│{right}")
    return lines


def _announcements(state: Any, seat: int) -> list[Announcement]:
    first = seat * SLOTS
    found: list[Announcement] = []
    for k in range(first, first + int(state["num_announced"][seat])):
        taken = int(state["taken"][k])
        found.append((int(state["announced"][k]) - 1, taken - 1 if taken else None))
    return found


def _sees(state: Any, viewer: int | None, seat: int) -> bool:
    """Whether a viewer (None: everybody's) may see a seat's hand."""
    if viewer is None or viewer == seat:
        return True
    declarer = int(state["declarer"])
    return state["conference"] == _OPEN and declarer not in (viewer, seat)


def _draw_seat(state: Any, seat: int, viewer: int | None) -> list[str]:
    hand = DECK_24.cards(int(state["hands"][seat]))
    role = {int(state["dealer"]): " (dealer)", int(state["declarer"]): " (declarer)"}
    running = state["status"] == RUNNING
    facts = [f"took {state['tricks_taken'][seat]}"]
    token = int(state["signals"][min(int(state["tricks_played"]), 5) * 4 + seat])
    if token and running:
        facts.append(f"says {token - 1}")
    return [
        ("▸ " if running and seat == state["player"] else "")
        + seat_name(seat)
        + role.get(seat, ""),
        ", ".join(facts),
        *(draw_hand(DECK_24, hand) if _sees(state, viewer, seat) else hide_hand(len(hand))),
    ]


def _headlines(state: Any) -> list[str]:
    players = int(state["num_players"])
    rules = read_rules(state)
    lines = [
        f"Pyramid, {preset_name(rules)}: deal {int(state['deal_number']) + 1} "
        f"of {players * rules.deals_per_player}"
    ]
    if state["bid"] >= 0:
        trump = int(state["denomination"])
        what = "no trump" if trump == NO_TRUMP else f"trump {SUIT_SYMBOLS[trump]}"
        lines.append(f"{seat_name(int(state['declarer']))} declares {state['bid']}, {what}")
    if state["status"] == RUNNING:
        lines.append(to_act(state, _TO_DO))
    else:
        totals = [int(total) for total in state["totals"][:players]]
        best = [seat_name(k) for k, total in enumerate(totals) if total == max(totals)]
        verb = "wins" if len(best) == 1 else "share the win"
        lines.append(f"Over: {join_names(best)} {verb} with {max(totals)}")
    return lines


def draw_table(state: Any, viewer: int | None = None) -> str:
    """The table as text.

    Args:
        state: a Pyramid record.
        viewer: a seat, which is drawn at the bottom and sees no more than it may; None shows
            every hand, seat 0 at the bottom.
    """
    players = int(state["num_players"])
    trick = [int(card) - 1 for card in state["trick"][:players]]
    lines = _headlines(state)
    lines.append("")
    lines += draw_seats(
        [_draw_seat(state, seat, viewer) for seat in range(players)],
        [card_text(DECK_24, card) if card >= 0 else "" for card in trick],
        viewer or 0,
    )
    lines += last_trick(DECK_24, state)
    quota = [int(count) for count in state["quota"]]
    sheets = [
        _draw_sheet(
            _announcements(state, seat), quota, f"{seat_name(seat)}: {state['totals'][seat]}"
        )
        for seat in range(players)
    ]
    return join_lines([*lines, "", *flow(sheets, gap=4)])
