"""Code next to a map: agents and routing functions in its folder, found by name without registration.

Agents stand in `agents/` or `custom_agents/`, routing functions in `functions/` or `custom_functions/`; the `custom_`
folders may also stand beside the map's own folder, as in a project with all its maps in `workflows/`. Files are
searched by their source; only the one that holds the name is imported.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import yaml

from signalbox.errors import ContractError, NotFoundError
from signalbox.language.names import did_you_mean
from signalbox.maps.agentmap import lent_names

__all__ = [
    "Definition",
    "agents_beside",
    "broken_files",
    "code_stamp",
    "definitions_in",
    "find_agent",
    "find_function",
    "import_attribute",
    "load_file",
    "normalize",
]

AGENT_FOLDERS = ("agents", "custom_agents")
FUNCTION_FOLDERS = ("functions", "custom_functions", *AGENT_FOLDERS)
CODE_FOLDERS = FUNCTION_FOLDERS
DECLARATIONS = "custom_agents.yaml"


class Definition(NamedTuple):
    """A class or function at the top of a file."""

    file: Path
    name: str
    is_class: bool

    def load(self) -> Any:
        """The class or function itself. Raises ContractError if its file cannot be imported."""
        return getattr(load_file(self.file), self.name)


def normalize(name: str) -> str:
    """A type's name without its case, its punctuation and the word Agent at its end."""
    bare = re.sub(r"[\W_]+", "", name.casefold())
    return bare.removesuffix("agent") or bare


def find_agent(name: str, folder: Path) -> Definition | None:
    """The class, else the function, of that name among the agents next to the map."""
    wanted = normalize(name)
    found = [d for d in _definitions(folder, AGENT_FOLDERS) if normalize(d.name) == wanted]
    if not found:
        by_file = [d for d in _definitions(folder, AGENT_FOLDERS) if normalize(d.file.stem) == wanted and d.is_class]
        found = by_file if len(by_file) == 1 else list(_declared(wanted, folder))
    return max(found, key=lambda d: d.is_class, default=None)


def _declared(wanted: str, folder: Path) -> Iterator[Definition]:
    """The class that a `custom_agents.yaml`, as AgentMap has it, declares under that name."""
    for place in (folder, *map(Path, _places(str(folder), AGENT_FOLDERS))):
        for name, module, attribute in _declarations(place / DECLARATIONS):
            file = place / (module.replace(".", "/") + ".py")
            if normalize(name) == wanted and file.is_file():
                yield Definition(file, attribute, True)


def _declarations(file: Path) -> Iterator[tuple[str, str, str]]:
    try:
        content = yaml.safe_load(file.read_text("utf-8")) if file.is_file() else None
    except (OSError, ValueError, yaml.YAMLError):
        return
    agents = content.get("agents") if isinstance(content, dict) else None
    for name, about in agents.items() if isinstance(agents, dict) else ():
        path = str(about.get("class") or about.get("class_path") or "") if isinstance(about, dict) else ""
        module, _, attribute = path.rpartition(".")
        if all(part.isidentifier() for part in path.split(".")) and module:
            yield str(name), module, attribute


def find_function(name: str, folder: Path) -> Definition | None:
    """The routing function of that name next to the map."""
    wanted = name.strip()
    places = _definitions(folder, FUNCTION_FOLDERS)
    return next((d for d in places if d.name == wanted and not d.is_class), None)


def import_attribute(reference: str, folder: Path) -> Any:
    """What `module:attribute` names; a module beside the map comes before an installed one.

    Both are names with dots between them, so that no reference reaches a file elsewhere. Raises NotFoundError.
    """
    module_name, _, attribute = reference.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), *attribute.split("."))):
        raise NotFoundError(
            f"'{reference}' is not of the form module:attribute.",
            suggestion="Name a module next to the map or an installed one, without slashes: package.module:name.",
        )
    # It is asked at every run, and a path as a text is quicker to ask for.
    beside = f"{folder}/{module_name.replace('.', '/')}.py"
    try:
        module = load_file(Path(beside)) if os.path.isfile(beside) else importlib.import_module(module_name)
    except ImportError as error:
        raise NotFoundError(
            f"'{reference}': the module {module_name} cannot be imported: {error}.",
            suggestion=f"Install it, or put it next to the map as {os.path.basename(beside)}.",
        ) from None
    target: Any = module
    for part in attribute.split("."):
        if not hasattr(target, part):
            raise NotFoundError(
                f"'{reference}': {module_name} has no '{part}'.",
                suggestion=did_you_mean(part, [n for n in dir(target) if not n.startswith("_")]),
            )
        target = getattr(target, part)
    return target


