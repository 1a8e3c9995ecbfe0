"""What the fields of a dataclass mean: the texts that stand under them in its source."""

from __future__ import annotations

import ast
import inspect
import textwrap
from itertools import pairwise
from typing import Any

__all__ = ["class_body", "field_texts"]


def field_texts(settings: type[Any]) -> dict[str, str]:
    """The text under each field, as plain words on one line."""
    found = {}
    for line, below in pairwise(class_body(settings)):
        if (
            isinstance(line, ast.AnnAssign)
            and isinstance(line.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
        ):
            text = inspect.cleandoc(str(below.value.value))
            found[line.target.id] = " ".join(text.replace("`", "").split())
    return found


def class_body(settings: type[Any]) -> list[ast.stmt]:
    """The statements of a class, parsed from its source."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(settings))).body
    assert isinstance(tree, ast.ClassDef)
    return tree.body
