"""What is installed, under which name, and who may import whom."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("envs", "agents", "train")
GAMES = ("pyramid", "spades")


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


# ---------------------------------------------------------------------- who imports whom


@cache
def imports(name: str) -> frozenset[str]:
    """Everything a module's source imports, anywhere in it, under absolute names. Of
    ``from a import b`` both ``a`` and, where it is a module, ``a.b``."""
    path = ALL_MODULES[name]
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                parents = parents[: len(parents) - node.level + 1]
                base = ".".join([*parents, base] if base else parents)
            submodules = {f"{base}.{alias.name}" for alias in node.names}
            known = submodules & set(ALL_MODULES)
            # A name that a package's __init__ only passes on is that package's affair.
            found |= known
            if len(known) < len(submodules):
                found.add(base)
    return frozenset(found)


def reached(name: str) -> set[str]:
    """Modules of ours that importing one brings along, itself included."""
    seen, todo = set(), [name]
    while todo:
        module = todo.pop()
        if module in seen or module not in ALL_MODULES:
            continue
        seen.add(module)
        todo += imports(module)
    return seen


def within(names: set[str] | frozenset[str], *prefixes: str) -> set[str]:
    return {n for n in names if any(n == p or n.startswith(p + ".") for p in prefixes)}


LEARNING = ("torch", "stable_baselines3", "sb3_contrib")

FORBIDDEN = {
    "envs": ("bidwise.agents", "bidwise.train", *LEARNING),
    "agents": ("bidwise.train", *LEARNING),
}


@pytest.mark.parametrize("package", FORBIDDEN)
def test_arrows_between_packages_run_one_way(package: str) -> None:
    for name in within(set(ALL_MODULES), f"bidwise.{package}"):
        assert not within(imports(name), *FORBIDDEN[package]), name


def test_nothing_imports_the_folders_by_their_bare_names() -> None:
    for name in ALL_MODULES:
        assert not within(imports(name), *PACKAGES), name


# `render` is no adapter: it lends games the lines and boxes that they draw tables with.
ADAPTERS = tuple(
    f"bidwise.envs.{name}"
    for name in ("aec", "tables", "seat", "seats", "vector", "records", "registration")
)
GAME_FOLDERS = tuple(f"bidwise.envs.{game}" for game in GAMES)


def test_cards_and_tricks_know_no_game_and_no_adapter() -> None:
    for name in ("bidwise.envs.core.cards", "bidwise.envs.core.tricks", "bidwise.envs.core.rng"):
        assert not within(reached(name), *GAME_FOLDERS, *ADAPTERS, "bidwise.envs.game")


@pytest.mark.parametrize("name", ["game", "layout", "encoding", "ruleset", "render"])
def test_what_games_are_made_of_knows_no_game_and_no_adapter(name: str) -> None:
    assert not within(reached(f"bidwise.envs.{name}"), *GAME_FOLDERS, *ADAPTERS)


@pytest.mark.parametrize("game", GAMES)
def test_a_game_knows_neither_the_other_nor_an_adapter(game: str) -> None:
    others = [folder for folder in GAME_FOLDERS if not folder.endswith(game)]
    for name in within(set(ALL_MODULES), f"bidwise.envs.{game}"):
        assert not within(reached(name), *others, *ADAPTERS), name


def test_adapters_know_no_game_by_name() -> None:
    """A third game is one more folder, and one line that registers it."""
    for name in within(set(ALL_MODULES), "bidwise.envs"):
        if name == "bidwise.envs" or within({name}, *GAME_FOLDERS):
            continue
        assert not within(imports(name), *GAME_FOLDERS), name


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
        listed = public_names(path)
        assert listed is not None, f"{name} has no __all__"
        assert len(set(listed)) == len(listed), name
        assert set(listed) <= defined_names(path), name


def test_no_module_is_named_for_nothing_in_particular() -> None:
    for name in ALL_MODULES:
        assert name.rpartition(".")[2] not in {"utils", "common", "helpers", "misc"}, name
