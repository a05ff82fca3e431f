"""The tool agent calls real functions of a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from signalbox.errors import NotFoundError
from signalbox.maps import MapResult, check_map
from signalbox.maps.agents.tools import load_tools

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
    assert result.error["message"].startswith("Error in T: The tool 'add' failed: b: Input should be a valid integer")
    assert "errors.pydantic.dev" not in result.error["message"]


async def test_an_async_tool_is_called_in_an_event_loop(write_file: Callable[..., Path]) -> None:
    from signalbox.maps import arun_map

    path = write_file(
        "GraphName,Node,AgentType,Input_Fields,Output_Field,Tool_Source,Available_Tools\n"
        "G,T,tool_agent,a,result,sums.py,later\n"
    )
    assert (await arun_map(path, {"a": 7})).state["result"] == 7


# A folder of tools

COLUMNS = "GraphName,Node,AgentType,Input_Fields,Output_Field,Tool_Source,Available_Tools\n"
FOLDER = COLUMNS + "G,T,tool_agent,a|b,result,kit,"
Kit = Callable[[str, str, str], Path]


@pytest.fixture
def kit(write_file: Callable[..., Path]) -> Kit:
    """What a test calls to write a file with one tool into the folder `kit`."""

    def write(file: str, tool: str, gives: str) -> Path:
        head = "from langchain_core.tools import tool\n@tool\n"
        return write_file(f'{head}def {tool}(a: int, b: int) -> int:\n    """Do it."""\n    return {gives}\n', file)

    return write


def test_a_folder_offers_the_tools_marked_in_its_files(run_text: Run, kit: Kit, write_file: Any) -> None:
    kit("kit/adding.py", "add", "a + b")
    kit("kit/times.py", "times", "a * b")
    kit("kit/_hidden.py", "hidden", "0")
    folder = write_file("from times import times\ndef plain(a, b):\n    return 0\n", "kit/uses.py").parent.parent
    assert run_text(FOLDER + "times\n", {"a": 3, "b": 4}).output == 12
    assert list(load_tools("kit", [], folder)) == ["add", "times"]
    for name in ("hidden", "plain"):
        with pytest.raises(NotFoundError, match=f"no tool '{name}'"):
            load_tools("kit", [name], folder)


def test_a_tool_in_two_files_of_a_folder_is_an_error_that_names_both(run_text: Run, kit: Kit) -> None:
    kit("kit/adding.py", "add", "a + b")
    kit("kit/sums.py", "add", "a - -b")
    result = run_text(FOLDER + "add\n", {"a": 3, "b": 4})
    assert "The tool 'add' stands in adding.py and sums.py" in result.state["errors"][0]


def test_a_missing_tool_of_a_folder_is_found_before_the_map_runs(kit: Kit, write_file: Any) -> None:
    kit("kit/adding.py", "add", "a + b")
    (finding,) = check_map(write_file(FOLDER + "ad\n"))[1]
    assert (finding.level, finding.column, finding.message) == ("error", "Available_Tools", "kit has no tool 'ad'.")
    assert "'add'" in finding.suggestion


def test_a_file_comes_before_a_folder_of_its_name(run_text: Run, kit: Kit) -> None:
    kit("kit/adding.py", "add", "0")
    kit("kit.py", "add", "a + b")
    assert run_text(FOLDER + "add\n", {"a": 3, "b": 4}).output == 7
