"""Graphs inside graphs: which graph, what goes in, what comes out, what a failure does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.maps import MapResult
from signalbox.runs import astart, resume, start

Run = Callable[..., MapResult]
HEADER = "GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Edge,Context\n"
CHILD = "Child,Greet,echo,Hello {who},who,greeting,,\n"


def main(text: str, state: dict[str, Any], write: Callable[..., Path]) -> MapResult:
    return start(write(HEADER + text), state, graph="G")


@pytest.mark.parametrize(
    ("inputs", "outputs", "state", "name", "value"),
    [
        ("who=name", "said=greeting", {"name": "Ann"}, "said", "Hello Ann"),
        ("name:who", "said=greeting", {"name": "Ann"}, "said", "Hello Ann"),
        ("who", "said=greeting", {"who": "Ann"}, "said", "Hello Ann"),
        ("", "said=greeting", {"who": "Ann"}, "said", "Hello Ann"),
        ("who=name", "all", {"name": "Ann"}, "all", {"who": "Ann", "greeting": "Hello Ann"}),
    ],
)
def test_fields_are_mapped_in_and_out(
    write_file: Callable[..., Path], inputs: str, outputs: str, state: dict[str, Any], name: str, value: Any
) -> None:
    result = main(f"G,Run,graph,,{inputs},{outputs},,{{workflow=::Child}}\n" + CHILD, state, write_file)
    assert result.values == {**state, name: value}


def test_several_fields_come_back(write_file: Callable[..., Path]) -> None:
    result = main("G,Run,graph,,who,a=greeting|b=who,,{workflow=::Child}\n" + CHILD, {"who": "Ann"}, write_file)
    assert (result.values["a"], result.values["b"]) == ("Hello Ann", "Ann")


def test_only_the_mapped_fields_go_in(write_file: Callable[..., Path]) -> None:
    result = main("G,Run,graph,,who=name,all,,{workflow=::Child}\n" + CHILD, {"name": "Ann", "secret": 1}, write_file)
    assert "secret" not in result.values["all"]


def test_a_graph_in_another_file_runs_with_the_code_beside_that_file(write_file: Callable[..., Path]) -> None:
    write_file("def shout(word):\n    return word.upper()\n", "parts/agents/shout.py")
    write_file("GraphName,Node,AgentType,Input_Fields,Output_Field\nLoud,A,shout,word,loud\n", "parts/loud.csv")
    result = main("G,Run,graph,,word,x=loud,,{workflow=parts/loud.csv::Loud}\n", {"word": "hi"}, write_file)
    assert result.values["x"] == "HI"


def test_the_state_may_name_the_graph(write_file: Callable[..., Path]) -> None:
    text = "G,Run,graph,,,x=y,,{workflow_field=which}\nOne,A,default,1,,y,,\nTwo,A,default,2,,y,,\n"
    assert main(text, {"which": "::Two"}, write_file).values["x"] == "2"
    assert main(text, {"which": "One"}, write_file).values["x"] == "1"


def test_a_state_that_names_no_graph_is_a_failure_of_the_node(write_file: Callable[..., Path]) -> None:
    text = "G,Run,graph,,,x=y,,{workflow_field=which}\nChild,A,default,1,,y,,\n"
    error = main(text, {}, write_file).error
    assert error is not None
    assert "'which'" in error["message"]
    error = main(text, {"which": "::Chld"}, write_file).error
    assert error is not None
    assert "'Chld'" in error["message"]


@pytest.mark.parametrize("which", ["elsewhere/evil.csv::Evil", "elsewhere/evil.csv", "/tmp/evil.csv::Evil", "Evil"])
def test_the_state_reaches_no_graph_of_another_file(write_file: Callable[..., Path], which: str) -> None:
    write_file("open(__file__ + '.ran', 'w')\ndef evil():\n    return 'ran'\n", "elsewhere/agents/evil.py")
    evil = write_file("GraphName,Node,AgentType,Output_Field\nEvil,A,evil,y\n", "elsewhere/evil.csv")
    text = "G,Run,graph,,,x=y,,{workflow_field=which}\nChild,A,default,1,,y,,\n"
    result = main(text, {"which": which}, write_file)
    assert result.error is not None
    assert "which this file does not hold" in result.error["message"]
    assert not list(evil.parent.rglob("*.ran"))


def test_the_summary_of_the_child_is_in_that_of_the_parent(write_file: Callable[..., Path]) -> None:
    result = main("G,Run,graph,,who,x=greeting,,{workflow=::Child}\n" + CHILD, {"who": "Ann"}, write_file)
    (record,) = result.summary.node_executions
    assert record.subgraph is not None
    assert (record.subgraph.graph_name, [n.node_name for n in record.subgraph.node_executions]) == ("Child", ["Greet"])


def test_a_failure_inside_is_a_failure_of_the_node_and_takes_its_branch(write_file: Callable[..., Path]) -> None:
    write_file("def fail():\n    raise RuntimeError('deep down')\n", "agents/fail.py")
    path = write_file(
        """
        GraphName,Node,AgentType,Success_Next,Failure_Next,Context
        G,Run,graph,Good,Bad,{workflow=::Child}
        G,Good,echo,,,
        G,Bad,echo,,,
        Child,A,fail,,,
        """
    )
    result = start(path, graph="G")
    assert [node.node_name for node in result.summary.node_executions] == ["Run", "Bad"]
    assert "deep down" in result.state["errors"][0]
    assert result.status == "completed"


def test_a_field_that_the_child_did_not_give_is_a_failure_that_names_it(write_file: Callable[..., Path]) -> None:
    error = main("G,Run,graph,,who,x=greting,,{workflow=::Child}\n" + CHILD, {"who": "Ann"}, write_file).error
    assert error is not None
    assert "'greting'" in error["message"]


def test_graphs_nest(write_file: Callable[..., Path]) -> None:
    text = "G,Run,graph,,n,n=n,,{workflow=::Mid}\nMid,Deeper,graph,,n,n=n,,{workflow=::Low}\nLow,A,echo,{n}!,n,n,,\n"
    assert main(text, {"n": "deep"}, write_file).values == {"n": "deep!"}


def test_a_graph_that_runs_itself_without_end_is_a_clear_error(write_file: Callable[..., Path]) -> None:
    result = main("G,Again,graph,,,,,{workflow=::G}\n", {}, write_file)
    assert result.status == "error"
    assert result.error is not None
    assert "deep" in result.error["message"]


def test_a_pause_inside_a_graph_is_resumed_through_its_parent(write_file: Callable[..., Path]) -> None:
    text = (
        "G,Before,default,first,,before,Run,\n"
        "G,Run,graph,,,x=name,After,{workflow=::Child}\n"
        "G,After,echo,{before} {x},,y,,\n"
        "Child,Ask,input,Your name?,,name,,\n"
    )
    paused = main(text, {}, write_file)
    assert paused.status == "needs_input"
    assert paused.question is not None
    assert paused.question["message"] == "Your name?"
    result = resume(paused.thread_id, "Ann")
    assert (result.status, result.output) == ("completed", "first Ann")


def test_two_graph_nodes_side_by_side_keep_apart(write_file: Callable[..., Path]) -> None:
    text = (
        "G,S,default,,,,A|B,\n"
        "G,A,graph,,who=a,x=greeting,J,{workflow=::Child}\n"
        "G,B,graph,,who=b,y=greeting,J,{workflow=::Child}\n"
        "G,J,echo,{x} {y},,z,,\n"
    )
    assert main(text + CHILD, {"a": "Ann", "b": "Bob"}, write_file).output == "Hello Ann Hello Bob"


async def test_a_sub_graph_runs_in_an_event_loop(write_file: Callable[..., Path]) -> None:

    path = write_file(HEADER + "G,Run,graph,,who,x=greeting,,{workflow=::Child}\n" + CHILD)
    assert (await astart(path, {"who": "Ann"}, graph="G")).values["x"] == "Hello Ann"
