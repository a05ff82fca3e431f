"""`signalbox world`: the embedded worlds, served for other programs."""

from __future__ import annotations

import threading
from typing import Annotated

import typer

__all__ = ["world"]

world = typer.Typer(help="Serve an embedded world.", no_args_is_help=True, rich_markup_mode=None)


@world.callback()
def worlds() -> None:
    """Serve an embedded world."""


@world.command()
def metrics(
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="The port; 0 takes a free one.")] = 3000,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    token: Annotated[
        str | None, typer.Option("--token", envvar="SIGNALBOX_WORLD_TOKEN", help="Ask for this token, as Grafana does.")
    ] = None,
) -> None:
    """Serve the metrics of a small shop as Grafana and Prometheus do, until it is stopped."""
    from signalbox.errors import MissingExtraError, OperatorError

    try:
        from signalbox.worlds.metrics import Access, serve
    except ImportError:
        raise MissingExtraError("The metrics world", "metrics,service") from None
    try:
        with serve(host=host, port=port, access=Access(token=token) if token else None) as url:
            print(url, flush=True)
            threading.Event().wait()
    except OSError as error:
        raise OperatorError(
            f"Port {port} on {host} cannot be used: {error.strerror}.", suggestion="Choose another with --port."
        ) from None
