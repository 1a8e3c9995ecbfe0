"""Files that are written whole or not at all, and one line that says why they were not."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

__all__ = ["cause_of", "require_writable", "write_bytes"]


def cause_of(error: OSError) -> str:
    """What the system says, without the number and without the temporary file's name."""
    return error.strerror or str(error) or type(error).__name__


def write_bytes(path: Path, content: bytes, *, keep: Path | None = None) -> None:
    """Write a file so that at no moment a part of it stands under its name.

    Args:
        path: the file; its folder is made if need be.
        content: all of it.
        keep: where to the file that stands there moves, once the new one is on the disk.

    Raises:
        OSError: it names the file and the cause; what stood there stands there still.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if keep is not None and path.exists():
                os.replace(path, keep)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        # The class stays, since a caller may tell a missing folder from a full disk.
        raise type(error)(f"{path} cannot be written: {cause_of(error)}") from error


def require_writable(folder: Path, option: str) -> None:
    """Refuse before long work a folder that could not take its results; nothing is left there.

    Args:
        folder: need not be there yet.
        option: its name among the command's options.

    Raises:
        ValueError: nothing can be written there; it names the option and the cause.
    """
    trial = folder / f".{os.getpid()}.{secrets.token_hex(4)}.trial"
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            trial.write_bytes(b"bidwise")
        finally:
            trial.unlink(missing_ok=True)
    except OSError as error:
        raise ValueError(
            f"{option}: nothing can be written in {folder}: {cause_of(error)}"
        ) from None
    with suppress(OSError):  # another process may have put something there meanwhile
        for path in made:
            path.rmdir()
