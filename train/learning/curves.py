"""Learning curves: one logger for stable-baselines3, to TensorBoard and to lines of JSON."""

from __future__ import annotations

import io
import itertools
import json
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.logger import KVWriter, Logger, filter_excluded_keys
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

from bidwise.envs.core.files import append_chunks
from bidwise.train.run.provenance import to_json

__all__ = ["PROGRESS", "append_line", "curves", "cut", "sizes"]

PROGRESS = "progress.jsonl"
"""Every metric at every update, one JSON object a line."""

_NUMBERS = itertools.count()
"""Of this process's event files."""


def append_line(path: Path, value: Any) -> None:
    """Add one JSON object to a file of lines, or nothing.

    Raises:
        OSError: it names the file and the cause.
    """
    append_chunks(path, [(json.dumps(to_json(value), allow_nan=False) + "\n").encode()])


def sizes(folder: Path, names: Iterable[str]) -> dict[str, int]:
    """The bytes of each file of lines so far; 0 for one that is not there."""
    paths = {name: folder / name for name in names}
    return {name: path.stat().st_size if path.exists() else 0 for name, path in paths.items()}


def cut(folder: Path, lengths: Mapping[str, int]) -> None:
    """Take off what was written behind these lengths: a continued run writes it again.

    A line that is not whole goes as well, so that the next one does not join it.
    """
    for name, length in lengths.items():
        path = folder / name
        if path.exists():
            whole = path.read_bytes()[:length].rfind(b"\n") + 1
            if whole < path.stat().st_size:
                os.truncate(path, whole)


class _EventFile(KVWriter):
    """The numbers as TensorBoard reads them, each step written before the next is learned.

    Torch's and SB3's own writer leaves them to a thread: where the disk is full, that one prints
    a traceback and half a record stays. And it names its files after the machine.

    Args:
        folder: of the event files; a new one is begun.
        purge: the step behind which what earlier files hold is not shown; None: all is.
    """

    def __init__(self, folder: Path, purge: int | None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        began = f"{int(time.time()):010d}.{os.getpid()}.{next(_NUMBERS)}"
        self._path = folder / f"events.out.tfevents.{began}"
        self._put(Event(file_version="brain.Event:2"))
        if purge is not None:
            start = SessionLog(status=SessionLog.START)
            self._put(Event(step=purge + 1, session_log=start))

    def write(
        self,
        key_values: dict[str, Any],
        key_excluded: dict[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        values = [
            Summary.Value(tag=name, simple_value=float(value))
            for name, value in filter_excluded_keys(key_values, key_excluded, "tensorboard").items()
            if isinstance(value, int | float | np.number)
        ]
        self._put(Event(step=step, summary=Summary(value=values)))

    def _put(self, event: Event) -> None:
        event.wall_time = time.time()
        record = io.BytesIO()
        RecordWriter(record).write(event.SerializeToString())
        append_chunks(self._path, [record.getvalue()])

    def close(self) -> None:
        """The file is open only while it is written."""


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
        [_EventFile(folder / "tensorboard", purge), _JsonLines(folder / PROGRESS)],
    )
