"""Compilation: one decorator for the functions of the engine, and where its results are kept.

Every function of the engine carries :func:`compiled`. Under ``NUMBA_DISABLE_JIT=1`` the
same functions run as plain Python, unsigned overflow being wrap-around in both.

Numba's own cache looks only at the file a function stands in, so that an edited
``scoring.py`` would leave an ``engine.py`` compiled from the old rules in use. Here the
cache folder's name holds a digest of all sources that a function may have compiled in: an
edit means a new folder, never a stale rule. The folder stands in ``NUMBA_CACHE_DIR`` where
that is set, else in the user's cache folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

__all__ = [
    "ENGINE",
    "INTERPRETED",
    "compiled",
    "compiler",
    "entry_address",
    "inlined",
    "sources_digest",
]

F = TypeVar("F", bound=Callable[..., Any])

INTERPRETED: bool = bool(numba.config.DISABLE_JIT)
"""True when the engine runs as plain Python (``NUMBA_DISABLE_JIT=1``)."""

_STALE_AFTER_DAYS = 14


def _cache_root() -> Path:
    if numba.config.CACHE_DIR:
        return Path(numba.config.CACHE_DIR)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    return Path(base) / "bidwise"


def sources_digest(folders: Sequence[Path]) -> str:
    """Of all Python sources in folders, and of what compiles them."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__}".encode())
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            digest.update(str(path.relative_to(folder)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _sweep(root: Path, keep: Path) -> None:
    """Remove compile caches of other sources that nobody has used for two weeks."""
    horizon = time.time() - _STALE_AFTER_DAYS * 86_400
    for folder in root.glob("compiled-*"):
        if folder != keep and folder.stat().st_mtime < horizon:
            shutil.rmtree(folder, ignore_errors=True)


def _keep_if_there_is_room(dispatcher: Any) -> None:
    """A full disk costs the time to compile again; numba would raise what the system says."""
    cache = dispatcher._cache
    save = cache.save_overload

    def save_overload(signature: Any, result: Any) -> None:
        with suppress(OSError):
            save(signature, result)

    cache.save_overload = save_overload


def compiler(*folders: Path, inline: bool = False) -> Callable[[F], F]:
    """A ``compiled`` decorator for functions that build on the sources in `folders`.

    With `inline` they become a part of every caller: worth it where a hot loop hands over
    arrays, each of which is seven numbers on the stack and a reference counted.

    Machine code is cached on disk, keyed by those sources; it runs without the
    interpreter's lock, so that plain threads help. Where no cache folder can be written,
    each process compiles for itself, and where the disk is full, nothing more is kept.
    """
    if INTERPRETED:
        return np.errstate(over="ignore")
    root = _cache_root()
    folder: Path | None = root / f"compiled-{sources_digest(folders)}"
    try:
        assert folder is not None
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _sweep(root, keep=folder)
        else:
            os.utime(folder)
    except OSError:
        folder = None

    def decorate(function: F) -> F:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = "" if folder is None else str(folder)
        try:
            dispatcher: F = numba.njit(
                nogil=True, cache=folder is not None, error_model="numpy", forceinline=inline
            )(function)
        finally:
            numba.config.CACHE_DIR = before
        if folder is not None:
            _keep_if_there_is_room(dispatcher)
        return dispatcher

    return decorate


ENGINE = Path(__file__).parents[1]
"""The folder of all sources that the engine may have compiled in."""

compiled = compiler(ENGINE)
inlined = compiler(ENGINE, inline=True)


def entry_address(function: Any, kinds: tuple[Any, ...]) -> int:
    """The address of a compiled function's code for arguments of the given numba types.

    It follows numba's own calling convention and is good for this process alone, as long as
    the function lives.
    """
    function.compile(kinds)
    result = function.overloads[kinds]
    pointer: int = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    return pointer
