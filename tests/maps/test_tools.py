"""The tool agent calls real functions of a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from signalbox.maps import MapResult

Run = Callable[..., MapResult]
SUMS = '''
from langchain_core.tools import tool


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


@tool
async def later(a: int) -> int:
    """Give the number later."""
    return a


def plain(a, b=10):
    """A plain function."""
    return [a, b]


def broken(a):
    raise ValueError("out of order")
'''


@pytest.fixture(autouse=True)
def sums(write_file: Callable[..., Path]) -> None:
    write_file(SUMS, "sums.py")


def call(run: Run, tools: str, inputs: str, state: dict[str, Any], context: str = "", **options: Any) -> MapResult:
    return run(
        "GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Tool_Source,Available_Tools,Context\n"
        f'G,T,tool_agent,,{inputs},result,sums.py,"{tools}","{context}"\n',
        state,
        **options,
    )


@pytest.mark.parametrize(
    ("tools", "inputs", "state", "result"),
    [
        ("add", "a|b", {"a": 2, "b": 3}, 5),
        ("multiply", "a|b", {"a": 2, "b": 3}, 6),
        ("add", "b|a", {"a": 2, "b": 3}, 5),
        ("plain", "x|y", {"x": 1, "y": 2}, [1, 2]),
        ("plain", "a", {"a": 1}, [1, 10]),
        ("plain", "b|first", {"b": 1, "first": 2}, [2, 1]),
        ("multiply(a, b)", "a|b", {"a": 4, "b": 5}, 20),
        ('multiply(""for products"")', "a|b", {"a": 4, "b": 5}, 20),
        ("later", "a", {"a": 7}, 7),
        ("add", "x:a|y:b", {"x": 1, "y": 2}, 3),
    ],
)
def test_a_tool_is_called_with_the_inputs_by_name_and_then_by_position(
    run_text: Run, tools: str, inputs: str, state: dict[str, Any], result: Any
) -> None:
    assert call(run_text, tools, inputs, state).state["result"] == result


def test_of_several_tools_the_request_chooses(run_text: Run) -> None:
    state = {"a": 3, "b": 4, "request": "multiply the numbers"}
    result = call(run_text, "add|multiply", "a|b|request", state, "matching_strategy:algorithm")
    assert result.state["result"] == 12


def test_a_model_chooses_where_words_are_not_enough(run_text: Run) -> None:
    model = GenericFakeChatModel(messages=iter([AIMessage("multiply")]))
    state = {"a": 3, "b": 4, "request": "combine them"}
    assert call(run_text, "add|multiply", "a|b|request", state, model=model).state["result"] == 12


def test_without_available_tools_every_marked_function_is_one(run_text: Run) -> None:
    state = {"a": 3, "b": 4, "request": "add"}
    assert call(run_text, "", "a|b|request", state, "matching_strategy:algorithm").state["result"] == 7


def test_a_failure_of_the_tool_is_a_failure_of_the_node(run_text: Run) -> None:
    result = call(run_text, "broken", "a", {"a": 1})
    assert result.status == "error"
    assert result.error is not None
    assert "'broken'" in result.error["message"]
    assert "out of order" in result.error["message"]


def test_arguments_that_do_not_fit_are_a_failure_of_the_node(run_text: Run) -> None:
    result = call(run_text, "add", "a|b", {"a": 1, "b": "many"})
    assert result.status == "error"
    assert result.error is not None
    assert "'add'" in result.error["message"]


async def test_an_async_tool_is_called_in_an_event_loop(write_file: Callable[..., Path]) -> None:
    from signalbox.maps import arun_map

    path = write_file(
        "GraphName,Node,AgentType,Input_Fields,Output_Field,Tool_Source,Available_Tools\n"
        "G,T,tool_agent,a,result,sums.py,later\n"
    )
    assert (await arun_map(path, {"a": 7})).state["result"] == 7
