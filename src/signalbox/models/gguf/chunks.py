"""The engine's chunks as LangChain message chunks, token by token, with tool calls told apart from words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessageChunk, ToolCall
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk

from signalbox.models.gguf.calls import CALL_OPENING, recover_calls

__all__ = ["message_chunks"]


def message_chunks(chunks: Iterable[dict[str, Any]], tools: Sequence[str], model: str) -> Iterator[AIMessageChunk]:
    """Words pass at once; with tools, what may be a call is held back until the end shows what it is."""
    held = _Held(tools)
    usage: UsageMetadata | None = None
    reason: str | None = None
    native = False
    for chunk in chunks:
        usage = _usage(chunk) or usage
        for choice in chunk.get("choices", ()):
            reason = choice.get("finish_reason") or reason
            message = _delta_chunk(choice.get("delta") or {}, held)
            native = native or bool(message.tool_call_chunks)
            if message.content or message.tool_call_chunks or message.additional_kwargs:
                yield message
    words, calls = recover_calls(held.text, () if native else tools)
    yield AIMessageChunk(
        content=words,
        tool_call_chunks=[_call_chunk(index, call) for index, call in enumerate(calls)],
        usage_metadata=usage,
        response_metadata={"model_name": model, "finish_reason": "tool_calls" if calls else reason},
        chunk_position="last",
    )


class _Held:
    """Text that may turn out to be a tool call."""

    def __init__(self, tools: Sequence[str]) -> None:
        self.text = ""
        self._watching = bool(tools)

    def pass_through(self, text: str) -> str:
        """The part of the text that is surely words; the rest is kept."""
        opening = CALL_OPENING.search(text) if self._watching else None
        cut = 0 if self.text else opening.start() if opening else len(text)
        self.text += text[cut:]
        return text[:cut]


def _delta_chunk(delta: dict[str, Any], held: _Held) -> AIMessageChunk:
    reasoning = delta.get("reasoning_content")
    return AIMessageChunk(
        content=held.pass_through(delta.get("content") or ""),
        tool_call_chunks=[_native_call_chunk(call) for call in delta.get("tool_calls") or ()],
        additional_kwargs={"reasoning_content": reasoning} if reasoning else {},
    )


def _native_call_chunk(call: dict[str, Any]) -> ToolCallChunk:
    function = call.get("function") or {}
    return tool_call_chunk(
        name=function.get("name"),
        args=function.get("arguments"),
        id=call.get("id"),
        index=call.get("index", 0),
    )


def _call_chunk(index: int, call: ToolCall) -> ToolCallChunk:
    return tool_call_chunk(name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=index)


def _usage(chunk: dict[str, Any]) -> UsageMetadata | None:
    counts = chunk.get("usage")
    if not counts:
        return None
    return UsageMetadata(
        input_tokens=counts["prompt_tokens"],
        output_tokens=counts["completion_tokens"],
        total_tokens=counts["total_tokens"],
    )
