"""Requests to begin with, about things that the connected systems know."""

from __future__ import annotations

from datetime import timedelta

from signalbox.agents.investigate.dependency_graph import read_graph
from signalbox.contract.sources import kind_in_use
from signalbox.settings import now

__all__ = ["suggest"]

_ASKED = {"service": "Why is {} slow?", "machine": "What is wrong with {}?"}


async def suggest() -> list[str]:
    """A question about the first service and the first machine that some system relates to others."""
    found: dict[str, str] = {}
    for one in (await read_graph(kind_in_use(), now() - timedelta(hours=1), now())).relations:
        for thing in (one.thing, one.other):
            kind, _, name = thing.partition(":")
            found.setdefault(kind, name)
    return [asked.format(found[kind]) for kind, asked in _ASKED.items() if found.get(kind)]
