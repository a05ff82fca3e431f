"""Parallel branches and true joins: a join runs once, after all its branches, whatever their lengths."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from signalbox.maps import GraphSpec, MapResult, NodeSpec
from signalbox.runs import astart, resume, start

Run = Callable[..., MapResult]


def graph(**edges: str) -> GraphSpec:
    """A graph of echo nodes, each with its targets; `yes/no` are the two branches of a node that branches."""
    nodes = []
    for name, cell in edges.items():
        success, slash, failure = cell.partition("/")
        if slash:
            node = NodeSpec(
                name,
                "branching",
                context={"success_field": f"{name}_ok"},
                success_next=tuple(filter(None, success.split("|"))),
                failure_next=tuple(filter(None, failure.split("|"))),
            )
        else:
            node = NodeSpec(name, "echo", edge=tuple(filter(None, cell.split("|"))))
        nodes.append(node)
    return GraphSpec("G", tuple(nodes))


def ran(result: MapResult) -> list[str]:
    return [node.node_name for node in result.summary.node_executions]


def assert_once_in_order(names: list[str], *pairs: str) -> None:
    assert [name for name, count in Counter(names).items() if count > 1] == []
    for pair in pairs:
        before, after = pair.split("<")
        assert names.index(before) < names.index(after), f"{pair} in {names}"


def test_targets_split_by_bars_all_run() -> None:
    assert sorted(ran(start(graph(S="A|B|C", A="", B="", C="")))) == ["A", "B", "C", "S"]


def test_branches_of_one_length_join_once() -> None:
    names = ran(start(graph(S="A|B|C", A="J", B="J", C="J", J="")))
    assert_once_in_order(names, "A<J", "B<J", "C<J")


def test_branches_of_uneven_length_join_once_after_the_longest() -> None:
    names = ran(start(graph(S="A|B", A="J", B="B2", B2="B3", B3="J", J="T", T="")))
    assert_once_in_order(names, "A<J", "B3<J", "J<T")
    assert len(names) == 7


def test_a_branch_may_be_the_join_itself() -> None:
    names = ran(start(graph(S="A|J", A="B", B="J", J="")))
    assert_once_in_order(names, "B<J")
    assert len(names) == 4


def test_forks_inside_forks_join_once_each() -> None:
    names = ran(start(graph(S="A|B", A="A1|A2", A1="JA", A2="A3", A3="JA", JA="J", B="J", J="")))
    assert_once_in_order(names, "A1<JA", "A3<JA", "JA<J", "B<J")
    assert len(names) == 8


def test_two_joins_share_a_branch() -> None:
    names = ran(start(graph(S="A|B|C", A="J1", B="J1|J2", C="C2", C2="J2", J1="K", J2="K", K="")))
    assert_once_in_order(names, "A<J1", "B<J1", "C2<J2", "J1<K", "J2<K")
    assert len(names) == 8


def test_a_fork_after_a_join_forks_again() -> None:
    names = ran(start(graph(S="A|B", A="J", B="J", J="X|Y", X="K", Y="Y2", Y2="K", K="")))
    assert_once_in_order(names, "A<J", "B<J", "J<X", "X<K", "Y2<K")
    assert len(names) == 8


def test_a_branch_that_ends_elsewhere_does_not_hold_the_join_back() -> None:
    shape = graph(S="A|B", A="J/Other", B="B2", B2="J", J="", Other="")
    names = ran(start(shape, {"A_ok": False}))
    assert_once_in_order(names, "B2<J")
    assert sorted(names) == ["A", "B", "B2", "J", "Other", "S"]


def test_a_join_that_no_branch_takes_does_not_run() -> None:
    shape = graph(S="A|B", A="J/", B="J/", J="")
    assert sorted(ran(start(shape, {"A_ok": False, "B_ok": False}))) == ["A", "B", "S"]


@pytest.mark.parametrize("a", [True, False])
@pytest.mark.parametrize("b", [True, False])
def test_conditional_branches_join_once_whichever_way_they_go(a: bool, b: bool) -> None:
    shape = graph(S="A|B", A="A1/A2", A1="J", A2="A3", A3="J", B="J/B2", B2="J", J="")
    names = ran(start(shape, {"A_ok": a, "B_ok": b}))
    assert_once_in_order(names, "A<J", "B<J")
    assert names[-1] == "J"


def test_without_a_fork_two_ways_to_a_node_are_no_join() -> None:
    shape = graph(S="A/B", A="J", B="J", J="")
    assert ran(start(shape, {"S_ok": True})) == ["S", "A", "J"]
    assert ran(start(shape, {"S_ok": False})) == ["S", "B", "J"]


COUNT = """
from signalbox.contract import BaseAgent

