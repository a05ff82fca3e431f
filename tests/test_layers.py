"""Imports run downwards only: nothing knows what stands above it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.test_text_stops import REBUILT

import signalbox

ROOT = Path(signalbox.__file__).parent
FLOORS = {
    "__init__": 0,
    "errors": 0,
    "settings": 0,
    "language": 0,
    "contract": 0,
    "drawing": 1,
    "grounding": 1,
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
# Here such a word is another system's own: LangGraph's tasks, Prometheus's /metrics, the setting of who investigates,
# max_tasks_per_child of a pool of processes.
SPEAKS_PROTOCOLS = {"runs/history.py", "evals/ablation.py", "cli/worker.py"} | {
    f"service/{one}.py" for one in ("auth", "figures", "health", "hooks", "runs", "telemetry", "threads")
}


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


OFFLINE_DOORS = {
    "agents/experiments/reader.py",
    "agents/frontdoor/router.py",
    "agents/investigate/symptom.py",
    "agents/metrics/reader.py",
    "agents/oncall/planner.py",
    "agents/tasks/reader.py",
}


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
        if name.endswith((".is_offline", ".fills_plans"))
    ]
    assert asking == ["agents/tasks/reader.py"]


ROOMS = sorted(path.parent.name for path in (ROOT / "agents").glob("*/__init__.py"))


@pytest.mark.parametrize(
    "file", [f for f in FILES if f.split("/")[0] in UNNAMING and f not in NAMES_WORLDS | SPEAKS_PROTOCOLS]
)
def test_what_stands_above_the_agents_names_none(file: str) -> None:
    word = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(ROOMS)})(?![A-Za-z0-9])")
    lines = (ROOT / file).read_text("utf-8").splitlines()
    assert [f"{file}:{number}: {line.strip()}" for number, line in enumerate(lines, 1) if word.search(line)] == []


# Packages without a cycle of imports: all that stands in rebuilt rooms, and what they are built on.
ACYCLIC = [f"agents/{room}" for room in REBUILT] + [one for one in ("grounding", "toolbox") if (ROOT / one).is_dir()]


def module_edges(package: Path, name: str) -> dict[str, set[str]]:
    """By module of a package, the modules of it that it imports, at its top or inside a function. What only a type
    checker imports does not count."""
    modules = {_module_name(path, package, name): path for path in package.rglob("*.py")}
    edges: dict[str, set[str]] = {module: set() for module in modules}
    for module, path in modules.items():
        is_package = path.name == "__init__.py"
        for node in _run_imports(ast.parse(path.read_text("utf-8"))):
            edges[module] |= {one for one in _targets(node, module, is_package, modules) if one != module}
    return edges


def _module_name(path: Path, package: Path, name: str) -> str:
    parts = path.relative_to(package).with_suffix("").parts
    return ".".join((name, *(parts[:-1] if parts[-1] == "__init__" else parts)))


def _run_imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports below a node that are made when the code runs."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for one in child.orelse:
                yield from _run_imports(one)
        else:
            yield from _run_imports(child)


def _targets(
    node: ast.Import | ast.ImportFrom, module: str, is_package: bool, modules: dict[str, Path]
) -> Iterator[str]:
    """The modules that an import names: `from package import module` names the module, and not the package."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in modules)
        return
    parts = module.split(".")
    base = parts[: len(parts) - node.level + is_package] if node.level else []
    stem = ".".join([*base, *([node.module] if node.module else [])])
    for alias in node.names:
        full = f"{stem}.{alias.name}"
        if full in modules:
            yield full
        elif stem in modules:
            yield stem


def cycles(edges: dict[str, set[str]]) -> list[str]:
    """One cycle for each module that lies on one, as `a -> b -> a`."""
    found = []
    for start in sorted(edges):
        ways, seen = [[start]], {start}
        while ways:
            way = ways.pop(0)
            if start in edges[way[-1]]:
                found.append(" -> ".join([*way, start]))
                break
            nexts = sorted(edges[way[-1]] - seen)
            seen |= {*nexts}
            ways += [[*way, one] for one in nexts]
    return found


@pytest.mark.parametrize("package", ACYCLIC)
def test_imports_do_not_run_in_circles(package: str) -> None:
    assert cycles(module_edges(ROOT / package, f"signalbox.{package.replace('/', '.')}")) == []


@pytest.mark.parametrize(
    "back",
    [
        "from house.attic import roof",
        "from house import attic",
        "from . import attic",
        "from .attic import roof",
        "import house.attic",
        "def climb():\n    from house.attic import roof",
        "if True:\n    from house.attic import roof",
    ],
)
def test_a_circle_of_imports_is_found_wherever_they_stand(tmp_path: Path, back: str) -> None:
    sources = {"__init__": "", "attic": "from house.stairs import step", "stairs": "from house.hall import door"}
    for name, source in {**sources, "hall": back}.items():
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    assert "house.attic -> house.stairs -> house.hall -> house.attic" in cycles(module_edges(tmp_path, "house"))


def test_a_circle_through_the_package_itself_is_found(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("from house.hall import door", encoding="utf-8")
    (tmp_path / "hall.py").write_text("from house import roof", encoding="utf-8")
    assert cycles(module_edges(tmp_path, "house"))


def test_an_import_for_types_alone_makes_no_circle(tmp_path: Path) -> None:
    (tmp_path / "hall.py").write_text("from house.attic import roof", encoding="utf-8")
    (tmp_path / "attic.py").write_text("if TYPE_CHECKING:\n    from house.hall import door", encoding="utf-8")
    assert cycles(module_edges(tmp_path, "house")) == []
