"""Maps whose first row names a state class: LangGraph's own channels and reducers, commands, sends and pauses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from signalbox.maps import MapResult, arun_map, check_map, compile_map, read_map, run_map, to_mermaid
from signalbox.maps.declared_routes import find_ways

Write = Callable[..., Path]
HEADER = "GraphName,Node,AgentType,Edge,Success_Next,Failure_Next,Context\n"
STATE = "from typing import TypedDict\n\nclass State(TypedDict):\n    x: int\n\n"
RETRY = """
import operator
from typing import Annotated, Literal, TypedDict

from langgraph.types import Command


class State(TypedDict, total=False):
    tries: int
    log: Annotated[list[str], operator.add]
    verdict: str


def plan(state):
    return {"tries": 0, "log": ["plan"]}


def execute(state):
    return {"tries": state["tries"] + 1, "log": [f"try {state['tries'] + 1}"]}


def assess(state) -> Command[Literal["execute", "report"]]:
    if state["tries"] < 3:
        return Command(goto="execute", update={"log": ["again"]})
    return Command(goto="report", update={"log": ["enough"]})


async def report(state):
    return {"verdict": f"after {state['tries']} tries"}
"""
RETRY_MAP = HEADER + (
    "Check,plan,work:plan,execute,,,state:work:State\n"
    "Check,execute,work:execute,assess,,,\n"
    "Check,assess,work:assess,,,,\n"
    "Check,report,work:report,,,,\n"
)
FAN_OUT = """
import operator
from typing import Annotated, TypedDict

from langgraph.types import Send


class State(TypedDict, total=False):
    devices: list[str]
    results: Annotated[list[str], operator.add]
    total: int


def plan(state):
    return {"devices": ["a", "b", "c"]}


def each(state) -> list[Send]:
    return [Send("check", {"device": name}) for name in state["devices"]]


def check(state):
    return {"results": [f"{state['device']} is fine"]}


def collect(state):
    return {"total": len(state["results"])}
"""
FAN_OUT_MAP = HEADER + (
    "Fan,plan,work:plan,func:work:each,,,state:work:State\n"
    "Fan,check,work:check,collect,,,\n"
    "Fan,collect,work:collect,,,,\n"
)
TOOLS = """
from typing import Annotated, Literal, TypedDict

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph.message import add_messages


class State(TypedDict):
    messages: Annotated[list, add_messages]


def model(state):
    last = state["messages"][-1]
    if isinstance(last, ToolMessage):
        return {"messages": [AIMessage(f"It is {last.content}.")]}
    call = {"name": "weather", "args": {"town": "Ulm"}, "id": "call-1"}
    return {"messages": [AIMessage("", tool_calls=[call])]}


def tools(state):
    calls = state["messages"][-1].tool_calls
    return {"messages": [ToolMessage("sunny", tool_call_id=call["id"]) for call in calls]}


def wants_tools(state) -> Literal["tools", "__end__"]:
    return "tools" if state["messages"][-1].tool_calls else "__end__"
"""
TOOLS_MAP = HEADER + "Loop,model,work:model,func:work:wants_tools,,,state:work:State\nLoop,tools,work:tools,model,,,\n"
ROUTER = """
from typing import Literal, TypedDict


class State(TypedDict, total=False):
    ask: str
    reply: str


def read(state):
    return {"ask": state["ask"].strip()}


def choose(state) -> Literal["sales", "repair"]:
    return "repair" if "broken" in state["ask"] else "sales"


def sales(state):
    return {"reply": "sales"}


def repair(state):
    return {"reply": "repair"}
