"""The maps of this room as LangGraph's own graphs, over the state of the contract."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signalbox.contract.agent import wait_for
from signalbox.maps import read_map
from signalbox.maps.context import RunContext, current_run
from signalbox.maps.local_code import import_attribute

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

__all__ = ["MAP", "graph"]

MAP = Path(__file__).with_name("map.csv")
"""The graphs of this room, as a map."""


def graph(name: str = "metrics", *, checkpointer: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """One of the room's maps (metrics, metrics-anomalies, metrics-explained) as a compiled LangGraph.

    It takes a MetricsQueryState and gives a MetricsRunState, by `ainvoke` or `invoke`. Raises MapError.
    """
    from langgraph.graph import END, START, StateGraph

    from signalbox.maps.map_run import choose_graph

    spec = choose_graph(read_map(MAP).graphs, name, MAP.name)
    builder: Any = StateGraph(import_attribute(str(spec.entry.context["state"]), MAP.parent))
    builder.add_edge(START, spec.entry.name)
    for node in spec:
        builder.add_node(node.name, _as_node(import_attribute(node.agent_type, MAP.parent)))
        for target in node.on_success or (END,):
            builder.add_edge(node.name, target)
    return builder.compile(name=name, checkpointer=checkpointer)  # type: ignore[no-any-return]


def _as_node(function: Any) -> Any:
    """The row's function as a node that can be awaited and called, inside a run of its map."""
    from langchain_core.runnables import RunnableLambda

    async def awaited(state: Any) -> Any:
        with _run():
            made = function(state) if inspect.iscoroutinefunction(function) else asyncio.to_thread(function, state)
            return await made

    return RunnableLambda(lambda state: wait_for(awaited(state)), afunc=awaited)


@contextmanager
def _run() -> Iterator[None]:
    """What nodes find around them in a run of a map, where they are not in one already."""
    token = current_run.set(current_run.get() or RunContext(folder=MAP.parent, data=MAP.parent / "data"))
    try:
        yield
    finally:
        current_run.reset(token)
