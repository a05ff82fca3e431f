"""A graph becomes a map and a graph again, without loss."""

from __future__ import annotations

import json
import random
import string
from typing import Any

import pytest

from signalbox.errors import MapError
from signalbox.maps import GraphSpec, NodeSpec, read_map_text, write_map

AWKWARD = ",\"'|\n\t#;:={}[]\\ äß世🙂%@&"
NAME = string.ascii_letters + string.digits + "_- äß世"


def text(rng: random.Random, alphabet: str, most: int = 12) -> str:
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(0, most)))


def name(rng: random.Random) -> str:
    return text(rng, NAME).strip() or "n" + str(rng.randint(0, 999))


def names(rng: random.Random, most: int = 3) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name(rng) for _ in range(rng.randint(0, most))))


def value(rng: random.Random, depth: int = 2) -> Any:
    kinds = ["text", "number", "flag", "none", "float"] + (["list", "mapping"] if depth else [])
    kind = rng.choice(kinds)
    if kind == "text":
        return text(rng, NAME + AWKWARD)
    if kind == "list":
        return [value(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    if kind == "mapping":
        return {name(rng): value(rng, depth - 1) for _ in range(rng.randint(0, 3))}
    return {"number": rng.randint(-99, 99), "flag": rng.random() < 0.5, "none": None, "float": rng.random()}[kind]


def context(rng: random.Random) -> dict[str, Any]:
    if rng.random() < 0.2:
        return {"context": "some words " + name(rng)}
    return {name(rng): value(rng) for _ in range(rng.randint(0, 4))}


def node(rng: random.Random, own_name: str) -> NodeSpec:
    return NodeSpec(
        name=own_name,
        agent_type=name(rng),
        prompt=text(rng, NAME + AWKWARD, 40),
        description=text(rng, NAME + AWKWARD, 40),
        inputs=names(rng),
        outputs=names(rng),
        edge=names(rng),
        success_next=names(rng),
        failure_next=("func:route",) if rng.random() < 0.2 else names(rng),
        context=context(rng),
        tool_source=name(rng) if rng.random() < 0.3 else "",
        tools=names(rng),
    )


def graph(rng: random.Random, own_name: str) -> GraphSpec:
    found = dict.fromkeys(name(rng) for _ in range(rng.randint(1, 6)))
    return GraphSpec(own_name, tuple(node(rng, own) for own in found))


@pytest.mark.parametrize("seed", range(12))
def test_any_graphs_come_back_from_a_map_as_they_were(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(25):
        graphs = {own: graph(rng, own) for own in dict.fromkeys(name(rng) for _ in range(rng.randint(1, 3)))}
        document = read_map_text(write_map(graphs.values()))
        assert document.graphs == graphs
        assert document.findings == []


@pytest.mark.parametrize("seed", range(4))
def test_any_graph_comes_back_from_json_as_it_was(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(25):
        spec = graph(rng, "G")
        assert GraphSpec.from_dict(json.loads(json.dumps(spec.to_dict()))) == spec


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r", "\v", "\x85", "\u2028"])
def test_every_kind_of_line_end_in_a_prompt_is_kept(line_end: str) -> None:
    spec = GraphSpec("G", (NodeSpec("A", prompt=f"one{line_end}two{line_end}", description=f"{line_end}x"),))
    assert read_map_text(write_map(spec)).graphs == {"G": spec}


def test_columns_of_ones_own_are_kept() -> None:
    text = "GraphName,Node,Owner\nG,A,Ann\nG,B,\n"
    document = read_map_text(text)
    assert write_map(document.graphs.values()) == "GraphName,Node,AgentType,Owner\nG,A,default,Ann\nG,B,default,\n"


def test_what_was_written_is_written_the_same_again() -> None:
    once = write_map(graph(random.Random(7), "G"))
    assert write_map(read_map_text(once).graphs.values()) == once


def test_only_columns_in_use_are_written() -> None:
    assert write_map(GraphSpec("G", (NodeSpec("A", edge=("B",)), NodeSpec("B")))) == (
        "GraphName,Node,AgentType,Edge\nG,A,default,B\nG,B,default,\n"
    )


CANNOT_BE_HELD = {
    "a name with spaces around": NodeSpec(" spaced "),
    "no name": NodeSpec(""),
    "a name that starts a comment": NodeSpec("# A"),
    "no type": NodeSpec("A", agent_type=""),
    "a bar in a target": NodeSpec("A", edge=("B|C",)),
    "a target twice": NodeSpec("A", edge=("B", "B")),
    "a comma in the only field": NodeSpec("A", inputs=("a,b",)),
    "a space before a field": NodeSpec("A", outputs=(" a",)),
    "an empty tool": NodeSpec("A", tools=("",)),
    "a bar in a tool": NodeSpec("A", tools=("f(a|b)",)),
    "an object in the context": NodeSpec("A", context={"when": object()}),
    "a tuple in the context": NodeSpec("A", context={"pair": (1, 2)}),
    "a number as a key of the context": NodeSpec("A", context={1: "one"}),  # type: ignore[dict-item]
    "an extra column that is a column": NodeSpec("A", extra={"Prompt": "taken"}),
    "an extra column with spaces around": NodeSpec("A", extra={" spaced ": "x"}),
    "an extra column without a name": NodeSpec("A", extra={"": "x"}),
}


@pytest.mark.parametrize("what", CANNOT_BE_HELD)
def test_what_a_table_cannot_hold_is_refused_and_never_lost(what: str) -> None:
    spec = GraphSpec("G", (CANNOT_BE_HELD[what],))
    try:
        written = write_map(spec)
    except MapError:
        return
    assert read_map_text(written).graphs == {"G": spec}


@pytest.mark.parametrize("name", ["#G", " G", ""])
def test_a_graph_whose_name_cannot_be_read_back_is_refused(name: str) -> None:
    with pytest.raises(MapError, match="would not be read back"):
        write_map(GraphSpec(name, (NodeSpec("A"),)))


def test_the_digest_tells_graphs_apart_by_content_alone() -> None:
    spec = read_map_text("GraphName,Node,Prompt\nG,A,x\n", "one.csv").graphs["G"]
    same = read_map_text("GraphName,Node,Prompt\nG,A,x\n", "two.csv").graphs["G"]
    other = read_map_text("GraphName,Node,Prompt\nG,A,y\n").graphs["G"]
    assert spec.digest() == same.digest()
    assert spec.digest() != other.digest()
