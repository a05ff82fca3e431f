"""Routing functions: `func:name` in an edge cell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from signalbox.maps import (
    MapResult,
)

Run = Callable[..., MapResult]
Write = Callable[..., Path]


def ran(result: MapResult) -> list[str]:
    return [node.node_name for node in result.summary.node_executions]


def test_a_routing_function_chooses_by_the_state(run_text: Run, write_file: Write) -> None:
    write_file(
        "def by_size(state, success_node, failure_node):\n"
        "    return success_node if state['size'] > 10 else failure_node\n",
        "functions/by_size.py",
    )
    text = (
        "GraphName,Node,AgentType,Edge,Success_Next,Failure_Next\n"
        "G,A,echo,func:by_size,Big,Small\nG,Big,echo,,,\nG,Small,echo,,,\n"
    )
    assert ran(run_text(text, {"size": 11})) == ["A", "Big"]
    assert ran(run_text(text, {"size": 1})) == ["A", "Small"]


def test_a_routing_function_may_give_several_nodes_or_none(run_text: Run, write_file: Write) -> None:
    write_file("def pick(state, success_node, failure_node):\n    return state['to']\n", "functions/pick.py")
    text = "GraphName,Node,AgentType,Edge\nG,A,echo,func:pick\nG,B,echo,\nG,C,echo,\n"
    assert sorted(ran(run_text(text, {"to": ["B", "C"]}))) == ["A", "B", "C"]
    assert ran(run_text(text, {"to": None})) == ["A"]
    assert ran(run_text(text, {"to": []})) == ["A"]
    assert ran(run_text(text, {"to": "End"})) == ["A"]


def test_a_routing_function_may_stand_beside_a_plain_target(run_text: Run, write_file: Write) -> None:
    write_file("def pick(state, success_node, failure_node):\n    return 'C'\n", "functions/pick.py")
    text = "GraphName,Node,AgentType,Edge\nG,A,echo,B|func:pick\nG,B,echo,\nG,C,echo,\nG,D,echo,\n"
    assert sorted(ran(run_text(text))) == ["A", "B", "C"]


def test_a_routing_function_may_decide_one_branch_only(run_text: Run, write_file: Write) -> None:
    write_file("def pick(state, success_node, failure_node):\n    return 'B'\n", "functions/pick.py")
    text = (
        "GraphName,Node,AgentType,Input_Fields,Success_Next,Failure_Next\n"
        "G,A,branching,ok,func:pick,C\nG,B,echo,,,\nG,C,echo,,,\n"
    )
    assert ran(run_text(text, {"ok": True})) == ["A", "B"]
    assert ran(run_text(text, {"ok": False})) == ["A", "C"]


def test_a_routing_functions_own_defaults_hold_where_the_row_names_no_target(run_text: Run, write_file: Write) -> None:
    write_file(
        "def grade(state, good='Good', bad='Bad', limit=5):\n    return good if state['mark'] > limit else bad\n",
        "functions/grade.py",
    )
    text = "GraphName,Node,AgentType,Edge,Context\nG,A,echo,func:grade,{context}\nG,Good,echo,,\nG,Bad,echo,,\n"
    assert ran(run_text(text.format(context=""), {"mark": 6})) == ["A", "Good"]
    assert ran(run_text(text.format(context='"{""limit"": 8}"'), {"mark": 6})) == ["A", "Bad"]


def test_a_routing_function_may_take_the_state_alone(run_text: Run, write_file: Write) -> None:
    write_file("def pick(state):\n    return state['to']\n", "functions/pick.py")
    text = "GraphName,Node,AgentType,Edge\nG,A,echo,func:pick\nG,B,echo,\n"
    assert ran(run_text(text, {"to": "B"})) == ["A", "B"]


def test_a_routing_function_that_names_no_node_is_a_clear_error(run_text: Run, write_file: Write) -> None:
    write_file("def pick(state, success_node, failure_node):\n    return 'Bee'\n", "functions/pick.py")
    result = run_text("GraphName,Node,AgentType,Edge\nG,A,echo,func:pick\nG,Beef,echo,\n")
    assert result.status == "error"
    assert result.error is not None
    assert "'pick'" in result.error["message"]
    assert "'Bee'" in result.error["message"]
    assert "'Beef'" in result.error["suggestion"]


def test_a_routing_function_that_raises_is_an_error_of_the_run_that_names_it(run_text: Run, write_file: Write) -> None:
    write_file("def pick(state, success_node, failure_node):\n    return 1 / 0\n", "functions/pick.py")
    result = run_text("GraphName,Node,AgentType,Edge,Success_Next\nG,A,echo,func:pick,B\nG,B,echo,,\n")
    assert result.status == "error"
    assert result.error is not None
    assert "pick" in result.error["message"]


def test_a_routing_function_sees_that_its_node_failed(run_text: Run, write_file: Write, failing: None) -> None:
    write_file(
        "def pick(state, success_node, failure_node):\n"
        "    return success_node if state['last_action_success'] else failure_node\n",
        "functions/pick.py",
    )
    text = (
        "GraphName,Node,AgentType,Edge,Success_Next,Failure_Next\n"
        "G,A,fail,func:pick,Good,Bad\nG,Good,echo,,,\nG,Bad,echo,,,\n"
    )
    assert ran(run_text(text)) == ["A", "Bad"]


def test_a_failure_after_which_nothing_ran_is_the_runs_own(run_text: Run, write_file: Write, failing: None) -> None:
    write_file("def pick(state, success_node, failure_node):\n    return state.get('to')\n", "functions/pick.py")
    text = "GraphName,Node,AgentType,Edge\nG,A,fail,func:pick\nG,B,echo,\n"
    ended = run_text(text)
    assert (ended.status, ended.error["error_type"]) == ("error", "node_failed")
    assert run_text(text, {"to": "B"}).status == "completed"
