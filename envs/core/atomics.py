"""Whole numbers in memory that several threads share, for compiled code.

Every access is sequentially consistent: all threads see all of them in one order.
"""

from __future__ import annotations

import sys
from typing import Any

from numba.core import types
from numba.extending import intrinsic

__all__ = ["atomic_add", "atomic_load", "atomic_store", "give_way"]

_ORDER = "seq_cst"
_ALIGNMENT = 8


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, [args[1]])


@intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
def atomic_load(typingctx: Any, numbers: Any, index: Any) -> Any:
    """Read a cell of an int64 array."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature, args)
        return builder.load_atomic(pointer, _ORDER, _ALIGNMENT)

    return types.int64(numbers, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
def atomic_store(typingctx: Any, numbers: Any, index: Any, value: Any) -> Any:
    """Write a cell of an int64 array."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature, args)
        builder.store_atomic(args[2], pointer, _ORDER, _ALIGNMENT)
        return context.get_dummy_value()

    return types.void(numbers, types.int64, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
def atomic_add(typingctx: Any, numbers: Any, index: Any, value: Any) -> Any:
    """Add to a cell of an int64 array; what stood there before."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature, args)
        return builder.atomic_rmw("add", pointer, args[2], _ORDER)

    return types.int64(numbers, types.int64, types.int64), codegen


give_way = types.ExternalFunction(
    "SwitchToThread" if sys.platform == "win32" else "sched_yield", types.int32()
)
"""Let another thread have the core if one waits for it."""
