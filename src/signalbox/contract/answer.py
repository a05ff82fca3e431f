"""The Answer that every agent returns, on the command line, in the API, over MCP and on the page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self

from signalbox.contract.blocks import Block
from signalbox.contract.sources import places
from signalbox.contract.summary import plain
from signalbox.errors import SignalboxError

__all__ = ["Answer", "AnswerStatus", "notes_of", "uncited"]

AnswerStatus = Literal["completed", "needs_input", "error"]
_CITED = re.compile(r"[ \t]?\\?\[E\d+(?:,\s*E\d+)*\\?\]")
"""A citation, whose brackets may be escaped as Markdown."""


def notes_of(not_covered: Sequence[str], source: Mapping[str, Any] | None) -> list[str]:
    """The notes shown with an answer: what it does not cover, and its source."""
    notes = [f"Not considered: {'; '.join(not_covered)}"] if not_covered else []
    if source and source.get("kind") == "embedded":
        connect, several = source.get("connect"), source.get("parts")
        own = f" {connect} {'connect' if several else 'connects'} your own." if connect else ""
        named = f" ({source.get('system')})" if several else ""
        notes.append(f"Source: the embedded demonstration, all of it invented{named}.{own}")
    elif source:
        notes.append(f"Source: {places(dict(source))}")
    return notes


def uncited(text: str) -> str:
    """The text of an answer without citations of evidence ([E1]), for clients that do not get the evidence."""
    return _CITED.sub("", text)


@dataclass(slots=True)
class Answer:
    """The answer to a request. `answer` is Markdown for a person; `state` is the agent's own, defined by its contract.

    `blocks` are the parts of the answer as data. `source` says where it comes from, also for questions and errors; it
    is None if no system is involved. `not_covered` lists the parts of the request that the answer does not cover.
    `parts` is included in JSON only if other agents were called.
    """

    agent: str | None
    thread_id: str | None
    run_id: str | None
    status: AnswerStatus
    answer: str
    question: dict[str, Any] | None = None
    error: dict[str, str] | None = None
    state: dict[str, Any] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    source: dict[str, Any] | None = None
    not_covered: list[str] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)
    route: dict[str, Any] | None = None
    timings_ms: dict[str, Any] = field(default_factory=dict)
    parts: list[dict[str, Any]] = field(default_factory=list, metadata={"optional": True})
    """The Answers of other agents that were called."""
    kept: dict[str, Any] = field(default_factory=dict, repr=False, metadata={"private": True})
    """State that the thread remembers but never shows."""

    @classmethod
    def of_error(cls, error: SignalboxError, **known: Any) -> Self:
        """The Answer to a request that failed."""
        about = {"agent": None, "thread_id": None, "run_id": None, **known}
        return cls(status="error", answer=error.user_message, error=error.as_dict(), **about)

    @property
    def notes(self) -> list[str]:
        """The notes shown with the answer: what it does not cover, and its source."""
        return notes_of(self.not_covered, self.source)

    @property
    def exit_code(self) -> int:
        """The exit code of the command line: 0 completed, 1 error, 3 needs input."""
        return {"completed": 0, "error": 1, "needs_input": 3}[self.status]

    def as_dict(self) -> dict[str, Any]:
        """The Answer as JSON data."""
        told = {item.name: getattr(self, item.name) for item in fields(self) if not item.metadata.get("private")}
        optional = {item.name for item in fields(self) if item.metadata.get("optional")}
        return {name: plain(value) for name, value in told.items() if value or name not in optional}
