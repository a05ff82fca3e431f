"""LangChain messages as a local model's template takes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
)

from signalbox.errors import UnsupportedError

__all__ = ["prompt_messages"]


def prompt_messages(
    messages: Sequence[BaseMessage], notes: Sequence[str], *, knows_tools: bool
) -> list[dict[str, Any]]:
    """The conversation as role and text, the system's part first and in one piece, as templates expect.

    Without a template that knows tools, calls and their results are written out as text.
    """
    system = [_text(message) for message in messages if isinstance(message, SystemMessage)]
    others = [message for message in messages if not isinstance(message, SystemMessage)]
    write = _native if knows_tools else _as_text
    head = "\n\n".join(part for part in (*system, *notes) if part)
    return [*([{"role": "system", "content": head}] if head else []), *(write(message) for message in others)]


def _native(message: BaseMessage) -> dict[str, Any]:
    converted = convert_to_openai_messages(message)
    assert isinstance(converted, dict)
    return {**converted, "content": _text(message)}


def _as_text(message: BaseMessage) -> dict[str, Any]:
    if isinstance(message, ToolMessage):
        name = message.name or message.tool_call_id
        return {"role": "user", "content": f"<result tool={json.dumps(name)}>\n{_text(message)}\n</result>"}
    if isinstance(message, AIMessage) and message.tool_calls:
        calls = [json.dumps({"name": call["name"], "arguments": call["args"]}) for call in message.tool_calls]
        return {"role": "assistant", "content": "\n".join([_text(message), *calls]).strip()}
    return {"role": "assistant" if isinstance(message, AIMessage) else "user", "content": _text(message)}


def _text(message: BaseMessage) -> str:
    """The words of a message; raises UnsupportedError for pictures and other things that are not text."""
    if isinstance(message.content, str):
        return message.content
    parts = []
    for block in message.content:
        if isinstance(block, dict) and block.get("type") not in (
            "text",
            "reasoning",
            "tool_use",
            "tool_call",
        ):
            raise UnsupportedError(
                f"A model file takes text only, but a message has a part of type '{block.get('type')}'.",
                suggestion="Leave that part out, or use a hosted model.",
            )
        parts.append(block if isinstance(block, str) else str(block.get("text", "")))
    return "".join(parts)
