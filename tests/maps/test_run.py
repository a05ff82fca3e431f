"""Running a map: which way it goes, what is kept, where it ends."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from signalbox.contract import NodeEvent
from signalbox.errors import MapError
from signalbox.maps import (
    GraphSpec,
    MapResult,
    NodeSpec,
    arun_map,
    astream_map,
    open_map,
    read_map_text,
    run_map,
    stream_map,
)

Run = Callable[..., MapResult]
Write = Callable[..., Path]
FAIL = "def fail(text=None):\n    raise RuntimeError('no luck')\n"
LINEAR = """
    GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Edge
    G,A,echo,,name,a,B
    G,B,echo,Hello {a},a,b,C
    G,C,echo,{b}!,b,c,
"""


def ran(result: MapResult) -> list[str]:
    return [node.node_name for node in result.summary.node_executions]


@pytest.fixture
def failing(write_file: Write) -> None:
    """An agent type `fail` beside the map."""
    write_file(FAIL, "agents/fail.py")


# Straight on


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
    answer = run_text(LINEAR, {"name": "Ann"}).as_answer()
    assert set(answer) == {
        "agent", "thread_id", "run_id", "status", "answer", "question", "error", "state", "evidence", "route",
        "timings_ms",
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


# Branches

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


# Loops and limits

LOOP = """
    GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Failure_Next
    G,Count,count,n,n,Done,Count
    G,Done,echo,n,,,
"""
COUNT = """
from signalbox.contract import BaseAgent

class CountAgent(BaseAgent):
    def process(self, inputs):
        n = (inputs["n"] or 0) + 1
        return {"state_updates": {"n": n, "last_action_success": n >= 4}}
"""


def test_a_loop_runs_until_it_succeeds(run_text: Run, write_file: Write) -> None:
    write_file(COUNT, "agents/count.py")
    result = run_text(LOOP)
    assert ran(result) == ["Count"] * 4 + ["Done"]
    assert result.output == 4


def test_the_step_limit_is_a_clear_error_that_names_the_node(run_text: Run, write_file: Write) -> None:
    write_file(COUNT, "agents/count.py")
    result = run_text(LOOP, max_steps=3)
    assert result.status == "error"
    assert result.error is not None
    assert result.error["error_type"] == "step_limit"
    assert "3 steps" in result.error["message"]
    assert "'Count'" in result.error["message"]
    assert ran(result) == ["Count"] * 3


def test_a_run_that_ends_at_its_limit_is_no_error(run_text: Run, write_file: Write) -> None:
    write_file(COUNT, "agents/count.py")
    assert run_text(LOOP, max_steps=5).status == "completed"


def test_the_first_row_may_set_the_limit(run_text: Run, write_file: Write) -> None:
    write_file(COUNT, "agents/count.py")
    text = LOOP.replace("Failure_Next\n", "Failure_Next,Context\n").replace("Done,Count\n", "Done,Count,max_steps:2\n")
    error = run_text(text).error
    assert error is not None
    assert error["error_type"] == "step_limit"


def test_a_chain_longer_than_langgraphs_own_limit_runs(run_text: Run) -> None:
    rows = [f"G,N{i},echo,N{i + 1}" for i in range(120)]
    result = run_text("GraphName,Node,AgentType,Edge\n" + "\n".join(rows) + "\nG,N120,echo,\n")
    assert (len(ran(result)), result.status) == (121, "completed")


# Routing functions


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


# The four ways to run

MIXED = """
    GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Edge,Success_Next,Failure_Next
    G,Start,echo,,name,start,A|B,,
    G,A,upper,,start,a,Join,,
    G,B,later,,start,b,B2,,
    G,B2,fail,,,,,,Join
    G,Join,echo,{a} and {b},a|b,both,,,
