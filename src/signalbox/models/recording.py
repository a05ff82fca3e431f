"""Records what models were sent (`signalbox ask --show-prompts`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage

__all__ = ["Prompt", "keep_prompt", "record_prompts"]


@dataclass(frozen=True)
class Prompt:
    """One request to a model: its messages, and the tools and schema in the form that its provider gets."""

    model: str
    messages: tuple[BaseMessage, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The request as plain data, the same for the same request."""
        return {"model": self.model, "messages": [_said(one) for one in self.messages], **self.options}


_recorders: ContextVar[tuple[list[Prompt], ...]] = ContextVar("signalbox_prompts", default=())


@contextmanager
def record_prompts() -> Iterator[list[Prompt]]:
    """Every request to a model inside the block, in order, including retries."""
    prompts: list[Prompt] = []
    token = _recorders.set((*_recorders.get(), prompts))
    try:
        yield prompts
    finally:
        _recorders.reset(token)


def keep_prompt(model: str, messages: Sequence[BaseMessage], options: Mapping[str, Any]) -> None:
    """Called before each request to a model."""
    for recorder in _recorders.get():
        recorder.append(Prompt(model, tuple(messages), dict(options)))


def _said(message: BaseMessage) -> dict[str, Any]:
    said: dict[str, Any] = {"role": message.type, "content": message.content}
    for name in ("tool_calls", "tool_call_id"):
        if value := getattr(message, name, None):
            said[name] = value
    return said
