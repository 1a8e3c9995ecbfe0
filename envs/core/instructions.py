"""The few machine instructions that numba does not name, for compiled code and for plain Python.

The atomic ones, on whole numbers in memory that several threads share, are for compiled code
alone. They are sequentially consistent: all threads see all of them in one order.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from bidwise.envs.core.compilation import INTERPRETED

__all__ = [
    "atomic_add",
    "atomic_load",
    "atomic_store",
    "borrow",
    "expect_write",
    "give_way",
    "load_half",
    "load_word",
    "lowest_bit",
    "popcount",
    "store_half",
    "store_word",
]

_CACHE_LINE = 64

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
        array = context.make_array(signature.args[0])(context, builder, args[0])
        byte = builder.gep(array.data, [args[1]])
        return builder.bitcast(byte, ir.IntType(bits).as_pointer())

    @intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
    def expect_write(typingctx: Any, row: Any) -> Any:
        """Ask for the cache lines of a row, which another core may hold: soon it is written.

        Without it a store to such a line is waited for by all stores after it.
        """

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

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = _pointer(context, builder, signature, args, 32)
            builder.store(builder.trunc(args[2], ir.IntType(32)), pointer, align=1)
            return context.get_dummy_value()

        return types.void(row, types.int64, types.uint64), codegen


_ORDER = "seq_cst"
_ALIGNMENT = 8


def _cell(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, [args[1]])


@intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
def atomic_load(typingctx: Any, numbers: Any, index: Any) -> Any:
    """Read a cell of an int64 array."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _cell(context, builder, signature, args)
        return builder.load_atomic(pointer, _ORDER, _ALIGNMENT)

    return types.int64(numbers, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
def atomic_store(typingctx: Any, numbers: Any, index: Any, value: Any) -> Any:
    """Write a cell of an int64 array."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _cell(context, builder, signature, args)
        builder.store_atomic(args[2], pointer, _ORDER, _ALIGNMENT)
        return context.get_dummy_value()

    return types.void(numbers, types.int64, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
def atomic_add(typingctx: Any, numbers: Any, index: Any, value: Any) -> Any:
    """Add to a cell of an int64 array; what stood there before."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _cell(context, builder, signature, args)
        return builder.atomic_rmw("add", pointer, args[2], _ORDER)

    return types.int64(numbers, types.int64, types.int64), codegen


give_way = types.ExternalFunction(
    "SwitchToThread" if sys.platform == "win32" else "sched_yield", types.int32()
)
"""Let another thread have the core if one waits for it."""
