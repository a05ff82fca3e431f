"""A tape: recorded replies of a model by prompt, so that a conversation can be repeated without the model.

Every request first looks for its reply on the tape; new replies are stored there. `signalbox.evals.recorded` is the
tape of the evaluations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from langchain_core.messages import AIMessage, BaseMessage

__all__ = ["Tape", "find_reply", "keep_reply", "use_tape"]

Options = Mapping[str, Any]


class Tape(Protocol):
    """Where replies are looked up and stored. `options` are tools, tool choice and response format as they are sent."""

    def find(self, messages: Sequence[BaseMessage], options: Options) -> AIMessage | None:
        """The reply to this prompt, or None to ask the model. Raises LLMAPIError if the model may not be asked."""

    def keep(self, messages: Sequence[BaseMessage], options: Options, reply: AIMessage | None) -> None:
        """Keep what the model replied; None if it failed."""


_tape: ContextVar[Tape | None] = ContextVar("signalbox_tape", default=None)


@contextmanager
def use_tape(tape: Tape | None) -> Iterator[None]:
    """Use this tape for every request to a model inside the block."""
    token = _tape.set(tape)
    try:
        yield
    finally:
        _tape.reset(token)


def find_reply(messages: Sequence[BaseMessage], options: Options) -> AIMessage | None:
    """Called before each request: the reply on the tape in use, if there is one."""
    tape = _tape.get()
    return tape.find(messages, options) if tape is not None else None


def keep_reply(messages: Sequence[BaseMessage], options: Options, reply: AIMessage | None) -> None:
    """Called after each request, with the model's reply, or None if it failed for good."""
    if (tape := _tape.get()) is not None:
        tape.keep(messages, options, reply)
