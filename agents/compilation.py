"""The ``compiled`` decorator for agents that run inside the engine's loops."""

from __future__ import annotations

from pathlib import Path

from bidwise.envs.core.compilation import ENGINE, compiler

__all__ = ["compiled"]

# An agent has engine functions compiled in, so an edit of either package must recompile it.
compiled = compiler(ENGINE, Path(__file__).parent)
