"""The command `bidwise`: train, evaluate, study, outcomes, bench, demo.

Bad input ends with one line and exit code 2, Ctrl-C with 130. ``python -X dev -m bidwise.train``
shows the traceback instead.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any

import tyro
from rich.console import Console
from rich.text import Text

from bidwise.train.benchmarks.command import Bench
from bidwise.train.compare.evaluate import Evaluate
from bidwise.train.demo import Demo
from bidwise.train.learning.config import TrainConfig
from bidwise.train.outcomes.command import BuildOutcomes
from bidwise.train.studies.command import Study

__all__ = ["COMMANDS", "main"]

COMMANDS: dict[str, tuple[type[Any], str]] = {
    "train": (TrainConfig, "bidwise.train.learning.training:train"),
    "evaluate": (Evaluate, "bidwise.train.compare.evaluate:evaluate"),
    "study": (Study, "bidwise.train.studies.command:study"),
    "outcomes": (BuildOutcomes, "bidwise.train.outcomes.command:build_outcomes"),
    "bench": (Bench, "bidwise.train.benchmarks.command:bench"),
    "demo": (Demo, "bidwise.train.demo:demo"),
}
"""Each command's settings, and the function that carries it out: imported only then, because
training needs torch and nothing else should wait for it."""

_DESCRIPTION = (
    "Train bidding agents for Pyramid and Spades, measure them, and study the order of bids."
)
_FAILED, _BAD_INPUT, _INTERRUPTED = 1, 2, 130


def main(args: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    try:
        config = tyro.extras.subcommand_cli_from_dict(
            {name: settings for name, (settings, _) in COMMANDS.items()},
            prog="bidwise",
            description=_DESCRIPTION,
            args=args,
            config=(tyro.conf.FlagCreatePairsOff,),
        )
        return _carry_out(config)
    except KeyboardInterrupt:
        return _complain("interrupted", _INTERRUPTED)
    except (ValueError, OSError) as error:
        if sys.flags.dev_mode:
            raise
        return _complain(str(error), _BAD_INPUT)
    except ModuleNotFoundError as error:
        if sys.flags.dev_mode or (error.name or "").startswith("bidwise"):
            raise
        message = f"this needs {error.name}: pip install 'bidwise[train]'"
        return _complain(message, _FAILED)


def _carry_out(config: Any) -> int:
    for settings, place in COMMANDS.values():
        if isinstance(config, settings):
            module, _, function = place.partition(":")
            result = getattr(importlib.import_module(module), function)(config)
            return _INTERRUPTED if getattr(result, "interrupted", False) else 0
    raise AssertionError(f"no command has settings of {type(config).__name__}")


def _complain(message: str, code: int) -> int:
    line = " ".join(message.split())
    Console(stderr=True, highlight=False).print(Text(f"bidwise: {line}"), soft_wrap=True)
    return code
