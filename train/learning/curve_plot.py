"""Pictures of results: PNG files, drawn without a display."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bidwise.envs.core.files import write_bytes
from bidwise.train.compare.intervals import Estimate
from bidwise.train.run.plot_style import png

__all__ = ["learning_figure"]

_INK, _QUIET, _GRID = "#22303c", "#6b7885", "#e4e8ec"
_AGENT = "#0b6e99"
_BASELINES = ("#d1702a", "#8a8f98", "#5f8a3b", "#8c5fa8")


def learning_figure(
    path: Path,
    curve: Sequence[tuple[int, Estimate]],
    baselines: Mapping[str, Estimate],
    differences: Mapping[str, Estimate],
    *,
    agent: str,
    reference: str,
    title: str,
    note: str,
) -> None:
    """Draw a learning curve beside the final differences.

    Args:
        path: the PNG to write; its folder exists.
        curve: (decisions learned from, points a deal) at each evaluation.
        baselines: points a deal of agents that do not learn, drawn as lines with bands.
        differences: final paired differences to `reference`, by agent.
        agent: the learner's name.
        reference: the agent that differences are to.
        title: above both panels.
        note: under the title: what was played.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.5, 5.4), dpi=160, facecolor="white")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, gridspec_kw={"width_ratios": [1.75, 1]})
    figure.subplots_adjust(left=0.075, right=0.975, top=0.77, bottom=0.12, wspace=0.46)
    figure.text(0.03, 0.945, title, fontsize=15, fontweight="bold", color=_INK, va="center")
    figure.text(0.03, 0.89, note, fontsize=9, color=_QUIET, va="center")
    colours = {agent: _AGENT} | dict(zip(baselines, _BASELINES * len(baselines), strict=False))
    _curve(left, curve, baselines, colours, agent)
    _forest(right, differences, colours, reference)
    write_bytes(path, png(figure, dpi=160))


def _curve(
    axes: Any,
    curve: Sequence[tuple[int, Estimate]],
    baselines: Mapping[str, Estimate],
    colours: Mapping[str, str],
    agent: str,
) -> None:
    scale, unit = (1e6, "millions") if curve[-1][0] >= 2e6 else (1e3, "thousands")
    steps = [step / scale for step, _ in curve]
    end = steps[-1]
    labels: list[tuple[float, str, str]] = []
    for name, level in baselines.items():
        axes.axhspan(level.low, level.high, color=colours[name], alpha=0.16, linewidth=0)
        axes.axhline(level.mean, color=colours[name], linewidth=1.4, linestyle=(0, (5, 2)))
        labels.append((level.mean, name, colours[name]))
    low, high = [e.low for _, e in curve], [e.high for _, e in curve]
    axes.fill_between(steps, low, high, color=_AGENT, alpha=0.18, linewidth=0)
    means = [e.mean for _, e in curve]
    axes.plot(steps, means, color=_AGENT, linewidth=2.2, marker="o", markersize=4, clip_on=False)
    labels.append((means[-1], agent, _AGENT))
    axes.set_xlim(min(0.0, steps[0]), end)
    axes.margins(y=0.08)
    bottom, top = axes.get_ylim()
    for place, name, colour in _spread(labels, 0.05 * (top - bottom)):
        axes.annotate(
            name,
            (end, place),
            xytext=(7, 0),
            textcoords="offset points",
            color=colour,
            fontsize=9.5,
            fontweight="bold",
            va="center",
            annotation_clip=False,
        )
    _dress(axes, "Points a deal as declarer")
    axes.set_xlabel(f"declarations learned from ({unit})", color=_INK)
    axes.set_ylabel("points a deal (of 10)", color=_INK)
    axes.grid(axis="y", color=_GRID)


def _forest(
    axes: Any,
    differences: Mapping[str, Estimate],
    colours: Mapping[str, str],
    reference: str,
) -> None:
    axes.axvline(0, color=_QUIET, linewidth=1, linestyle=(0, (5, 2)))
    for row, (name, found) in enumerate(differences.items()):
        colour = colours.get(name, _INK)
        error = [[found.mean - found.low], [found.high - found.mean]]
        axes.errorbar(
            found.mean, row, xerr=error, fmt="o", color=colour, markersize=5, capsize=5, linewidth=2
        )
        text = f"{found.mean:+.2f}\n[{found.low:+.2f}, {found.high:+.2f}]".replace("-", "−")
        axes.annotate(
            text,
            (found.mean, row),
            xytext=(0, 10),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=9,
            color=colour,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
        )
    axes.set_yticks(range(len(differences)), list(differences))
    axes.set_ylim(len(differences) - 0.4, -0.6)
    axes.margins(x=0.3)
    _dress(axes, f"Difference to {reference}, same deals")
    axes.tick_params(axis="y", length=0, labelsize=9.5)
    axes.set_xlabel("points a deal, with 95 % interval", color=_INK)
    axes.grid(axis="x", color=_GRID)


def _dress(axes: Any, title: str) -> None:
    axes.set_title(title, loc="left", fontsize=11, color=_INK, pad=10)
    axes.set_axisbelow(True)
    axes.tick_params(colors=_QUIET, labelsize=9)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(_QUIET)


def _spread(labels: list[tuple[float, str, str]], gap: float) -> list[tuple[float, str, str]]:
    """Labels moved apart until no two are nearer than `gap`."""
    placed = sorted(labels)
    for k in range(1, len(placed)):
        nearest = placed[k - 1][0] + gap
        if placed[k][0] < nearest:
            placed[k] = (nearest, *placed[k][1:])
    return placed
