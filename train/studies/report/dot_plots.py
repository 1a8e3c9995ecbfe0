"""The pictures of a study that set things beside each other: strategies, and rules."""

from __future__ import annotations

import textwrap
from typing import Any

from bidwise.agents.outcomes.table import DOUBLE_DUMMY
from bidwise.train.run.plot_style import (
    INK,
    LINES,
    QUIET,
    folded,
    new_figure,
    room_for_names,
    style_axes,
)
from bidwise.train.studies.analysis.conferring import Conferring
from bidwise.train.studies.analysis.findings import DP, Findings, Standing, note_of
from bidwise.train.studies.analysis.rule_costs import Mark, Scale

__all__ = ["scale_figure", "strategies_figure"]


def strategies_figure(found: Findings) -> Any:
    """Ways to bid, from the zero to the one of the skill index and beyond."""
    names = sorted(found.standings, key=lambda name: round(_mean(found.standings[name]), 6))
    figure, (axes,) = new_figure("Ways to spend a pyramid", note_of(found), right=0.85, bottom=0.22)
    for row, name in enumerate(names):
        standing = found.standings[name]
        points, index = standing.points, standing.index
        colour = LINES[0] if name == DP else LINES[1] if name.endswith(")") else INK
        mean = _mean(standing)
        axes.plot(mean, row, "o", color=colour, markersize=6)
        if standing.exact is None:  # no caps: where the interval is narrow they fall on the dot
            axes.plot([points.low, points.high], [row, row], color=colour, linewidth=1.8)
        axes.annotate(
            f"{mean:.1f}",
            (mean, row),
            xytext=(0, 8),
            textcoords="offset points",
            ha="center",
            fontsize=9.5,
            color=colour,
        )
        axes.annotate(
            f"{round(index.mean, 2) + 0.0:+.2f}".replace("-", "−"),
            (1.12, row),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="center",
            fontsize=10,
            color=colour,
            fontweight="bold",
        )
    axes.annotate(
        "index", (1.12, len(names) - 0.3), xycoords=("axes fraction", "data"), ha="right", color=INK
    )
    axes.set_yticks(range(len(names)), [folded(name) for name in names])
    axes.set_ylim(-0.6, len(names) - 0.2)
    axes.margins(x=0.06)
    style_axes(axes, "points of a pyramid", "", grid="x")
    axes.tick_params(axis="y", length=0, labelsize=10, labelcolor=INK)
    room_for_names(axes)
    figure.text(
        0.03,
        0.06,
        f"hindsight and agents: means of {len(found.sequences):,} sampled sequences of hands, "
        "lines 95 % intervals (unseen where within the dot); all others: exact,\nover all "
        "sequences. Index: random 0, dp 1, all on the sampled ones. top-down and bottom-up ignore "
        "the hands, so on average they earn\nwhat random does. hindsight knows all hands before "
        "the first. An agent names trumps too; all others take the best trump for the bid.",
        fontsize=9,
        color=QUIET,
        va="center",
        linespacing=1.4,
    )
    return figure


def _mean(standing: Standing) -> float:
    """Exact where there is such a figure, as totals.png shows it; else over the sequences."""
    return standing.points.mean if standing.exact is None else standing.exact


def scale_figure(scale: Scale, conferring: Conferring | None) -> Any:
    """What a pyramid is worth by players and rules; and, by play, what conferring costs."""
    figure, (axes,) = new_figure(
        "One scale for players and rules",
        "Points of a pyramid spent in the exact order. Full dots: double-dummy values (all hands "
        "open), each exact for its table.",
        right=0.96,
        top=0.86,
        bottom=0.18,
    )
    groups: dict[str, list[Mark]] = {}
    for mark in scale.marks:
        groups.setdefault(mark.rules, []).append(mark)
    row, rows = 0, []
    for (words, marks), colour in zip(groups.items(), LINES * 3, strict=False):
        rows.append((row, words, True))
        row += 1
        for mark in sorted(marks, key=lambda one: one.num_players):
            axes.plot(
                [mark.value, mark.in_sample],
                [row, row],
                color=colour,
                alpha=0.35,
                linewidth=4,
            )
            opened = mark.source == DOUBLE_DUMMY
            _dot(axes, mark.value, row, colour, filled=opened)
            source = "" if opened else f", {mark.source}"
            rows.append((row, f"{mark.num_players} players{source}", False))
            row += 1
    if conferring:
        player = conferring.source.split(" against ")[0]
        rows.append((row, f"the study's bids, cards played by {player}", True))
        for found, words in (
            (conferring.silent, "defenders silent"),
            (conferring.open, "defenders confer"),
        ):
            row += 1
            axes.plot([found.low, found.high], [row, row], color=INK, linewidth=1.8)
            _dot(axes, found.mean, row, INK, filled=False)
            rows.append((row, words, False))
        row += 1
    axes.set_yticks([place for place, _, _ in rows], [folded(words, 44) for _, words, _ in rows])
    axes.set_ylim(row - 0.4, -0.7)
    axes.margins(x=0.11)
    style_axes(axes, "points of a pyramid", "", grid="x")
    axes.tick_params(axis="y", length=0, labelsize=10)
    for label, (_, _, head) in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_color(INK)
        label.set_fontweight("bold" if head else "normal")
    room_for_names(axes)
    sources = [mark.source for mark in scale.marks if mark.source != DOUBLE_DUMMY]
    if conferring:
        sources.append(conferring.source)
    foot = [
        "Pale bars reach to what the layouts that decided claim of themselves: the value of "
        "endless layouts lies in between."
    ]
    if sources:
        players = dict.fromkeys(name for source in sources for name in source.split(" against "))
        words = f"Open dots: the cards are played by {' and '.join(players)}, not double dummy"
        words += "; lines through them are 95 % intervals." if conferring else "."
        foot += textwrap.wrap(words, 130, max_lines=2, placeholder=" …")
    figure.text(
        0.03,
        0.05,
        "\n".join(foot),
        fontsize=9,
        color=QUIET,
        va="center",
        linespacing=1.4,
    )
    return figure


def _dot(axes: Any, value: float, row: int, colour: str, *, filled: bool = True) -> None:
    axes.plot(
        value, row, "o", color=colour, markersize=7, markerfacecolor=colour if filled else "white"
    )
    axes.annotate(
        f"{value:.1f}",
        (value, row),
        xytext=(-8, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        fontsize=9.5,
        color=colour,
    )
