"""The OpenAI-compatible endpoint: every agent and map is a model.

A conversation needs no thread id: who sends it with everything that was said so far goes on in the thread where exactly
that was said, and a question of the agent is answered by the next message.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
import uuid
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter
from pydantic import BeforeValidator, Field
from starlette.responses import Response, StreamingResponse

from signalbox.contract import Agent
from signalbox.contract.answer import notes_of, uncited
from signalbox.errors import RequestError
from signalbox.runs.asking import check_question
from signalbox.runs.conversing import say
from signalbox.runs.engine import engine
from signalbox.runs.records import Run
from signalbox.runs.served import list_served, words_of
from signalbox.runs.threads import find_by_transcript, update_thread
from signalbox.runs.usage import usage_of_runs
from signalbox.service.assistants import find_agent
from signalbox.service.options import Options, Unsupported
from signalbox.service.problems import REFUSALS, problem_of
from signalbox.service.sse import stream

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["models"], responses=REFUSALS)
_MADE = 1_767_225_600


class Part(Options):
    """A piece of a message. Only text is read."""

    type: Literal["text", "refusal"] = "text"
    text: str = ""
    refusal: str = ""


def _as_parts(content: Any) -> Any:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


Content = Annotated[list[Part], BeforeValidator(_as_parts, json_schema_input_type=str | list[Part])]


class ChatMessage(Options):
    """A message. Instructions (system, developer) have no effect: what an agent does is its own."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Content = Field(default_factory=list)
    name: str = ""
    refusal: str = ""
    annotations: list[Any] | None = None
    audio: Unsupported = None
    function_call: Unsupported = None
    tool_calls: Unsupported = None


class StreamOptions(Options):
    """What a stream ends with."""

    include_usage: bool = False
    include_obfuscation: Unsupported = None


class TextFormat(Options):
    """The form of an answer, which is text."""

    type: Literal["text"]


class Completion(Options):
    """What is asked: the last message is the request, those before it are the conversation.

    An agent writes the answer, and not a model with these settings: those that steer how a model samples and how it is
    billed have no effect. Those that would change what the answer is are refused.
    """

    model: str = Field(min_length=1, max_length=200)
    messages: list[ChatMessage] = Field(min_length=1, max_length=1000)
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None
    modalities: list[Literal["text"]] | None = None
    response_format: TextFormat | None = None
    # These have no effect.
    frequency_penalty: float | None = None
    max_completion_tokens: int | None = None
    max_tokens: int | None = None
    metadata: dict[str, str] | None = None
    parallel_tool_calls: bool | None = None
    presence_penalty: float | None = None
    prompt_cache_key: str | None = None
    prompt_cache_retention: str | None = None
    reasoning_effort: str | None = None
    safety_identifier: str | None = None
    seed: int | None = None
    service_tier: str | None = None
    temperature: float | None = None
    tool_choice: Literal["none", "auto"] | None = None
    top_p: float | None = None
    user: str | None = None
    verbosity: str | None = None
    # These are refused.
    audio: Unsupported = None
    function_call: Unsupported = None
    functions: Unsupported = None
    logit_bias: Unsupported = None
    logprobs: Unsupported = None
    prediction: Unsupported = None
    stop: Unsupported = None
    store: Unsupported = None
    tools: Unsupported = None
    top_logprobs: Unsupported = None
    web_search_options: Unsupported = None


@router.get("/models")
async def models() -> dict[str, Any]:
    """The agents and maps that can be asked."""
    return {"object": "list", "data": [_model(agent) for agent in list_served()]}


@router.get("/models/{name}")
async def model(name: str) -> dict[str, Any]:
    """One of them."""
    return _model(find_agent(name))


def _model(agent: Agent) -> dict[str, Any]:
    return {"id": agent.name, "object": "model", "created": _MADE, "owned_by": "signalbox", "description": agent.about}


