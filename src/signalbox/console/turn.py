"""A turn of a conversation as it comes about: what was said, what happened for it, and the answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from time import time
from typing import Any
from uuid import uuid4

from signalbox.console.graphs import has_node
from signalbox.runs.events import Event
from signalbox.toolbox.confirmation import read_reply

__all__ = ["Turn", "shown_reply", "take"]

_LABELS = {"yes": "Approve", "no": "Reject"}


@dataclass
class Turn:
    """One request on its way: the steps so far, and the Answer (as JSON carries it) once it is there."""

    said: str
    steps: list[dict[str, Any]] = field(default_factory=list)
    answer: dict[str, Any] | None = None
    agent: str = ""
    """The agent that is at work."""
    draft: str = ""
    """What a model has written so far and may be the answer."""
    message: str = ""
    """Which of a model's messages that is."""
    shown: int | None = None
    """How many words of the answer are shown, while it is being written down; None shows all of it."""
    notice: str = ""
    is_stopped: bool = False
    since: float = field(default_factory=time)
    key: str = field(default_factory=lambda: uuid4().hex[:8])
    """What tells it from the other turns on a page."""

    @property
    def is_over(self) -> bool:
        return self.answer is not None or self.is_stopped

    @property
    def question(self) -> dict[str, Any]:
        """The question that it ends with, if it ends with one."""
        return (self.answer or {}).get("question") or {}

    @property
    def at_work(self) -> frozenset[str]:
        """The nodes that run now."""
        return frozenset(one["name"] for one in self.steps if one["kind"] == "node" and one.get("ok") is None)


def take(turn: Turn, event: Event) -> bool:
    """Put an event into the turn; whether there is something new to show."""
    data = event.data
    if event.kind == "node":
        return _take_node(turn, data)
    if event.kind in ("tool_call", "tool_result"):
        return _take_call(turn, data, ended=event.kind == "tool_result")
    if event.kind == "text" and data.get("node"):
        return _take_text(turn, data)
    if event.kind == "answer":
        turn.answer, turn.agent = data, str(data.get("agent") or turn.agent)
    elif event.kind == "error" and data.get("error_type") == "cancelled":
        turn.is_stopped = True
    else:
        return False
    return True


def _take_text(turn: Turn, data: Mapping[str, Any]) -> bool:
    """A model writes; when it begins another message, what it said before was not the answer."""
    turn.draft = turn.draft if turn.message == data["id"] else ""
    turn.message = str(data["id"])
    turn.draft += str(data["text"])
    return True


def _take_node(turn: Turn, data: Mapping[str, Any]) -> bool:
    name = str(data.get("node"))
    if data.get("kind") == "start":
        turn.steps.append({"kind": "node", "name": name})
        if not has_node(turn.agent, name):
            turn.agent = ""
        return True
    step = _open_step(turn, "node", name)
    if data.get("kind") == "end" and step is not None:
        step.update(ok=bool(data.get("success")), ms=data.get("ms"), result=data.get("error") or None)
        return True
    return False


def _take_call(turn: Turn, data: Mapping[str, Any], *, ended: bool) -> bool:
    name = f"{data.get('id')} {data.get('tool')}"
    if not ended:
        turn.steps.append({"kind": "call", "name": name, "args": data.get("args")})
        return True
    step = _open_step(turn, "call", name)
    if step is not None:
        step.update(ok=bool(data.get("ok")), result=_came_back(data), ms=data.get("ms"))
    return step is not None


def _came_back(data: Mapping[str, Any]) -> str:
    """What a call gave: in few words, and the beginning of it."""
    result = str(data.get("result") or "")
    with suppress(ValueError):
        result = json.dumps(json.loads(result), ensure_ascii=False, indent=1) if result else ""
    return "\n".join(part for part in (str(data.get("summary") or ""), result) if part)


def _open_step(turn: Turn, kind: str, name: str) -> dict[str, Any] | None:
    """The step of that name that has begun and not ended."""
    steps = (one for one in reversed(turn.steps) if one["kind"] == kind and one["name"] == name)
    return next((one for one in steps if one.get("ok") is None), None)


def shown_reply(question: Mapping[str, Any], reply: Any) -> str:
    """The reply to a question as the page shows it: what is read as a yes to a confirmation approves it."""
    said = str(reply)
    return _LABELS.get(read_reply(reply), said) if question.get("kind") == "confirm" else said
