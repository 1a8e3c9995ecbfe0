"""Threads for the engine's loops.

A loop over tables is cut into ranges, one a thread, and each range into small pieces. A thread
takes pieces of its own range first, whose tables lie in its core's cache, and then those that
others have left. So nobody waits for a thread that woke late, or whose core another program
took: its pieces are played by the rest.

The threads are Python's own and sleep on a lock. Awake they look for work without the
interpreter's lock, through whole numbers in memory that all share (the *board*).
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from bidwise.envs.core.checks import check_int
from bidwise.envs.core.compilation import INTERPRETED, compiled, entry_address
from bidwise.envs.core.instructions import atomic_add, atomic_load, atomic_store, give_way

__all__ = ["Workers"]

_LEAST_PER_THREAD = 256
"""Below so many tables a thread costs more than it brings."""

_PIECES = 16
"""Pieces of a thread's range."""

_LOOKS = 4000
"""How often a thread looks for the next loop before it sleeps: for some two milliseconds, in which
a user's policy may have chosen the next actions. Each time it gives way to whoever waits."""

_MOST_THREADS = 4096

# The board's cells. Those that threads write to at once stand a cache line apart.
_LINE = 8
_ROUND, _INSIDE, _FUNCTION, _FRAME, _PARTS, _COUNT, _PIECE, _CURSORS = (_LINE * k for k in range(8))


def _available_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _find_current_core() -> Callable[[], int]:
    """What tells the core that the calling thread runs on; always -1 where nothing does."""
    function = None
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):
            function = getattr(ctypes.CDLL(None), "sched_getcpu", None)
    return (lambda: -1) if function is None else function


_current_core = _find_current_core()