"""
ROUTER_MAP = HEADER + (
    "Desk,read,work:read,func:work:choose,,,state:work:State\nDesk,sales,work:sales,,,,\nDesk,repair,work:repair,,,,\n"
)


@pytest.fixture(params=["sync", "async"])
def run(request: pytest.FixtureRequest, write_file: Write) -> Callable[..., Any]:
    """Writes a map with its code and runs it, plainly or in an event loop, with or without a checkpointer."""

    async def awaited(code: str, rows: str, state: dict[str, Any], **options: Any) -> MapResult:
        write_file(code, "work.py")
        if request.param == "async":
            return await arun_map(write_file(rows), state, **options)
        return run_map(write_file(rows), state, **options)

    return awaited


def ran(result: MapResult) -> list[str]:
    return [node.node_name for node in result.summary.node_executions]


@pytest.fixture(params=[False, True], ids=["no checkpointer", "checkpointer"])
def options(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {"checkpointer": InMemorySaver()} if request.param else {}


async def test_a_retry_loop_by_commands(run: Callable[..., Any], options: dict[str, Any]) -> None:
    result = await run(RETRY, RETRY_MAP, {}, **options)
    assert (result.status, result.error) == ("completed", None)
    assert ran(result) == ["plan", *["execute", "assess"] * 3, "report"]
    assert result.values["verdict"] == "after 3 tries"
    assert result.values["log"] == ["plan", "try 1", "again", "try 2", "again", "try 3", "enough"]


async def test_a_fan_out_by_sends_joins_once(run: Callable[..., Any], options: dict[str, Any]) -> None:
    result = await run(FAN_OUT, FAN_OUT_MAP, {}, **options)
    assert sorted(ran(result)) == ["check", "check", "check", "collect", "plan"]
    assert sorted(result.values["results"]) == ["a is fine", "b is fine", "c is fine"]
    assert result.values["total"] == 3


async def test_a_loop_of_model_and_tools(run: Callable[..., Any], options: dict[str, Any]) -> None:
    result = await run(TOOLS, TOOLS_MAP, {"messages": [("user", "Weather?")]}, **options)
    assert ran(result) == ["model", "tools", "model"]
    assert [message.type for message in result.values["messages"]] == ["human", "ai", "tool", "ai"]
    assert result.values["messages"][-1].content == "It is sunny."


@pytest.mark.parametrize(("ask", "reply"), [("my screen is broken ", "repair"), (" a price", "sales")])
async def test_a_router(run: Callable[..., Any], options: dict[str, Any], ask: str, reply: str) -> None:
    result = await run(ROUTER, ROUTER_MAP, {"ask": ask}, **options)
    assert (ran(result), result.values) == (["read", reply], {"ask": ask.strip(), "reply": reply})


async def test_the_compiled_graph_is_plain_langgraph(write_file: Write) -> None:
    write_file(RETRY, "work.py")
    path = write_file(RETRY_MAP)
    graph = compile_map(read_map(path).graphs["Check"], path.parent).langgraph
    assert graph.invoke({})["verdict"] == "after 3 tries"
    assert (await graph.ainvoke({}))["verdict"] == "after 3 tries"
    assert set(graph.get_graph().nodes) == {"__start__", "__end__", "plan", "execute", "assess", "report"}


def test_a_failure_that_no_row_handles_is_raised_where_nobody_follows_the_run(write_file: Write) -> None:
    write_file(f"{STATE}def bad(state):\n    1 / 0\n", "w.py")
    path = write_file(HEADER + "G,bad,w:bad,,,,state:w:State\n")
    graph = compile_map(read_map(path).graphs["G"], path.parent).langgraph
    with pytest.raises(Exception, match="division by zero"):
        graph.invoke({"x": 1})
    result = run_map(path, {"x": 1})
    assert result.error is not None
    assert "division by zero" in result.error["message"]


@pytest.mark.parametrize("kind", ["pydantic", "dataclass"])
def test_a_state_may_be_a_model_or_a_dataclass_also_before_a_join(write_file: Write, kind: str) -> None:
    head = {
        "pydantic": "from pydantic import BaseModel\n\nclass State(BaseModel):\n",
        "dataclass": "from dataclasses import dataclass\n\n@dataclass\nclass State:\n",
    }[kind]
    write_file(
        head
        + "    a: int = 0\n    b: int = 0\n    total: int = 0\n\n"
        + "def start(state):\n    return {}\n\ndef left(state):\n    return {'a': state.a + 1}\n\n"
        + "def right(state):\n    return {'b': state.b + 2}\n\ndef longer(state):\n    return {'b': state.b * 10}\n\n"
        + "def join(state):\n    return {'total': state.a + state.b}\n",
        "w.py",
    )
    path = write_file(
        HEADER
        + "G,start,w:start,left|right,,,state:w:State\nG,left,w:left,join,,,\nG,right,w:right,longer,,,\n"
        + "G,longer,w:longer,join,,,\nG,join,w:join,,,,\n"
    )
    result = run_map(path)
    assert ran(result).count("join") == 1
    assert result.values["total"] == 21


def test_two_nodes_side_by_side_that_write_a_field_without_a_reducer_are_told(write_file: Write) -> None:
    write_file(f"{STATE}def one(state):\n    return {{'x': 1}}\n", "w.py")
    path = write_file(HEADER + "G,S,w:one,A|B,,,state:w:State\nG,A,w:one,,,,\nG,B,w:one,,,,\n")
    result = run_map(path)
    assert result.error is not None
    assert "'x'" in result.error["message"]
    assert "reducer" in result.error["suggestion"]


# Commands and sends in a table


def test_a_command_says_what_changes_and_where_a_table_goes(write_file: Write) -> None:
    write_file(
        "from langgraph.types import Command\n\n"
        "def pick(x):\n    return Command(goto='C' if x > 1 else 'B', update={'picked': x})\n",
        "agents/pick.py",
    )
    path = write_file(
        "GraphName,Node,AgentType,Input_Fields,Output_Field,Edge,Prompt\n"
        "G,A,pick,x,,B,\nG,B,default,,end,,went to B\nG,C,default,,end,,went to C\n"
    )
    for x, end in ((1, "went to B"), (2, "went to C")):
        result = run_map(path, {"x": x})
        assert (result.values["picked"], result.output) == (x, end)


def test_a_command_to_a_node_that_is_not_there_names_the_nearest(write_file: Write) -> None:
    write_file("from langgraph.types import Command\n\ndef go():\n    return Command(goto='Repport')\n", "agents/go.py")
    result = run_map(write_file("GraphName,Node,AgentType,Edge\nG,A,go,\nG,Report,echo,\n"))
    assert result.error is not None
    assert "Repport" in result.error["message"]
    assert "Report" in result.error["suggestion"]


def test_a_table_fans_out_by_sends_and_joins_once(write_file: Write) -> None:
    write_file(
        "from langgraph.types import Send\n\n"
        "def each(state, success=None, failure=None):\n"
        "    return [Send('Work', {'item': item, 'slot': f'out{n}'}) for n, item in enumerate(state['items'])]\n",
        "functions/each.py",
    )
    write_file(
        "from signalbox.contract import BaseAgent\n\nclass WorkAgent(BaseAgent):\n"
        "    def process(self, inputs):\n"
        "        return {'state_updates': {inputs['slot']: inputs['item'].upper()}}\n",
        "agents/work.py",
    )
    path = write_file(
        "GraphName,Node,AgentType,Input_Fields,Output_Field,Edge\n"
        "G,S,echo,items,,func:each\nG,Work,work,item|slot,,J\nG,J,aggregator,out0|out1,all,\n"
    )
    result = run_map(path, {"items": ["a", "b"]})
    assert sorted(ran(result)) == ["J", "S", "Work", "Work"]
    assert result.values["all"] == {"out0": "A", "out1": "B"}


# What the code declares


def test_check_and_drawing_know_the_targets_that_code_declares(write_file: Write) -> None:
    write_file(ROUTER, "work.py")
    path = write_file(ROUTER_MAP)
    assert check_map(path)[1] == []
    graph = read_map(path).graphs["Desk"]
    drawn = to_mermaid(graph, find_ways(graph, path.parent))
    assert "to any node" not in drawn
    assert "to any node" in to_mermaid(graph)


@pytest.mark.bench
def test_many_rows_with_routing_functions_are_compiled_and_run(write_file: Write) -> None:
    write_file("def on(state, success, failure):\n    return success\n", "functions/on.py")
    rows = [f"G,N{i},echo,func:on,N{i + 1},End,x,x" for i in range(799)]
    text = "GraphName,Node,AgentType,Edge,Success_Next,Failure_Next,Input_Fields,Output_Field\n" + "\n".join(rows)
    result = run_map(write_file(text + "\nG,N799,echo,,,,x,x\n"), {"x": 1})
    assert (result.status, len(ran(result))) == ("completed", 800)


def test_many_rows_with_functions_that_may_lead_anywhere_are_compiled_and_run(write_file: Write) -> None:
    write_file("def on(state):\n    return f\"N{state['n']}\" if state['n'] < 300 else None\n", "functions/on.py")
    write_file("def count(n):\n    return n + 1\n", "agents/count.py")
    rows = "\n".join(f"G,N{i},count,func:on,n,n" for i in range(300))
    result = run_map(write_file(f"GraphName,Node,AgentType,Edge,Input_Fields,Output_Field\n{rows}\n"), {"n": 0})
    assert (result.status, len(ran(result))) == ("completed", 300)
