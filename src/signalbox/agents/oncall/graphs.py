"""The map of this room as a compiled LangGraph, ready for any tool of LangGraph's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signalbox.agents.oncall import AGENT
from signalbox.maps import open_map

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

__all__ = ["graph"]


def graph(*, checkpointer: Any = None, model: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The room's map: it takes and gives a GraphState, by `ainvoke`. Raises MapError."""
    return open_map(AGENT.map, graph=AGENT.name, checkpointer=checkpointer, model=model).compiled().langgraph
