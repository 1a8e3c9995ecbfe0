"""Who may import whom: read off every import in every module, those inside functions too."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("envs", "agents", "train")
GAMES = ("pyramid", "spades")
LEARNING = ("torch", "stable_baselines3", "sb3_contrib")

MOST_MODULES = 12
"""Of a room, its `__init__` apart."""

MOST_LINES = 300
"""Of a module that gives no reason at its top."""


def module_name(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(["bidwise", *parts])


MODULES = {
    module_name(path): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}


@cache
def imports(name: str) -> frozenset[str]:
    """All that a module imports, under absolute names: anywhere in its source, and what its stub
    says that it loads later. Of ``from a import b`` it is ``a.b`` where that is a module."""
    path = MODULES[name]
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    sources = [path, path.with_suffix(".pyi")]
    found: set[str] = set()
    for source in sources:
        if not source.is_file():
            continue
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    parents = package.split(".")
                    parents = parents[: len(parents) - node.level + 1]
                    base = ".".join([*parents, base] if base else parents)
                submodules = {f"{base}.{alias.name}" for alias in node.names}
                known = submodules & set(MODULES)
                found |= known
                if len(known) < len(submodules):
                    found.add(base)
    return frozenset(found - {name})


def arrows() -> dict[str, set[str]]:
    return {name: set(imports(name)) & set(MODULES) for name in MODULES}


def room(name: str) -> str:
    """The folder of a module. What lies directly in `envs`, `agents` or `train` is no room's: each
    such module stands for itself, and so does the package, whose stub is the way in."""
    path = MODULES[name]
    folder = path.parent.relative_to(ROOT).as_posix()
    return name if folder in PACKAGES else folder


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """One circle of a graph, or nothing."""
    done: set[str] = set()

    def walk(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        for other in sorted(graph.get(node, ())):
            found = walk(other, [*path, node])
            if found:
                return found
        done.add(node)
        return []

    for node in sorted(graph):
        found = walk(node, [])
        if found:
            return found
    return []


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == ["a", "b", "c", "a"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(arrows()) == []


def test_no_rooms_import_each_other_in_a_circle() -> None:
    rooms: dict[str, set[str]] = {}
    for name, others in arrows().items():
        rooms.setdefault(room(name), set()).update(room(other) for other in others)
    assert circle({name: others - {name} for name, others in rooms.items()}) == []


FLOORS = {
    "envs": ("core", "game", "<games>", "games", "states", "records", "batch", "adapters"),
    "train": ("run", "compare", "learning", "outcomes", "studies", "benchmarks", "demo", "cli"),
}
"""From below upwards; a room imports from floors below its own, never from one above."""


def floor(package: str, name: str) -> int | None:
    parts = name.split(".")
    if parts[1] != package or len(parts) < 3:
        return None
    word = "<games>" if parts[2] in GAMES else parts[2]
    return FLOORS[package].index(word) if word in FLOORS[package] else None


@pytest.mark.parametrize("package", FLOORS)
def test_no_arrow_runs_upwards(package: str) -> None:
    for name, others in arrows().items():
        own = floor(package, name)
        for other in others:
            its = floor(package, other)
            assert own is None or its is None or its <= own, f"{name} imports {other}"


def reached(name: str) -> set[str]:
    """Modules of ours that importing one brings along, itself included."""
    seen, todo = set(), [name]
    while todo:
        module = todo.pop()
        if module in seen or module not in MODULES:
            continue
        seen.add(module)
        todo += imports(module)
    return seen


def within(names: set[str] | frozenset[str], *prefixes: str) -> set[str]:
    return {n for n in names if any(n == p or n.startswith(p + ".") for p in prefixes)}


FORBIDDEN = {
    "envs": ("bidwise.agents", "bidwise.train", *LEARNING),
    "agents": ("bidwise.train", *LEARNING),
}


@pytest.mark.parametrize("package", FORBIDDEN)
def test_arrows_between_packages_run_one_way(package: str) -> None:
    for name in within(set(MODULES), f"bidwise.{package}"):
        assert not within(imports(name), *FORBIDDEN[package]), name


def test_nothing_imports_the_folders_by_their_bare_names() -> None:
    for name in MODULES:
        assert not within(imports(name), *PACKAGES), name


GAME_FOLDERS = tuple(f"bidwise.envs.{game}" for game in GAMES)
ABOVE_GAMES = tuple(
    f"bidwise.envs.{name}" for name in ("games", "states", "records", "batch", "adapters")
)


def test_what_games_are_made_of_knows_no_game() -> None:
    for name in within(set(MODULES), "bidwise.envs.core", "bidwise.envs.game"):
        assert not within(reached(name), *GAME_FOLDERS, *ABOVE_GAMES), name


@pytest.mark.parametrize("game", GAMES)
def test_a_game_knows_neither_the_other_nor_what_stands_above(game: str) -> None:
    others = [folder for folder in GAME_FOLDERS if not folder.endswith(game)]
    for name in within(set(MODULES), f"bidwise.envs.{game}"):
        assert not within(reached(name), *others, *ABOVE_GAMES), name


def test_above_the_games_one_module_alone_knows_them_by_name() -> None:
    """A third game is one more folder, and one line that registers it."""
    for name in within(set(MODULES), "bidwise.envs"):
        if name in ("bidwise.envs", "bidwise.envs.games") or within({name}, *GAME_FOLDERS):
            continue
        assert not within(imports(name), *GAME_FOLDERS), name


def test_no_room_is_crowded() -> None:
    folders = {path.parent for path in MODULES.values()}
    for folder in folders:
        modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= MOST_MODULES, folder


def test_a_long_module_gives_its_reason_at_the_top() -> None:
    for name, path in MODULES.items():
        text = path.read_text(encoding="utf-8")
        if len(text.splitlines()) > MOST_LINES:
            assert "lines long" in (ast.get_docstring(ast.parse(text)) or ""), name
