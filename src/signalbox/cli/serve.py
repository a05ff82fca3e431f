"""`signalbox serve`."""

from __future__ import annotations

import errno
import socket
from typing import Annotated

import typer

__all__ = ["serve"]


def serve(
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", help="The agent to ask on the page; default: a choice of all.")
    ] = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes a free one.")] = 7860,
) -> None:
    """Serve the web page on which agents are asked, until it is stopped with Ctrl-C."""
    from signalbox.cli.output import progress, say
    from signalbox.errors import MissingExtraError

    try:
        import gradio  # noqa: F401
        import uvicorn

        from signalbox.console import create_app
    except ImportError:
        raise MissingExtraError("The web page", "console") from None
    listening = _listen(host, port)
    with listening:
        with progress("Building the page …"):
            app = create_app(agent)
        say(f"Signalbox is at http://{host}:{listening.getsockname()[1]} (Ctrl-C stops it).")
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=3))
        server.run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    """A socket on the address, or an error that says what to do."""
    from signalbox.errors import OperatorError

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = "is taken" if error.errno == errno.EADDRINUSE else f"cannot be listened on: {error.strerror}"
        raise OperatorError(
            f"{host}:{port} {reason}.", suggestion="Choose another with --port, or --port 0 for a free one."
        ) from None
