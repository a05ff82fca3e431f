"""A tool is one function for the loop, for plans and for MCP clients; `calculate` is one of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from mcp import Client

from signalbox.errors import ToolArgumentsError, ToolFailedError
from signalbox.toolbox import Ledger, Result, Tool, tool, use_ledger
from signalbox.toolbox.calculate import CALCULATE
from signalbox.toolbox.serving import Offer, ToolServer


@tool(effect="own")
async def book(title: str, at: datetime | None = None, key: str = "") -> Result:
    """Book a room."""
    return Result(f"{title} at {at!r}", {"key": key})


async def test_a_typed_function_becomes_a_tool_with_its_schema_and_no_key() -> None:
    assert (book.name, book.description, book.effect) == ("book", "Book a room.", "own")
    assert book.parameters["required"] == ["title"]
    assert list(book.parameters["properties"]) == ["title", "at"]
    assert book.parameters["properties"]["title"] == {"type": "string"}


async def test_arguments_arrive_in_their_types_and_every_call_is_in_the_ledger_with_its_key() -> None:
    with use_ledger(Ledger()) as ledger:
        result = await book.call({"title": "Tea", "at": "2026-11-18T14:00:00+00:00"})
    assert "datetime.datetime(2026, 11, 18, 14, 0" in result.text
    (entry,) = ledger.calls
    assert entry.ok
    assert result.data == {"key": entry.key}


@pytest.mark.parametrize(
    "args", [{}, {"title": 7}, {"title": "x", "colour": "red"}, {"title": "x", "at": "soon"}, None]
)
async def test_wrong_arguments_are_named(args: Any) -> None:
    with pytest.raises(ToolArgumentsError, match="book"):
        await book.call(args)


async def test_null_for_an_optional_argument_is_the_same_as_leaving_it_out() -> None:
    async def run(args: dict[str, Any], key: str) -> Result:
        return Result(str(sorted(args)))

    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": ["string", "null"]}}}
    assert (await Tool("t", "", schema, run).call({"a": None, "b": None})).text == "['b']"


async def test_mcp_clients_call_the_same_function() -> None:
    async with Client(ToolServer("rooms", [Offer.of_tool(book)])) as client:
        (listed,) = (await client.list_tools()).tools
        given = await client.call_tool("book", {"title": "Tea"})
        wrong = await client.call_tool("book", {"title": 7})
    assert listed.annotations is not None
    assert listed.annotations.read_only_hint is False
    assert given.structured_content is not None
    assert given.structured_content["text"] == "Tea at None"
    assert wrong.is_error


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("(17.2 - 4) / 4 * 100", "330"), ("mean(3, 5, 9)", "5.66666666667"), ("sum([1, 2], 3)", "6"),
        ("2 ** 10", "1024"),
        ("max(0.25, 0.42) / min(0.25, 0.42)", "1.68"), ("-7 // 2", "-4"), ("round(2.567, 1)", "2.6"),
        ("'2026-11-18T14:17Z' - '2026-11-18T14:05Z'", "720 s = 12 min = 0.2 h = 0.00833333 d"),
        ("'2026-11-18T14:17+01:00' + 90", "2026-11-18T14:18:30+01:00"),
    ],
)  # fmt: skip
async def test_arithmetic(expression: str, told: str) -> None:
    assert (await CALCULATE.call({"expression": expression})).text == f"{expression} = {told}"


@pytest.mark.parametrize(
    "expression",
    [
        "1 / 0", "9 ** 9 ** 9", "__import__('os').system('x')", "(lambda: 1)()", "[x for x in (1,)]", "'a' * 9", "x",
        "", "1e308 * 10", "(-8) ** 0.5", "mean()", "True + 1", "(" * 300 + "1" + ")" * 300, "1 +", "print(1)",
        "1 if 1 else 2",        "10**60*10**60*10**60*10**60*10**60*10**60", "'2026-11-18' - 5 * '2026-11-18'",
        "sum(1, key=2)", "9" * 501,
    ],
)  # fmt: skip
async def test_nothing_but_arithmetic_is_evaluated(expression: str) -> None:
    with pytest.raises(ToolFailedError):
        await CALCULATE.call({"expression": expression})
