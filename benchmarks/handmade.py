"""The same graphs as in `shapes`, as one would write them in LangGraph by hand, and no more than that."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

__all__ = ["HANDMADE", "branching", "fan_out", "linear"]

Node = Callable[[dict[str, Any]], dict[str, Any]]


def linear(size: int) -> Any:
    """Echo after echo."""
    graph = _graph(["value", *(f"f{i}" for i in range(size))])
    for i in range(size):
        graph.add_node(f"n{i}", _echo(f"f{i - 1}" if i else "value", f"f{i}"))
    names = [START, *(f"n{i}" for i in range(size)), END]
    for before, after in itertools.pairwise(names):
        graph.add_edge(before, after)
    return graph.compile()


def branching(size: int) -> Any:
    """A start, blocks of check, good or bad, and meet, and a tail of echoes."""
    blocks = (size - 1) // 4
    tail = [f"tail{i}" for i in range(size - 1 - 4 * blocks)]
    parts = [f"{part}{i}_out" for i in range(blocks) for part in ("check", "good", "bad", "meet")]
    flags = [f"flag{i}" for i in range(blocks)]
    graph = _graph(["value", "start_out", "succeeded", *flags, *parts, *(f"{name}_out" for name in tail)])
    graph.add_node("start", _echo("value", "start_out"))
    graph.add_edge(START, "start")
    for i in range(blocks):
        graph.add_edge(f"meet{i - 1}" if i else "start", f"check{i}")
        _add_block(graph, i)
    last = f"meet{blocks - 1}"
    for name in tail:
        graph.add_node(name, _echo("value", f"{name}_out"))
        graph.add_edge(last, name)
        last = name
    graph.add_edge(last, END)
    return graph.compile()


def fan_out(size: int) -> Any:
    """A start, branches side by side, and a join that waits for all of them."""
    branches = [f"b{i}" for i in range(size - 2)]
    graph = _graph(["value", "start_out", "join_out", *(f"{name}_out" for name in branches)])
    graph.add_node("start", _echo("value", "start_out"))
    graph.add_edge(START, "start")
    for name in branches:
        graph.add_node(name, _echo("start_out", f"{name}_out"))
        graph.add_edge("start", name)
    graph.add_node("join", _collect([f"{name}_out" for name in branches], "join_out"))
    graph.add_edge(branches, "join")
    graph.add_edge("join", END)
    return graph.compile()


def _add_block(graph: Any, i: int) -> None:
    graph.add_node(f"check{i}", _check(f"flag{i}", f"check{i}_out"))
    for part in ("good", "bad"):
        graph.add_node(f"{part}{i}", _echo("value", f"{part}{i}_out"))
        graph.add_edge(f"{part}{i}", f"meet{i}")
    graph.add_node(f"meet{i}", _echo("start_out", f"meet{i}_out"))
    graph.add_conditional_edges(f"check{i}", _succeeded, {True: f"good{i}", False: f"bad{i}"})


def _graph(fields: list[str]) -> Any:
    state: Any = TypedDict("State", dict.fromkeys(fields, Any))  # type: ignore[misc]
    return StateGraph(state)


def _echo(reads: str, writes: str) -> Node:
    def node(state: dict[str, Any]) -> dict[str, Any]:
        return {writes: state[reads]}

    return node


def _collect(reads: list[str], writes: str) -> Node:
    def node(state: dict[str, Any]) -> dict[str, Any]:
        return {writes: {field: state[field] for field in reads}}

    return node


def _check(reads: str, writes: str) -> Node:
    def node(state: dict[str, Any]) -> dict[str, Any]:
        value = state[reads]
        branch = "success" if value else "failure"
        return {writes: f"BRANCH: takes the {branch} branch: '{reads}' = {value}", "succeeded": bool(value)}

    return node


def _succeeded(state: dict[str, Any]) -> bool:
    return bool(state["succeeded"])


HANDMADE: dict[str, Callable[[int], Any]] = {"linear": linear, "branching": branching, "fan-out": fan_out}
