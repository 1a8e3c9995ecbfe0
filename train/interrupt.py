"""Ctrl-C, where Python would lose it or make others of it.

While libraries load, it ends the process there and then: nothing is at stake yet, and an
exception would be turned into others by whatever extension is just being imported. A process
that was told to ignore Ctrl-C, as those of a shell's background are, goes on ignoring it.

While numba compiles, LLVM calls back into Python, and Python drops an exception that rises there
or in a ``__del__``: such a Ctrl-C is raised once more a moment later.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["INTERRUPTED", "end_leaving_at_once", "leave_at_once", "lost_interrupts_return"]

INTERRUPTED = 130
"""Exit code."""

_AGAIN_AFTER_SECONDS = 0.05
"""Time enough to come out of the callback that lost it."""


def leave_at_once() -> None:
    """From now on Ctrl-C ends the process; outside the main thread nothing changes."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _set(_leave)


def end_leaving_at_once() -> None:
    """From now on Ctrl-C raises KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is _leave:
        _set(signal.default_int_handler)


@contextmanager
def lost_interrupts_return() -> Iterator[list[Any]]:
    """Meanwhile a KeyboardInterrupt that Python drops is raised again.

    Yields what was lost so far: where there is something, an error of any kind may be no more than
    its consequence, since the library went on with a half-built object.
    """
    before = sys.unraisablehook
    lost: list[Any] = []

    def told(unraisable: Any) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            before(unraisable)
            return
        from threading import Timer

        again = Timer(_AGAIN_AFTER_SECONDS, _interrupt_main)
        again.daemon = True
        lost.append(again)
        again.start()

    sys.unraisablehook = told
    try:
        yield lost
    finally:
        sys.unraisablehook = before
        for again in lost:
            again.cancel()


def _interrupt_main() -> None:
    """As Ctrl-C does: a signal ends what the main thread waits for, a flag alone would not."""
    from threading import main_thread

    thread = main_thread().ident
    if hasattr(signal, "pthread_kill") and thread is not None:
        signal.pthread_kill(thread, signal.SIGINT)
    else:
        _thread.interrupt_main()


def _set(handler: signal._HANDLER) -> None:
    try:
        signal.signal(signal.SIGINT, handler)
    except ValueError:  # not the main thread
        return


def _leave(number: int, frame: object) -> None:
    os.write(2, b"bidwise: interrupted\n")
    os._exit(INTERRUPTED)
