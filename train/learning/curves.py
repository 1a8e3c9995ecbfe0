"""Learning curves: one logger for stable-baselines3, to TensorBoard and to lines of JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import (
    KVWriter,
    Logger,
    TensorBoardOutputFormat,
    filter_excluded_keys,
)
from torch.utils.tensorboard import SummaryWriter

from bidwise.envs.core.files import cause_of
from bidwise.train.run.provenance import to_json

__all__ = ["PROGRESS", "append_line", "curves", "cut", "sizes"]

PROGRESS = "progress.jsonl"
"""Every metric at every update, one JSON object a line."""


def append_line(path: Path, value: Any) -> None:
    """Add one JSON object to a file of lines."""
    line = json.dumps(to_json(value), allow_nan=False) + "\n"
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(line)
    except OSError as error:
        raise type(error)(f"{path} cannot be written: {cause_of(error)}") from error


def sizes(folder: Path, names: Iterable[str]) -> dict[str, int]:
    """The bytes of each file of lines so far; 0 for one that is not there."""
    paths = {name: folder / name for name in names}
    return {name: path.stat().st_size if path.exists() else 0 for name, path in paths.items()}


def cut(folder: Path, lengths: Mapping[str, int]) -> None:
    """Take off what was written behind these lengths: a continued run writes it again."""
    for name, length in lengths.items():
        path = folder / name
        if path.exists() and path.stat().st_size > length:
            os.truncate(path, length)


class _TensorBoard(KVWriter):
    """SB3's own format, whose errors name the folder.

    Args:
        folder: of the event files.
        purge: the step behind which what earlier files hold is not shown; None: all is.
    """

    def __init__(self, folder: Path, purge: int | None) -> None:
        self._folder = folder
        try:
            self._format = TensorBoardOutputFormat(str(folder))
            if purge is not None:
                self._format.writer.close()
                self._format.writer = SummaryWriter(str(folder), purge_step=purge + 1)
        except OSError as error:
            raise self._named(error) from error

    def write(
        self,
        key_values: dict[str, Any],
        key_excluded: dict[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        try:
            self._format.write(key_values, key_excluded, step)
        except OSError as error:
            raise self._named(error) from error

    def close(self) -> None:
        try:
            self._format.close()
        except OSError as error:
            raise self._named(error) from error

    def _named(self, error: OSError) -> OSError:
        return type(error)(f"{self._folder} cannot be written: {cause_of(error)}")


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


def curves(folder: Path, purge: int | None = None) -> Logger:
    """A logger into ``folder/tensorboard`` and ``folder/progress.jsonl``.

    `purge` is the step of the checkpoint from which a run goes on.
    """
    return Logger(
        str(folder),
        [_TensorBoard(folder / "tensorboard", purge), _JsonLines(folder / PROGRESS)],
    )
