"""`signalbox agents`: the agent types that a map can use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["agents"]


def agents(
    folder: Annotated[
        Path | None, typer.Option("--map", metavar="FILE.csv|FOLDER", help="Also those beside this map.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the agent types that a map can use: built-in, from plug-ins, and beside a map."""
    from signalbox.cli.output import print_json, show
    from signalbox.maps.registry import list_types

    place = folder.parent if folder is not None and folder.is_file() else folder
    types = list_types(place)
    if as_json:
        print_json(types)
        return
    width = max(len(row["type"]) for row in types)
    for row in types:
        show(f"{row['type']:<{width}}  {row['description'] or row['origin']}")
