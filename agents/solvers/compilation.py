"""The ``compiled`` decorator for solvers: an edit of another agent does not recompile them."""

from __future__ import annotations

from pathlib import Path

from bidwise.envs.core.compilation import ENGINE, compiler

__all__ = ["compiled"]

compiled = compiler(ENGINE, Path(__file__).parent)
