"""Threads for the engine's loops."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba import prange
from numba.core import cgutils, types
from numba.extending import intrinsic

from bidwise.envs.core.checks import check_int
from bidwise.envs.core.compilation import INTERPRETED, compiled_parallel, entry_address

__all__ = ["Workers"]

_LEAST_PER_THREAD = 256
"""Below so many tables a thread costs more than it brings."""

_SPINNING = "GOMP_SPINCOUNT"
_SPINS = "10000"

# Calls of a loop before the first look at the other way, and between two such looks.
_WARM_UP = 8
_FIRST_INTERVAL = 16
_LAST_INTERVAL = 1024

# Numba's simplest threading layer must not be entered twice at once, and GNU OpenMP, another
# of them, kills a forked child of a process that has used it.
_one_at_a_time = threading.Lock()
_threaded_process: int | None = None


def _available_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _start_threads() -> None:
    """Start numba's threads.

    GNU OpenMP's threads wait for each other by spinning, by default for milliseconds, which on
    a busy machine takes the core from the one they wait for. It reads its setting when it is
    loaded, here, so that the setting stands no longer than this; a user's own is respected.
    """
    given = os.environ.get(_SPINNING)
    os.environ.setdefault(_SPINNING, _SPINS)
    try:
        _start(1)
    finally:
        if given is None:
            del os.environ[_SPINNING]


@compiled_parallel
def _start(count: int) -> int:
    total = 0
    for number in prange(count):
        total += number
    return total


class _Pace:
    """Whether a loop is faster in parts just now: on a busy machine threads wait for each other.

    Every so often one call goes the other way; the more seldom, the more often that was slower.
    Only speed depends on it.
    """

    def __init__(self) -> None:
        self._seconds = {True: 0.0, False: 0.0}  # a table, of late
        self._in_parts = True
        self._left = _WARM_UP
        self._interval = _FIRST_INTERVAL

    def choose(self) -> bool:
        self._left -= 1
        return self._in_parts if self._left > 0 else not self._in_parts

    def note(self, in_parts: bool, seconds: float) -> None:
        known = self._seconds[in_parts]
        self._seconds[in_parts] = 0.7 * known + 0.3 * seconds if known else seconds
        if self._left > 0:
            return
        # A call the other way has just been made.
        if seconds < self._seconds[self._in_parts]:
            self._in_parts = in_parts
            self._interval = _FIRST_INTERVAL
        else:
            self._interval = min(2 * self._interval, _LAST_INTERVAL)
        self._left = self._interval


class Workers:
    """Runs a compiled loop over tables, on several threads where the batch is wide enough.

    What the loop computes must not depend on the cut. A forked child of a process that has
    used threads runs its loops on one.

    Args:
        threads: at most so many; None for every core that this process may use.
    """

    def __init__(self, threads: int | None = None) -> None:
        if threads is not None:
            check_int("threads", threads, 1, 4096)
        most = min(_available_cores(), int(numba.config.NUMBA_NUM_THREADS))
        self.threads = most if threads is None else min(threads, most)
        self._addresses: dict[Any, int] = {}
        self._paces: dict[Any, _Pace] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"threads": self.threads, "_addresses": {}, "_paces": {}}

    def parts(self, count: int) -> int:
        """Into how many parts a loop over `count` tables is cut."""
        if INTERPRETED or _threaded_process not in (None, os.getpid()):
            return 1
        return max(1, min(self.threads, count // _LEAST_PER_THREAD))

    def run(self, loop: Callable[..., None], count: int, *arguments: Any) -> None:
        """Call ``loop(first, last, *arguments)`` for ranges that make up 0..count.

        One of these workers always gives a loop arrays of the same types.
        """
        parts = self.parts(count)
        if parts < 2:
            loop(0, count, *arguments)
            return
        pace = self._paces.setdefault(loop, _Pace())
        in_parts = pace.choose()
        begun = time.perf_counter()
        if in_parts:
            self._run_in_parts(loop, parts, count, arguments)
        else:
            loop(0, count, *arguments)
        pace.note(in_parts, (time.perf_counter() - begun) / count)

    def _run_in_parts(
        self, loop: Callable[..., None], parts: int, count: int, arguments: tuple[Any, ...]
    ) -> None:
        global _threaded_process
        key = (loop, *map(type, arguments))
        if key not in self._addresses:
            kinds = (types.int64, types.int64, *map(numba.typeof, arguments))
            self._addresses[key] = entry_address(loop, kinds)
        with _one_at_a_time:
            if _threaded_process is None:
                _start_threads()
            _threaded_process = os.getpid()
            before = numba.get_num_threads()
            numba.set_num_threads(parts)
            try:
                _run_parts(self._addresses[key], parts, count, arguments)
            finally:
                numba.set_num_threads(before)


@intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
def _bind(typingctx: Any, address: Any, arguments: Any) -> Any:
    """Two integers for :func:`_call`: a function of (first, last, frame) that calls the compiled
    loop at `address` with the arguments kept in the frame, and that frame, on the stack.

    Numba's parallel loops take plain numbers only; and a call by address does not compile the
    loop into its caller once more.
    """
    pair = numba.types.UniTuple(types.int64, 2)
    signature = pair(types.int64, arguments)
    kinds = (types.int64, types.int64, *arguments.types)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        frame_type = ir.LiteralStructType([word, args[1].type])
        frame = cgutils.alloca_once(builder, frame_type)
        builder.store(args[0], cgutils.gep_inbounds(builder, frame, 0, 0))
        builder.store(args[1], cgutils.gep_inbounds(builder, frame, 0, 1))
        name = builder.module.get_unique_name("bound_loop")
        bound = ir.Function(builder.module, ir.FunctionType(ir.VoidType(), [word] * 3), name)
        bound.linkage = "internal"
        inner = ir.IRBuilder(bound.append_basic_block("entry"))
        kept = inner.load(inner.inttoptr(bound.args[2], frame_type.as_pointer()))
        loop_type = context.call_conv.get_function_type(types.none, kinds)
        loop = inner.inttoptr(inner.extract_value(kept, 0), loop_type.as_pointer())
        values = inner.extract_value(kept, 1)
        values = [inner.extract_value(values, k) for k in range(len(arguments.types))]
        context.call_conv.call_function(
            inner, loop, types.none, kinds, [bound.args[0], bound.args[1], *values]
        )
        inner.ret_void()
        numbers = [builder.ptrtoint(bound, word), builder.ptrtoint(frame, word)]
        return context.make_tuple(builder, signature.return_type, numbers)

    return signature, codegen


@intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
def _call(typingctx: Any, bound: Any, frame: Any, first: Any, last: Any) -> Any:
    """Call what :func:`_bind` made."""
    signature = types.void(types.int64, types.int64, types.int64, types.int64)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)] * 3)
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[2], args[3], args[1]])
        return context.get_dummy_value()

    return signature, codegen


@compiled_parallel
def _run_parts(address: int, parts: int, count: int, arguments: Any) -> None:
    bound, frame = _bind(address, arguments)
    for part in prange(parts):
        _call(bound, frame, count * part // parts, count * (part + 1) // parts)
