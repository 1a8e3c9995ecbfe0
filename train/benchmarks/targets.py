"""Measured figures beside their targets, as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from bidwise.train.benchmarks.samples import Sample

__all__ = ["Claim", "claims_table", "rates_table"]


@dataclass(frozen=True)
class Claim:
    """A figure beside its target."""

    name: str
    sample: Sample
    at_least: float | None = None
    at_most: float | None = None
    unit: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the median meets the target; None without one."""
        if self.at_least is not None:
            return bool(self.sample.median >= self.at_least)
        if self.at_most is not None:
            return bool(self.sample.median <= self.at_most)
        return None

    @property
    def target(self) -> str:
        """The target as text; empty without one."""
        if self.at_least is not None:
            return f"≥ {_big(self.at_least)}"
        return "" if self.at_most is None else f"≤ {_big(self.at_most)}"

    def text(self, value: float) -> str:
        """A value with its unit."""
        return f"{_big(value)} {self.unit}".rstrip()

    def summary(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            "name": self.name,
            **self.sample.summary(),
            "unit": self.unit,
            "at_least": self.at_least,
            "at_most": self.at_most,
            "met": self.met,
        }


def rates_table(rates: Mapping[str, Sample], rounds: int, seconds: float) -> Table:
    """Steps a second, by workload, where its name says nothing else."""
    table = Table(
        title="Steps a second, if not said",
        caption=f"Every core, if not said; medians of {rounds} rounds in turn, {seconds:g} s each",
    )
    table.add_column("what")
    table.add_column("median", justify="right")
    table.add_column("range", justify="right")
    for name, sample in rates.items():
        table.add_row(name, _big(sample.median), f"{_big(sample.low)} … {_big(sample.high)}")
    return table


def claims_table(claims: Sequence[Claim]) -> Table:
    """Figures beside their targets."""
    table = Table(title="Beside the targets; ratios (×) are to peers in the same rounds")
    for column in ("what", "median", "range", "target"):
        table.add_column(column, justify="left" if column == "what" else "right")
    table.add_column("met")
    for claim in claims:
        low, high = claim.sample.low, claim.sample.high
        table.add_row(
            claim.name,
            claim.text(claim.sample.median),
            "" if low == high else f"{_big(low)} … {_big(high)}",
            claim.target,
            {None: "", True: "yes", False: "[red]no[/red]"}[claim.met],
        )
    return table


def _big(rate: float) -> str:
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if rate >= size:
            return f"{rate / size:.3g}{letter}"
    return f"{rate:.3g}"
