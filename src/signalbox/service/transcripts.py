"""Conversations for clients of OpenAI's endpoints, which send a whole conversation with each request and get the answer
as one text."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from typing import Any

import orjson

from signalbox.contract import Agent
from signalbox.contract.answer import notes_of, uncited
from signalbox.runs.engine import engine
from signalbox.runs.records import Run
from signalbox.runs.threads import update_thread
from signalbox.runs.usage import usage_of_runs

__all__ = ["answer_text", "digest_of", "pieces", "remember", "usage_of"]

Said = Sequence[tuple[str, str]]
"""Pairs of role and text; roles other than user and assistant are ignored."""


def digest_of(agent: Agent, said: Said) -> str:
    """A digest of the conversation so far, by which its thread is found."""
    told = [one for one in said if one[0] in ("user", "assistant")]
    return hashlib.sha256(orjson.dumps([agent.name, told])).hexdigest() if told else ""


async def remember(agent: Agent, said: Said, answer: str, run: Run) -> None:
    """Make the conversation findable by its messages, including the answer."""
    digest = digest_of(agent, [*said, ("assistant", answer)])
    await asyncio.to_thread(lambda: update_thread(run.thread_id, transcript=digest))


def answer_text(answer: dict[str, Any]) -> str:
    """An answer as one text: without citations of evidence, with its question and source."""
    return f"{uncited(answer.get('answer') or '')}{_added(answer)}"


def _added(answer: dict[str, Any]) -> str:
    """What is added to the text of an answer: its question with options, if the text lacks it, and its source."""
    text, question = str(answer.get("answer") or ""), answer.get("question") or {}
    asked, options = str(question.get("message") or ""), question.get("options") or ()
    said = asked if asked not in text else "", "\n".join(f"- {one}" for one in options)
    parts = [part for part in (*said, *notes_of((), answer.get("source"))) if part]
    return "".join(f"\n\n{part}" for part in parts) if text else "\n\n".join(parts)


async def pieces(run: Run, before: int) -> AsyncIterator[str]:
    """The text of an answer as it is written, after what a model wrote on the way."""
    message, answer = "", {}
    async for event in engine().events(run, before):
        if event.kind == "text":
            text = uncited(event.data["text"])
            yield f"\n\n{text}" if message not in ("", event.data["id"]) else text
            message = event.data["id"]
        elif event.kind == "answer":
            answer = event.data
    if asked := _added(answer):
        yield asked


async def usage_of(run: Run, done: Run) -> dict[str, Any]:
    """The tokens of the run that received the request, and of the one it was handed over to."""
    return await asyncio.to_thread(usage_of_runs, run.person, *{run.run_id, done.run_id})
