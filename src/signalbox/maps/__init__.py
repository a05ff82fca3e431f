"""Maps: graphs as tables, which are read, checked, compiled to LangGraph, run and drawn.

from signalbox.maps import run_map
result = run_map("hello.csv", {"name": "Ann"})
print(result.output)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signalbox.maps.build import CompiledMap, compile_map
    from signalbox.maps.check import check_graph, check_map
    from signalbox.maps.draw import to_mermaid, to_svg
    from signalbox.maps.findings import Finding
    from signalbox.maps.map_run import open_map
    from signalbox.maps.read import MapFile, read_map, read_map_text
    from signalbox.maps.result import MapResult
    from signalbox.maps.run import arun_map, astream_map, run_map, stream_map
    from signalbox.maps.spec import GraphSpec, NodeSpec
    from signalbox.maps.write import write_map

_HOMES = {
    "CompiledMap": "build",
    "Finding": "findings",
    "GraphSpec": "spec",
    "MapFile": "read",
    "MapResult": "result",
    "NodeSpec": "spec",
    "arun_map": "run",
    "astream_map": "run",
    "check_graph": "check",
    "check_map": "check",
    "compile_map": "build",
    "open_map": "map_run",
    "read_map": "read",
    "read_map_text": "read",
    "run_map": "run",
    "stream_map": "run",
    "to_mermaid": "draw",
    "to_svg": "draw",
    "write_map": "write",
}

__all__ = [
    "CompiledMap",
    "Finding",
    "GraphSpec",
    "MapFile",
    "MapResult",
    "NodeSpec",
    "arun_map",
    "astream_map",
    "check_graph",
    "check_map",
    "compile_map",
    "open_map",
    "read_map",
    "read_map_text",
    "run_map",
    "stream_map",
    "to_mermaid",
    "to_svg",
    "write_map",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that reading a map does not load LangGraph."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
