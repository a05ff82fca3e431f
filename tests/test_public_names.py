"""Every public package says what it offers, offers what it says, and says all that it offers."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import signalbox

ROOT = Path(signalbox.__file__).parent
FACES = {
    "signalbox": ["__version__"],
    "signalbox.contract": ["BaseAgent", "StateAdapter", "ExecutionTracker", "ExecutionSummary"],
    "signalbox.errors": ["SignalboxError", "MapError", "redact"],
    "signalbox.settings": ["Settings", "get_settings", "now", "person_zone"],
    "signalbox.maps": [
        "GraphSpec", "NodeSpec", "MapResult", "read_map", "write_map", "check_map", "run_map", "arun_map",
        "stream_map", "astream_map", "open_map", "to_mermaid", "to_svg",
    ],
    "signalbox.language.time": ["Found", "Range", "find_range", "parse_duration", "parse_instant", "parse_range"],
    "signalbox.models": ["load_chat_model", "Configuration"],
    "signalbox.agents.metrics": ["GrafanaMetricsClient", "MetricsQueryState", "QueryError"],
    "signalbox.worlds.metrics": ["create_app", "open_shop", "query_range", "serve"],
    "signalbox.runs": [
        "aask", "aclose", "answer", "aresume", "ask", "astart", "astream", "cancel", "find_agent", "forget",
        "list_agents", "list_runs", "resume", "show", "start", "stream",
    ],
    "signalbox.toolbox": ["Ledger", "Proposal", "Result", "Tool", "current_ledger", "tool", "use_ledger"],
    "signalbox.console": ["create_app"],
    "signalbox.cli": ["main"],
}  # fmt: skip


def modules() -> Iterator[str]:
    yield "signalbox"
    for info in pkgutil.walk_packages([str(ROOT)], "signalbox."):
        if ".gguf" not in info.name and ".data" not in info.name:
            yield info.name


def public(module: ModuleType) -> set[str]:
    """The classes and functions that a module defines at its top without an underscore."""
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {item.name for item in tree.body if isinstance(item, kinds) and not item.name.startswith("_")}


@pytest.mark.parametrize("name", FACES)
def test_a_public_package_offers_what_it_promises(name: str) -> None:
    assert set(FACES[name]) <= set(importlib.import_module(name).__all__)


@pytest.mark.parametrize("name", list(modules()))
def test_every_name_in_all_is_there_once_and_in_order(name: str) -> None:
    module = importlib.import_module(name)
    names = list(getattr(module, "__all__", ()))
    assert len(names) == len(set(names))
    assert [missing for missing in names if not hasattr(module, missing)] == []


@pytest.mark.parametrize("name", list(FACES))
def test_a_public_module_defines_nothing_public_that_it_does_not_offer(name: str) -> None:
    module = importlib.import_module(name)
    assert public(module) - set(module.__all__) == set()


def test_each_public_name_of_maps_is_lazily_the_one_in_its_module() -> None:
    from signalbox import maps

    assert set(maps._HOMES) == set(maps.__all__)
    for name, home in maps._HOMES.items():
        assert getattr(maps, name) is getattr(importlib.import_module(f"signalbox.maps.{home}"), name)


def test_a_name_that_maps_does_not_offer_is_an_attribute_error() -> None:
    from signalbox import maps

    with pytest.raises(AttributeError, match="nonsense"):
        _ = maps.nonsense


def test_the_package_is_marked_as_typed() -> None:
    assert (ROOT / "py.typed").is_file()


@pytest.mark.parametrize("name", [n for n in FACES if n != "signalbox"])
def test_every_public_class_and_function_says_what_it_promises(name: str) -> None:
    module = importlib.import_module(name)
    offered = [getattr(module, item) for item in module.__all__]
    assert [o.__name__ for o in offered if callable(o) and hasattr(o, "__name__") and not o.__doc__] == []
