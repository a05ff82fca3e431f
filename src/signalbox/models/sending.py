"""Executes the steps of an exchange: sending, waiting, and passing on a stream's text."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, message_chunk_to_message
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from signalbox.models.exchange import Received, Send, Wait
from signalbox.models.replies import with_ids

__all__ = ["Release", "asend", "can_stream", "send"]

_CALLING = ("tool_use", "tool_call", "tool_call_chunk", "function_call", "input_json_delta")


def send(step: Send | Wait, stop: list[str] | None) -> Received | Exception | None:
    """The model's reply or exception; None after a pause."""
    if isinstance(step, Wait):
        time.sleep(step.seconds)
        return None
    try:
        if isinstance(step.model, BaseChatModel):
            return Received(_message_of(step.model._generate(step.messages, stop, **step.options)))
        return Received(_as_message(step.model.invoke(step.messages, **step.options)))
    except Exception as error:
        return error


async def asend(step: Send | Wait, stop: list[str] | None, timeout: float | None) -> Received | Exception | None:
    """The model's reply within the time limit, or its exception; None after a pause."""
    if isinstance(step, Wait):
        await asyncio.sleep(step.seconds)
        return None
    try:
        async with asyncio.timeout(timeout) if timeout else nullcontext():
            if isinstance(step.model, BaseChatModel):
                return Received(_message_of(await step.model._agenerate(step.messages, stop, **step.options)))
            return Received(_as_message(await step.model.ainvoke(step.messages, **step.options)))
    except Exception as error:
        return error


def can_stream(model: Any, *, in_loop: bool) -> bool:
    """True if the model gives its text piece by piece."""
    if not isinstance(model, BaseChatModel):
        return False
    has_sync = type(model)._stream is not BaseChatModel._stream
    return has_sync or (in_loop and type(model)._astream is not BaseChatModel._astream)


class Release:
    """Which pieces of a streamed reply go out at once.

    Text does, where it is free to. Calls are held until the whole reply has been checked, and so is everything that
    comes after one, and what says how the reply ended.
    """

    def __init__(self, *, is_free: bool) -> None:
        self.shown = False
        """True if any text has gone out."""
        self._is_free = is_free
        self.begin()

    def begin(self) -> None:
        """A reply begins, the first one or another."""
        self._whole: ChatGenerationChunk | None = None
        self._held: ChatGenerationChunk | None = None
        self._calls = self._passed = False

    def lets_pass(self, chunk: ChatGenerationChunk) -> bool:
        """Take a piece in, and say whether it goes out."""
        self._whole = chunk if self._whole is None else self._whole + chunk
        message = chunk.message
        assert isinstance(message, AIMessageChunk)
        self._calls = self._calls or bool(message.tool_call_chunks) or _has_call(message.content)
        if self._is_free and not self._calls and message.content and not message.chunk_position:
            self._passed, self.shown = True, self.shown or bool(message.text.strip())
            return True
        self._held = chunk if self._held is None else self._held + chunk
        return False

    def received(self) -> Received:
        """The whole reply."""
        if self._whole is None:
            return Received(AIMessage(""))
        message = message_chunk_to_message(self._whole.message)
        return Received(_with_metadata(message, self._whole.generation_info), shown=self.shown)

    def rest(self, reply: AIMessage) -> ChatGenerationChunk:
        """What has not gone out yet of the reply as it was checked."""
        left: Any = reply
        if self._passed and self._whole is not None:
            before: Any = self._whole.message
            ids = {str(a["id"]): str(b["id"]) for a, b in zip(before.tool_calls, reply.tool_calls, strict=False)}
            left = self._left(ids)
        calls = [
            tool_call_chunk(name=one["name"], args=_json(one["args"]), id=one["id"], index=at)
            for at, one in enumerate(reply.tool_calls)
        ]
        return ChatGenerationChunk(
            message=AIMessageChunk(
                content=left.content,
                tool_call_chunks=calls,
                additional_kwargs=left.additional_kwargs,
                response_metadata=left.response_metadata,
                usage_metadata=left.usage_metadata,
                chunk_position="last",
            )
        )

    def _left(self, ids: Mapping[str, str]) -> AIMessage:
        """What was held, with the ids that the calls have now: added to what went out it is the whole reply."""
        if self._held is None:
            return AIMessage("")
        held: Any = _with_metadata(self._held.message, self._held.generation_info)
        renamed = {name: with_ids(getattr(held, name), ids) for name in ("content", "additional_kwargs")}
        return held.model_copy(update=renamed)  # type: ignore[no-any-return]


def _has_call(content: Any) -> bool:
    return isinstance(content, list) and any(
        isinstance(one, Mapping) and one.get("type") in _CALLING for one in content
    )


def _message_of(result: ChatResult) -> AIMessage:
    if not result.generations:
        return AIMessage("")
    first = result.generations[0]
    return _with_metadata(first.message, {**(result.llm_output or {}), **(first.generation_info or {})})


def _with_metadata(message: BaseMessage, info: Mapping[str, Any] | None) -> AIMessage:
    known = {**(info or {}), **message.response_metadata}
    return message.model_copy(update={"response_metadata": known})  # type: ignore[return-value]


def _as_message(given: Any) -> AIMessage:
    """The reply of a model that is not a chat model of LangChain's, or of its own structured output."""
    if isinstance(given, Mapping) and "parsing_error" in given:
        given = given["raw"] if given.get("parsed") is None else given["parsed"]
    if isinstance(given, AIMessage):
        return given
    if hasattr(given, "model_dump"):
        given = given.model_dump(mode="json")
    return AIMessage(given if isinstance(given, str) else _json(given))


def _json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, default=str)
