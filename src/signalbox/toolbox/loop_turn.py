"""One request to the model in the loop: the prompt, the reply, and the check of a written answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, message_chunk_to_message
from langgraph.constants import TAG_NOSTREAM

from signalbox.errors import LLMAPIError, SignalboxError
from signalbox.settings import person_zone
from signalbox.toolbox.loop_outcome import renumbered
from signalbox.toolbox.loop_prompt import LAST_ROUND, Asked, Reply, prompt, said_texts
from signalbox.toolbox.verify import Checked, Sources, split_sentences

__all__ = ["Turn", "ask_model"]

_LONG = 10_000
"""The most characters to check on the event loop."""
_UNSTREAMED: Any = {"tags": [TAG_NOSTREAM]}
"""The model's text, which reaches a person only after its check."""


@dataclass
class Turn:
    """One request to the model. `is_again` is set after it was told what is unsupported in its answer; the last request
    allows no calls."""

    system: SystemMessage
    vocabulary: str
    names: tuple[str, ...]
    asked: Asked
    replies: Sequence[Reply]
    results: Mapping[str, dict[str, Any]]
    number: int
    is_again: bool
    is_last: bool

    @property
    def messages(self) -> list[BaseMessage]:
        """The messages for the model."""
        last = [HumanMessage(LAST_ROUND)] if self.is_last else []
        return [*prompt(self.system, self.asked, self.replies, self.results), *last]

    @cached_property
    def sources(self) -> Sources:
        """The sources of an answer: the results with their arguments, and what was said."""
        texts = {}
        for one in self.results.values():
            asked = [f"{name}: {value}" for name, value in one["args"].items()] if one["ok"] else []
            texts[one["number"]] = "\n".join([one["text"], *asked])
        said = said_texts(self.asked)
        vocabulary = f"{self.vocabulary}\n{self.asked['data']}"
        return Sources(texts, said, vocabulary=vocabulary, known=self.names, zone=person_zone())

    async def check(self, answer: str) -> list[Checked]:
        """The checked sentences of an answer; long ones are checked off the event loop."""

        def work() -> list[Checked]:
            sources = self.sources
            return [sources.check(one) for one in split_sentences(answer)]

        is_long = len(answer) + sum(len(one["text"]) for one in self.results.values()) > _LONG
        return await asyncio.to_thread(work) if is_long else work()


async def ask_model(model: Any, turn: Turn, seconds: float, write: Callable[[Any], None] | None) -> AIMessage:
    """The reply of a model with tools. With `write`, sentences are streamed.

    Raises TimeoutError after these seconds, LLMAPIError and BudgetError.
    """
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            if write is not None:
                reply = await _streamed(model, turn, write)
            else:
                reply = await model.ainvoke(turn.messages, _UNSTREAMED)
    except SignalboxError:
        raise
    except Exception as error:
        if limit.expired():
            raise
        raise LLMAPIError(details=error) from None
    return _with_ids(reply, turn)


async def _streamed(model: Any, turn: Turn, write: Callable[[Any], None]) -> Any:
    """The whole reply. Complete sentences are streamed up to the first unsupported one; a rewritten answer is streamed
    without such sentences."""
    whole: Any = None
    rest, is_told = "", True

    def tell(pieces: Sequence[str]) -> None:
        nonlocal is_told
        for checked in map(turn.sources.check, pieces):
            is_told = is_told and (turn.is_again or not checked.unsupported)
            if is_told and not checked.unsupported:
                text = renumbered(checked.text, turn.results)
                write({"type": "text", "message": f"round-{turn.number}", "text": text})

    # What there is to look through is read before the first letter comes.
    await turn.check("")
    async for chunk in model.astream(turn.messages, _UNSTREAMED):
        whole = chunk if whole is None else whole + chunk
        is_told = is_told and not whole.tool_call_chunks
        *complete, rest = split_sentences(rest + chunk.text) or [""]
        tell(complete)
    tell([rest] if rest else [])
    return message_chunk_to_message(whole) if whole is not None else AIMessage("")


def _with_ids(reply: AIMessage, turn: Turn) -> AIMessage:
    """The reply with a unique id for every call: the door ensures that, other models may not."""
    ids = [str(call.get("id") or "") for call in reply.tool_calls]
    if all(ids) and len({*ids, *turn.results}) == len(ids) + len(turn.results):
        return reply
    named = [{**call, "id": f"call-{turn.number}-{at}"} for at, call in enumerate(reply.tool_calls)]
    return reply.model_copy(update={"tool_calls": named})
