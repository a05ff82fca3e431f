"""Where the data comes from, in one line: which systems are connected, or that all of it is a demonstration."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from html import escape

from signalbox.contract import Agent
from signalbox.contract.sources import Source, shown
from signalbox.errors import SignalboxError
from signalbox.settings import get_settings

__all__ = ["source_line"]


def source_line(agents: Sequence[Agent]) -> str:
    """The line about what these agents read, as HTML; empty where none of them says."""
    told = _sources(agents)
    own = [f"{data} from {_code(where)}" for data, source in told if (where := _place(source))]
    others = [(data, source.get("connect", "")) for data, source in told if source.get("kind") == "embedded"]
    parts = [f"Connected: {', '.join(own)}."] if own else []
    if others:
        listed = ", ".join(data for data, _ in others)
        is_asked = not own or get_settings().demo
        parts.append(
            f"From the embedded demonstration, all of it invented: {listed}."
            if is_asked
            else f"Not connected: {listed}."
        )
    if ways := [_code(way) for _, way in others if way]:
        parts.append(f"To connect your own, set {', '.join(ways)}.")
    return " ".join(parts)


def _sources(agents: Sequence[Agent]) -> list[tuple[str, Source]]:
    """What is read, and where; what several agents share stands there once."""
    found: list[tuple[str, Source]] = []
    for agent in agents:
        # What is set wrongly, or is not installed, is told by an answer: a page without it is better than none.
        with suppress(SignalboxError):
            source = agent.source() if agent.source and agent.has_system else None
            told = (escape(agent.data or agent.name), shown(source or {}))
            if told not in found:
                found.append(told)
    return found


def _place(source: Source) -> str:
    return "" if source.get("kind") == "embedded" else source.get("address") or source.get("system", "")


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"
