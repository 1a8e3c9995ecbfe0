"""Measurements on a machine that others use too: interleaved rounds, medians, fresh processes."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Sample", "Unavailable", "Workload", "first_reset", "measure", "ratio"]

Workload = Callable[[float], tuple[int, float]]
"""Works for about so many seconds; returns steps done and the seconds that they took."""

_FIRST_RESET = """
import json, time
began = time.perf_counter()
from bidwise import envs
imported = time.perf_counter()
env = envs.{game}_env()
env.reset(seed=0)
reset = time.perf_counter()
env.step(int(env.last()[0]["action_mask"].argmax()))
stepped = time.perf_counter()
print(json.dumps([imported - began, reset - imported, stepped - reset]))
"""


class Unavailable(Exception):
    """A workload that cannot run here; the message says what is missing."""


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


def measure(
    workloads: Mapping[str, Workload],
    seconds: float,
    rounds: int,
    on_progress: Callable[[], None] | None = None,
) -> dict[str, Sample]:
    """Steps a second of every workload, all of them once in each round.

    What else the machine does in a round slows down all alike, and the ratios less.
    """
    rates: dict[str, list[float]] = {name: [] for name in workloads}
    for workload in workloads.values():
        workload(0.0)  # compiles and fills caches
    for _ in range(rounds):
        for name, workload in workloads.items():
            steps, elapsed = workload(seconds)
            rates[name].append(steps / elapsed)
            if on_progress is not None:
                on_progress()
    return {name: Sample(tuple(values)) for name, values in rates.items()}


def ratio(ours: Sample, theirs: Sample) -> Sample:
    """Ours over theirs, round by round."""
    return Sample(tuple(a / b for a, b in zip(ours.values, theirs.values, strict=True)))


def first_reset(game: str, rounds: int) -> dict[str, Sample]:
    """Seconds in fresh processes: import, first reset and first step.

    The first process finds an empty compile cache ("cold"), the others find it filled.
    """
    with tempfile.TemporaryDirectory(prefix="bidwise-bench-") as folder:
        cold = _one_process(game, Path(folder))
        warm = [_one_process(game, Path(folder)) for _ in range(rounds)]
    return {
        "import": Sample(tuple(times[0] for times in warm)),
        "first reset, cold": Sample((cold[1],)),
        "reset and step, cold": Sample((cold[1] + cold[2],)),
        "first reset, warm": Sample(tuple(times[1] for times in warm)),
        "reset and step, warm": Sample(tuple(times[1] + times[2] for times in warm)),
    }


def _one_process(game: str, cache: Path) -> Sequence[float]:
    result = subprocess.run(
        [sys.executable, "-c", _FIRST_RESET.format(game=game)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise RuntimeError(f"a fresh process failed: {result.stderr.strip().splitlines()[-1]}")
    times: list[float] = json.loads(result.stdout)
    return times