class RoundsAgent(BaseAgent):
    def process(self, inputs):
        n = (inputs["n"] or 0) + 1
        return {"state_updates": {"n": n, "last_action_success": n >= 3}}
"""


def test_a_join_in_a_loop_runs_once_a_round(run_text: Run, write_file: Callable[..., Path]) -> None:
    write_file(COUNT, "agents/rounds.py")
    names = ran(
        run_text(
            """
            GraphName,Node,AgentType,Input_Fields,Edge,Success_Next,Failure_Next
            G,S,echo,,A|B,,
            G,A,echo,,J,,
            G,B,echo,,B2,,
            G,B2,echo,,J,,
            G,J,rounds,n,,T,S
            G,T,echo,,,,
            """
        )
    )
    assert Counter(names) == {"S": 3, "A": 3, "B": 3, "B2": 3, "J": 3, "T": 1}


def test_a_loop_inside_a_branch_holds_the_join_back(run_text: Run, write_file: Callable[..., Path]) -> None:
    write_file(COUNT, "agents/rounds.py")
    names = ran(
        run_text(
            """
            GraphName,Node,AgentType,Input_Fields,Edge,Success_Next,Failure_Next
            G,S,echo,,A|B,,
            G,A,echo,,J,,
            G,B,rounds,n,,J,B
            G,J,echo,,,,
            """
        )
    )
    assert Counter(names) == {"S": 1, "A": 1, "B": 3, "J": 1}
    assert names[-1] == "J"


@pytest.mark.parametrize("checkpointer", [None, InMemorySaver()], ids=["as one", "step by step"])
def test_a_row_that_ends_and_is_started_again_in_one_step_still_holds_the_join_back(checkpointer: Any) -> None:
    """Again runs twice, each time with a Branch; the second Branch starts as the first one ends."""
    nodes = (
        NodeSpec("S", "echo", edge=("Again", "Flag")),
        NodeSpec("Again", "branching", inputs=("flag",), success_next=("Branch",), failure_next=("Again", "Branch")),
        NodeSpec("Branch", "echo", edge=("Late",)),
        NodeSpec("Late", "echo", edge=("J",)),
        NodeSpec("Flag", "default", prompt="yes", outputs=("flag",), edge=("J",)),
        NodeSpec("J", "echo"),
    )
    names = ran(start(GraphSpec("G", nodes), {"flag": "no"}, checkpointer=checkpointer, max_steps=20))
    assert Counter(names) == {"S": 1, "Again": 2, "Flag": 1, "Branch": 2, "Late": 2, "J": 1}
    assert names[-1] == "J"


@pytest.mark.parametrize("checkpointer", [None, InMemorySaver()], ids=["as one", "step by step"])
def test_an_edge_has_the_word_over_a_success_branch(checkpointer: Any) -> None:
    nodes = (NodeSpec("S", "echo", edge=("A",), success_next=("B",)), NodeSpec("A", "echo"), NodeSpec("B", "echo"))
    assert ran(start(GraphSpec("G", nodes), checkpointer=checkpointer)) == ["S", "A"]


def test_a_failed_branch_still_joins(run_text: Run, write_file: Callable[..., Path]) -> None:
    write_file("def fail():\n    raise RuntimeError('no luck')\n", "agents/fail.py")
    result = run_text("GraphName,Node,AgentType,Edge\nG,S,echo,A|B\nG,A,fail,J\nG,B,echo,J\nG,J,echo,\n")
    assert_once_in_order(ran(result), "A<J", "B<J")
    assert result.status == "error"


def test_two_branches_that_fail_both_tell_why(run_text: Run, write_file: Callable[..., Path]) -> None:
    write_file("def fail(word):\n    raise RuntimeError(word)\n", "agents/fail.py")
    result = run_text(
        """
        GraphName,Node,AgentType,Input_Fields,Edge,Failure_Next
        G,S,echo,,A|B|C,
        G,A,fail,one,,J
        G,B,fail,two,,J
        G,C,echo,,J,
        G,J,echo,,,
        """,
        {"one": "first", "two": "second", "errors": ["earlier"]},
    )
    assert result.state["errors"] == ["earlier", "Error in A: first", "Error in B: second"]
    assert_once_in_order(ran(result), "A<J", "B<J", "C<J")
    assert result.status == "completed"


def test_the_flag_is_false_after_a_step_in_which_one_of_several_failed(
    run_text: Run, write_file: Callable[..., Path]
) -> None:
    write_file("def fail():\n    raise RuntimeError('no')\n", "agents/fail.py")
    result = run_text("GraphName,Node,AgentType,Edge\nG,S,echo,A|B\nG,A,fail,\nG,B,echo,\n")
    assert result.state["last_action_success"] is False


CONTESTED = """
    GraphName,Node,AgentType,Prompt,Output_Field,Edge
    G,S,default,,,{edge}
    G,A,default,from A,x,J
    G,B,default,from B,x,J
    G,J,echo,{{x}},y,
