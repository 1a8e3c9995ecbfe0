"""Threads for the engine's loops, which run without the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from bidwise.envs.ruleset import check_int

__all__ = ["Workers"]

_LEAST_PER_THREAD = 256
"""Below so many tables a thread costs more than it brings."""


def _available_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers:
    """Cuts a range of tables into parts and runs them side by side, one of them right here.

    What the parts compute must not depend on the cut. Threads start at the first use and
    again in a forked or copied process.
    """

    def __init__(self, threads: int | None = None) -> None:
        if threads is not None:
            check_int("threads", threads, 1, 4096)
        self.threads = threads or _available_cores()
        self._pool: ThreadPoolExecutor | None = None
        self._process = -1

    def __getstate__(self) -> dict[str, Any]:
        return {"threads": self.threads, "_pool": None, "_process": -1}

    def run(self, part: Callable[[int, int], Any], count: int) -> None:
        """Call ``part(first, last)`` for adjoining ranges that make up 0..count."""
        parts = min(self.threads, count // _LEAST_PER_THREAD)
        if parts < 2:
            part(0, count)
            return
        if self._pool is None or self._process != os.getpid():
            self._pool = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="bidwise")
            self._process = os.getpid()
        cuts = [count * k // parts for k in range(parts + 1)]
        futures: list[Future[Any]] = [
            self._pool.submit(part, cuts[k], cuts[k + 1]) for k in range(1, parts)
        ]
        try:
            part(0, cuts[1])
        finally:
            for future in futures:
                future.result()
