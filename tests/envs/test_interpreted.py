"""Without compilation the same functions play the same game, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tabletop import digests_of_short_matches


def test_plain_python_and_compiled_code_play_the_same_game() -> None:
    """In another process, under another hash seed: nothing depends on either."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from bidwise.envs.core.compilation import INTERPRETED\n"
        "from tabletop import digests_of_short_matches\n"
        "assert INTERPRETED\n"
        "print('\\n'.join(digests_of_short_matches()))\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONHASHSEED": "7"}
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == digests_of_short_matches()
