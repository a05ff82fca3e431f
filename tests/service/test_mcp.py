"""Every agent as an MCP tool, used through a real MCP client over streamable HTTP."""

from __future__ import annotations

import pytest
from fastmcp import Client
from fastmcp.client.auth import BearerAuth
from fastmcp.exceptions import ToolError

from .conftest import ANN, BOB, token


def connected(address: str, person: str) -> Client:
    return Client(f"{address}/mcp", auth=BearerAuth(token(person)))


async def test_the_tools_are_the_agents_and_maps(address: str) -> None:
    async with connected(address, ANN) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
        assert {"Hello", "Review", "metrics"} <= set(tools)
        assert "For example:" in tools["metrics"].description
        answer = (await client.call_tool("Hello", {"request": "Ann"})).data
        assert (answer["answer"], answer["status"], answer["agent"]) == ("Hello Ann", "completed", "Hello")


async def test_a_question_is_answered_in_its_thread_and_only_by_its_person(address: str) -> None:
    async with connected(address, ANN) as ann, connected(address, BOB) as bob:
        asked = (await ann.call_tool("Review", {"request": "Hi"})).data
        assert (asked["status"], asked["question"]["options"]) == ("needs_input", ["approve", "reject"])
        with pytest.raises(ToolError, match="There is no thread"):
            await bob.call_tool("Review", {"request": "approve", "thread_id": asked["thread_id"]})
        again = (await ann.call_tool("Review", {"request": "perhaps", "thread_id": asked["thread_id"]})).data
        assert again["status"] == "needs_input"
        assert again["question"]["message"].startswith("Nothing was done. Please answer approve or reject;")
        done = (await ann.call_tool("Review", {"request": "approve", "thread_id": asked["thread_id"]})).data
        assert done["answer"] == "Published: Hi"


async def test_nobody_without_a_token_gets_in(address: str) -> None:
    with pytest.raises(Exception, match=r"error response|401"):
        async with Client(f"{address}/mcp") as client:
            await client.list_tools()