def load_file(path: Path) -> ModuleType:
    """The module in a file, imported once for each state of the file."""
    path = path.resolve()
    return _load(path, path.stat().st_mtime_ns)


def code_stamp(folder: Path) -> tuple[tuple[str, int], ...]:
    """What tells whether the code beside a map has changed. It is asked at every run, so it is quick."""
    found: list[tuple[str, int]] = []
    for place in _existing_places(str(folder)):
        with suppress(OSError), os.scandir(place) as entries:
            found += [(file.path, file.stat().st_mtime_ns) for file in entries if file.name.endswith(".py")]
    return tuple(sorted(found))


_existing: dict[str, tuple[tuple[int, int], tuple[str, ...]]] = {}
_SETTLED = 100_000_000
"""A folder that changed less than so many nanoseconds ago may change again without a new time."""


def _existing_places(folder: str) -> tuple[str, ...]:
    """The folders with code for the maps of a folder, asked for anew where it or the one above it has changed."""
    try:
        times = (os.stat(folder).st_mtime_ns, os.stat(_above(folder)).st_mtime_ns)
    except OSError:
        times = (0, 0)
    kept = _existing.get(folder)
    if kept is not None and kept[0] == times:
        return kept[1]
    now = time.time_ns()
    places = tuple(place for place in _places(folder, CODE_FOLDERS) if os.path.isdir(place))
    if os.path.isfile(f"{folder}/{DECLARATIONS}"):
        places = (folder, *places)
    if 0 < max(times) < now - _SETTLED:
        if len(_existing) > 256:
            _existing.clear()
        _existing[folder] = (times, places)
    return places


@lru_cache(maxsize=256)
def _load(path: Path, stamp: int) -> ModuleType:
    name = f"signalbox_map_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}_{path.stem}_{stamp}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ContractError(f"{path} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    parents = [str(path.parent), str(path.parent.parent)]
    sys.path[:0] = parents
    try:
        with lent_names():
            spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise ContractError(
            f"{path} cannot be imported: {type(error).__name__}: {error}.", suggestion="Fix the file."
        ) from error
    finally:
        for parent in parents:
            sys.path.remove(parent)
    return module


def _files(folder: Path, names: tuple[str, ...]) -> Iterator[Path]:
    for place in map(Path, _places(str(folder), names)):
        if place.is_dir():
            yield from sorted(p for p in place.glob("*.py") if not p.name.startswith("_"))


@lru_cache(maxsize=256)
def _places(folder: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The folders that may hold code for the maps of a folder, the nearest first."""
    above = _above(folder)
    return tuple(f"{folder}/{name}" for name in names) + tuple(
        f"{above}/{name}" for name in names if name.startswith("custom_")
    )


@lru_cache(maxsize=256)
def _above(folder: str) -> str:
    return os.path.dirname(os.path.abspath(folder))


def broken_files(folder: Path) -> list[tuple[Path, str]]:
    """The files next to a map that cannot be read as Python, and why."""
    found = []
    for file in _files(folder, CODE_FOLDERS):
        try:
            definitions_in(file)
        except ContractError as error:
            found.append((Path(os.path.relpath(file, folder)), str(error.details)))
    return found


def _definitions(folder: Path, names: tuple[str, ...]) -> Iterator[Definition]:
    """What the files define; one that cannot be read defines nothing, and the validator says so."""
    for file in _files(folder, names):
        with suppress(ContractError):
            yield from definitions_in(file)


def definitions_in(file: Path) -> tuple[Definition, ...]:
    """The classes and functions at the top of a file, without importing it. Raises ContractError."""
    return _top_level(file, file.stat().st_mtime_ns)


def agents_beside(folder: Path) -> list[str]:
    """The names of the agents next to a map."""
    return [definition.name for definition in _definitions(folder, AGENT_FOLDERS)]


@lru_cache(maxsize=1024)
def _top_level(file: Path, _changed: int) -> tuple[Definition, ...]:
    try:
        tree = ast.parse(file.read_text("utf-8-sig"))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ContractError(
            f"{file} cannot be read as Python: {error}.", suggestion="Fix the file.", details=str(error)
        ) from None
    kinds = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return tuple(
        Definition(file, item.name, isinstance(item, ast.ClassDef))
        for item in tree.body
        if isinstance(item, kinds) and not item.name.startswith("_")
    )