"""


@pytest.fixture
def mixed(write_file: Write, failing: None) -> Path:
    write_file("def upper(start):\n    return start.upper()\n", "agents/upper.py")
    write_file(
        "import asyncio\n\nasync def later(start):\n    await asyncio.sleep(0)\n    return start + '...'\n",
        "agents/later.py",
    )
    return write_file(MIXED)


def story(result: MapResult) -> tuple[Any, ...]:
    nodes = sorted((n.node_name, n.success, str(n.output), str(n.error)) for n in result.summary.node_executions)
    return result.status, result.values, result.state["errors"], nodes


async def test_sync_async_and_both_streams_give_the_same(mixed: Path) -> None:
    state = {"name": "ann", "kept": 1}
    events = list(stream_map(mixed, state))
    aevents = [event async for event in astream_map(mixed, state)]
    results = [run_map(mixed, state), await arun_map(mixed, state), events[-1], aevents[-1]]
    assert all(isinstance(result, MapResult) for result in results)
    assert results[0].values["both"] == "ANN and ann..."
    assert [story(result) for result in results] == [story(results[0])] * 4
    assert sorted(map(kinds, events[:-1])) == sorted(map(kinds, aevents[:-1]))


def kinds(event: Any) -> tuple[str, str, str]:
    return event.kind, event.node, str(event.success)


def test_a_stream_tells_start_and_end_of_every_node_also_in_a_chain(write_file: Write) -> None:
    *events, result = stream_map(write_file(LINEAR), {"name": "Ann"})
    assert isinstance(result, MapResult)
    assert [(e.kind, e.node) for e in events if isinstance(e, NodeEvent)] == [
        ("start", "A"), ("end", "A"), ("start", "B"), ("end", "B"), ("start", "C"), ("end", "C"),
    ]  # fmt: skip
    assert [e.output for e in events if e.kind == "end"] == ["Ann", "Hello Ann", "Hello Ann!"]


def test_events_come_while_the_run_goes_on(write_file: Write) -> None:
    write_file("seen = []\n\ndef note():\n    seen.append(1)\n    return len(seen)\n", "agents/note.py")
    path = write_file("GraphName,Node,AgentType,Success_Next\nG,A,note,B\nG,B,note,\n")
    events = stream_map(path)
    assert [next(events).kind, next(events).kind] == ["start", "end"]
    events.close()


def test_a_stream_ends_with_the_error_of_the_run(write_file: Write) -> None:
    write_file(COUNT, "agents/count.py")
    *_, result = stream_map(write_file(LOOP), max_steps=2)
    assert isinstance(result, MapResult)
    assert result.status == "error"


async def test_runs_side_by_side_do_not_mix(mixed: Path) -> None:
    import asyncio

    results = await asyncio.gather(*(arun_map(mixed, {"name": f"n{i}"}) for i in range(8)))
    assert [result.values["start"] for result in results] == [f"n{i}" for i in range(8)]
    assert [result.values["b"] for result in results] == [f"n{i}..." for i in range(8)]
    assert all(len(ran(result)) == 5 for result in results)


def test_runs_in_several_threads_do_not_mix(mixed: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda i: run_map(mixed, {"name": f"n{i}"}), range(12)))
    assert [result.values["both"] for result in results] == [f"N{i} and n{i}..." for i in range(12)]
    assert all(len(ran(result)) == 5 for result in results)


def test_nothing_stays_behind_after_a_run(run_text: Run) -> None:
    from signalbox.contract import current_tracker
    from signalbox.maps.context import current_run

    run_text(LINEAR, {"name": "Ann"})
    assert current_tracker.get() is None
    assert current_run.get() is None


# The plain types


def one(text: str, state: dict[str, Any] | None = None) -> Any:
    header = "GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Context\n"
    (graph,) = read_map_text(header + "G,N," + text + "\n").graphs.values()
    return run_map(graph, state).output


@pytest.mark.parametrize(
    ("row", "state", "output"),
    [
        ("default,Hello {name},name,x", {"name": "Ann"}, "Hello Ann"),
        ("default,,,x", {}, "[N] DefaultAgent executed"),
        ("echo,,a,x", {"a": 3}, 3),
        ("echo,,a|b,x", {"a": 1, "b": 2}, {"a": 1, "b": 2}),
        ("output,,a,x", {"a": 1}, 1),
        ("aggregator,,a|b|c,x", {"a": 1, "c": 3}, {"a": 1, "c": 3}),
        ("summary,,a|b,x", {"a": 1, "b": 2}, "a: 1\n\nb: 2"),
        ('summary,,a|b,x,"{""format"": ""{key}={value}"", ""separator"": "" ""}"', {"a": 1, "b": 2}, "a=1 b=2"),
        ('summary,,a|b,x,"include_keys:false, separator:+"', {"a": 1, "b": 2}, "1+2"),
        ("input,Name?,name,name", {"name": "Ann"}, "Ann"),
        ("validator,,a|b,x", {"a": 1, "b": 2}, {"valid": True, "errors": []}),
        ("validator,,a|b,x", {"a": 1}, {"valid": False, "errors": ["b is missing"]}),
    ],
)
def test_a_plain_type_does_what_it_says(row: str, state: dict[str, Any], output: Any) -> None:
    assert one(row, state) == output


@pytest.mark.parametrize(
    ("kind", "state", "way"),
    [
        ("success", {}, "Yes"),
        ("failure", {}, "No"),
        ("validator", {"x": 1}, "Yes"),
        ("validator", {}, "No"),
    ],
)
def test_a_type_that_decides_takes_its_branch(run_text: Run, kind: str, state: dict[str, Any], way: str) -> None:
    result = run_text(BRANCH.replace("branching,ok", f"{kind},x"), state)
    assert ran(result) == ["Decide", way]
    assert result.status == "completed"


@pytest.mark.parametrize(
    ("context", "state", "way"),
    [
        ("success_field:status, success_values:[open], failure_values:[shut]", {"status": "open"}, "Yes"),
        ("success_field:status, success_values:[open], failure_values:[shut]", {"status": "SHUT"}, "No"),
        ("success_field:status, success_values:[open], default_result:false", {"status": "ajar"}, "No"),
        ("success_field:status, success_values:[open], default_result:true", {"status": "ajar"}, "Yes"),
        ("success_field:gone, fallback_fields:[other]", {"other": "no"}, "No"),
        ("success_field:gone, default_result:false", {}, "No"),
    ],
)
def test_branching_goes_by_its_context(run_text: Run, context: str, state: dict[str, Any], way: str) -> None:
    text = f'GraphName,Node,AgentType,Success_Next,Failure_Next,Context\nG,D,branching,Yes,No,"{context}"\n'
    assert ran(run_text(text + "G,Yes,echo,,,\nG,No,echo,,,\n", state)) == ["D", way]
