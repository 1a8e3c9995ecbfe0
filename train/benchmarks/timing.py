"""Measurements on a machine that others use too: interleaved rounds, medians, fresh processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bidwise.train.benchmarks.rounds import Rounds
from bidwise.train.benchmarks.samples import Sample

__all__ = ["Unavailable", "Workload", "first_reset", "measure"]

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


def measure(
    workloads: Mapping[str, Workload],
    seconds: float,
    rounds: Rounds,
    on_progress: Callable[[], None] | None = None,
    *,
    key: str = "rates",
) -> dict[str, Sample]:
    """Steps a second of every workload, all of them once in each round.

    What else the machine does in a round slows down all alike, and the ratios less.

    Args:
        workloads: by name.
        seconds: that each works in a round.
        rounds: how many, and where finished ones are kept.
        on_progress: called after each workload of each round that is measured.
        key: under which rounds are kept.
    """

    def warm_up() -> None:
        for workload in workloads.values():
            workload(0.0)  # compiles and fills caches

    def one_round() -> dict[str, float]:
        rates = {}
        for name, workload in workloads.items():
            steps, elapsed = workload(seconds)
            rates[name] = steps / elapsed
            if on_progress is not None:
                on_progress()
        return rates

    return rounds.take(key, workloads, one_round, begin=warm_up)


_COLD = ("first reset, cold", "reset and step, cold")
_WARM = ("import", "first reset, warm", "reset and step, warm")


def first_reset(game: str, rounds: Rounds) -> dict[str, Sample]:
    """Seconds in fresh processes: import, first reset and first step.

    The first process finds an empty compile cache ("cold"), the others find it filled.
    """
    with tempfile.TemporaryDirectory(prefix="bidwise-bench-") as folder:
        cache = Path(folder)

        def cold() -> dict[str, float]:
            _, reset, step = _one_process(game, cache)
            return dict(zip(_COLD, (reset, reset + step), strict=True))

        def warm() -> dict[str, float]:
            imported, reset, step = _one_process(game, cache)
            return dict(zip(_WARM, (imported, reset, reset + step), strict=True))

        def fill() -> None:
            if not any(cache.iterdir()):  # the cold process was measured before a kill
                _one_process(game, cache)

        found = Rounds(1, rounds.chunks).take(f"cold-{game}", _COLD, cold)
        found |= rounds.take(f"warm-{game}", _WARM, warm, begin=fill)
    return {name: found[name] for name in ("import", *_COLD, *_WARM[1:])}


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
