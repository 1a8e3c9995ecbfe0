"""What is installed, under which name, and what is public."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("envs", "agents", "train")


def sources(package: str) -> list[Path]:
    return sorted(path for path in (ROOT / package).rglob("*.py"))


def module_name(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(["bidwise", *parts])


ALL_MODULES = {module_name(path): path for package in PACKAGES for path in sources(package)}


# ---------------------------------------------------------------------- what is installed


@cache
def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_packages_listed_are_the_folders_on_disk() -> None:
    listed = project()["tool"]["setuptools"]["packages"]
    found = [
        module_name(path)
        for package in PACKAGES
        for path in sources(package)
        if path.name == "__init__.py"
    ]
    assert sorted(listed) == sorted(found)
    assert len(set(listed)) == len(listed)


def test_no_module_lies_outside_a_package() -> None:
    for package in PACKAGES:
        for path in sources(package):
            assert (path.parent / "__init__.py").is_file(), path


def test_each_package_is_mapped_and_marked_as_typed() -> None:
    setuptools = project()["tool"]["setuptools"]
    for package in PACKAGES:
        assert setuptools["package-dir"][f"bidwise.{package}"] == package
        assert "py.typed" in setuptools["package-data"][f"bidwise.{package}"]
        assert (ROOT / package / "py.typed").is_file()
    assert not (ROOT / "__init__.py").exists()


def run_isolated(code: str, cwd: Path) -> str:
    """In an interpreter that sees only what is installed, standing elsewhere."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_only_bidwise_can_be_imported_and_its_envs_bring_no_learning_library(
    tmp_path: Path,
) -> None:
    out = run_isolated(
        "import importlib, sys\n"
        "for name in ('envs', 'agents', 'train', 'tests'):\n"
        "    try:\n"
        "        importlib.import_module(name)\n"
        "    except ModuleNotFoundError:\n"
        "        continue\n"
        "    raise SystemExit(f'{name} can be imported')\n"
        "import bidwise.envs\n"
        "heavy = {'torch', 'stable_baselines3', 'sb3_contrib', 'matplotlib', 'polars', 'pygame',\n"
        "         'bidwise.agents', 'bidwise.train'}\n"
        "print(sorted(heavy & set(sys.modules)))\n",
        tmp_path,
    )
    assert out.strip() == "[]"


def test_agents_bring_no_learning_library_either(tmp_path: Path) -> None:
    out = run_isolated(
        "import sys\n"
        "import bidwise.agents\n"
        "heavy = {'torch', 'stable_baselines3', 'sb3_contrib', 'bidwise.train'}\n"
        "print(sorted(heavy & set(sys.modules)))\n",
        tmp_path,
    )
    assert out.strip() == "[]"


# ---------------------------------------------------------------------- what is public


def public_names(path: Path) -> list[str] | None:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            return [ast.literal_eval(item) for item in node.value.elts]
    return None


def defined_names(path: Path) -> set[str]:
    """Names bound at a module's top level, under conditions too."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def test_every_public_module_lists_its_names_and_has_a_docstring() -> None:
    for name, path in ALL_MODULES.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), name
        if path.name == "__main__.py" or name.rpartition(".")[2].startswith("_"):
            continue
        if path.name == "__init__.py" and len(tree.body) == 1:
            continue  # nothing but its docstring
        if path.with_suffix(".pyi").is_file():
            path = path.with_suffix(".pyi")  # loaded when it is first asked for
        listed = public_names(path)
        assert listed is not None, f"{name} has no __all__"
        assert len(set(listed)) == len(listed), name
        assert set(listed) <= defined_names(path), name


@pytest.mark.parametrize("package", PACKAGES)
def test_everything_public_can_be_had_and_has_a_docstring(package: str) -> None:
    module = importlib.import_module(f"bidwise.{package}")
    listed = public_names(ROOT / package / "__init__.pyi")
    assert sorted(module.__all__) == sorted(listed or [])
    for name in module.__all__:
        found = getattr(module, name)
        assert isinstance(found, dict | tuple) or found.__doc__, name


def test_no_module_is_named_for_nothing_in_particular() -> None:
    for name in ALL_MODULES:
        assert name.rpartition(".")[2] not in {"utils", "common", "helpers", "misc"}, name
