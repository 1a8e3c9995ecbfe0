"""Compilation: one decorator, and the few machine instructions that numba does not name.

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
from numba.core import cgutils, types
from numba.extending import intrinsic

__all__ = [
    "ENGINE",
    "INTERPRETED",
    "borrow",
    "compiled",
    "compiler",
    "entry_address",
    "expect_write",
    "inlined",
    "load_half",
    "load_word",
    "lowest_bit",
    "popcount",
    "sources_digest",
    "store_half",
    "store_word",
]

F = TypeVar("F", bound=Callable[..., Any])

INTERPRETED: bool = bool(numba.config.DISABLE_JIT)
"""True when the engine runs as plain Python (``NUMBA_DISABLE_JIT=1``)."""

_STALE_AFTER_DAYS = 14
_CACHE_LINE = 64


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


if INTERPRETED:

    def borrow(array: Any) -> Any:
        """The same array, for use within a call whose caller keeps it alive."""
        return array

    def popcount(word: Any) -> int:
        """Number of cards in a bit mask (uint64)."""
        return int(word).bit_count()

    def lowest_bit(word: Any) -> int:
        """Index of the lowest set bit of a non-zero uint64."""
        value = int(word)
        return (value & -value).bit_length() - 1

    def load_word(row: Any, offset: int) -> Any:
        """Eight bytes of an int8 row as one little-endian uint64."""
        return np.uint64(int.from_bytes(row[offset : offset + 8].tobytes(), "little"))

    def load_half(row: Any, offset: int) -> Any:
        """Four bytes of an int8 row as the low half of a little-endian uint64."""
        return np.uint64(int.from_bytes(row[offset : offset + 4].tobytes(), "little"))

    def expect_write(row: Any) -> None:
        """Nothing; compiled, a hint."""

    def store_word(row: Any, offset: int, word: Any) -> None:
        """Write a uint64 as eight bytes, lowest first."""
        row[offset : offset + 8] = np.frombuffer(int(word).to_bytes(8, "little"), np.int8)

    def store_half(row: Any, offset: int, word: Any) -> None:
        """Write the low half of a uint64 as four bytes, lowest first."""
        half = int(word) & 0xFFFFFFFF
        row[offset : offset + 4] = np.frombuffer(half.to_bytes(4, "little"), np.int8)

else:

    @intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
    def borrow(typingctx: Any, array: Any) -> Any:
        """The same array, for use within a call whose caller keeps it alive.

        Rows taken from it are not counted as references. The counters are atomic and shared:
        two threads that count the rows of one array run slower than one thread alone.
        """

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            view = context.make_array(signature.return_type)(context, builder, args[0])
            view.meminfo = cgutils.get_null_value(view.meminfo.type)
            view.parent = cgutils.get_null_value(view.parent.type)
            return view._getvalue()

        return array(array), codegen

    @intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
    def popcount(typingctx: Any, word: Any) -> Any:
        """Number of cards in a bit mask (uint64)."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.uint64), codegen

    @intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
    def lowest_bit(typingctx: Any, word: Any) -> Any:
        """Index of the lowest set bit of a non-zero uint64."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], context.get_constant(types.boolean, True))

        return types.int64(types.uint64), codegen

    def _pointer(context: Any, builder: Any, signature: Any, args: Any, bits: int) -> Any:
        from llvmlite import ir

        array = context.make_array(signature.args[0])(context, builder, args[0])
        byte = builder.gep(array.data, [args[1]])
        return builder.bitcast(byte, ir.IntType(bits).as_pointer())

    @intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
    def expect_write(typingctx: Any, row: Any) -> Any:
        """Ask for the cache lines of a row, which another core may hold: soon it is written.

        Without it a store to such a line is waited for by all stores after it.
        """
        from llvmlite import ir

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, args[0])
            pointer, whole = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [pointer, whole, whole, whole])
            hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            for_write, keep, data = whole(1), whole(3), whole(1)
            start = builder.bitcast(array.data, pointer)
            size = builder.mul(builder.extract_value(array.shape, 0), array.itemsize)
            first, line = size.type(0), size.type(_CACHE_LINE)
            with cgutils.for_range_slice(builder, first, size, line, inc=True) as (offset, _):
                builder.call(hint, [builder.gep(start, [offset]), for_write, keep, data])
            last = builder.gep(start, [builder.sub(size, size.type(1))])
            builder.call(hint, [last, for_write, keep, data])
            return context.get_dummy_value()

        return types.void(row), codegen

    @intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
    def load_word(typingctx: Any, row: Any, offset: Any) -> Any:
        """Eight bytes of an int8 row as one little-endian uint64."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.load(_pointer(context, builder, signature, args, 64), align=1)

        return types.uint64(row, types.int64), codegen

    @intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
    def load_half(typingctx: Any, row: Any, offset: Any) -> Any:
        """Four bytes of an int8 row as the low half of a little-endian uint64."""
        from llvmlite import ir

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            half = builder.load(_pointer(context, builder, signature, args, 32), align=1)
            return builder.zext(half, ir.IntType(64))

        return types.uint64(row, types.int64), codegen

    @intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
    def store_word(typingctx: Any, row: Any, offset: Any, word: Any) -> Any:
        """Write a uint64 as eight bytes, lowest first."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = _pointer(context, builder, signature, args, 64)
            builder.store(args[2], pointer, align=1)
            return context.get_dummy_value()

        return types.void(row, types.int64, types.uint64), codegen

    @intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
    def store_half(typingctx: Any, row: Any, offset: Any, word: Any) -> Any:
        """Write the low half of a uint64 as four bytes, lowest first."""
        from llvmlite import ir

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = _pointer(context, builder, signature, args, 32)
            builder.store(builder.trunc(args[2], ir.IntType(32)), pointer, align=1)
            return context.get_dummy_value()

        return types.void(row, types.int64, types.uint64), codegen