"""


@pytest.mark.parametrize("edge", ["A|B", "B|A"])
def test_a_field_that_two_branches_write_keeps_the_last_by_row_order_and_warns(run_text: Run, edge: str) -> None:
    result = run_text(CONTESTED.format(edge=edge))
    assert result.state["x"] == "from B"
    assert result.state["y"] == "from B"
    (warning,) = result.summary.warnings
    assert "A and B" in warning
    assert "'x'" in warning


def test_row_order_decides_also_where_the_upper_branch_is_the_longer(run_text: Run) -> None:
    result = run_text(
        """
        GraphName,Node,AgentType,Prompt,Output_Field,Edge
        G,S,default,,,A|B
        G,A,default,,,A2
        G,A2,default,from A2,x,J
        G,B,default,from B,x,J
        G,J,echo,{x},y,
        """
    )
    assert result.state["y"] == "from B"
    assert len(result.summary.warnings) == 1


def test_a_field_written_one_after_the_other_is_not_contested(run_text: Run) -> None:
    result = run_text(
        """
        GraphName,Node,AgentType,Prompt,Output_Field,Edge
        G,S,default,first,x,A|B
        G,A,default,a,a,J
        G,B,default,b,b,J
        G,J,default,last,x,
        """
    )
    assert result.state["x"] == "last"
    assert result.summary.warnings == []


def test_a_warning_names_those_alone_that_ran_side_by_side(run_text: Run) -> None:
    result = run_text(
        """
        GraphName,Node,AgentType,Prompt,Output_Field,Edge
        G,S,default,s,x,A|B
        G,A,default,a,x,J
        G,B,default,b,x,J
        G,J,default,j,x,
        """
    )
    assert result.state["x"] == "j"
    (warning,) = result.summary.warnings
    assert "A and B ran in parallel" in warning
    assert "J" not in warning


def test_a_routing_function_may_fork_and_the_branches_join_once(run_text: Run, write_file: Callable[..., Path]) -> None:
    write_file("def spread(state, success, failure):\n    return state['to']\n", "functions/spread.py")
    text = (
        "GraphName,Node,AgentType,Edge\nG,S,echo,func:spread\n"
        "G,A,echo,J\nG,B,echo,B2\nG,B2,echo,J\nG,C,echo,J\nG,J,echo,\n"
    )
    names = ran(run_text(text, {"to": ["A", "B"]}))
    assert_once_in_order(names, "A<J", "B2<J")
    assert sorted(names) == ["A", "B", "B2", "J", "S"]


async def test_a_join_runs_once_in_an_event_loop_too() -> None:
    names = ran(await astart(graph(S="A|B", A="J", B="B2", B2="B3", B3="J", J="")))
    assert_once_in_order(names, "A<J", "B3<J")
    assert len(names) == 6


def random_shape(rng: random.Random, branching: float = 0.0) -> dict[str, str]:
    """A graph without loops: every node leads to some of those below it, a few of them by success or failure."""
    names = [f"N{i}" for i in range(rng.randint(3, 12))]

    def some(below: list[str]) -> str:
        return "|".join(sorted(rng.sample(below, min(len(below), rng.choice([0, 1, 1, 2, 2, 3])))))

    shape = {}
    for row, name in enumerate(names):
        below = names[row + 1 :]
        shape[name] = f"{some(below)}/{some(below)}" if rng.random() < branching else some(below)
    return shape


def taken(shape: dict[str, str], state: dict[str, Any]) -> dict[str, list[str]]:
    """Which nodes a run must reach, each with the nodes it must start, by walking the rows from top to bottom."""
    reached = {"N0": [""]}
    for name, cell in shape.items():
        success, slash, failure = cell.partition("/")
        if name in reached:
            reached[name] = list(filter(None, (success if not slash or state[f"{name}_ok"] else failure).split("|")))
            reached.update({after: [] for after in reached[name] if after not in reached})
    return reached


def assert_joined(names: list[str], shape: dict[str, str], state: dict[str, Any]) -> None:
    """Each node that must run ran once, after all that led to it."""
    expected = taken(shape, state)
    assert sorted(names) == sorted(expected), shape
    for name, followers in expected.items():
        for after in followers:
            assert names.index(name) < names.index(after), (shape, names)


@pytest.mark.parametrize("seed", range(10))
def test_in_any_graph_without_loops_each_node_runs_once_after_all_that_lead_to_it(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(8):
        shape = random_shape(rng)
        assert_joined(ran(start(graph(**shape))), shape, {})
        assert_joined(ran(start(graph(**shape), checkpointer=InMemorySaver())), shape, {})


@pytest.mark.parametrize("seed", range(10))
async def test_it_is_so_with_conditional_branches_and_in_an_event_loop(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(6):
        shape = random_shape(rng, branching=0.4)
        state = {f"{name}_ok": rng.random() < 0.5 for name in shape}
        assert_joined(ran(start(graph(**shape), state)), shape, state)
        assert_joined(ran(await astart(graph(**shape), state)), shape, state)


@pytest.mark.parametrize("seed", range(4))
def test_it_is_so_where_nodes_wait_for_a_person_on_the_way(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(3):
        shape = random_shape(rng, branching=0.3)
        state = {f"{name}_ok": rng.random() < 0.5 for name in shape}
        plain = graph(**shape)
        waiting = {node.name for node in plain if node.agent_type == "echo" and rng.random() < 0.3}
        nodes = tuple(replace(n, agent_type="input", outputs=(n.name,)) if n.name in waiting else n for n in plain)
        result = start(GraphSpec("G", nodes), state)
        while result.status == "needs_input":
            assert result.question is not None
            result = resume(result.thread_id, f"answer to {result.question['node']}")
        assert_joined(ran(result), shape, state)
        for name in waiting & set(ran(result)):
            assert result.values[name] == f"answer to {name}"


def test_hundreds_of_parallel_targets_run_and_join(run_text: Run) -> None:
    many = [f"P{i}" for i in range(300)]
    shape: dict[str, Any] = {"S": "|".join(many), **dict.fromkeys(many, "J"), "J": ""}
    names = ran(start(graph(**shape)))
    assert (len(names), names[-1]) == (302, "J")
