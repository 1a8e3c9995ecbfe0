"""The look of a study's pictures: sizes, colours, labels; no state that others could see."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bidwise.envs.core.files import write_bytes

__all__ = [
    "BIDS",
    "GRID",
    "INK",
    "LINES",
    "QUIET",
    "folded",
    "key_above",
    "label_lines",
    "new_figure",
    "png",
    "room_for_names",
    "save",
    "spread",
    "style_axes",
]

INK, QUIET, GRID = "#22303c", "#6b7885", "#e4e8ec"

BIDS = ("#3b0f70", "#3f4a8a", "#2a788e", "#22a384", "#5f9e2f", "#c08a00", "#c2410c")
"""Of the bids 0..6: from cold to warm and from dark to light and back, told apart by the
colour-blind; each line is labelled besides."""

LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a6a00", "#56b4e9", "#000000")
"""Of ways to bid: Okabe and Ito's colours, their yellow darkened."""

_WIDTH, _HEIGHT, _DPI = 9.6, 5.6, 150
_LEFT, _TITLE, _NOTE = 0.03, 0.95, 0.895


def new_figure(
    title: str,
    note: str,
    *,
    columns: int = 1,
    widths: Sequence[float] | None = None,
    right: float = 0.9,
    left: float = 0.085,
    top: float = 0.83,
    bottom: float = 0.12,
    gap: float = 0.3,
) -> tuple[Any, list[Any]]:
    """A figure with a title, a quiet line under it, and panels side by side."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _HEIGHT), dpi=_DPI, facecolor="white")
    FigureCanvasAgg(figure)
    panels = figure.subplots(
        1, columns, squeeze=False, gridspec_kw={"width_ratios": widths or [1] * columns}
    )
    figure.subplots_adjust(left=left, right=right, top=top, bottom=bottom, wspace=gap)
    figure.text(_LEFT, _TITLE, title, fontsize=15, fontweight="bold", color=INK, va="center")
    figure.text(_LEFT, _NOTE, note, fontsize=9, color=QUIET, va="center")
    return figure, list(panels[0])


def style_axes(axes: Any, x: str, y: str, *, title: str = "", grid: str = "y") -> None:
    """Labels, a light grid, and no frame."""
    axes.set_xlabel(x, color=INK, fontsize=10)
    axes.set_ylabel(y, color=INK, fontsize=10)
    if title:
        axes.set_title(title, loc="left", fontsize=11, color=INK, pad=10)
    axes.set_axisbelow(True)
    if grid:
        axes.grid(axis=grid, color=GRID)
    axes.tick_params(colors=QUIET, labelsize=9.5)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(QUIET)


def folded(name: str, width: int = 28, lines: int = 2) -> str:
    """A name in few lines; what is longer than they hold is cut."""
    parts = textwrap.wrap(name, width, max_lines=lines, placeholder="…")
    if parts[-1:] == ["…"]:  # one word, too long for the rest
        parts = [name[k * width : (k + 1) * width] for k in range(lines)]
        parts[-1] = parts[-1][:-1] + "…"
    return "\n".join(parts)


def room_for_names(axes: Any) -> None:
    """Set a panel's left edge so that the names of its rows just fit on the page."""
    figure = axes.figure
    widest = max(_width(figure, label) for label in axes.get_yticklabels())
    figure.subplots_adjust(left=_LEFT + widest + 0.01)


def key_above(axes: Any) -> None:
    """A key of the lines between note and panel, in as few rows as fit the page."""
    figure = axes.figure
    count = len(axes.get_legend_handles_labels()[1])
    for columns in range(min(count, 4), 0, -1):
        legend = axes.legend(
            frameon=False,
            fontsize=9.5,
            labelcolor=INK,
            loc="lower left",
            bbox_to_anchor=(-0.01, 1.0),
            ncols=columns,
            handlelength=1.5,
            columnspacing=1.5,
        )
        if axes.get_position().x0 + _width(figure, legend) <= 1:
            break
    figure.subplots_adjust(top=0.842 - 0.036 * -(-count // columns))


def _width(figure: Any, artist: Any) -> float:
    """Share of the page's width that text takes, dollar signs being part of it."""
    _no_mathematics(artist)
    box = artist.get_window_extent(figure.canvas.get_renderer())
    return float(box.width / figure.bbox.width)


def _no_mathematics(artist: Any) -> None:
    """Dollar signs are part of somebody's name."""
    from matplotlib.text import Text

    for text in artist.findobj(Text):
        text.set_parse_math(False)


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Places moved apart as little as that takes until no two are nearer than `gap`."""
    order = sorted(range(len(places)), key=lambda k: places[k])
    groups: list[tuple[float, int]] = []  # middle, members
    for k in order:
        middle, members = places[k], 1
        while groups:
            before, count = groups[-1]
            if middle - gap * (members - 1) / 2 - (before + gap * (count - 1) / 2) >= gap:
                break
            groups.pop()
            middle = (middle * members + before * count) / (members + count)
            members += count
        groups.append((middle, members))
    moved = [0.0] * len(places)
    rank = 0
    for middle, members in groups:
        for k in range(members):
            moved[order[rank]] = middle + gap * (k - (members - 1) / 2)
            rank += 1
    return moved


def label_lines(
    axes: Any, x: float, labels: Sequence[tuple[float, str, str]], *, size: float = 9.5
) -> None:
    """Name lines that end at x: (height, text, colour) each, moved apart where needed, with a
    thin line to where they belong."""
    low, high = axes.get_ylim()
    places = spread([place for place, _, _ in labels], 0.052 * (high - low))
    beyond = max(0.0, max(places) - high)  # names stay beside the panel
    for place, (height, text, colour) in zip(places, labels, strict=True):
        place -= beyond
        axes.annotate(
            text,
            (x, height),
            xytext=(20, (place - height) / (high - low) * _panel_height(axes)),
            textcoords="offset points",
            color=colour,
            fontsize=size,
            fontweight="bold",
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.8,
                "relpos": (0, 0.5),
                "shrinkA": 1,
            },
        )


def _panel_height(axes: Any) -> float:
    """Points of the page from a panel's bottom to its top."""
    return float(axes.get_position().height * axes.figure.get_figheight() * 72)


def png(figure: Any, dpi: int = _DPI) -> bytes:
    """A figure as a PNG file's bytes, which do not tell when they were made."""
    _no_mathematics(figure)
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=dpi, metadata={"Software": "bidwise"})
    return data.getvalue()


def save(figure: Any, path: Path) -> None:
    """Write a figure as PNG."""
    write_bytes(path, png(figure))
