"""Where the disk is full, records and compiled code leave nothing half done."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from disk import room

from bidwise.envs.core.files import append_chunks, write_chunks, write_together
from bidwise.envs.records import save

RECORD = '{"a": 1}\n'


@pytest.mark.parametrize("append", [False, True])
def test_records_are_saved_all_or_none(append: bool, tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    for before in (None, 3 * RECORD):
        if before is not None:
            path.write_text(before)
        with room(40), pytest.raises(OSError, match=rf"{path.name} cannot be written: File too"):
            save(path, (RECORD for _ in range(10)), append=append)
        with pytest.raises(ValueError, match="does not end in a newline"):
            save(path, [RECORD, "{}"], append=append)
        assert [one.read_text() for one in tmp_path.iterdir()] == [before] * (before is not None)
    save(path, [RECORD], append=append)
    assert path.read_text() == RECORD * (4 if append else 1)


def test_a_pipe_takes_records_as_they_come(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader) as read:
        save(f"/dev/fd/{writer}", RECORD)
        os.close(writer)
        assert read.read() == RECORD


def test_of_files_that_belong_together_none_is_replaced_where_one_does_not_fit(
    tmp_path: Path,
) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_bytes(b"before")
    with room(100), pytest.raises(OSError, match="large cannot be written: File too large"):
        write_together({small: b"after", large: bytes(1000)})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"small": b"before"}


def test_whatever_ends_the_writing_takes_it_off_again(tmp_path: Path) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"much"
        raise KeyboardInterrupt

    for write in (append_chunks, write_chunks):
        path = tmp_path / "file"
        with pytest.raises(KeyboardInterrupt):
            write(path, chunks())
        assert list(tmp_path.iterdir()) == []


def test_compiled_code_that_finds_no_room_is_used_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "twice.py").write_text(
        "import resource\n"
        "from pathlib import Path\n"
        "from bidwise.envs.core.compilation import compiler\n"
        "@compiler(Path(__file__).parent)\n"
        "def twice(x):\n"
        "    return 2 * x\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "print(twice(21))\n"
    )
    run = subprocess.run(
        [sys.executable, tmp_path / "twice.py"],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.stdout, run.stderr) == ("42\n", "")
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
