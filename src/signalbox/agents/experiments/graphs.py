"""The map of this room as a compiled LangGraph, ready for any tool of LangGraph's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signalbox.agents.experiments import AGENT
from signalbox.maps import open_map

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

__all__ = ["create_upgrade_agent_graph", "graph"]


def create_upgrade_agent_graph(*, checkpointer: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The graph of the contract: takes an AgentState, any of its keys, and gives one, by `invoke` or `ainvoke`.

    A question to the person is an `interrupt`; to answer it, and to keep a conversation, give a checkpointer.
    """
    return open_map(AGENT.map, checkpointer=checkpointer).compiled().langgraph


graph = create_upgrade_agent_graph
