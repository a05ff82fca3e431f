"""The maps that are timed: one after another, branching on success, and side by side with a join.

Each shape comes with the state it starts from. Every row writes a field of its own, so the whole state is compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from signalbox.contract import BaseAgent
from signalbox.maps import GraphSpec, NodeSpec

__all__ = ["SHAPES", "PassOn", "branching", "fan_out", "linear", "start", "with_own_agents"]


def linear(size: int) -> GraphSpec:
    """Echo after echo."""
    rows = [
        NodeSpec(
            f"n{i}",
            "echo",
            inputs=(f"f{i - 1}" if i else "value",),
            outputs=(f"f{i}",),
            edge=(f"n{i + 1}",) if i + 1 < size else (),
        )
        for i in range(size)
    ]
    return GraphSpec(f"linear{size}", tuple(rows))


def branching(size: int) -> GraphSpec:
    """A start, then blocks of four: a check that takes the good or the bad row by its flag, and a row where both
    meet again; echoes after that up to the size."""
    blocks = (size - 1) // 4
    tail = size - 1 - 4 * blocks
    heads = ["start", *(f"check{i}" for i in range(blocks)), *(f"tail{i}" for i in range(tail))]
    after = dict(zip(heads, [*heads[1:], ""], strict=True))
    rows = [_echo("start", "value", after["start"])]
    for i in range(blocks):
        check = NodeSpec(
            f"check{i}",
            "branching",
            inputs=(f"flag{i}",),
            outputs=(f"check{i}_out",),
            success_next=(f"good{i}",),
            failure_next=(f"bad{i}",),
        )
        meet = _echo(f"meet{i}", "start_out", after[f"check{i}"])
        rows += [check, _echo(f"good{i}", "value", meet.name), _echo(f"bad{i}", "value", meet.name), meet]
    rows += [_echo(f"tail{i}", "value", after[f"tail{i}"]) for i in range(tail)]
    return GraphSpec(f"branching{size}", tuple(rows))


def fan_out(size: int) -> GraphSpec:
    """A start, as many branches side by side as the size leaves, and one join that takes them all."""
    branches = [f"b{i}" for i in range(size - 2)]
    first = NodeSpec("start", "echo", inputs=("value",), outputs=("start_out",), edge=tuple(branches))
    rows = [_echo(name, "start_out", "join") for name in branches]
    join = NodeSpec("join", "echo", inputs=tuple(f"{b}_out" for b in branches), outputs=("join_out",))
    return GraphSpec(f"fan_out{size}", (first, *rows, join))


class PassOn(BaseAgent):
    """An echo that is not built in: nobody knows whether it waits for something, so it gets a thread where it can."""

    def process(self, inputs: dict[str, Any]) -> Any:
        """One input as it is, several as a mapping."""
        return next(iter(inputs.values())) if len(inputs) == 1 else inputs


def with_own_agents(graph: GraphSpec) -> GraphSpec:
    """The same graph with a class of one's own in place of every echo."""
    own = f"{__name__}:{PassOn.__name__}"
    nodes = tuple(replace(node, agent_type=own) if node.agent_type == "echo" else node for node in graph)
    return GraphSpec(f"{graph.name}_own", nodes)


def start(graph: GraphSpec) -> dict[str, Any]:
    """What a graph starts with: a value, and for every check a flag, true and false in turn."""
    checks = [node for node in graph if node.agent_type == "branching"]
    return {"value": "hello", **{node.inputs[0]: i % 2 == 0 for i, node in enumerate(checks)}}


def _echo(name: str, reads: str, then: str) -> NodeSpec:
    return NodeSpec(name, "echo", inputs=(reads,), outputs=(f"{name}_out",), edge=(then,) if then else ())


SHAPES: dict[str, Callable[[int], GraphSpec]] = {"linear": linear, "branching": branching, "fan-out": fan_out}
