"""The source of an answer, and of each open question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.contract import Agent
from signalbox.contract.installed import find_agent
from signalbox.contract.sources import Source, shown, source_of
from signalbox.errors import SignalboxError
from signalbox.maps import MapResult

__all__ = ["answer_source", "name_sources"]


def answer_source(agent: Agent, *told: Mapping[str, Any] | None) -> Source | None:
    """The first of these that is set, or else where the agent reads with the current settings."""
    found = next((one for one in told if one), None)
    return shown(found) if found else source_of(agent)


def name_sources(result: MapResult, agent: str | None) -> None:
    """Add the source to every question of a run."""
    for question in result.questions:
        source = question.get("source") or result.values.get("source") or _set(agent)
        if isinstance(source, Mapping):
            question["source"] = shown(source)


def _set(agent: str | None) -> Source | None:
    try:
        return source_of(find_agent(agent)) if agent else None
    except SignalboxError:
        return None
