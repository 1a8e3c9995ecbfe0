"""The ``compiled`` decorator for solvers: an edit of another agent does not recompile them."""

from __future__ import annotations

from pathlib import Path

from bidwise.envs import jit
from bidwise.envs.jit import compiler

__all__ = ["compiled"]

compiled = compiler(Path(jit.__file__).parent, Path(__file__).parent)
