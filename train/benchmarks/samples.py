"""Repeated measurements of a figure, and ratios of such."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

__all__ = ["Sample", "ratio"]


@dataclass(frozen=True)
class Sample:
    """Repeated measurements of one figure."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def low(self) -> float:
        return min(self.values)

    @property
    def high(self) -> float:
        return max(self.values)

    def summary(self) -> dict[str, object]:
        """Median, range and all values, for JSON."""
        return {
            "median": self.median,
            "low": self.low,
            "high": self.high,
            "values": list(self.values),
        }


def ratio(ours: Sample, theirs: Sample) -> Sample:
    """Ours over theirs, round by round."""
    return Sample(tuple(a / b for a, b in zip(ours.values, theirs.values, strict=True)))
