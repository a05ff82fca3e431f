"""A person or two, a fixed day, and a model that says what a test has written down."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field

from signalbox.storage import close_stores

ANN = "6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a01"
BEN = "6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a02"


@pytest.fixture(autouse=True)
async def day(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """A Monday; and no connection is left open."""
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-11-16T10:30:00")
    monkeypatch.setenv("SIGNALBOX_TZ", "Europe/Berlin")
    yield
    await close_stores()


class Scripted(BaseChatModel):
    """Says one reply after the other: texts, or calls as (name, args); then `last` for ever. Keeps what it was told."""

    replies: list[Any] = Field(default_factory=list)
    last: Any = "Done."
    heard: list[list[BaseMessage]] = Field(default_factory=list)
    bound: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, Any]:
        self.bound.append(tools)
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.heard.append(list(messages))
        reply = self.replies.pop(0) if self.replies else self.last
        if isinstance(reply, BaseException):
            raise reply
        calls = [] if isinstance(reply, str) else [reply] if isinstance(reply, tuple) else list(reply)
        number = len(self.heard)
        message = AIMessage(
            reply if isinstance(reply, str) else "",
            tool_calls=[
                {"name": name, "args": args, "id": f"{number}-{at}", "type": "tool_call"}
                for at, (name, args) in enumerate(calls)
            ],
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


class Reader(Scripted):
    """Stands in for the offline model: what it says is a plan, which code completes and doubts."""

    @property
    def _llm_type(self) -> str:
        return "offline"
