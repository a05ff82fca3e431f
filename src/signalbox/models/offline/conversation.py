"""Reading a list of messages as a conversation: what was asked, what was called, what came back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

__all__ = ["Call", "Conversation", "Turn", "read_conversation", "text_of"]

MAX_SHOWN = 200


@dataclass
class Call:
    """One tool call of a conversation, with its result once there is one."""

    tool: str
    args: dict[str, Any]
    id: str | None = None
    text: str | None = None
    failed: bool = False


@dataclass
class Turn:
    """One message of the person, the calls it led to, and the answer."""

    request: str
    calls: list[Call] = field(default_factory=list)
    answer: str = ""

    @property
    def results(self) -> list[Call]:
        return [call for call in self.calls if call.text is not None]


@dataclass
class Conversation:
    """System text and turns; the last turn is the one being answered."""

    system: str
    turns: list[Turn]

    @property
    def turn(self) -> Turn:
        return self.turns[-1] if self.turns else Turn("")

    @property
    def earlier(self) -> list[Turn]:
        return self.turns[:-1]

    @property
    def context(self) -> str:
        """The turn before in few words: what was asked, called, shown and answered; empty if there was none."""
        if not self.earlier:
            return ""
        before = self.earlier[-1]
        called = ", ".join(call.tool.replace("_", " ") for call in before.calls)
        shown = " ".join(call.text or "" for call in before.results)
        parts = (before.request, called, shown[:MAX_SHOWN], before.answer)
        return " | ".join(part.strip()[:MAX_SHOWN] for part in parts if part.strip())[: 2 * MAX_SHOWN]


def text_of(content: Any) -> str:
    """The text of a message's content: a string, or blocks of which the text ones count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list | tuple):
        return "\n".join(filter(None, (_block_text(block) for block in content)))
    return "" if content is None else _as_json(content)


def read_conversation(messages: Sequence[BaseMessage]) -> Conversation:
    """The messages as system text and turns. A tool's result belongs to the call whose id it bears."""
    system: list[str] = []
    turns: list[Turn] = []
    open_calls: dict[str, Call] = {}
    for message in messages:
        if isinstance(message, SystemMessage):
            system.append(text_of(message.content))
        elif isinstance(message, HumanMessage):
            turns.append(Turn(_clean(text_of(message.content))))
        elif isinstance(message, AIMessage):
            _read_answer(message, _current(turns), open_calls)
        elif isinstance(message, ToolMessage):
            _read_result(message, _current(turns), open_calls)
        elif message.type in ("human", "user", "chat"):
            turns.append(Turn(_clean(text_of(message.content))))
    return Conversation("\n".join(system), turns)


def _current(turns: list[Turn]) -> Turn:
    if not turns:
        turns.append(Turn(""))
    return turns[-1]


def _read_answer(message: AIMessage, turn: Turn, open_calls: dict[str, Call]) -> None:
    turn.answer = text_of(message.content)
    for raw in message.tool_calls:
        call = Call(raw["name"], dict(raw["args"] or {}), raw.get("id"))
        turn.calls.append(call)
        if call.id:
            open_calls[call.id] = call


def _read_result(message: ToolMessage, turn: Turn, open_calls: dict[str, Call]) -> None:
    call = open_calls.get(message.tool_call_id)
    if call is None:
        call = Call(message.name or "", {}, message.tool_call_id)
        turn.calls.append(call)
    call.text = text_of(message.content)
    call.failed = message.status == "error"


def _block_text(block: Any) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict):
        return ""
    if block.get("type") == "json" or "json" in block:
        return _as_json(block.get("json", block))
    resource = block.get("resource")
    if isinstance(resource, dict) and isinstance(resource.get("text"), str):
        return str(resource["text"])
    if isinstance(block.get("text"), str):
        return str(block["text"])
    return "" if "type" in block else _as_json(block)


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _clean(text: str) -> str:
    """Control characters become spaces; what is beyond any request's length is left out."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in "\n\t" else " " for c in text)
    return text.strip()
