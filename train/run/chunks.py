"""Finished parts of a long computation, kept beside its output until all are there.

A part is written whole or not at all and carries a digest of itself and of the settings that
made it, so that what is damaged or was made by other settings is never mixed in.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.envs.core.files import write_bytes

__all__ = ["Parts"]

_DIGEST = hashlib.sha256().digest_size


class Parts:
    """The parts of one output: arrays of known shape and type, by number.

    Args:
        output: the file that they will make up; they lie in a folder of that name and ``.parts``.
        settings: everything that they depend on, as JSON can hold it.
    """

    def __init__(self, output: Path, settings: Mapping[str, Any]) -> None:
        self.folder = output.with_name(f"{output.name}.parts")
        text = json.dumps(settings, sort_keys=True, allow_nan=False)
        self._digest = hashlib.sha256(text.encode()).digest()

    def _path(self, number: int) -> Path:
        return self.folder / f"{self._digest.hex()[:16]}-{number:05d}.part"

    def _sealed(self, number: int, data: bytes) -> bytes:
        return hashlib.sha256(self._digest + number.to_bytes(8, "little") + data).digest()

    def read(self, number: int, shape: tuple[int, ...], kind: Any) -> NDArray[Any] | None:
        """A part, or None if it is not there, is damaged or is not of these settings."""
        try:
            data = self._path(number).read_bytes()
        except FileNotFoundError:
            return None
        if data[:_DIGEST] != self._sealed(number, data[_DIGEST:]):
            return None
        array = np.frombuffer(zlib.decompress(data[_DIGEST:]), kind)
        return array.reshape(shape)

    def write(self, number: int, array: NDArray[Any]) -> None:
        """Keep a part."""
        data = zlib.compress(array.tobytes())
        content = self._sealed(number, data) + data
        try:
            self._put(number, content)
        except FileNotFoundError:
            # Another build of the same output is done and has just removed its parts.
            self._put(number, content)

    def _put(self, number: int, content: bytes) -> None:
        write_bytes(self._path(number), content)

    def remove(self) -> None:
        """Remove these settings' parts, and the folder unless others have theirs in it."""
        for path in self.folder.glob(f"{self._digest.hex()[:16]}-*"):
            path.unlink(missing_ok=True)
        with suppress(OSError):  # others' parts are there, or the folder is gone
            self.folder.rmdir()
