"""The pictures of a study that show a occupancy: by strength of the hand, by deal, by total."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.agents.order.scores import picked
from bidwise.train.run.plot_style import (
    BIDS,
    INK,
    LINES,
    QUIET,
    folded,
    key_above,
    label_lines,
    new_figure,
    style_axes,
)
from bidwise.train.studies.analysis.findings import (
    DP,
    RANDOM,
    Findings,
    note_of,
    strength,
    tricks_wanted,
)
from bidwise.train.studies.report.answers import share_text

__all__ = [
    "bids_figure",
    "prices_figure",
    "spending_figure",
    "totals_figure",
]

_BINS = 20
_STRONGER = "hands from weakest to strongest, % of all deals"
_SHOWN = (DP, "best-now", RANDOM)
"""Strategies whose totals are drawn; others lie on one of them."""


def bids_figure(found: Findings) -> Any:
    """Points of each bid against the strength of the hand, and who bids what at first."""
    tricks, points, firsts = _by_strength(found)
    figure, (left, right) = new_figure(
        "Each bid, by the strength of the hand",
        note_of(found),
        columns=2,
        widths=[1.3, 1],
        top=0.755,
        right=0.975,
        gap=0.36,
        left=0.075,
    )
    places = 100 * (np.arange(_BINS) + 0.5) / _BINS
    held = [bid for bid, count in enumerate(found.states.quota) if count]
    for bid in held:
        left.plot(places, points[:, bid], color=BIDS[bid], linewidth=2.2)
    left.set_ylim(top=10)
    ends = [(points[-1, bid], f"bid {bid}", BIDS[bid]) for bid in held]
    label_lines(left, places[-1], ends)
    style_axes(left, _STRONGER, "points on average, best trump (of 10)")
    bottom = np.zeros(_BINS)
    for bid in held:
        share = 100 * firsts[:, bid]
        right.bar(places, share, 90 / _BINS, bottom, color=BIDS[bid], linewidth=0)
        widest = int(share.argmax())
        if share[widest] > 9:
            right.text(
                places[widest],
                bottom[widest] + share[widest] / 2,
                str(bid),
                color="white",
                fontsize=11,
                fontweight="bold",
                ha="center",
                va="center",
            )
        bottom += share
    right.set_ylim(0, 100)
    style_axes(right, _STRONGER, "% of hands that bid it at the first deal", grid="")
    for axes, title, marks in (
        (left, "What each bid brings", [0, 4, 9, 14, 19]),
        (right, "What the exact order bids first", [0, 5, 10, 14, 19]),
    ):
        axes.set_xlim(0, 100)
        above = axes.twiny()
        above.set_xlim(0, 100)
        above.set_xticks([places[k] for k in marks], [f"{tricks[k]:.1f}" for k in marks])
        above.tick_params(colors=QUIET, labelsize=9.5, length=0, pad=2)
        above.set_xlabel("tricks it takes on average if it bids 6", color=INK, fontsize=10)
        for side in ("top", "right", "left", "bottom"):
            above.spines[side].set_visible(False)
        above.set_title(title, loc="left", fontsize=11, color=INK, pad=10, fontweight="bold")
    return figure


def _by_strength(
    found: Findings,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Tricks (20,), points (20, 7) and first bids (20, 7) of equal shares of hands, weakest first.

    One half of the layouts sorts the hands and names bids and trumps, the other tells points and
    tricks.
    """
    tricks, points, firsts = np.zeros(_BINS), np.zeros((_BINS, 7)), np.zeros((_BINS, 7))
    shares = found.weights / found.weights.sum()
    full = found.states.left[found.states.full]
    for fold, optimal in enumerate(found.fit.orders):
        order = np.argsort(strength(found.chances[fold]), kind="stable")
        middle = np.cumsum(shares[order]) - shares[order] / 2
        bins = np.empty(len(order), np.int64)
        bins[order] = np.minimum((middle * _BINS).astype(np.int64), _BINS - 1)
        sizes = 2 * np.bincount(bins, shares, _BINS)
        values = picked(found.scores[1 - fold], optimal.denominations)
        bids, _ = optimal.choose(full, np.arange(len(shares)))
        for bid in range(7):
            points[:, bid] += np.bincount(bins, shares * values[:, bid], _BINS) / sizes
            firsts[:, bid] += np.bincount(bins, shares * (bids == bid), _BINS) / sizes
        tricks += np.bincount(bins, shares * tricks_wanted(values), _BINS) / sizes
    return tricks, points, firsts


