"""Files that are written whole or not at all, and one line that says why they were not."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = [
    "append_chunks",
    "cause_of",
    "require_writable",
    "write_bytes",
    "write_chunks",
    "write_together",
]


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
    _write({path: [content]}, keep)


def write_chunks(path: Path, chunks: Iterable[bytes]) -> None:
    """The same for a content that comes piece by piece; a device or pipe takes it as it comes.

    Raises:
        OSError: as :func:`write_bytes`.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        with _named(path), path.open("wb") as file:
            file.writelines(chunks)
    else:
        _write({path: chunks})


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Write files that belong together: none takes its name before all are on the disk.

    Raises:
        OSError: as :func:`write_bytes`; on a full disk all that stood there stands there still.
    """
    _write({path: [content] for path, content in contents.items()})


def append_chunks(path: Path, chunks: Iterable[bytes]) -> None:
    """Add all of it to a file, or nothing: what was written of it is taken off again.

    Args:
        path: the file; made if need be, but not its folder.

    Raises:
        OSError: it names the file and the cause.
    """
    with _named(path):
        size = path.stat().st_size if path.exists() else None
        try:
            with path.open("ab") as file:
                file.writelines(chunks)
        except BaseException:
            with suppress(OSError):  # what it failed for is told
                if size is None:
                    path.unlink(missing_ok=True)
                else:
                    os.truncate(path, size)
            raise


def _write(contents: Mapping[Path, Iterable[bytes]], keep: Path | None = None) -> None:
    temporaries: dict[Path, Path] = {}
    try:
        for path, chunks in contents.items():
            name = f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.partial"
            temporary = temporaries[path] = path.with_name(name)
            with _named(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                with temporary.open("xb") as file:
                    file.writelines(chunks)
                    file.flush()
                    os.fsync(file.fileno())
        for path, temporary in temporaries.items():
            with _named(path):
                if keep is not None and path.exists():
                    os.replace(path, keep)
                os.replace(temporary, path)
    finally:
        for temporary in temporaries.values():
            with suppress(OSError):  # such as a folder in whose place a file stands
                temporary.unlink()


@contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
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
