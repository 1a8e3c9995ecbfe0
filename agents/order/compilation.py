"""The ``compiled`` decorator of this package: edits of other agents do not recompile it."""

from __future__ import annotations

from pathlib import Path

from bidwise.envs.core.compilation import ENGINE, compiler

__all__ = ["compiled"]

compiled = compiler(ENGINE, Path(__file__).parent)