def spending_figure(found: Findings) -> Any:
    """When each bid is spent."""
    turns, quota = found.states.turns, np.array(found.states.quota)
    held = np.flatnonzero(quota)[::-1]
    shares = 100 * (found.occupancy.spending[:, held] / quota[held]).T
    figure, (axes,) = new_figure(
        "When the exact order spends each bid", note_of(found), left=0.1, right=0.97, bottom=0.17
    )
    top = max(300 / turns, float(shares.max()))
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("blues", ["#f5f9fc", "#7fb3d5", "#0b4f7d"])
    axes.pcolormesh(shares, cmap=shades, vmin=0, vmax=top, edgecolors="white", linewidth=1.5)
    for row in range(len(held)):
        for turn in range(turns):
            share = shares[row, turn]
            axes.text(
                turn + 0.5,
                row + 0.5,
                f"{share:.0f}" if share >= 0.5 else "·",
                ha="center",
                va="center",
                fontsize=9.5,
                color="white" if share > 0.55 * top else INK,
            )
    names = [f"bid {bid}" + (f"  ×{quota[bid]}" if quota[bid] > 1 else "") for bid in held]
    axes.set_yticks(np.arange(len(held)) + 0.5, names)
    axes.set_xticks(np.arange(turns) + 0.5, [str(turn + 1) for turn in range(turns)])
    axes.invert_yaxis()
    style_axes(axes, "deal of a pyramid", "", grid="")
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(length=0, labelsize=10)
    figure.text(
        0.03,
        0.035,
        "Per cent of all announcements of a bid that fall on each deal, rounded; a row sums to "
        f"about 100. Spent evenly every cell would say {100 / turns:.0f}.",
        fontsize=9,
        color=QUIET,
    )
    return figure


def prices_figure(found: Findings) -> Any:
    """What a bid must bring to be spent, and what it is worth to have one."""
    figure, panels = new_figure(
        "What an unspent bid is worth", note_of(found), columns=2, right=0.92, gap=0.45, top=0.77
    )
    turns = found.states.turns
    # Before the last deal one bid is left, and beside itself it is worth nothing.
    for axes, values, last, title in (
        (panels[0], found.prices, turns, "Price: spend it where you expect more"),
        (panels[1], found.spares, turns - 1, "Spare: beside the mean of all unspent bids"),
    ):
        means = found.occupancy.at_turn(values)[:last]
        ends = []
        for bid in range(7):
            known = np.flatnonzero(~np.isnan(means[:, bid]))
            if len(known):
                axes.plot(known + 1, means[known, bid], color=BIDS[bid], linewidth=2.2)
                ends.append((float(means[known[-1], bid]), f"bid {bid}", BIDS[bid]))
        axes.set_xlim(1, max(last, 2))
        style_axes(axes, "before deal", "points", title=title)
        if ends:
            label_lines(axes, last, ends)
        axes.set_xticks(range(1, last + 1, max(1, last // 7)))
    panels[1].axhline(0, color=QUIET, linewidth=1, linestyle=(0, (5, 2)), zorder=0)
    return figure


def totals_figure(found: Findings, mark: int) -> Any:
    """Distributions of the final total, and where one total stands."""
    agents = [name for name in found.totals if name.endswith(")")]
    shown = [*(name for name in _SHOWN if name in found.totals), *agents][: len(LINES)]
    figure, (axes,) = new_figure("Final totals", note_of(found), right=0.97)
    lows, highs, top = [], [], 0.0
    for name, colour in zip(shown, LINES, strict=False):
        totals = found.totals[name]
        heights = 100 * totals.chances
        top = max(top, float(heights.max()))
        if name == DP:
            axes.fill_between(totals.totals, heights, color=colour, alpha=0.13, linewidth=0)
        axes.plot(
            totals.totals,
            heights,
            color=colour,
            linewidth=2.2,
            label=f"{folded(name, 40, 1)}, mean {totals.mean:.1f}",
        )
        lows.append(totals.quantile(0.001))
        highs.append(totals.quantile(0.999))
    low, high = min(*lows, mark) - 2, max(*highs, mark) + 2
    axes.set_xlim(low, high)
    axes.set_ylim(0, 1.12 * top)
    axes.axvline(mark, color=INK, linewidth=1.2, linestyle=(0, (5, 2)))
    own = found.totals[DP]
    beyond = 1 - own.below(mark) - own.at(mark)
    side = mark < (low + high) / 2
    axes.annotate(
        f"{mark}: {share_text(max(beyond, 0.0))} of dp's pyramids end above",
        (mark, 1.06 * top),
        xytext=(6 if side else -6, 0),
        textcoords="offset points",
        ha="left" if side else "right",
        fontsize=9.5,
        color=INK,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )
    style_axes(axes, "points of a whole pyramid (always even)", "% of pyramids")
    key_above(axes)
    return figure