class Workers:
    """Runs a compiled loop over tables, on several threads where the batch is wide enough.

    What the loop computes must not depend on the cut.

    Args:
        threads: at most so many; None for every core that this process may use.
    """

    def __init__(self, threads: int | None = None) -> None:
        if threads is not None:
            check_int("threads", threads, 1, _MOST_THREADS)
        most = min(_available_cores(), int(numba.config.NUMBA_NUM_THREADS))
        self.threads = most if threads is None else min(threads, most)
        self._addresses: dict[Any, int] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"threads": self.threads, "_addresses": {}}

    def parts(self, count: int) -> int:
        """Into how many threads' ranges a loop over `count` tables is cut."""
        return 1 if INTERPRETED else max(1, min(self.threads, count // _LEAST_PER_THREAD))

    def wake(self, count: int) -> None:
        """A loop over `count` tables will be run at once: sleeping threads may wake meanwhile."""
        parts = self.parts(count)
        if parts > 1:
            _pool_of_process().wake(parts)

    def run(self, loop: Callable[..., None], count: int, *arguments: Any) -> None:
        """Call ``loop(first, last, *arguments)`` for ranges that make up 0..count.

        One of these workers always gives a loop arrays of the same types.
        """
        parts = self.parts(count)
        if parts > 1:
            address = self._address(loop, arguments)
            if _pool_of_process().run(address, parts, count, arguments):
                return
        loop(0, count, *arguments)

    def _address(self, loop: Callable[..., None], arguments: tuple[Any, ...]) -> int:
        key = (loop, *map(type, arguments))
        address = self._addresses.get(key)
        if address is None:
            kinds = (types.int64, types.int64, *map(numba.typeof, arguments))
            address = self._addresses[key] = entry_address(loop, kinds)
        return address


class _Pool:
    """The threads of this process, beside the one that calls."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._busy = threading.Lock()
        self._alarms: list[threading.Lock] = []
        self._threads: list[threading.Thread] = []
        self._core = -1
        self._board = np.zeros(_CURSORS + _LINE * _MOST_THREADS, np.int64)

    def wake(self, parts: int) -> None:
        """Wake the threads of `parts` ranges, one of them the caller's own."""
        while len(self._alarms) < parts - 1:
            self._hire()
        core = _current_core()
        if core != self._core:
            self._leave_alone(core)
        for alarm in self._alarms[: parts - 1]:
            # Held: no alarm has been given since the thread last lay down, or is about to.
            if alarm.locked():
                with suppress(RuntimeError):  # another of the caller's threads was faster
                    alarm.release()

    def _hire(self) -> None:
        alarm = threading.Lock()
        alarm.acquire()
        self._alarms.append(alarm)
        number = len(self._alarms)
        thread = threading.Thread(
            target=self._serve, args=(alarm, number), name=f"bidwise-{number}", daemon=True
        )
        thread.start()
        self._threads.append(thread)
        self._core = -1

    def _leave_alone(self, core: int) -> None:
        """Keep the threads off the caller's core, where Linux likes to put those that it wakes."""
        self._core = core
        others = os.sched_getaffinity(0) - {core}
        for thread in self._threads:
            with suppress(OSError):
                if others and thread.native_id is not None:
                    os.sched_setaffinity(thread.native_id, others)

    def _serve(self, alarm: threading.Lock, number: int) -> None:
        while True:
            alarm.acquire()
            _look_for_work(self._board, number, _LOOKS)

    def run(self, address: int, parts: int, count: int, arguments: tuple[Any, ...]) -> bool:
        """Run a compiled loop by its address; False if another thread's loop is being run."""
        if not self._busy.acquire(blocking=False):
            return False
        try:
            self.wake(parts)
            _share(self._board, address, parts, count, arguments)
        finally:
            self._busy.release()
        return True


_pool = _Pool()


def _pool_of_process() -> _Pool:
    """A forked child has none of its parent's threads: it begins anew."""
    global _pool
    if _pool.process != os.getpid():
        _pool = _Pool()
    return _pool


@intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
def _bind(typingctx: Any, address: Any, arguments: Any) -> Any:
    """Two integers for :func:`_call`: a function of (first, last, frame) that calls the compiled
    loop at `address` with the arguments kept in the frame, and that frame, on the stack.

    So threads can be handed any loop with any arguments.
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


@compiled
def _play_pieces(board: Any, own: int) -> None:
    """Play pieces of the own range while there are any, then of the ranges after it."""
    parts, count, piece = board[_PARTS], board[_COUNT], board[_PIECE]
    for step in range(parts):
        part = (own + step) % parts
        last = count * (part + 1) // parts
        while True:
            first = atomic_add(board, _CURSORS + _LINE * part, piece)
            if first >= last:
                break
            _call(board[_FUNCTION], board[_FRAME], first, min(first + piece, last))


@compiled
def _share(board: Any, address: int, parts: int, count: int, arguments: Any) -> None:
    """Run a loop together with all threads that are awake; returns when all of it is done.

    The round's number is odd while threads may enter. Who enters says so before looking at the
    number once more, so that after the number has changed nobody can enter unseen.
    """
    function, frame = _bind(address, arguments)
    board[_FUNCTION] = function
    board[_FRAME] = frame
    board[_PARTS] = parts
    board[_COUNT] = count
    board[_PIECE] = max(1, count // (parts * _PIECES))
    for part in range(parts):
        board[_CURSORS + _LINE * part] = count * part // parts
    number = atomic_load(board, _ROUND)
    atomic_store(board, _ROUND, number + 1)
    _play_pieces(board, 0)
    atomic_store(board, _ROUND, number + 2)
    while atomic_load(board, _INSIDE) != 0:
        give_way()


@compiled
def _look_for_work(board: Any, own: int, looks: int) -> None:
    """Play pieces of every round that opens, until `looks` in a row found no new one."""
    played = 0
    left = looks
    while left > 0:
        number = atomic_load(board, _ROUND)
        if number % 2 == 0 or number == played:
            give_way()
            left -= 1
            continue
        atomic_add(board, _INSIDE, 1)
        if atomic_load(board, _ROUND) == number:
            if own < board[_PARTS]:
                _play_pieces(board, own)
            played = number
            left = looks
        atomic_add(board, _INSIDE, -1)
