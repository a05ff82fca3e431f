"""One question to a model, until there is a usable reply; without any I/O of its own.

`exchange` is a generator. It yields what is to be sent (`Send`) or waited for (`Wait`) and is given what came back: a
`Received`, or the exception. The door drives it: synchronously or not, streamed or not. So the rules exist only once. A
request that fails on the way is tried again after a pause; a reply that cannot be used is requested once more, with
what was wrong with it.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage

from signalbox.errors import ModelTruncatedError
from signalbox.models.asked import Asked
from signalbox.models.edges import Edge, with_system_text
from signalbox.models.failures import explain_model_error, pause_before_retry
from signalbox.models.figures import note_call
from signalbox.models.recording import keep_prompt
from signalbox.models.replies import Fault, check_reply, fault_in_error, messages_again
from signalbox.models.tape import find_reply, keep_reply
from signalbox.models.usage import add_call, check_budgets

__all__ = ["REASONING_ROOM", "Exchange", "Question", "Received", "Send", "Wait", "exchange"]

REASONING_ROOM = 8_192
"""Additional tokens for a model's reasoning."""


@dataclass(frozen=True)
class Question:
    """What is asked: by which model, at which edge, with which limits."""

    model: Any
    name: str
    edge: Edge
    messages: Sequence[BaseMessage]
    asked: Asked
    limit: int | None
    max_retries: int
    may_be_cut: bool = False
    """True if plain text may end at the limit, because the caller set it for this question."""
    examples: str = ""
    """The user's examples closest to this request. They vary, so they follow the fixed text."""


@dataclass(frozen=True)
class Send:
    """Have this model answer these messages."""

    model: Any
    messages: list[BaseMessage]
    options: dict[str, Any]


@dataclass(frozen=True)
class Wait:
    """Wait so many seconds."""

    seconds: float


@dataclass(frozen=True)
class Received:
    """A reply; `shown` says that a person has already seen text of it."""

    message: AIMessage
    shown: bool = False


Exchange = Generator[Send | Wait, Received | Exception | None, AIMessage]


def exchange(question: Question) -> Exchange:
    """The reply that can be used. Raises ModelOutputError after two that cannot, LLMAPIError if none comes, and
    BudgetError if there are no tokens left for it."""
    edge, asked = question.edge, question.asked
    messages = edge.messages(question.messages, asked)
    if question.examples:
        messages = with_system_text(messages, question.examples)
    model, options = edge.prepared(asked, question.model)
    answer_tool = asked.answer_tool.sent_name if edge.answers_by_tool(asked) and asked.answer_tool else None
    earlier: AIMessage | None = None
    fault: Fault | None = None
    reply: AIMessage | None = None
    for attempt in (1, 2):
        received = yield from _delivered(Send(model, messages, options), question)
        reply = received.message if isinstance(received, Received) else None
        if isinstance(received, Received):
            checked = check_reply(
                received.message,
                asked,
                answer_tool=answer_tool,
                place=len(question.messages),
                may_be_cut=question.may_be_cut,
            )
            if isinstance(checked, AIMessage):
                return _with_usage(checked, earlier)
            fault = checked
            if received.shown:
                break
        else:
            fault = received
        if attempt == 1:
            earlier = reply
            messages = messages_again(messages, reply, fault)
            # Without a limit of ours the provider's own applies, and asking for less is all there is.
            if fault.kind is ModelTruncatedError and question.limit is not None and _reasoned(reply):
                model = _with_room(model, edge, question.limit)
    assert fault is not None
    raise fault.error(reply)


def _delivered(send: Send, question: Question) -> Generator[Send | Wait, Any, Received | Fault]:
    """What came back, after as many tries as it takes; a fault where the provider's library raises one."""
    for tries in range(question.max_retries + 1):
        check_budgets(send.messages, send.options)
        keep_prompt(question.name, send.messages, send.options)
        started = perf_counter()
        recorded = find_reply(send.messages, send.options)
        received = Received(recorded) if recorded is not None else (yield send)
        seconds = perf_counter() - started
        add_call(received.message if isinstance(received, Received) else None, seconds)
        if recorded is None:
            _note(question.name, seconds, received)
        if isinstance(received, Received):
            keep_reply(send.messages, send.options, received.message)
            return received
        if (fault := fault_in_error(received)) is not None:
            return fault
        pause = pause_before_retry(received, tries)
        if pause is None or tries == question.max_retries:
            keep_reply(send.messages, send.options, None)
            # Raised outside the `except` block that caught it: a chained original could still show a key.
            raise explain_model_error(received)
        yield Wait(pause)
    raise AssertionError("a request is tried at least once")


def _note(name: str, seconds: float, received: Any) -> None:
    if isinstance(received, Received):
        note_call(name, seconds, reply=received.message)
    else:
        note_call(name, seconds, error=explain_model_error(received))


def _with_room(model: Any, edge: Edge, limit: int) -> Any:
    if not isinstance(model, BaseChatModel):
        return model
    return model.model_copy(update=edge.limit(limit + REASONING_ROOM, model))


def _reasoned(reply: AIMessage | None) -> bool:
    """True if reasoning may have used up the limit: it is counted, or nothing else was written."""
    if reply is None or not reply.text:
        return True
    usage: Any = reply.usage_metadata or {}
    return bool((usage.get("output_token_details") or {}).get("reasoning"))


def _with_usage(reply: AIMessage, earlier: AIMessage | None) -> AIMessage:
    """The reply with the tokens of both requests, for callbacks and traces that see only this one."""
    first, second = (one.usage_metadata if one is not None else None for one in (earlier, reply))
    if first is None or second is None:
        return reply
    from langchain_core.messages.ai import add_usage

    return reply.model_copy(update={"usage_metadata": add_usage(first, second)})
