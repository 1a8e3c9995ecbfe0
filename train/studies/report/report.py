"""What a study writes as ``report.json`` and ``answers.md``, and prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

from bidwise.agents.outcomes.table import DOUBLE_DUMMY
from bidwise.envs.core.drawing import preset_name
from bidwise.train.run.provenance import versions
from bidwise.train.studies.analysis.findings import DP, FLATTERED, Findings, kind_of_value
from bidwise.train.studies.analysis.sampling_error import error_of_value
from bidwise.train.studies.report.answers import Answer

__all__ = ["answers_text", "headline", "meaning", "remarks", "report_of", "strategies_table"]

_NORMAL = 1.96
"""Standard errors on either side that hold 95 % of a normal distribution."""


def meaning(found: Findings) -> str:
    """What the figures of a study are and are not."""
    outcomes = found.outcomes
    if outcomes.source == DOUBLE_DUMMY:
        what = (
            "Figures are double-dummy values: all hands are open, the declarer plays against all "
            "others as one. The order of bids is exact for this table"
        )
    else:
        what = (
            f"Figures are means of play-outs, {outcomes.source}. The order of bids is exact for "
            "this table"
        )
    return (
        f"{what} of {outcomes.layouts} layouts for each hand and trump; neither is the game's "
        "optimum. One half of the layouts decides bids and trumps, the other values them, both "
        "ways. Intervals are 95 %; where nothing else is said they are over sequences of hands, "
        "the table taken as it is. The error of dp is the standard error, at most, that the "
        "sampling of layouts brings into its value."
    )


def headline(found: Findings) -> str:
    """The value in one line."""
    outcomes = found.outcomes
    error = error_of_value(found)
    sampled = ""
    if error is not None:
        sampled = f"; other layouts would move it by ± {_NORMAL * error:.2f} at most"
    return (
        f"{outcomes.num_players} players, {preset_name(outcomes.rules)}: the exact order is worth "
        f"{found.fit.value:.2f} of {found.most} points ({kind_of_value(outcomes)}; the layouts "
        f"that decided claim {found.fit.in_sample:.2f}{sampled})"
    )


def report_of(found: Findings, answers: Sequence[Answer], *, seed: int) -> dict[str, Any]:
    """All of ``report.json``."""
    outcomes, fit = found.outcomes, found.fit
    return {
        "about": meaning(found),
        "num_players": outcomes.num_players,
        "rules": outcomes.rules,
        "dp": {
            "value": fit.value,
            "of": found.most,
            "kind": kind_of_value(outcomes),
            "halves": [float(values[fit.states.full]) for values in fit.valued],
            "claimed": fit.in_sample,
            "error": error_of_value(found),
            "deviation": found.occupancy.totals().deviation,
        },
        "strategies": {
            name: {
                "mean": standing.points.mean,
                "low": standing.points.low,
                "high": standing.points.high,
                "index": standing.index.mean,
                "index_low": standing.index.low,
                "index_high": standing.index.high,
                "exact": standing.exact,
                "kind": kind_of_value(outcomes),
                "about": standing.about,
            }
            for name, standing in found.standings.items()
        },
        "sequences": len(found.sequences),
        "answers": {
            answer.name: {"question": answer.question, **answer.figures} for answer in answers
        },
        "table": {
            "source": outcomes.source,
            "layouts": outcomes.layouts,
            "rows": outcomes.counts.shape[1],
            "seed": outcomes.seed,
            "provenance": outcomes.provenance,
        },
        "seed": seed,
        "versions": versions(),
    }


def answers_text(found: Findings, answers: Sequence[Answer]) -> str:
    """All of ``answers.md``."""
    parts = ["# The questions that players ask", f"{headline(found)}.", meaning(found)]
    return "\n\n".join([*parts, *(answer.markdown().rstrip() for answer in answers)]) + "\n"


def strategies_table(found: Findings) -> Table:
    """The ways of bidding as people read them."""
    outcomes = found.outcomes
    table = Table(
        title=f"Ways to spend a pyramid: {outcomes.num_players} players, "
        f"{preset_name(outcomes.rules)}",
        caption=escape(
            f"{kind_of_value(outcomes)}; {len(found.sequences):,} sequences of hands, the same "
            "for all, 95 % intervals over them; exact: over all there are. Index: random 0, dp 1."
        ),
    )
    table.add_column("spent by", overflow="fold")
    for head in ("points", "95 %", "exact", "index", "95 %"):
        table.add_column(head, justify="right", no_wrap=True)
    for name, standing in found.standings.items():
        points, index = standing.points, standing.index
        table.add_row(
            escape(name),
            f"{points.mean:.1f}",
            f"{points.low:.1f} … {points.high:.1f}",
            "" if standing.exact is None else f"{standing.exact:.1f}",
            f"{round(index.mean, 2) + 0.0:+.2f}",
            f"{index.low:+.3f} … {index.high:+.3f}",
            style="bold" if name == DP else None,
        )
    return table


def remarks(found: Findings) -> Iterable[str]:
    """What a reader should know beside the table."""
    for name in ("top-down", "hindsight"):
        if name in found.standings:
            yield f"{name}: {found.standings[name].about}."
    for name, standing in found.standings.items():
        if standing.about == FLATTERED:
            yield f"{name}: {standing.about}."
