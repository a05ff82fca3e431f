"""A table of tools as an MCP server: what clients of other libraries see of it, over every transport."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastmcp import Client as OthersClient
from fastmcp.client.transports import StdioTransport
from mcp import Client
from pydantic import Field

from signalbox.errors import NotFoundError
from signalbox.toolbox.serving import ToolServer, offer

Count = Annotated[int, Field(description="How many.", ge=1)]


async def count_up(count: Count, unit: str | None = None) -> dict[str, Any]:
    """Count
    up."""
    if count == 13:
        raise NotFoundError("There is no thirteen.", suggestion="Take twelve.")
    if count == 14:
        raise ZeroDivisionError("the password is hunter2")
    return {"numbers": list(range(count)), "unit": unit}


def make_server() -> ToolServer:
    return ToolServer("counting", [offer(count_up)], instructions="Count.")


async def said(arguments: dict[str, Any], name: str = "count_up") -> Any:
    async with Client(make_server()) as client:
        return await client.call_tool(name, arguments)


async def test_a_tool_is_listed_as_its_function_is_written() -> None:
    async with Client(make_server()) as client:
        (tool,) = (await client.list_tools()).tools
    assert (tool.name, tool.description) == ("count_up", "Count\nup.")
    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1, "description": "How many."},
            "unit": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        },
        "required": ["count"],
        "additionalProperties": False,
    }


async def test_an_answer_comes_as_an_object_and_as_text() -> None:
    result = await said({"count": 2})
    assert result.structured_content == {"numbers": [0, 1], "unit": None}
    assert result.content[0].text == '{"numbers":[0,1],"unit":null}'


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"count": "many"}, "count: Input should be a valid integer"),
        ({}, "count: Missing required argument"),
        ({"count": 1, "more": 1}, "more: Unexpected keyword argument"),
        ({"count": 13}, "There is no thirteen. Take twelve."),
    ],
)
async def test_what_is_wrong_with_a_call_is_told_to_who_called(arguments: dict[str, Any], told: str) -> None:
    result = await said(arguments)
    assert result.is_error
    assert told in result.content[0].text


async def test_a_tool_that_breaks_tells_nothing_of_its_insides(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "signalbox.toolbox"):
        result = await said({"count": 14})
    assert (result.is_error, result.content[0].text) == (True, "Error executing tool count_up.")
    assert "ZeroDivisionError" in caplog.text


async def test_a_tool_that_is_not_there_is_an_error_of_the_call() -> None:
    assert (await said({}, "count_down")).is_error


async def test_a_client_of_another_library_starts_it_over_stdio_and_stray_prints_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "counting.py").write_text(
        "from signalbox.toolbox.serving import ToolServer, offer\n"
        "async def one() -> dict[str, int]:\n"
        "    print('hello')\n"
        "    return {'one': 1}\n"
        "ToolServer('counting', [offer(one)]).serve_stdio()\n"
    )
    async with OthersClient(StdioTransport(sys.executable, [str(tmp_path / "counting.py")])) as client:
        assert [tool.name for tool in await client.list_tools()] == ["one"]
        for _ in range(3):
            assert (await client.call_tool("one", {})).structured_content == {"one": 1}
