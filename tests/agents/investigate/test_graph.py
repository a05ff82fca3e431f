"""What depends on what, and how one thing is connected to another."""

from __future__ import annotations

from pathlib import Path

import pytest

from signalbox.agents.investigate.dependencies import read_dependencies
from signalbox.agents.investigate.graph import Graph
from signalbox.agents.metrics.relations import relations_of
from signalbox.contract import Relation

TOPOLOGY = [
    Relation("machine:ce", role="CE"),
    *(
        Relation(f"machine:{one}", f"machine:{other}", "LLDP", is_wire=True)
        for one, other in (("pe", "p1"), ("p1", "p2"), ("p2", "rr"), ("ce", "pe"), ("p2", "far"))
    ),
    *(Relation("session:pe–rr", f"machine:{end}", "labels of bgp") for end in ("pe", "rr")),
    *(Relation("session:ce–pe", f"machine:{end}", "labels of bgp") for end in ("pe", "ce")),
]
SHOP = [
    Relation("service:checkout", "machine:checkout-1", "labels of up"),
    Relation("machine:checkout-1", "machine:web-1", "labels of kube_pod_info"),
    Relation("machine:web-1", "machine:pe", "labels of lldp"),
    Relation("service:checkout", "name:payment", "client metric"),
    Relation("service:payment", "machine:payment-1", "labels of up"),
]
GRAPH = Graph.of([*TOPOLOGY, *SHOP])


def way(thing: str, other: str, graph: Graph = GRAPH) -> list[str] | None:
    """The things on the way, or None."""
    found = graph.ways(thing)
    return [edge.other.partition(":")[2] for edge in found[other]] if other in found else None


def test_a_service_depends_on_its_instances_their_hosts_and_routers() -> None:
    assert way("service:checkout", "machine:pe") == ["checkout-1", "web-1", "pe"]


def test_it_depends_on_the_links_that_a_session_of_its_router_runs_over() -> None:
    assert way("service:checkout", "link:p1–p2") == ["checkout-1", "web-1", "pe", "pe–rr", "p1–p2"]


@pytest.mark.parametrize("other", ["link:ce–pe", "session:ce–pe", "link:far–p2", "machine:far", "machine:ce"])
def test_it_does_not_depend_on_a_customers_link_or_on_what_lies_on_no_way(other: str) -> None:
    assert way("service:checkout", other) is None


def test_it_depends_on_what_lies_between_two_routers_that_it_needs() -> None:
    graph = Graph.of([*TOPOLOGY, *SHOP, Relation("service:payment", "machine:far", "dependencies.yaml")])
    assert way("service:checkout", "link:far–p2", graph) is not None
    assert way("service:payment", "link:p1–p2", graph) is None


def test_a_name_is_the_service_or_machine_of_that_name_else_something_outside() -> None:
    told = [Relation("name:Checkout", "experiment:One page", "point"), Relation("name:checkout", "name:bank", "file")]
    graph = Graph.of([*SHOP, *told])
    assert way("service:checkout", "experiment:One page", graph) == ["One page"]
    assert way("service:checkout", "external:bank", graph) == ["bank"]


def test_an_experiment_on_what_nothing_is_called_belongs_to_nothing() -> None:
    graph = Graph.of([*SHOP, Relation("name:mail", "experiment:Wording", "point")])
    assert "experiment:Wording" not in graph.things


def test_two_names_of_one_machine_are_one() -> None:
    same = Relation("machine:web-1", "machine:10.0.0.7", "labels of node_uname_info", is_same=True)
    graph = Graph.of([*SHOP, same, Relation("machine:10.0.0.7", "machine:pe", "ARP")])
    assert graph.one("machine:10.0.0.7") == "machine:web-1"
    assert "ARP" in str(graph.edges[("machine:web-1", "machine:pe")])


@pytest.mark.parametrize(
    ("labels", "about", "things"),
    [
        ({"service": "checkout", "instance": "checkout-1:8080"}, "", ["service:checkout", "machine:checkout-1"]),
        ({"instance": "web-1:9100", "job": "node"}, "", ["machine:web-1"]),
        ({"device": "p1", "interface": "Gi0", "peer": "p2", "instance": "p1:57400"}, "", ["link:p1–p2"]),
        ({"device": "pe", "neighbor": "rr"}, "", ["session:pe–rr"]),
        ({"instance": "pe:57400", "neighbor": "rr"}, "", ["session:pe–rr"]),
        ({"service": "checkout", "peer_service": "payment"}, "", ["service:payment"]),
        ({}, "p2–p1", ["link:p1–p2"]),
        ({}, "rr–pe", ["session:pe–rr"]),
        ({}, "experiment Night Reader", ["experiment:Night Reader"]),
        ({"service": "nowhere"}, "", []),
    ],
)
def test_what_was_seen_is_found_by_its_labels_or_words(labels: dict[str, str], about: str, things: list[str]) -> None:
    assert GRAPH.find(labels, about) == things


