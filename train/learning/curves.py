"""Learning curves: one logger for stable-baselines3, to TensorBoard and to lines of JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import (
    KVWriter,
    Logger,
    TensorBoardOutputFormat,
    filter_excluded_keys,
)

from bidwise.train.run.provenance import to_json

__all__ = ["PROGRESS", "append_line", "curves"]

PROGRESS = "progress.jsonl"
"""Every metric at every update, one JSON object a line."""


def append_line(path: Path, value: Any) -> None:
    """Add one JSON object to a file of lines."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(to_json(value), allow_nan=False) + "\n")


class _JsonLines(KVWriter):
    """Appends, so that a continued run continues its curve."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(
        self,
        key_values: dict[str, Any],
        key_excluded: dict[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        append_line(
            self._path, {"step": step} | filter_excluded_keys(key_values, key_excluded, "json")
        )

    def close(self) -> None:
        """The file is open only while it is written."""


def curves(folder: Path) -> Logger:
    """A logger into ``folder/tensorboard`` and ``folder/progress.jsonl``."""
    return Logger(
        str(folder),
        [TensorBoardOutputFormat(str(folder / "tensorboard")), _JsonLines(folder / PROGRESS)],
    )
