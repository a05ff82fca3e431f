"""Which way a graph goes after a success and after a failure, and the names that nodes may have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.maps import (
    GraphSpec,
    MapResult,
    NodeSpec,
    run_map,
)

Run = Callable[..., MapResult]
Write = Callable[..., Path]


def ran(result: MapResult) -> list[str]:
    return [node.node_name for node in result.summary.node_executions]


BRANCH = """
    GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Failure_Next
    G,Decide,branching,ok,,Yes,No
    G,Yes,echo,ok,answer,,
    G,No,echo,ok,answer,,
"""


@pytest.mark.parametrize(
    ("value", "way"),
    [(True, "Yes"), ("yes", "Yes"), (1, "Yes"), (False, "No"), ("no", "No"), (0, "No"), ("FALSE", "No")],
)
def test_success_decides_the_branch(run_text: Run, value: Any, way: str) -> None:
    assert ran(run_text(BRANCH, {"ok": value})) == ["Decide", way]


def test_a_node_that_raises_takes_the_failure_branch(run_text: Run, failing: None) -> None:
    result = run_text("GraphName,Node,AgentType,Success_Next,Failure_Next\nG,A,fail,B,C\nG,B,echo,,\nG,C,echo,,\n")
    assert ran(result) == ["A", "C"]
    assert result.status == "completed"


def test_a_handled_failure_keeps_every_output_of_the_run(run_text: Run, failing: None) -> None:
    result = run_text(
        """
        GraphName,Node,AgentType,Prompt,Output_Field,Edge,Failure_Next
        G,A,echo,,a,B,
        G,B,fail,,b,,C
        G,C,default,sorry,c,,
        """,
        {"seed": 1},
    )
    assert (result.state["a"], result.state["c"], result.state["seed"]) == ("No input provided to echo", "sorry", 1)
    assert result.state["errors"] == ["Error in B: no luck"]
    assert (result.status, result.output) == ("completed", "sorry")


def test_after_a_handled_failure_the_next_success_takes_the_success_branch(run_text: Run, failing: None) -> None:
    result = run_text(
        """
        GraphName,Node,AgentType,Success_Next,Failure_Next
        G,A,fail,,B
        G,B,echo,Good,Bad
        G,Good,echo,,
        G,Bad,echo,,
        """
    )
    assert ran(result) == ["A", "B", "Good"]
    assert result.state["last_action_success"] is True


def test_a_failure_with_only_a_success_next_ends_the_graph_as_an_error(run_text: Run, failing: None) -> None:
    result = run_text("GraphName,Node,AgentType,Success_Next\nG,A,fail,B\nG,B,echo,\n")
    assert ran(result) == ["A"]
    assert (result.status, result.exit_code) == ("error", 1)
    assert result.error is not None
    assert result.error["message"] == "Error in A: no luck"
    assert "'A'" in result.error["suggestion"]


def test_a_success_with_only_a_failure_next_ends_the_graph(run_text: Run) -> None:
    result = run_text("GraphName,Node,AgentType,Failure_Next\nG,A,echo,B\nG,B,echo,\n")
    assert (ran(result), result.status) == (["A"], "completed")


def test_an_edge_is_taken_after_a_failure_too_and_the_run_is_an_error(run_text: Run, failing: None) -> None:
    result = run_text("GraphName,Node,AgentType,Edge\nG,A,fail,B\nG,B,echo,\n")
    assert ran(result) == ["A", "B"]
    assert result.status == "error"


def test_an_edge_with_a_failure_next_is_taken_on_success_only(run_text: Run, failing: None) -> None:
    rows = "G,B,echo,,\nG,C,echo,,\n"
    assert ran(run_text("GraphName,Node,AgentType,Edge,Failure_Next\nG,A,echo,B,C\n" + rows)) == ["A", "B"]
    assert ran(run_text("GraphName,Node,AgentType,Edge,Failure_Next\nG,A,fail,B,C\n" + rows)) == ["A", "C"]


@pytest.mark.parametrize("end", ["End", "end", "END"])
def test_an_edge_to_an_end_without_a_row_ends_the_graph(run_text: Run, end: str) -> None:
    result = run_text(f"GraphName,Node,AgentType,Edge\nG,A,echo,B\nG,B,echo,{end}\n")
    assert (ran(result), result.status) == (["A", "B"], "completed")


def test_a_node_called_end_that_has_a_row_is_a_node(run_text: Run) -> None:
    assert ran(run_text("GraphName,Node,AgentType,Edge\nG,A,echo,End\nG,End,echo,\n")) == ["A", "End"]


@pytest.mark.parametrize(
    "name", ["a:b", "Ünï cödé 世", "__start__", "__end__x", "a/b", "x.y", "🙂", "row-1", "A", "a", "%s", "{x}"]
)
def test_a_node_may_have_any_name(name: str) -> None:
    spec = GraphSpec(
        "G",
        (
            NodeSpec("S", "branching", success_next=(name, "row-0"), failure_next=("T",)),
            NodeSpec(name, "echo", edge=("T",)),
            NodeSpec("row-0", "echo", edge=("T",)),
            NodeSpec("T", "echo"),
        ),
    )
    assert sorted(ran(run_map(spec))) == sorted(["S", name, "row-0", "T"])


def test_a_name_that_looks_like_an_inner_one_does_not_collide() -> None:
    spec = GraphSpec(
        "G",
        (
            NodeSpec("row-1", "branching", success_next=("a:b",), failure_next=("c:d",)),
            NodeSpec("a:b", "branching", success_next=("row-3",), failure_next=("c:d",)),
            NodeSpec("row-3", "echo"),
            NodeSpec("c:d", "echo"),
        ),
    )
    assert ran(run_map(spec)) == ["row-1", "a:b", "row-3"]


def test_names_that_differ_in_case_alone_are_two_nodes(run_text: Run) -> None:
    assert ran(run_text("GraphName,Node,AgentType,Edge\nG,a,echo,A\nG,A,echo,B\nG,B,echo,\n")) == ["a", "A", "B"]


def test_a_state_class_of_ones_own_brings_its_reducers(run_text: Run, write_file: Write) -> None:
    write_file(
        """
        import operator
        from typing import Annotated, TypedDict

        class Basket(TypedDict):
            fruit: Annotated[list, operator.add]
            count: int
        """,
        "basket.py",
    )
    write_file("def pick(kind):\n    return [kind]\n", "agents/pick.py")
    result = run_text(
        """
        GraphName,Node,AgentType,Input_Fields,Output_Field,Edge,Context
        G,S,echo,,,A|B,state:basket:Basket
        G,A,pick,first,fruit,J,
        G,B,pick,second,fruit,J,
        G,J,pick,third,fruit,,
        """,
        {"first": "apple", "second": "pear", "third": "plum", "fruit": ["fig"]},
    )
    assert result.values["fruit"] == ["fig", "apple", "pear", "plum"]
    assert result.summary.warnings == []