def told(**labels: str) -> set[str]:
    return {f"{one.thing} {'=' if one.is_same else '~' if one.is_wire else '→'} {one.other}"
            for one in relations_of(labels) if one.other}  # fmt: skip


def test_labels_say_what_runs_where() -> None:
    pod = {"__name__": "kube_pod_info", "instance": "ksm:8080", "job": "kube-state-metrics", "pod": "pay-1"}
    assert told(**pod, node="n1", pod_ip="10.1.0.9") == {
        "machine:pay-1 = machine:10.1.0.9", "machine:pay-1 → machine:n1",
    }  # fmt: skip
    assert told(__name__="up", instance="pay-1:80", service="pay") == {"service:pay → machine:pay-1"}
    assert told(__name__="node_uname_info", instance="10.0.0.7:9100", nodename="web-1") == {
        "machine:web-1 = machine:10.0.0.7"
    }
    assert told(__name__="x_lldp_info", instance="web-1:9100", device="eth0", neighbor_system="pe1") == {
        "machine:web-1 → machine:pe1"
    }


def test_labels_say_who_calls_whom() -> None:
    mesh = {"source_workload": "shop", "destination_workload": "pay"}
    assert "service:shop → name:pay" in told(__name__="istio_requests_total", **mesh)
    graph = {"client": "shop", "server": "pay"}
    assert told(__name__="traces_service_graph_request_total", **graph) == {"service:shop → name:pay"}


def test_labels_say_which_routers_are_wired_and_talk() -> None:
    router = {"instance": "p1:57400", "device": "p1"}
    assert told(__name__="if_oper_status", interface="Gi0", peer="p2", **router) == {"machine:p1 ~ machine:p2"}
    assert told(__name__="bgp_session_state", neighbor="rr", **router) == {
        "session:p1–rr → machine:p1", "session:p1–rr → machine:rr",
    }  # fmt: skip


def test_the_operators_file_says_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "dependencies.yaml"
    file.write_text("depends_on:\n  payment: [bank]\n  bank: [pe]\nalso_called:\n  payment: [the till]\n")
    monkeypatch.setenv("SIGNALBOX_DEPENDENCIES", str(file))
    relations, names, _ = read_dependencies("live")
    graph = Graph.of([*TOPOLOGY, *SHOP, *relations])
    assert way("service:payment", "machine:pe", graph) == ["bank", "pe"]
    assert names == {"the till": "payment"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"depends_on: [a]", "depends_on maps"),
        (b"depends: {a: b}", "it has depends"),
        (b"- a", "it holds no keys"),
        (b"depends_on: {a: [1]}", "depends_on of a"),
        (b"depends_on:\n  a: [b\n", "line 3: expected ',' or ']'"),
        (b"\xff\xfe", "it is not text in UTF-8, from byte 0 on"),
    ],
)
def test_a_wrong_file_is_named_and_takes_away_nothing_else(
    text: bytes, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded, _, _ = read_dependencies("embedded")
    file = tmp_path / "dependencies.yaml"
    file.write_bytes(text)
    monkeypatch.setenv("SIGNALBOX_DEPENDENCIES", str(file))
    relations, _, [wrong] = read_dependencies("embedded")
    assert relations == embedded != []
    assert wrong.startswith(f"{file}: {told}")
    assert wrong.endswith("Correct the file, or unset SIGNALBOX_DEPENDENCIES.")


def test_what_a_service_measures_on_a_shared_host_says_nothing_of_its_neighbours() -> None:
    hosts = [("payment", "node-1"), ("letters", "node-1"), ("letters", "node-2")]
    graph = Graph.of([Relation(f"service:{one}", f"machine:{other}", "labels of up") for one, other in hosts])
    assert graph.find({"service": "letters", "instance": "node-1:8001"}) == ["service:letters"]
    assert graph.find({"service": "letters", "instance": "node-2:8001"}) == ["service:letters", "machine:node-2"]
    assert graph.find({"instance": "node-1:9100"}) == ["machine:node-1"]
