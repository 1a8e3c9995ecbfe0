"""The command `bidwise`: its commands are listed in :mod:`bidwise.train.commands`.

Bad input, and a file that cannot be written, end with one line and exit code 2, learning that
diverged with 1, Ctrl-C with 130, a closed pipe silently with 141.
``python -X dev -m bidwise.train`` shows the traceback instead. Only light modules are imported
at the top: Ctrl-C must find `main` at work while the libraries load, and help is to be quick.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

from bidwise.train.commands import COMMANDS
from bidwise.train.interrupt import (
    INTERRUPTED,
    end_leaving_at_once,
    leave_at_once,
    lost_interrupts_return,
)

__all__ = ["COMMANDS", "main"]

_DESCRIPTION = (
    "Train bidding agents for Pyramid and Spades, measure them, and study the order of bids."
)
_COMPLETION = ("--tyro-print-completion", "--tyro-write-completion")
_FAILED, _BAD_INPUT, _BROKEN_PIPE = 1, 2, 141


def main(args: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    with lost_interrupts_return() as lost:
        try:
            try:
                return _run(sys.argv[1:] if args is None else list(args))
            finally:
                if sys.stdout is not None:
                    sys.stdout.flush()  # here, where a closed pipe can still be told apart
        except (Exception, KeyboardInterrupt) as error:
            if not lost and not isinstance(error, KeyboardInterrupt):
                return _end(error)
    # What a library was about to build when it was interrupted, it may fail to take down.
    sys.unraisablehook = lambda _: None
    return _complain("interrupted", INTERRUPTED)


def _end(error: Exception) -> int:
    """Say what went wrong; what should not go wrong is raised."""
    if isinstance(error, BrokenPipeError):
        # Whoever read our output has enough of it; Python would flush once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    if sys.flags.dev_mode:
        raise error
    if isinstance(error, ValueError | OSError):
        return _complain(_reason(error), getattr(error, "exit_code", _BAD_INPUT))
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("bidwise"):
        message = f"this needs {error.name}: pip install 'bidwise[train]'"
        return _complain(message, _FAILED)
    raise error


def _run(args: list[str]) -> int:
    if any(arg.startswith(_COMPLETION) for arg in args):
        return _run_tyro(args)
    if not args:
        print(_help(), file=sys.stderr)
        return _BAD_INPUT
    first, *rest = args
    if first in ("-h", "--help"):
        print(_help())
        return 0
    if first == "--version":
        from importlib.metadata import version

        print(f"bidwise {version('bidwise')}")
        return 0
    if first not in COMMANDS:
        what = "option" if first.startswith("-") else "command"
        known = "--help, --version" if what == "option" else ", ".join(COMMANDS)
        hint = "bidwise --help tells what each does"
        raise ValueError(f"{what}: {first!r} is not one of {known}; {hint}")
    command = COMMANDS[first]
    leave_at_once()
    try:
        from bidwise.train.run.arguments import parse_settings

        config = parse_settings(_load(command.settings), first, rest, command.examples)
        function = _load(command.function)
    finally:
        end_leaving_at_once()
    return _exit_code(function(config))


def _exit_code(result: Any) -> int:
    return INTERRUPTED if getattr(result, "interrupted", False) else 0


def _run_tyro(args: list[str]) -> int:
    """All commands in one parser, whose options such as --tyro-print-completion know them all."""
    import tyro

    config = tyro.extras.subcommand_cli_from_dict(
        {name: _load(command.settings) for name, command in COMMANDS.items()},
        prog="bidwise",
        description=_DESCRIPTION,
        args=args,
        config=(tyro.conf.FlagCreatePairsOff,),
    )
    for command in COMMANDS.values():
        if isinstance(config, _load(command.settings)):
            return _exit_code(_load(command.function)(config))
    raise AssertionError(f"no command has settings of {type(config).__name__}")


def _load(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def _help() -> str:
    width = max(map(len, COMMANDS))
    return "\n".join(
        [
            "usage: bidwise [-h] [--version] COMMAND [OPTIONS]",
            "",
            _DESCRIPTION,
            "",
            "Commands:",
            *(f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items()),
            "",
            "Options:",
            "  -h, --help  Show this help; after a command, the help of that command.",
            "  --version   Show the version of bidwise.",
            "",
            "Examples:",
            "  bidwise demo",
            "  bidwise evaluate basic random --game pyramid --matches 100",
            "  bidwise train --help",
        ]
    )


def _reason(error: ValueError | OSError) -> str:
    """Files name themselves in what they raise; what does not is standard output."""
    full = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    if isinstance(error, OSError) and error.errno in full and error.filename is None:
        return f"standard output cannot be written: {error.strerror}"
    return str(error)


def _complain(message: str, code: int) -> int:
    print(f"bidwise: {' '.join(message.split())}", file=sys.stderr)
    return code
