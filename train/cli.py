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
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any

from bidwise.train.commands import COMMANDS, Command

__all__ = ["COMMANDS", "main"]

_DESCRIPTION = (
    "Train bidding agents for Pyramid and Spades, measure them, and study the order of bids."
)
_FAILED, _BAD_INPUT, _INTERRUPTED, _BROKEN_PIPE = 1, 2, 130, 141


def main(args: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    try:
        try:
            return _run(sys.argv[1:] if args is None else list(args))
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here, where a closed pipe can still be told apart
    except KeyboardInterrupt:
        # What a library was about to build when it was interrupted, it may fail to take down.
        sys.unraisablehook = lambda _: None
        return _complain("interrupted", _INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has enough of it; Python would flush once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except (ValueError, OSError) as error:
        if sys.flags.dev_mode:
            raise
        return _complain(_reason(error), getattr(error, "exit_code", _BAD_INPUT))
    except ModuleNotFoundError as error:
        if sys.flags.dev_mode or (error.name or "").startswith("bidwise"):
            raise
        message = f"this needs {error.name}: pip install 'bidwise[train]'"
        return _complain(message, _FAILED)


def _run(args: list[str]) -> int:
    if any(arg.startswith("--tyro-") for arg in args):  # shell completion
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
        raise ValueError(f"{what}: {first!r} is not one of {known}")
    command = COMMANDS[first]
    with _LeaveAtOnce():
        config = _settings(first, command, rest)
        function = _load(command.function)
    return _exit_code(function(config))


def _settings(name: str, command: Command, args: list[str]) -> Any:
    """A command's settings as its arguments say; help ends the program."""
    settings = _load(command.settings)

    import tyro

    # Parsed unchecked, then checked here: tyro would put a refusal into a box of several lines.
    unchecked = type(
        settings.__name__,
        (settings,),
        {"__post_init__": lambda self: None, "__doc__": settings.__doc__},
    )
    try:
        parsed: Any = tyro.cli(
            unchecked, prog=f"bidwise {name}", args=args, config=(tyro.conf.FlagCreatePairsOff,)
        )
        return settings(**vars(parsed))
    except SystemExit as end:
        if not end.code:
            print("\n".join(["", "Examples:", *(f"  {line}" for line in command.examples)]))
        raise


def _exit_code(result: Any) -> int:
    return _INTERRUPTED if getattr(result, "interrupted", False) else 0


class _LeaveAtOnce:
    """While libraries load, Ctrl-C ends the process there and then: nothing is at stake yet, and
    an exception would be turned into others by whatever extension is being imported."""

    def __enter__(self) -> None:
        self._before: Any = None
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._leave)

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    @staticmethod
    def _leave(number: int, frame: object) -> None:
        os.write(2, b"bidwise: interrupted\n")
        os._exit(_INTERRUPTED)


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
