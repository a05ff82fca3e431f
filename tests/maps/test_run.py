"""Running a map: what it gives, what is kept, and which graph of a file it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from signalbox.errors import MapError
from signalbox.maps import (
    GraphSpec,
    MapResult,
    NodeSpec,
    open_map,
    run_map,
)

Run = Callable[..., MapResult]
Write = Callable[..., Path]
LINEAR = """
    GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Edge
    G,A,echo,,name,a,B
    G,B,echo,Hello {a},a,b,C
    G,C,echo,{b}!,b,c,
"""


def ran(result: MapResult) -> list[str]:
    return [node.node_name for node in result.summary.node_executions]


def test_a_chain_runs_in_order_and_each_output_is_in_the_state(run_text: Run) -> None:
    result = run_text(LINEAR, {"name": "Ann"})
    assert ran(result) == ["A", "B", "C"]
    assert (result.state["a"], result.state["b"], result.state["c"]) == ("Ann", "Hello Ann", "Hello Ann!")
    assert (result.status, result.output, result.exit_code) == ("completed", "Hello Ann!", 0)


def test_a_node_without_an_edge_is_the_end(run_text: Run) -> None:
    assert ran(run_text("GraphName,Node,Edge\nG,A,B\nG,B,\nG,C,\n")) == ["A", "B"]


def test_keys_that_no_node_declares_are_kept(run_text: Run) -> None:
    values = run_text(LINEAR, {"name": "Ann", "extra": {"deep": [1]}, "none": None}).values
    assert values["extra"] == {"deep": [1]}
    assert "none" in values


def test_the_given_state_is_not_changed(run_text: Run) -> None:
    state = {"name": "Ann", "list": [1]}
    run_text(LINEAR, state)
    assert state == {"name": "Ann", "list": [1]}


def test_an_empty_state_is_enough(run_text: Run) -> None:
    assert run_text("GraphName,Node,Prompt,Output_Field\nG,A,Hello,x\n").values == {"x": "Hello"}


def test_the_state_says_how_the_run_went(run_text: Run) -> None:
    state = run_text(LINEAR, {"name": "Ann"}).state
    assert (state["last_action_success"], state["graph_success"], state["__policy_success"]) == (True, True, True)
    assert state["__execution_summary"].graph_name == "G"
    assert "__next_node" not in state


def test_the_values_are_the_state_without_what_the_framework_owns(run_text: Run) -> None:
    assert run_text(LINEAR, {"name": "Ann"}).values == {
        "name": "Ann",
        "a": "Ann",
        "b": "Hello Ann",
        "c": "Hello Ann!",
    }


def test_a_graph_in_python_runs_as_the_same_map_does(run_text: Run) -> None:
    spec = GraphSpec(
        "G",
        (
            NodeSpec("A", "echo", inputs=("name",), outputs=("a",), edge=("B",)),
            NodeSpec("B", "echo", prompt="Hello {a}", inputs=("a",), outputs=("b",), edge=("C",)),
            NodeSpec("C", "echo", prompt="{b}!", inputs=("b",), outputs=("c",)),
        ),
    )
    assert run_map(spec, {"name": "Ann"}).values == run_text(LINEAR, {"name": "Ann"}).values


def test_a_run_answers_in_the_common_shape(run_text: Run) -> None:
    answer = run_text(LINEAR, {"name": "Ann"}).as_answer().as_dict()
    assert set(answer) == {
        "agent", "thread_id", "run_id", "status", "answer", "question", "error", "state", "blocks", "source",
        "not_covered", "evidence", "route", "timings_ms",
    }  # fmt: skip
    assert (answer["agent"], answer["status"], answer["answer"]) == ("G", "completed", "Hello Ann!")
    assert set(answer["timings_ms"]) == {"total", "A", "B", "C"}


def test_the_summary_has_every_nodes_start_duration_inputs_and_output(run_text: Run) -> None:
    result = run_text(LINEAR, {"name": "Ann"})
    for node in result.summary.node_executions:
        assert node.success is True
        assert node.duration is not None
        assert node.duration >= 0
        assert node.start_time >= result.summary.start_time
    assert result.summary.node_executions[1].inputs == {"a": "Ann"}


# Which graph


def test_a_file_with_several_graphs_lists_them_and_asks(write_file: Write) -> None:
    path = write_file("GraphName,Node\nOne,A\nTwo,A\n")
    with pytest.raises(MapError, match="holds 2 graphs") as caught:
        run_map(path)
    assert f"{path}::One" in str(caught.value)
    assert f"{path}::Two" in str(caught.value)


def test_a_graph_is_named_after_the_file_or_beside_it(write_file: Write) -> None:
    path = write_file("GraphName,Node,Prompt\nOne,A,1\nTwo,A,2\n")
    assert run_map(f"{path}::Two").output == "2"
    assert run_map(path, graph="One").output == "1"


def test_a_graph_that_is_not_there_is_told_with_the_nearest(write_file: Write) -> None:
    path = write_file("GraphName,Node\nWeather,A\nOther,A\n")
    with pytest.raises(MapError, match="no graph 'Weathr'") as caught:
        run_map(f"{path}::Weathr")
    assert "'Weather'" in caught.value.suggestion


def test_an_opened_map_can_be_run_again_and_again(write_file: Write) -> None:
    run = open_map(write_file(LINEAR))
    assert run_map(run, {"name": "Ann"}).output == "Hello Ann!"
    assert run_map(run, {"name": "Bob"}).output == "Hello Bob!"
