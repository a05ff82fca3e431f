"""The maps of this room as compiled LangGraphs, ready for any tool of LangGraph's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signalbox.agents.metrics import AGENT
from signalbox.maps import open_map

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

__all__ = ["graph"]


def graph(name: str = AGENT.name, *, checkpointer: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """One of the room's maps (metrics, metrics-anomalies, metrics-explained).

    It takes a MetricsQueryState and gives a MetricsRunState, by `ainvoke` or `invoke`. Raises MapError.
    """
    return open_map(AGENT.map, graph=name, checkpointer=checkpointer).compiled().langgraph
