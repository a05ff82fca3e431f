"""A graph that runs as one region does just what the same graph does in LangGraph's own steps."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from signalbox.contract import NodeEvent
from signalbox.errors import MapCheckError
from signalbox.maps import (
    GraphSpec,
    MapResult,
    NodeSpec,
    arun_map,
    astream_map,
    compile_map,
    open_map,
    run_map,
    stream_map,
)

STATE_CLASS = """
import operator
from typing import Annotated, TypedDict


class State(TypedDict):
    log: Annotated[str, operator.add]
"""
FLAGS = ("flag0", "flag1")
FIELDS = ("x", "y", "log", *FLAGS)
POLICIES = (None, "all_nodes", "final_node", "critical_nodes")


@dataclass
class Case:
    """A graph with the state and the options of a run."""

    graph: GraphSpec
    state: dict[str, Any]
    options: dict[str, Any]


def random_row(rng: random.Random, name: str) -> NodeSpec:
    """A row of a built-in type: it writes a word, copies a field, branches, takes the failure branch, or breaks."""
    reads, writes, word = rng.choice(FIELDS), rng.choice(("x", "x", *FIELDS)), rng.choice(["yes", "no", name])
    rows = {
        "word": NodeSpec(name, "default", prompt=word, outputs=(writes,)),
        "words": NodeSpec(name, "default", prompt=word, outputs=(writes, f"{name}_more")),
        "copy": NodeSpec(name, "echo", inputs=(reads,), outputs=(writes,)),
        "branch": NodeSpec(name, "branching", inputs=(rng.choice(FLAGS),), outputs=(f"{name}_out",)),
        "fail": NodeSpec(name, "failure", outputs=(writes,)),
        "break": NodeSpec(name, "validator", inputs=(reads,), context={"rules": {reads: {"max_length": "x"}}}),
    }
    return rows[rng.choice(["word", "word", "words", "copy", "copy", "branch", "branch", "fail", "break"])]


def random_nodes(rng: random.Random, names: list[str], back: float) -> list[NodeSpec]:
    """Rows that fork, join and branch to those below them, and now and then to any."""

    def some(row: int) -> tuple[str, ...]:
        near = names[row + 1 : row + 5] if rng.random() >= back else names
        return tuple(rng.sample(near, min(len(near), rng.choice([0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3]))))

    nodes = []
    for row, name in enumerate(names):
        node = random_row(rng, name)
        if node.agent_type == "branching" or rng.random() < 0.2:
            nodes.append(replace(node, success_next=some(row), failure_next=some(row)))
        else:
            nodes.append(replace(node, edge=some(row)))
    return nodes


def with_retry(rng: random.Random, nodes: list[NodeSpec], names: list[str]) -> list[NodeSpec]:
    """The rows, with one that sends the graph back to a row above it until a flag has come through two fields."""
    row = rng.randrange(1, len(nodes))
    check, first, second = nodes[row], *names
    flag, later = f"{check.name}_flag", f"{check.name}_later"
    context = {"success_field": flag, "default_result": False, "fallback_fields": []}
    branching = replace(check, agent_type="branching", inputs=(), context=context)
    checked = replace(branching, edge=(), success_next=check.on_success, failure_next=(first,))
    retries = [
        NodeSpec(first, "echo", inputs=(later,), outputs=(flag,), edge=(second,)),
        NodeSpec(second, "default", prompt="yes", outputs=(later,), edge=(nodes[rng.randrange(row)].name,)),
    ]
    return [*nodes[:row], checked, *nodes[row + 1 :], *retries]


def random_case(rng: random.Random, folder: Path) -> Case:
    """A graph whose names are in another order than its rows, half of them with a loop that ends."""
    names = [f"N{i}" for i in range(rng.randint(5, 12))]
    rng.shuffle(names)
    if rng.random() < 0.5:
        nodes = with_retry(rng, random_nodes(rng, names[2:], back=0), names[:2])
    else:
        nodes = random_nodes(rng, names, back=0.1)
    context = {**nodes[0].context, "critical_nodes": "|".join(rng.sample(names, 2))}
    if rng.random() < 0.5:
        context["state"] = "shared:State"
    nodes[0] = replace(nodes[0], context=context)
    state = {field: rng.choice(["yes", "no"]) for field in FIELDS if rng.random() < 0.5}
    options = {"policy": rng.choice(POLICIES), "max_steps": rng.choice([12, 40])}
    return Case(GraphSpec("G", tuple(nodes), folder / "map.csv"), state, options)


def random_cases(seed: int, count: int, folder: Path) -> Iterator[Case]:
    """So many cases that the validator lets through: it refuses, for one, a loop without an exit."""
    (folder / "shared.py").write_text(STATE_CLASS)
    rng = random.Random(seed)
    while count:
        case = random_case(rng, folder)
        try:
            open_map(case.graph)
        except MapCheckError:
            continue
        count -= 1
        yield case


def is_region(graph: GraphSpec) -> bool:
    """Whether the graph becomes one LangGraph node."""
    folder = graph.source.parent if graph.source else Path.cwd()
    return len(compile_map(graph, folder).langgraph.nodes) == 1


def told(result: MapResult) -> dict[str, Any]:
    """Everything that a result says but times and identifiers."""
    summary, values = result.summary, dict(result.values)
    nodes = [(n.node_name, n.inputs, n.success, n.output, n.error) for n in summary.node_executions]
    error = dict(result.error or {})
    # Of several rows in a step that find the limit reached, LangGraph may tell any.
    error["message"] = re.sub(r"reached '\w+'", "reached it", str(error.get("message")))
    values["errors"] = [re.sub(r"reached '\w+'", "reached it", str(line)) for line in values.get("errors", [])]
    return {
        "status": (result.status, summary.status, summary.graph_success),
        "nodes": nodes,
        "values": values,
        "warnings": summary.warnings,
        "final": summary.final_output,
        "error": error,
    }


def told_in_stream(items: Iterable[NodeEvent | MapResult]) -> tuple[list[Any], dict[str, Any]]:
    """The events of a stream without their times, and the result at its end."""
    *events, result = items
    assert isinstance(result, MapResult)
    kept = [(e.kind, e.node, e.success, e.output, e.error) for e in events if isinstance(e, NodeEvent)]
    return kept, told(result)


async def collect(items: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in items]


@pytest.mark.parametrize("seed", range(10))
async def test_any_graph_of_instant_rows_runs_as_it_does_step_by_step(seed: int, tmp_path: Path) -> None:
    for case in random_cases(seed, 30, tmp_path):
        graph, state, options = case.graph, case.state, case.options
        assert is_region(graph)
        # In an event loop LangGraph runs the rows of a step in order; in threads they would race.
        stepwise = astream_map(graph, state, checkpointer=InMemorySaver(), **options)
        events, result = told_in_stream(await collect(stepwise))
        assert told_in_stream(await collect(astream_map(graph, state, **options))) == (events, result), graph
        assert told_in_stream(stream_map(graph, state, **options)) == (events, result), graph
        assert told(run_map(graph, state, **options)) == result, graph
        assert told(await arun_map(graph, state, **options)) == result, graph


FORKED = (NodeSpec("S", "echo", edge=("A", "B")), NodeSpec("A", "echo"), NodeSpec("B", "echo"))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (NodeSpec("B", "validator"), True),
        (NodeSpec("B", "llm", prompt="Hello"), False),
        (NodeSpec("B", "input", outputs=("x",)), False),
        (NodeSpec("B", "file_reader"), False),
        (NodeSpec("B", "operator:neg"), False),
        (NodeSpec("B", "echo", edge=("func:choose",)), False),
        (NodeSpec("B", "echo", context={"note": "env:HOME"}), False),
    ],
    ids=["validator", "model", "person", "file", "own code", "own routing", "environment"],
)
def test_only_a_graph_whose_rows_wait_for_nothing_is_a_region(row: NodeSpec, expected: bool) -> None:
    assert is_region(GraphSpec("G", (*FORKED[:2], row))) is expected


async def test_others_in_the_event_loop_get_their_turn_at_every_step() -> None:
    turns = 0

    async def take_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    names = [f"N{i}" for i in range(200)]
    rows = [NodeSpec(name, "echo", edge=(after,)) for name, after in pairwise(names)]
    other = asyncio.create_task(take_turns())
    await arun_map(GraphSpec("G", (*rows, NodeSpec(names[-1], "echo"))))
    other.cancel()
    assert turns >= 200
