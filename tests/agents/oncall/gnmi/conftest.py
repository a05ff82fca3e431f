"""What the tests of the tools share: the network on its ports, and a real MCP client of the tools."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from signalbox.agents.oncall.server import create_server
from signalbox.toolbox import ServerEntry, Session
from signalbox.worlds.network import World, open_world

CallTool = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The network, and `NETWORK_INVENTORY` set to its inventory."""
    with open_world() as opened:
        use_inventory(tmp_path, monkeypatch, opened.inventory())
        yield opened


def use_inventory(folder: Path, monkeypatch: pytest.MonkeyPatch, entries: list[dict[str, Any]]) -> Path:
    """Write an inventory and have the tools use it."""
    path = folder / "inventory.json"
    path.write_text(json.dumps(entries))
    monkeypatch.setenv("NETWORK_INVENTORY", str(path))
    return path


@asynccontextmanager
async def tools_of(entry: ServerEntry) -> AsyncIterator[CallTool]:
    """What a test calls to use a tool of a server as an agent does."""
    session = Session(entry)

    async def use(tool: str, **arguments: Any) -> dict[str, Any]:
        given = await session.call(tool, arguments)
        assert isinstance(given, dict)
        return given

    yield use
    await session.close()


@pytest.fixture
async def call() -> AsyncIterator[CallTool]:
    """Our tools: `await call("get_alarms", device_name="pe1")`."""
    async with tools_of(ServerEntry("gnmi", transport="memory", server=create_server)) as use:
        yield use
