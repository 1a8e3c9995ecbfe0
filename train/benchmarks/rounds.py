"""Rounds of measuring that are kept as they are finished, so that a killed run goes on.

A round is the unit: all its workloads one after the other. One that was not finished is measured
anew as a whole, since its ratios hold only between workloads that took turns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np

from bidwise.train.benchmarks.samples import Sample
from bidwise.train.run.chunks import Chunks

__all__ = ["Rounds"]


@dataclass(frozen=True)
class Rounds:
    """So many rounds of every measurement.

    Attributes:
        number: how many are wanted.
        chunks: where finished ones are kept; None if they are not.
    """

    number: int
    chunks: Chunks | None = None

    def take(
        self,
        key: str,
        names: Collection[str],
        measure: Callable[[], Mapping[str, float]],
        *,
        begin: Callable[[], object] = lambda: None,
    ) -> dict[str, Sample]:
        """Every round of one measurement, those that are kept and those that are missing.

        Args:
            key: of the measurement: letters, digits and hyphens.
            names: of the figures that a round has.
            measure: one round's figures by name.
            begin: called before the first round that is missing, if there is one.
        """
        kept = [self._kept(f"{key}-{k:04d}", names) for k in range(self.number)]
        if None in kept:
            begin()
        rounds = [
            self._measured(f"{key}-{k:04d}", measure) if figures is None else figures
            for k, figures in enumerate(kept)
        ]
        return {name: Sample(tuple(figures[name] for figures in rounds)) for name in names}

    def missing(self, key: str, names: Collection[str]) -> int:
        """How many rounds of a measurement are not kept."""
        return sum(self._kept(f"{key}-{k:04d}", names) is None for k in range(self.number))

    def _kept(self, key: str, names: Collection[str]) -> dict[str, float] | None:
        found = None if self.chunks is None else self.chunks.read(key)
        if found is None or set(found) != set(names):
            return None
        return {name: float(found[name]) for name in names}

    def _measured(self, key: str, measure: Callable[[], Mapping[str, float]]) -> dict[str, float]:
        figures = dict(measure())
        if self.chunks is not None:
            self.chunks.write(key, {name: np.array(value) for name, value in figures.items()})
        return figures
