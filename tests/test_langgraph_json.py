"""`langgraph dev` serves what langgraph.json names: functions without arguments that give a compiled LangGraph."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest
from langgraph.graph.state import CompiledStateGraph

ROOT = Path(__file__).parent.parent
GRAPHS = json.loads((ROOT / "langgraph.json").read_text("utf-8"))["graphs"]


@pytest.mark.parametrize("name", GRAPHS)
def test_each_graph_compiles(name: str) -> None:
    path, _, function = GRAPHS[name].partition(":")
    graph = runpy.run_path(str(ROOT / path))[function]()
    assert isinstance(graph, CompiledStateGraph)
    assert set(graph.get_graph().nodes) > {"__start__"}
