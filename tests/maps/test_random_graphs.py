"""Any graph, whole or step by step, plainly or in an event loop, does the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from signalbox.errors import MapCheckError
from signalbox.maps import (
    GraphSpec,
    MapResult,
    NodeSpec,
    arun_map,
    astream_map,
    open_map,
    run_map,
    stream_map,
)

FLAGS = ("flag0", "flag1")
FIELDS = ("x", "y", "log", *FLAGS)


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
    nodes[0] = replace(nodes[0], context=context)
    state = {field: rng.choice(["yes", "no"]) for field in FIELDS if rng.random() < 0.5}
    options = {"policy": rng.choice([None, "all_nodes", "critical_nodes"]), "max_steps": rng.choice([12, 40])}
    return Case(GraphSpec("G", tuple(nodes), folder / "map.csv"), state, options)


def random_cases(seed: int, count: int, folder: Path) -> Iterator[Case]:
    """So many cases that the validator lets through: it refuses, for one, a loop without an exit."""
    rng = random.Random(seed)
    while count:
        case = random_case(rng, folder)
        try:
            open_map(case.graph)
        except MapCheckError:
            continue
        count -= 1
        yield case


def told(result: MapResult) -> dict[str, Any]:
    """Everything that a result says but times, identifiers, and the order of nodes that ran side by side."""
    summary = result.summary
    nodes = [(n.node_name, str(n.inputs), n.success, str(n.output), n.error) for n in summary.node_executions]
    values = {**result.values, "errors": sorted(result.values.get("errors", []))}
    return {
        "status": (result.status, summary.status, summary.graph_success),
        "nodes": sorted(nodes, key=str),
        "values": values,
        "warnings": summary.warnings,
    }


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.bench) for seed in range(1, 30))])
async def test_any_graph_runs_as_it_does_step_by_step(seed: int, tmp_path: Path) -> None:
    for case in random_cases(seed, 30, tmp_path):
        graph, state, options = case.graph, case.state, case.options
        result = await arun_map(graph, state, checkpointer=InMemorySaver(), **options)
        if (result.error or {}).get("error_type") == "step_limit":
            assert run_map(graph, state, **options).error is not None
            continue
        whole = await arun_map(graph, state, **options)
        assert told(whole) == told(result), graph
        assert told(run_map(graph, state, **options)) == told(whole), graph
        *_, streamed = stream_map(graph, state, **options)
        assert isinstance(streamed, MapResult)
        assert told(streamed) == told(whole), graph
        *_, streamed = [item async for item in astream_map(graph, state, **options)]
        assert told(streamed) == told(whole), graph
