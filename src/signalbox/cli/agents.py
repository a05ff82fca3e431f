"""`signalbox agents`: the agents that can be asked."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["agents"]


def agents(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the installed agents, what they do and which package they come from. (For node types, see `maps types`.)"""
    from signalbox.cli.output import print_json, say, show
    from signalbox.runs import list_installed

    installed = list_installed()
    if as_json:
        # Imported only here: to report its source, an agent loads its client.
        from signalbox.contract.sources import is_set_aside, source_of

        print_json([
            {
                "name": one.name,
                "about": one.agent.about if one.agent else "",
                "examples": one.agent.examples if one.agent else [],
                "package": one.package,
                "source": source_of(one.agent) if one.agent else None,
                "set_aside": is_set_aside(one.agent) if one.agent else False,
                "error": one.error or None,
            }
            for one in installed
        ])  # fmt: skip
        return
    width = max((len(one.name) for one in installed), default=0)
    for one in installed:
        if one.agent is not None:
            show(f"{one.name:<{width}}  {one.agent.about} ({one.package})")
    for one in installed:
        if one.error:
            say(f"The agent '{one.name}' of {one.package} cannot be used: {one.error}.")
