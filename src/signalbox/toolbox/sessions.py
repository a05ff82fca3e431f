"""MCP sessions: one is held open per server and process, so that calls do not start the server again.

Held sessions live on their own event loop in a thread and are shared by callers on any loop. A server of this process
that never blocks is called directly, on the caller's loop.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from signalbox.errors import (
    ConfigurationError,
    MissingExtraError,
    ToolFailedError,
    ToolServerError,
    ToolTimeoutError,
    redact,
)

if TYPE_CHECKING:
    from signalbox.toolbox.serving import ToolServer

__all__ = ["ServerEntry", "Session", "ToolInfo", "close_sessions", "hold", "read_entries"]

Transport = Literal["stdio", "http", "memory", "direct"]
Given = TypeVar("Given")
_START_SECONDS = 60.0


@dataclass(frozen=True)
class ServerEntry:
    """How an MCP server is reached: a command (stdio), an address (http), or a server of this process (memory).

    `server` is the server itself or a function that makes it; entries are compared by their other fields. `direct` is a
    function that makes a `ToolServer` of this process, whose tools are called without the protocol: they must not
    block, and it has no lifespan."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    transport: Transport = "stdio"
    url: str = ""
    server: Any = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """A tool that a server offers. `read_only` and `destructive` are the server's own hints."""

    name: str
    description: str
    parameters: dict[str, Any]
    read_only: bool = False
    destructive: bool = False


def read_entries(source: str | Path | Mapping[str, Any]) -> dict[str, ServerEntry]:
    """The servers from a JSON text, file or mapping: `{name: {"command", "args", "transport", "env"} or {"url"}}`.

    Raises ConfigurationError with the server and the problem.
    """
    data = _read(source)
    data = data.get("mcpServers", data)
    return {str(name): _entry(str(name), told) for name, told in data.items()}


