"""The shape of a graph: what runs as one unit, where branches meet, what is contested."""

from __future__ import annotations

import pytest

from signalbox.maps import GraphSpec, NodeSpec
from signalbox.maps.declared_routes import find_ways
from signalbox.maps.spec import END
from signalbox.maps.topology import Topology, resolve_target


def topology(fuse: bool = True, **edges: str) -> Topology:
    nodes = []
    for name, cell in edges.items():
        success, slash, failure = cell.partition("/")
        targets = tuple(filter(None, success.split("|")))
        if slash:
            nodes.append(NodeSpec(name, success_next=targets, failure_next=tuple(filter(None, failure.split("|")))))
        else:
            nodes.append(NodeSpec(name, edge=targets))
    graph = GraphSpec("G", tuple(nodes))
    return Topology(graph, find_ways(graph, None, code=False), lambda node: fuse and not node.name.startswith("Wait"))


def units(shape: Topology) -> list[str]:
    return ["".join(node.name + " " for node in unit.nodes).strip() for unit in shape.units]


@pytest.mark.parametrize(
    ("edges", "cut"),
    [
        ({"A": "B", "B": "C", "C": ""}, ["A B C"]),
        ({"A": "B/C", "B": "", "C": ""}, ["A", "B", "C"]),
        ({"A": "B|C", "B": "D", "C": "D", "D": "E", "E": ""}, ["A", "B", "C", "D E"]),
        ({"A": "B", "B": "B2", "B2": "A/C", "C": ""}, ["A B B2", "C"]),
        ({"A": "WaitB", "WaitB": "C", "C": "D", "D": ""}, ["A", "WaitB", "C D"]),
        ({"A": "C", "B": "", "C": "B"}, ["A C B"]),
        ({"A": "B", "B": "", "Lost": "Lost2", "Lost2": ""}, ["A B", "Lost Lost2"]),
    ],
)
def test_rows_in_a_plain_chain_are_one_unit(edges: dict[str, str], cut: list[str]) -> None:
    assert units(topology(**edges)) == cut


def test_a_row_after_a_routing_function_starts_a_unit() -> None:
    assert units(topology(A="func:f", B="C", C="")) == ["A", "B", "C"]


def test_without_fusing_every_row_is_a_unit() -> None:
    assert units(topology(fuse=False, A="B", B="C", C="")) == ["A", "B", "C"]


@pytest.mark.parametrize(
    "edges",
    [
        {"A": "B", "B": "A"},
        {"S": "A", "A": "B", "B": "A"},
        {"S": "", "A": "B", "B": "C", "C": "A"},
        {"A": "A"},
    ],
)
def test_every_row_is_in_exactly_one_unit_also_in_a_ring(edges: dict[str, str]) -> None:
    assert sorted(" ".join(units(topology(**edges))).split()) == sorted(edges)


@pytest.mark.parametrize(
    ("edges", "joins"),
    [
        ({"S": "A|B", "A": "J", "B": "J", "J": ""}, {"J"}),
        ({"S": "A/B", "A": "J", "B": "J", "J": ""}, set()),
        ({"S": "A|B", "A": "", "B": "", "J": ""}, set()),
        ({"S": "A|J", "A": "J", "J": ""}, {"J"}),
        ({"S": "A|B", "A": "X", "B": "X", "X": "Y|Z", "Y": "W", "Z": "W", "W": ""}, {"X", "W"}),
    ],
)
def test_a_join_is_where_branches_of_a_fork_meet(edges: dict[str, str], joins: set[str]) -> None:
    assert set(topology(**edges).joins) == joins


def test_a_join_waits_for_all_that_can_still_lead_to_it() -> None:
    shape = topology(S="A|B", A="J", B="B2/Out", B2="J", J="K", K="", Out="")
    waits_for = {name for name, row in shape.rows.items() if shape.joins["J"] >> row & 1}
    assert waits_for == {"S", "A", "B", "B2"}


def test_a_field_is_contested_by_rows_side_by_side_only() -> None:
    nodes = (
        NodeSpec("S", edge=("A", "B"), outputs=("x",)),
        NodeSpec("A", edge=("J",), outputs=("x", "y=child")),
        NodeSpec("B", edge=("J",), outputs=("x", "z")),
        NodeSpec("J", outputs=("x",)),
    )
    assert Topology(GraphSpec("G", nodes)).contested == {"x": {(1, 2), (2, 1)}}


def test_an_orchestrator_leads_to_every_node_it_may_choose() -> None:
    nodes = (NodeSpec("O", "Orchestrator", context={"nodes": "A|B"}), NodeSpec("A"), NodeSpec("B"), NodeSpec("C"))
    graph = GraphSpec("G", nodes)
    assert set(Topology(graph, find_ways(graph, None)).followers["O"]) == {"A", "B"}


@pytest.mark.parametrize(
    ("target", "found"),
    [("Node", "Node"), ("node", "Node"), ("End", END), ("end", END), ("Nodes", None)],
)
def test_a_target_is_a_node_by_its_name_or_the_end(target: str, found: str | None) -> None:
    names = Topology(GraphSpec("G", (NodeSpec("Node"),))).names
    assert resolve_target(target, names) == found
