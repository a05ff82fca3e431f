"""Stdin and stdout for an MCP server, on the event loop.

The SDK reads and writes files in threads; awaiting a client's pipes instead saves three thread switches, a quarter of
the cost of a call.
"""

from __future__ import annotations

import asyncio
import os
import stat
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.stdio import stdio_server

__all__ = ["open_stdio"]

_LONGEST_MESSAGE = 2**26


async def open_stdio() -> AbstractAsyncContextManager[Any]:
    """The message streams to the parent process.

    Whatever tools print goes to stderr, and they cannot read stdin: the pipes are reserved for the protocol.
    """
    if os.name == "nt" or not (_can_be_awaited(0) and _can_be_awaited(1)):
        return stdio_server()
    incoming, outgoing = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(_LONGEST_MESSAGE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), incoming)
    way, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), outgoing
    )
    lines: Any = reader
    return stdio_server(lines, _Sink(asyncio.StreamWriter(way, protocol, None, loop)))  # type: ignore[arg-type]


def _can_be_awaited(stream: int) -> bool:
    mode = os.fstat(stream).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


class _Sink:
    """A pipe with the file methods that the SDK needs."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def write(self, text: str) -> None:
        """Send a message."""
        self._writer.write(text.encode())

    async def flush(self) -> None:
        """Wait while the buffer is full."""
        await self._writer.drain()
