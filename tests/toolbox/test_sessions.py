"""MCP sessions and policies, with real servers: one in this process, one over stdio."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from mcp.types import ToolAnnotations

from signalbox.errors import (
    ApprovalDeniedError,
    ConfigurationError,
    ToolArgumentsError,
    ToolFailedError,
    ToolRefusedError,
    ToolServerError,
    ToolTimeoutError,
)
from signalbox.toolbox import (
    Ledger,
    Policy,
    ServerEntry,
    Session,
    as_langchain_tools,
    call_tool,
    close_sessions,
    hold,
    read_entries,
    use_ledger,
)
from signalbox.toolbox.serving import ToolServer, offer

SERVER = """
import os
from fastmcp import FastMCP

server = FastMCP("far")

@server.tool
def pid() -> int:
    return os.getpid()

server.run(transport="stdio", show_banner=False)
"""


async def look(user_id: str, count: int = 1) -> dict[str, Any]:
    """Look at what a person has."""
    return {"status": "success", "user_id": user_id, "count": count}


async def remove(user_id: str) -> dict[str, Any]:
    """Remove everything."""
    return {"status": "success", "removed": user_id}


async def hang() -> dict[str, Any]:
    await asyncio.Event().wait()
    return {}


READS, REMOVES = ToolAnnotations(read_only_hint=True), ToolAnnotations(read_only_hint=False, destructive_hint=True)


def make_server() -> ToolServer:
    async def fail() -> dict[str, Any]:
        raise ToolFailedError("the drawer is locked")

    return ToolServer("near", [offer(look, READS), offer(remove, REMOVES), offer(hang), offer(fail)])


def make_somebody_elses() -> FastMCP:
    """The same tools on another library."""
    server = FastMCP("near")

    @server.tool
    def fail() -> str:
        raise ToolError("the drawer is locked")

    server.tool(look, annotations=READS)
    server.tool(remove, annotations=REMOVES)
    server.tool(hang)
    return server


@pytest.fixture(
    params=[("memory", make_server), ("direct", make_server), ("memory", make_somebody_elses)],
    ids=["memory", "direct", "somebody else's"],
)
async def session(request: pytest.FixtureRequest) -> AsyncIterator[Session]:
    transport, make = request.param
    yield hold(ServerEntry("near", transport=transport, server=make))
    await close_sessions()


async def info(session: Session, name: str) -> Any:
    return next(tool for tool in await session.tools() if tool.name == name)


async def test_a_session_lists_its_tools_with_their_hints(session: Session) -> None:
    tools = {tool.name: tool for tool in await session.tools()}
    assert tools["look"].read_only
    assert tools["remove"].destructive
    assert tools["look"].parameters["required"] == ["user_id"]


async def test_a_held_session_is_one_for_every_caller(session: Session) -> None:
    assert hold(ServerEntry("near", transport=session.entry.transport)) is session
    answers = await asyncio.gather(*(session.call("look", {"user_id": str(n)}) for n in range(20)))
    assert [one["user_id"] for one in answers] == [str(n) for n in range(20)]


async def test_a_tool_that_fails_says_so_in_its_own_words(session: Session) -> None:
    with pytest.raises(ToolFailedError, match="the drawer is locked"):
        await session.call("fail", {})


async def test_a_tool_that_hangs_ends_at_its_deadline_and_the_session_goes_on(session: Session) -> None:
    with pytest.raises(ToolTimeoutError):
        await session.call("hang", {}, deadline=0.2)
    assert (await session.call("look", {"user_id": "a"}))["status"] == "success"


async def test_injected_arguments_override_what_a_model_says_and_that_is_recorded(session: Session) -> None:
    ledger = Ledger()
    policy = Policy(inject={"user_id": "me"})
    with use_ledger(ledger):
        given = await call_tool(session, await info(session, "look"), {"user_id": "somebody else"}, policy)
    assert given["user_id"] == "me"
    assert ledger.as_list()[0]["args"]["user_id"] == "me"
    assert "overridden: user_id" in ledger.as_list()[0]["summary"]


async def test_a_read_only_policy_refuses_what_changes_something(session: Session) -> None:
    with pytest.raises(ToolRefusedError):
        await call_tool(session, await info(session, "remove"), {}, Policy(read_only=True, inject={"user_id": "me"}))
    shown = as_langchain_tools(session, Policy(read_only=True), await session.tools())
    assert [tool.name for tool in shown] == ["look"]


async def test_arguments_are_checked_before_the_call(session: Session) -> None:
    with pytest.raises(ToolArgumentsError, match="count"):
        await call_tool(session, await info(session, "look"), {"user_id": "a", "count": "many"}, Policy())
    with pytest.raises(ToolArgumentsError, match="more"):
        await call_tool(session, await info(session, "look"), {"user_id": "a", "more": 1}, Policy())


async def test_what_is_not_approved_is_not_called(session: Session) -> None:
    async def no(*_: Any) -> bool:
        return False

    ledger = Ledger()
    with use_ledger(ledger), pytest.raises(ApprovalDeniedError):
        await call_tool(session, await info(session, "remove"), {"user_id": "me"}, Policy(approve=no))
    assert ledger.as_list() == []


async def test_a_model_is_not_shown_what_it_cannot_choose(session: Session) -> None:
    tool = as_langchain_tools(session, Policy(inject={"user_id": "me"}), [await info(session, "look")])[0]
    assert "user_id" not in tool.args
    assert (await tool.ainvoke({"count": 2}))["user_id"] == "me"
    assert (await tool.ainvoke({"count": "x"}))["error_type"] == "tool_arguments"


async def test_a_server_over_stdio_is_held_and_started_anew_after_it_died(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    told = {"far": {"command": sys.executable, "args": [str(tmp_path / "server.py")], "transport": "stdio", "env": {}}}
    session = hold(read_entries(told)["far"])
    try:
        first = await session.call("pid", {})
        assert await session.call("pid", {}) == first
        os.kill(first, signal.SIGKILL)
        with pytest.raises(ToolServerError):
            await session.call("pid", {}, deadline=5)
        assert await session.call("pid", {}) != first
    finally:
        await close_sessions()


async def test_a_server_that_cannot_be_started_is_named() -> None:
    session = hold(ServerEntry("gone", command="/no/such/command"))
    with pytest.raises(ToolServerError, match="'gone'"):
        await session.call("x", {})
    await close_sessions()


def test_an_entry_without_a_command_says_what_is_missing() -> None:
    with pytest.raises(ConfigurationError, match="'gnmi'"):
        read_entries('{"gnmi": {"args": []}}')
