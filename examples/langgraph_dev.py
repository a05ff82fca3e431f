"""The graphs that `langgraph dev` serves, named in langgraph.json.

Tasks, investigations and the front door are not among them: they act for a person and call other agents, and only
`signalbox serve` knows who is asking.
"""

from __future__ import annotations

from typing import Any

from langgraph.graph.state import CompiledStateGraph

from signalbox.agents.experiments.graphs import create_upgrade_agent_graph
from signalbox.agents.metrics.graphs import graph as metrics_graph
from signalbox.agents.oncall.graphs import graph as oncall_graph

Graph = CompiledStateGraph[Any, Any, Any, Any]


def metrics() -> Graph:
    """Questions about metrics: `{"user_query": "…"}`."""
    return metrics_graph()


def oncall() -> Graph:
    """Network devices: `{"user_query": "…"}`."""
    return oncall_graph()


def experiments() -> Graph:
    """A/B tests: `{"user_input": "…"}`."""
    return create_upgrade_agent_graph()
