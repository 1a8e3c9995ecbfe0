"""Finished chunks of a long computation, kept beside its output until all are there.

A chunk is written whole or not at all and carries a digest of itself and of the settings that
made it, so that what is damaged or was made by other settings is never mixed in. So a command that
was killed, given again, goes on where it stood.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.envs.core.files import write_bytes
from bidwise.train.run.provenance import console, to_json

__all__ = ["Chunks"]

_DIGEST = hashlib.sha256().digest_size


class Chunks:
    """The chunks of one output: named arrays each, by a key.

    Args:
        output: the file that they will make up; they lie in a folder of that name and
            ``.chunks``.
        settings: everything that they depend on.

    Attributes:
        folder: where they lie; it is there only while there are some.
    """

    def __init__(self, output: Path, settings: Mapping[str, Any]) -> None:
        self.folder = output.with_name(f"{output.name}.chunks")
        text = json.dumps(to_json(settings), sort_keys=True, allow_nan=False)
        self._digest = hashlib.sha256(text.encode()).digest()
        self._prefix = f"{self._digest.hex()[:16]}-"

    def _path(self, key: str) -> Path:
        return self.folder / f"{self._prefix}{key}.chunk"

    def _sealed(self, key: str, data: bytes) -> bytes:
        return hashlib.sha256(self._digest + f"{key}\0".encode() + data).digest()

    def read(self, key: str) -> dict[str, NDArray[Any]] | None:
        """A chunk, or None if it is not there, is damaged or is not of these settings."""
        try:
            content = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        seal, data = content[:_DIGEST], content[_DIGEST:]
        if seal != self._sealed(key, data):
            return None
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return dict(arrays)

    def write(self, key: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep a chunk. The key is letters, digits and hyphens: it is part of a file's name."""
        buffer = io.BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, **arrays)
        data = buffer.getvalue()
        content = self._sealed(key, data) + data
        try:
            write_bytes(self._path(key), content)
        except FileNotFoundError:
            # Another build of the same output is done and has just removed its chunks.
            write_bytes(self._path(key), content)

    def count(self) -> int:
        """How many sound chunks of these settings there are."""
        keys = [path.stem.removeprefix(self._prefix) for path in self._found("*.chunk")]
        return sum(self.read(key) is not None for key in keys)

    def tell(self, what: str) -> None:
        """Print what is there already, such as ``"3 of 5 rounds"``."""
        console.print(f"Going on: {what} are kept in {self.folder}/.", soft_wrap=True, markup=False)

    def remove(self) -> None:
        """Remove these settings' chunks, and the folder unless others have theirs in it."""
        # One that was being written when its process was killed has a dot before its name.
        for path in [*self._found("*"), *self.folder.glob(f".{self._prefix}*")]:
            path.unlink(missing_ok=True)
        with suppress(OSError):  # others' chunks are there, or the folder is gone
            self.folder.rmdir()

    def _found(self, ending: str) -> list[Path]:
        return list(self.folder.glob(f"{self._prefix}{ending}"))