def _read(source: str | Path | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(source, Mapping):
        return source
    try:
        text = source if isinstance(source, str) and source.lstrip().startswith("{") else Path(source).read_text()
        data = json.loads(text)
    except OSError as error:
        raise ConfigurationError(f"The MCP servers in {source} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise ConfigurationError(f"The MCP servers are not JSON: {error}.") from None
    if not isinstance(data, Mapping):
        raise ConfigurationError("The MCP servers are not an object of names.", suggestion='{"name": {"command": …}}')
    return data


def _entry(name: str, told: Any) -> ServerEntry:
    if not isinstance(told, Mapping) or not (told.get("command") or told.get("url")):
        raise ConfigurationError(
            f"The MCP server '{name}' has neither a command nor a url.",
            suggestion='{"command": "…", "args": […], "transport": "stdio", "env": {…}}, or {"url": "…"}.',
        )
    transport = "stdio" if told.get("command") else "http"
    return ServerEntry(
        name,
        command=str(told.get("command", "")),
        args=tuple(str(one) for one in told.get("args", ())),
        env=tuple((str(key), str(value)) for key, value in (told.get("env") or {}).items()),
        transport=transport,  # type: ignore[arg-type]
        url=str(told.get("url", "")),
    )


class Session:
    """One server, connected when first used; the next call reconnects a lost connection."""

    def __init__(self, entry: ServerEntry) -> None:
        self.entry = entry
        self._client: Any = None
        self._infos: list[ToolInfo] | None = None
        self._opening: asyncio.Lock | None = None
        self._over = asyncio.Event()
        self._life: asyncio.Task[None] | None = None

    async def tools(self) -> list[ToolInfo]:
        """The tools that the server offers. Raises ToolServerError if it cannot be reached."""
        if self._infos is None:
            self._infos = await _on_loop(self._list())
        return self._infos

    async def call(self, name: str, args: Mapping[str, Any], deadline: float = 30.0) -> Any:
        """A tool's result as plain data.

        Raises ToolFailedError with the tool's message, ToolTimeoutError after `deadline` seconds, and ToolServerError
        if the server cannot be reached or dies.
        """
        return await _on_loop(self._call(name, dict(args), deadline))

    async def close(self) -> None:
        """Close the connection; another call reopens it."""
        await _on_loop(self._close())

    async def _call(self, name: str, args: dict[str, Any], deadline: float) -> Any:
        client = self._client or await self._connected()
        try:
            async with asyncio.timeout(deadline):
                result = await client.call_tool(name, args)
        except TimeoutError:
            raise ToolTimeoutError(f"{name} did not answer within {deadline:g} seconds.") from None
        except Exception as error:
            await self._close()
            raise self._broken(error) from None
        return _given(name, result)

    async def _list(self) -> list[ToolInfo]:
        client = self._client or await self._connected()
        try:
            listed = await client.list_tools()
            found = list(listed.tools)
            while listed.next_cursor is not None:
                listed = await client.list_tools(cursor=listed.next_cursor)
                found += listed.tools
        except Exception as error:
            await self._close()
            raise self._broken(error) from None
        return [_info(tool) for tool in found]

    async def _connected(self) -> Any:
        if self._opening is None:
            self._opening = asyncio.Lock()
        async with self._opening:
            if self._client is None:
                opened: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
                self._over = asyncio.Event()
                self._life = asyncio.create_task(self._live(opened, self._over))
                try:
                    async with asyncio.timeout(_START_SECONDS):
                        self._client = await opened
                except MissingExtraError:
                    raise
                except BaseException as error:
                    self._life.cancel()
                    raise self._broken(error) from None
            return self._client

    async def _live(self, opened: asyncio.Future[Any], over: asyncio.Event) -> None:
        """The lifetime of a connection, in one task: the SDK requires that it is closed where it was opened."""
        try:
            async with _client(self.entry) as client:
                opened.set_result(client)
                await over.wait()
        except BaseException as error:
            # Once it was open, whoever calls finds out, and it is gone either way.
            if not opened.done():
                opened.set_exception(error)

    async def _close(self) -> None:
        life, self._life, self._client = self._life, None, None
        self._over.set()
        if life is not None:
            await asyncio.wait([life])

    def _broken(self, error: BaseException) -> ToolServerError:
        return ToolServerError(
            f"The MCP server '{self.entry.name}' cannot be used.",
            suggestion="Check its command or address.",
            details=f"{type(error).__name__}: {error}",
        )


class _DirectSession(Session):
    """A server of this process, called directly."""

    async def tools(self) -> list[ToolInfo]:
        if self._infos is None:
            self._infos = [_info(one.tool) for one in self._server().offers.values()]
        return self._infos

    async def call(self, name: str, args: Mapping[str, Any], deadline: float = 30.0) -> Any:
        try:
            async with asyncio.timeout(deadline):
                return await self._server().give(name, dict(args))
        except TimeoutError:
            raise ToolTimeoutError(f"{name} did not answer within {deadline:g} seconds.") from None

    async def close(self) -> None:
        self._client = None

    def _server(self) -> ToolServer:
        if self._client is None:
            self._client = self.entry.server()
        server: ToolServer = self._client
        return server


def _given(name: str, result: Any) -> Any:
    """A tool's result as plain data. Raises ToolFailedError with the tool's message."""
    text = "\n".join(str(getattr(part, "text", "")) for part in result.content)
    if result.is_error:
        raise ToolFailedError(redact(text) or f"{name} failed.")
    return _plain(result.structured_content, text)


def _client(entry: ServerEntry) -> Any:
    try:
        from mcp import Client, StdioServerParameters
    except ImportError:
        raise MissingExtraError("MCP", "mcp") from None
    if entry.transport == "memory":
        server = entry.server() if callable(entry.server) else entry.server
        # FastMCP's stands on the SDK's.
        return Client(getattr(server, "_mcp_server", server))
    if entry.transport == "http":
        return Client(entry.url)
    env = {**os.environ, **dict(entry.env)}
    return Client(StdioServerParameters(command=entry.command, args=list(entry.args), env=env))


def _info(tool: Any) -> ToolInfo:
    hints = tool.annotations
    return ToolInfo(
        tool.name,
        tool.description or "",
        dict(tool.input_schema),
        bool(hints and hints.read_only_hint),
        bool(hints and hints.destructive_hint),
    )


def _plain(structured: Any, text: str) -> Any:
    """Structured content, unwrapped if the tool's result is not an object, or else JSON in the text."""
    if isinstance(structured, Mapping):
        return structured["result"] if set(structured) == {"result"} else dict(structured)
    try:
        return json.loads(text)
    except ValueError:
        return text


_held: dict[ServerEntry, Session] = {}
_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def hold(entry: ServerEntry) -> Session:
    """The held session of a server: the same for every caller in this process, until `close_sessions`."""
    with _lock:
        if entry not in _held:
            _held[entry] = _DirectSession(entry) if entry.transport == "direct" else Session(entry)
        return _held[entry]


async def close_sessions() -> None:
    """Close every held session; later calls reopen theirs."""
    with _lock:
        sessions = list(_held.values())
        _held.clear()
    for session in sessions:
        await session.close()


async def _on_loop(work: Coroutine[Any, Any, Given]) -> Given:
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, _running_loop()))


def _running_loop() -> asyncio.AbstractEventLoop:
    """The event loop of the sessions, in a daemon thread."""
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="signalbox-mcp", daemon=True).start()
        return _loop
