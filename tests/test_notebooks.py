"""Every notebook runs, and its executed copy shows the same cells as its source."""

from pathlib import Path

import jupytext
import nbformat
import pytest
from nbclient import NotebookClient

SOURCES = sorted((Path(__file__).parents[1] / "notebooks").glob("*.py"))

# Jupyter's own packages warn of each other's changes.
pytestmark = [
    pytest.mark.filterwarnings("default::DeprecationWarning"),
    pytest.mark.filterwarnings("default::PendingDeprecationWarning"),
    pytest.mark.filterwarnings("default::RuntimeWarning"),
]


def cells(book: nbformat.NotebookNode) -> list[tuple[str, str]]:
    return [(cell.cell_type, cell.source) for cell in book.cells]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_an_executed_notebook_shows_its_source(source: Path) -> None:
    shown = nbformat.read(source.with_suffix(".ipynb"), as_version=4)
    assert cells(jupytext.read(source)) == cells(shown)
    assert all(cell.outputs for cell in shown.cells if "print(" in cell.source)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_notebook_runs(source: Path, tmp_path: Path) -> None:
    book = jupytext.read(source)
    NotebookClient(
        book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
