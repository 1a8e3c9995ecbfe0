"""What a run leaves behind: ``run.json`` beside its outputs, and one console for all of them."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import platform
import re
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from bidwise.envs.core.files import write_bytes

__all__ = ["Run", "console", "platform_facts", "progress_bar", "to_json", "versions", "write_json"]


class _Console(Console):
    """Leaves a closed pipe to the command line, which knows how all commands end at one."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


console = _Console(highlight=False)
"""Where every command prints."""

_OPTION_PATH = re.compile(r"(?<==)/[^,]*")
"""An absolute path among an agent's options, ``"ordering:table=/…"``."""

_ALWAYS = ("bidwise", "numpy", "numba", "gymnasium", "pettingzoo")
_IF_IMPORTED = {
    "torch": "torch",
    "stable_baselines3": "stable-baselines3",
    "sb3_contrib": "sb3-contrib",
    "pyspiel": "open-spiel",
}


def versions(*, every: bool = False) -> dict[str, str]:
    """Versions of the distributions that a result may depend on.

    Those that are not always imported are told where they are, or if `every` one is asked for.
    """
    more = [name for module, name in _IF_IMPORTED.items() if every or module in sys.modules]
    names = [*_ALWAYS, *more]
    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "unknown"
    return found


def platform_facts() -> dict[str, Any]:
    """The kind of machine; neither its name nor any path of it."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": cores,
    }


def to_json(value: Any) -> Any:
    """A value as JSON can hold it: dataclasses as objects, paths by name, NaN as null.

    Absolute paths would tell about the machine, so of those only the last part is kept.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json(one) for one in value]
    if isinstance(value, np.ndarray):
        return to_json(value.tolist())
    if isinstance(value, np.generic):
        return to_json(value.item())
    if isinstance(value, Path):
        return value.name if value.is_absolute() else value.as_posix()
    if isinstance(value, str):
        if os.path.isabs(value):
            return Path(value).name
        return _OPTION_PATH.sub(lambda found: Path(found[0]).name, value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    return str(value)


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file whole or not at all; folders are made as needed."""
    text = json.dumps(to_json(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_bytes(path, text.encode())


def progress_bar() -> Progress:
    """A progress bar on the shared console; it vanishes when done."""
    return Progress(
        # What stands there may be a file's name, and that may have brackets.
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )


class Run:
    """One command's provenance; construct it when work begins.

    Args:
        command: its name on the command line.
        config: the dataclass it was called with.
    """

    def __init__(self, command: str, config: Any) -> None:
        self.command = command
        self.config = config
        self._started = datetime.now(UTC)
        self._clock = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Wall time since the beginning."""
        return time.perf_counter() - self._clock

    def write(
        self, folder: Path, results: Any, *, seed: int | None = None, rules: Any = None
    ) -> Path:
        """Write ``run.json`` into a folder; returns its path."""
        path = folder / "run.json"
        write_json(
            path,
            {
                "command": self.command,
                "config": self.config,
                "seed": seed,
                "rules": rules,
                "versions": versions(),
                "platform": platform_facts(),
                "started": self._started.isoformat(timespec="seconds"),
                "seconds": round(self.seconds, 3),
                "results": results,
            },
        )
        return path
