"""`signalbox mcp`: serve the tools of an agent over MCP for other programs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

__all__ = ["mcp"]

GROUP = "signalbox.mcp"


class Transport(StrEnum):
    """How a client reaches the server."""

    stdio = "stdio"
    http = "http"


def mcp(
    name: Annotated[str | None, typer.Argument(help="The server; omit it to list them.")] = None,
    transport: Annotated[
        Transport, typer.Option("--transport", "-t", help="stdio (for programs that start this command) or http.")
    ] = Transport.stdio,
    host: Annotated[str, typer.Option("--host", help="The address to listen on, with http.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port, with http.")] = 8765,
) -> None:
    """Serve tools over MCP until stopped. Without a name, list the available servers."""
    from importlib.metadata import entry_points

    from signalbox.cli.output import say, show
    from signalbox.errors import MissingExtraError, NotFoundError

    known = {one.name: one for one in entry_points(group=GROUP)}
    if name is None:
        for one in sorted(known):
            show(one)
        return
    if name not in known:
        raise NotFoundError(f"There is no MCP server '{name}'.", suggestion=f"There are: {', '.join(sorted(known))}.")
    try:
        server = known[name].load()()
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("signalbox"):
            raise
        raise MissingExtraError(f"The MCP server '{name}'", "worlds") from None
    if transport is Transport.stdio:
        server.serve_stdio()
        return
    say(f"{name} is at http://{host}:{port}/mcp (Ctrl-C stops it).")
    server.serve_http(host, port)
