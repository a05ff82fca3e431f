"""`signalbox investigate graph`: what depends on what, and what says so."""

from __future__ import annotations

import json
from typing import Annotated

import typer

__all__ = ["app"]

_HELP = 'Find out why something is slow or failing: signalbox investigate "why is checkout slow?".'
app = typer.Typer(help=_HELP, no_args_is_help=True)


@app.command()
def graph(
    of: Annotated[str, typer.Argument(help="Only what this thing depends on, by its name.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="For a program.")] = False,
) -> None:
    """Show the graph of dependencies used to find causes: each edge with its evidence, and what could not be read."""
    import asyncio

    from rich.console import Console
    from rich.markup import escape

    from signalbox.agents.investigate.dependency_graph import graph_lines, read_now

    told = asyncio.run(read_now(of))
    if as_json:
        typer.echo(json.dumps(told, ensure_ascii=False))
        return
    console = Console(soft_wrap=True)
    for line in graph_lines(told):
        console.print(escape(line))