@router.post("/chat/completions", responses={200: {"content": {"text/event-stream": {}, "application/json": {}}}})
async def complete(wanted: Completion) -> Response:
    """Ask an agent."""
    agent = find_agent(wanted.model)
    said = _request(wanted)
    transcript = _digest(agent, wanted.messages[:-1])
    thread = await asyncio.to_thread(find_by_transcript, transcript) if len(wanted.messages) > 1 else None
    run, before = await say(agent, said, thread_id=thread or str(uuid.uuid4()))
    if wanted.stream:
        return _streamed(agent, wanted, run, before)
    done = await engine().wait(run)
    answer = done.result.get("answer") or {}
    text = f"{uncited(answer.get('answer') or '')}{_added(answer)}"
    await _remember(agent, wanted, run, text)
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop", "logprobs": None}
    body = {**_head(run, agent, "chat.completion"), "choices": [choice], "usage": await _usage(run, done)}
    body["source"] = answer.get("source")
    return Response(orjson.dumps(body), media_type="application/json")


def _request(wanted: Completion) -> str:
    last = wanted.messages[-1]
    if last.role != "user":
        raise RequestError("The last message is not the user's.", suggestion="End with a message of the role user.")
    return check_question(_words(last))


def _words(message: ChatMessage) -> str:
    return words_of([part.model_dump() for part in message.content])


def _digest(agent: Agent, messages: list[ChatMessage], answer: str | None = None) -> str:
    """What was said until now, in a few letters; what a client adds as system does not count."""
    said = [(one.role, _words(one)) for one in messages if one.role in ("user", "assistant")]
    said += [("assistant", answer)] if answer is not None else []
    return hashlib.sha256(orjson.dumps([agent.name, said])).hexdigest() if said else ""


def _added(answer: dict[str, Any]) -> str:
    """What is added to the text of an answer: its question, if the text does not say it, with its options; and where
    it comes from."""
    text, question = str(answer.get("answer") or ""), answer.get("question") or {}
    asked, options = str(question.get("message") or ""), question.get("options") or ()
    said = asked if asked not in text else "", "\n".join(f"- {one}" for one in options)
    parts = [part for part in (*said, *notes_of((), answer.get("source"))) if part]
    return "".join(f"\n\n{part}" for part in parts) if text else "\n\n".join(parts)


async def _remember(agent: Agent, wanted: Completion, run: Run, text: str) -> None:
    """Let the conversation be found by what was said in it, this text included."""
    transcript = _digest(agent, wanted.messages, text)
    await asyncio.to_thread(lambda: update_thread(run.thread_id, transcript=transcript))


async def _pieces(run: Run, before: int) -> AsyncIterator[str]:
    """The text of an answer as it is written. What a model said on the way to it stands before it."""
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


def _streamed(agent: Agent, wanted: Completion, run: Run, before: int) -> StreamingResponse:
    head = _head(run, agent, "chat.completion.chunk")

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return b"data: " + orjson.dumps({**head, "choices": [choice]}) + b"\n\n"

    async def chunks() -> AsyncIterator[bytes]:
        yield chunk({"role": "assistant", "content": ""})
        told = ""
        try:
            async for piece in _pieces(run, before):
                told += piece
                yield chunk({"content": piece})
            await _remember(agent, wanted, run, told)
        except Exception as error:
            yield b"data: " + orjson.dumps({"error": problem_of(error)["error"]}) + b"\n\n"
            return
        yield chunk({}, "stop")
        if wanted.stream_options is not None and wanted.stream_options.include_usage:
            used = await _usage(run, await engine().wait(run))
            yield b"data: " + orjson.dumps({**head, "choices": [], "usage": used}) + b"\n\n"
        yield b"data: [DONE]\n\n"

    return stream(chunks())


def _head(run: Run, agent: Agent, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{run.run_id}", "object": kind, "created": int(time.time()), "model": agent.name}


async def _usage(run: Run, done: Run) -> dict[str, Any]:
    """The tokens of the run where the request came in, and of the one that it was handed on to."""
    used = await asyncio.to_thread(usage_of_runs, run.person, *{run.run_id, done.run_id})
    return {
        "prompt_tokens": used["input_tokens"],
        "completion_tokens": used["output_tokens"],
        "total_tokens": used["total_tokens"],
        "prompt_tokens_details": {"cached_tokens": used["cached_tokens"]},
    }
