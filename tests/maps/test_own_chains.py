"""Rows of one's own in a chain run as one step, and behave as if each had a step of its own."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.maps import MapResult, arun_map, run_map
from signalbox.maps.writing import Piece, use_writing

Write = Callable[[str, str], Path]
HEADER = "GraphName,Node,AgentType,Input_Fields,Output_Field,Edge,Prompt\n"
CHAIN = HEADER + "G,One,one,start,a,Two,\nG,Two,two,a,b,Three,\nG,Three,three,b,c,Four,\nG,Four,echo,c,d,,\n"


def agents(write_file: Write, **bodies: str) -> None:
    for name, body in bodies.items():
        text = textwrap.dedent(body)
        write_file(text if "def " in text else f"def {name}(value):\n    {text}\n", f"agents/{name}.py")


def nodes(result: MapResult) -> list[str]:
    return [node.node_name for node in result.summary.node_executions]


@pytest.fixture(params=["plain", "async"])
def run(request: pytest.FixtureRequest) -> Callable[..., Any]:
    async def in_loop(*args: Any, **options: Any) -> MapResult:
        return await arun_map(*args, **options)

    async def plainly(*args: Any, **options: Any) -> MapResult:
        return run_map(*args, **options)

    return in_loop if request.param == "async" else plainly


async def test_each_row_sees_what_those_before_it_wrote(write_file: Write, run: Any) -> None:
    agents(write_file, one="return value + 1", three="return value * 3")
    agents(write_file, two="async def two(a):\n    return a * 2\n")
    result = await run(write_file(CHAIN), {"start": 1})
    assert (result.status, result.state["d"], nodes(result)) == ("completed", 12, ["One", "Two", "Three", "Four"])


async def test_a_command_in_the_middle_leads_elsewhere(write_file: Write, run: Any) -> None:
    skip = """
        from langgraph.types import Command

        def two(a):
            return Command(goto="Four", update={"c": "skipped"})
    """
    agents(write_file, one="return value", two=skip, three="return value")
    result = await run(write_file(CHAIN), {"start": 1})
    assert (nodes(result), result.state["d"]) == (["One", "Two", "Four"], "skipped")


async def test_a_command_that_only_writes_goes_on_along_the_chain(write_file: Write, run: Any) -> None:
    writes = "from langgraph.types import Command\n\ndef two(a):\n    return Command(update={'b': 'written'})\n"
    agents(write_file, one="return value", two=writes, three="return value")
    result = await run(write_file(CHAIN), {"start": 1})
    assert (nodes(result), result.state["d"]) == (["One", "Two", "Three", "Four"], "written")
    assert "__goto__" not in result.state


async def test_a_command_may_lead_back_into_the_middle_of_a_chain(write_file: Write, run: Any) -> None:
    again = """
        from langgraph.types import Command

        def three(b):
            return Command(goto="Two", update={"a": b}) if b < 20 else b
    """
    agents(write_file, one="return value", two="return value * 2", three=again)
    result = await run(write_file(CHAIN), {"start": 3})
    assert (nodes(result).count("Two"), result.state["d"]) == (3, 24)


async def test_what_follows_rows_that_were_sent_states_of_their_own_runs_once_on_the_state_of_all(
    write_file: Write, run: Any
) -> None:
    send = """
        from langgraph.types import Command, Send

        def one(value):
            return Command(goto=[Send("Two", {"a": n}) for n in range(3)], update={"kept": "yes"})
    """
    agents(write_file, one=send, two="return value", three="def three(b, kept):\n    return f'{kept} {b}'\n")
    text = CHAIN.replace("G,Three,three,b,", "G,Three,three,b|kept,")
    result = await run(write_file(text), {"start": 1})
    assert (nodes(result).count("Two"), nodes(result).count("Three")) == (3, 1)
    assert str(result.state["d"]).startswith("yes ")


async def test_a_pause_in_the_middle_keeps_what_the_rows_before_it_wrote(write_file: Write, run: Any) -> None:
    asks = "from langgraph.types import interrupt\n\ndef three(b):\n    return interrupt('Really?')\n"
    agents(write_file, one="return value", two="return value * 2", three=asks)
    result = await run(write_file(CHAIN), {"start": 2})
    assert (result.status, nodes(result)) == ("needs_input", ["One", "Two"])
    assert (result.state["a"], result.state["b"]) == (2, 4)


async def test_a_failure_in_the_middle_is_followed_as_the_edge_says(write_file: Write, run: Any) -> None:
    agents(write_file, one="return value", two="raise ValueError('no')", three="return 'after'")
    result = await run(write_file(CHAIN), {"start": 2})
    assert (result.status, nodes(result)) == ("error", ["One", "Two", "Three", "Four"])
    assert result.state["errors"] == ["Error in Two: no"]


async def test_what_a_model_writes_in_the_last_row_is_told_under_its_name(write_file: Write) -> None:
    speaks = """
        from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

        async def three(b):
            model = GenericFakeChatModel(messages=iter(["All is well."]))
            return "".join([chunk.text async for chunk in model.astream("Go on")])
    """
    agents(write_file, one="return value", two="return value", three=speaks)
    heard: list[Piece] = []
    with use_writing(heard.append):
        result = await arun_map(write_file(CHAIN.replace("b,c,Four,", "b,c,,")), {"start": 1})
    assert ("".join(piece.text for piece in heard), {piece.node for piece in heard}) == ("All is well.", {"Three"})
    assert result.state["c"] == "All is well."
