"""Digests and facts that tell whether two computations come to the same.

They seal the chunks of unfinished work (:mod:`bidwise.train.run.chunks`) and go into digests only,
so that nothing of them is ever shown.
"""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwise.agents import compilation
from bidwise.agents.outcomes.table import TABLES
from bidwise.envs.core.compilation import ENGINE, sources_digest
from bidwise.train.run.provenance import platform_facts

__all__ = ["agent_files", "array_digest", "code_digest", "machine_facts", "path_digest"]

_PACKAGES = (ENGINE, Path(compilation.__file__).parent, Path(__file__).parents[1])
_CPU_INFO = Path("/proc/cpuinfo")


@cache
def code_digest() -> str:
    """Of all that computes: the sources of the three packages, the tables that come with them,
    and the libraries that their figures rest on."""
    versions = [f"{name} {metadata.version(name)}" for name in ("numpy", "numba", "scipy")]
    return f"{sources_digest(_PACKAGES)} {path_digest(TABLES)} {' '.join(versions)}"


def path_digest(path: Path) -> str | None:
    """Of a file, or of the files that lie in a folder; None if there is neither."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    if not path.is_dir():
        return None
    digest = hashlib.sha256()
    for file in sorted(path.iterdir()):
        if file.is_file():
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def array_digest(array: NDArray[Any]) -> str:
    """Of an array's type, shape and content."""
    digest = hashlib.sha256(f"{array.dtype.str} {array.shape}".encode())
    digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def agent_files(names: Iterable[str]) -> list[list[str | None]]:
    """Digests of all files and folders that agents' names may speak of.

    A published agent's folder is a name, with options behind a colon; an option's value may be
    another, or a table's file: ``"ordering:table=t.npz,play=runs/bidder/agent:sample=true"``.
    """
    found = []
    for name in names:
        words = [name, *re.split("[,=]", name)]
        candidates = [part for word in words for part in (word, word.rpartition(":")[0]) if part]
        found.append([path_digest(Path(candidate)) for candidate in candidates])
    return found


def machine_facts() -> dict[str, Any]:
    """What tells one machine from another, its name included."""
    model = platform.processor()
    with suppress(OSError):
        lines = _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines()
        model = next((line for line in lines if line.startswith("model name")), model)
    return {**platform_facts(), "node": platform.node(), "model": model}
