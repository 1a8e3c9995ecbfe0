"""What every test finds, wherever the suite was started."""

from __future__ import annotations

import signal

# A shell's background ignores Ctrl-C, and so would every process that a test begins.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
