"""Imports run downwards only: nothing knows what stands above it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import signalbox

ROOT = Path(signalbox.__file__).parent
FLOORS = {
    "__init__": 0,
    "errors": 0,
    "settings": 0,
    "language": 0,
    "contract": 0,
    "drawing": 1,
    "models": 1,
    "storage": 1,
    "toolbox": 1,
    # What UpGrade does, for the world that plays it and the agent that foresees it.
    "upgrade": 1,
    "maps": 2,
    "worlds": 3,
    "agents": 4,
    "runs": 5,
    "service": 6,
    "console": 7,
    # The command line starts everything, the page as well.
    "cli": 8,
    "__main__": 9,
    # What measures the house from outside stands above what it measures, and below the command that starts it.
    "evals": 6,
}
# On floor 0 each knows only those before it: language knows errors and settings, and the contract may know language.
GROUND = ("__init__", "errors", "settings", "language", "contract")
# An agent knows an address, never that a world is embedded.
STRANGERS = {("agents", "worlds"), ("worlds", "agents"), ("models", "toolbox"), ("toolbox", "models")}
# The floors above the rooms find agents by their entry points, and name none; these two name worlds.
UNNAMING = ("runs", "service", "console", "cli", "evals")
NAMES_WORLDS = {"runs/embedded.py", "cli/world.py"}
# Here such a word is another system's own: LangGraph's tasks, Prometheus's /metrics, the setting of who investigates.
SPEAKS_PROTOCOLS = {"runs/history.py"} | {f"service/{one}.py" for one in ("auth", "health", "hooks", "runs", "threads")}


@cache
def parsed(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """The imports of a file, wherever in it they stand."""
    tree = ast.walk(ast.parse(path.read_text("utf-8")))
    return [node for node in tree if isinstance(node, ast.Import | ast.ImportFrom)]


def room(path: Path) -> str:
    """The package on its floor that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_names(path: Path) -> Iterator[tuple[int, str]]:
    """The full names that a file imports, each with the line, wherever in the file the import stands."""
    package = ["signalbox", *path.relative_to(ROOT).parts[:-1]]
    for node in parsed(path):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            base = package[: len(package) - node.level + 1] if node.level else []
            stem = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{stem}.{alias.name}" for alias in node.names]
        yield from ((node.lineno, name) for name in names)


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """The rooms that a file imports from, each with the line."""
    for line, name in imported_names(path):
        parts = name.split(".")
        if parts[0] == "signalbox":
            yield line, parts[1] if len(parts) > 1 and parts[1] in FLOORS else "__init__"


def allowed(here: str, there: str) -> bool:
    if here == there:
        return True
    if (here, there) in STRANGERS:
        return False
    if here in GROUND and there in GROUND:
        return GROUND.index(there) < GROUND.index(here)
    return FLOORS[there] < FLOORS[here]


FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))


def test_every_package_has_its_floor() -> None:
    assert {room(ROOT / name) for name in FILES} - set(FLOORS) == set()


@pytest.mark.parametrize("name", sorted({file.split("/")[0] for file in FILES}))
def test_imports_run_downwards_only(name: str) -> None:
    wrong = [
        f"{file}:{line} imports {there}"
        for file in FILES
        if file.split("/")[0] == name
        for line, there in imported(ROOT / file)
        if not allowed(room(ROOT / file), there)
    ]
    assert wrong == []


def test_nothing_imports_private_names_of_another_room() -> None:
    wrong = []
    for file in FILES:
        for node in parsed(ROOT / file):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("signalbox."):
                there = str(node.module).split(".")[1]
                private = [a.name for a in node.names if a.name.startswith("_") and a.name != "__version__"]
                if private and there != room(ROOT / file):
                    wrong.append(f"{file}:{node.lineno} imports {', '.join(private)} of {there}")
    assert wrong == []


def test_only_models_knows_the_inside_of_the_offline_model() -> None:
    wrong = [
        f"{file}:{line} imports {name}"
        for file in FILES
        if room(ROOT / file) != "models"
        for line, name in imported_names(ROOT / file)
        if f"{name}.".startswith("signalbox.models.offline.")
    ]
    assert wrong == []


OFFLINE_DOORS = {"agents/tasks/plan.py"}


def test_what_only_the_offline_model_needs_is_imported_by_its_plan_alone() -> None:
    wrong = [
        f"{file}:{line} imports {name}"
        for file in FILES
        if file not in OFFLINE_DOORS and "/offline/" not in file
        for line, name in imported_names(ROOT / file)
        if re.match(r"signalbox\.agents\.\w+\.offline\b", name)
    ]
    assert wrong == []


def test_only_one_file_of_a_room_asks_what_kind_of_model_it_has() -> None:
    asking = [
        file
        for file in FILES
        if file.startswith("agents/tasks/")
        for _, name in imported_names(ROOT / file)
        if name.endswith(".is_offline")
    ]
    assert asking == ["agents/tasks/model_node.py"]


ROOMS = sorted(path.parent.name for path in (ROOT / "agents").glob("*/__init__.py"))


@pytest.mark.parametrize(
    "file", [f for f in FILES if f.split("/")[0] in UNNAMING and f not in NAMES_WORLDS | SPEAKS_PROTOCOLS]
)
def test_what_stands_above_the_agents_names_none(file: str) -> None:
    word = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(ROOMS)})(?![A-Za-z0-9])")
    lines = (ROOT / file).read_text("utf-8").splitlines()
    assert [f"{file}:{number}: {line.strip()}" for number, line in enumerate(lines, 1) if word.search(line)] == []
