"""`signalbox world`: serve the embedded worlds for other programs."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import Annotated

import typer

__all__ = ["world"]

Port = Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="The port; 0 takes a free one.")]
Host = Annotated[str, typer.Option("--host", help="The address to listen on.")]

world = typer.Typer(help="Serve an embedded world.", no_args_is_help=True, rich_markup_mode=None)


@world.callback()
def worlds() -> None:
    """Serve an embedded world."""


@world.command()
def metrics(
    port: Port = 3000,
    host: Host = "127.0.0.1",
    token: Annotated[
        str | None, typer.Option("--token", envvar="SIGNALBOX_WORLD_TOKEN", help="Require this token, as Grafana does.")
    ] = None,
) -> None:
    """Serve the metrics of a small shop over the APIs of Grafana and Prometheus, until stopped."""
    from signalbox.errors import MissingExtraError

    try:
        from signalbox.worlds.metrics import Access, serve
    except ImportError:
        raise MissingExtraError("The metrics world", "metrics,service") from None
    _serve(serve(host=host, port=port, access=Access(token=token) if token else None), host, port)


@world.command()
def network(port: Port = 0, host: Host = "127.0.0.1") -> None:
    """Serve a small provider network over gNMI, one port per router, until stopped. Prints the inventory.

    SIGNALBOX_WORLD_FAULTS switches on faults.
    """
    from signalbox.runs.embedded import open_world

    _serve(open_world("network", host, port), host, port)


@world.command()
def experiments(port: Port = 3030, host: Host = "127.0.0.1") -> None:
    """Serve experiments over UpGrade's REST API, until stopped."""
    from signalbox.runs.embedded import open_world

    _serve(open_world("experiments", host, port), host, port)


def _serve(opened: AbstractContextManager[str], host: str, port: int) -> None:
    from signalbox.errors import OperatorError

    try:
        with opened as address:
            print(address, flush=True)
            threading.Event().wait()
    except OSError as error:
        raise OperatorError(
            f"Port {port} on {host} cannot be used: {error.strerror}.", suggestion="Choose another with --port."
        ) from None
