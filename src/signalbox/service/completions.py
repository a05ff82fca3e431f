"""The OpenAI-compatible endpoint: every agent and map is a model.

A conversation needs no thread id: a client that sends all messages so far continues the thread with exactly these
messages, and the next message answers a question of the agent."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter
from pydantic import BeforeValidator, Field
from starlette.responses import Response, StreamingResponse

from signalbox.contract import Agent
from signalbox.errors import RequestError
from signalbox.runs.asking import check_question
from signalbox.runs.conversing import say
from signalbox.runs.engine import engine
from signalbox.runs.records import Run
from signalbox.runs.served import list_served, words_of
from signalbox.runs.threads import find_by_transcript
from signalbox.service.assistants import find_agent
from signalbox.service.options import Options, Unsupported
from signalbox.service.problems import REFUSALS, problem_of
from signalbox.service.sse import stream
from signalbox.service.transcripts import answer_text, digest_of, pieces, remember, usage_of

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
    """A message. Instructions (system, developer) have no effect."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Content = Field(default_factory=list)
    name: str = ""
    refusal: str = ""
    annotations: list[Any] | None = None
    audio: Unsupported = None
    function_call: Unsupported = None
    tool_calls: Unsupported = None


class StreamOptions(Options):
    """Options of a stream."""

    include_usage: bool = False
    include_obfuscation: Unsupported = None


class TextFormat(Options):
    """The format of an answer, which is text."""

    type: Literal["text"]


class Completion(Options):
    """A request: the last message is what is asked, and earlier ones are the conversation.

    The answer comes from an agent, so settings for sampling and billing have no effect. Settings that would change the
    answer are refused.
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
    """List the available agents and maps."""
    return {"object": "list", "data": [_model(agent) for agent in list_served()]}


@router.get("/models/{name}")
async def model(name: str) -> dict[str, Any]:
    """Return one of them."""
    return _model(find_agent(name))


def _model(agent: Agent) -> dict[str, Any]:
    return {"id": agent.name, "object": "model", "created": _MADE, "owned_by": "signalbox", "description": agent.about}


@router.post("/chat/completions", responses={200: {"content": {"text/event-stream": {}, "application/json": {}}}})
async def complete(wanted: Completion) -> Response:
    """Ask an agent."""
    agent = find_agent(wanted.model)
    said = _request(wanted)
    transcript = digest_of(agent, _said(wanted)[:-1])
    thread = await asyncio.to_thread(find_by_transcript, transcript) if len(wanted.messages) > 1 else None
    run, before = await say(agent, said, thread_id=thread or str(uuid.uuid4()))
    if wanted.stream:
        return _streamed(agent, wanted, run, before)
    done = await engine().wait(run)
    answer = done.result.get("answer") or {}
    text = answer_text(answer)
    await remember(agent, _said(wanted), text, run)
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop", "logprobs": None}
    body = {**_head(run, agent, "chat.completion"), "choices": [choice], "usage": _usage(await usage_of(run, done))}
    body["source"] = answer.get("source")
    return Response(orjson.dumps(body), media_type="application/json")


def _request(wanted: Completion) -> str:
    last = wanted.messages[-1]
    if last.role != "user":
        raise RequestError("The last message is not the user's.", suggestion="End with a message of the role user.")
    return check_question(_words(last))


def _words(message: ChatMessage) -> str:
    return words_of([part.model_dump() for part in message.content])


def _said(wanted: Completion) -> list[tuple[str, str]]:
    return [(one.role, _words(one)) for one in wanted.messages]


def _streamed(agent: Agent, wanted: Completion, run: Run, before: int) -> StreamingResponse:
    head = _head(run, agent, "chat.completion.chunk")

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return b"data: " + orjson.dumps({**head, "choices": [choice]}) + b"\n\n"

    async def chunks() -> AsyncIterator[bytes]:
        yield chunk({"role": "assistant", "content": ""})
        told = ""
        try:
            async for piece in pieces(run, before):
                told += piece
                yield chunk({"content": piece})
            await remember(agent, _said(wanted), told, run)
        except Exception as error:
            yield b"data: " + orjson.dumps({"error": problem_of(error)["error"]}) + b"\n\n"
            return
        yield chunk({}, "stop")
        if wanted.stream_options is not None and wanted.stream_options.include_usage:
            used = _usage(await usage_of(run, await engine().wait(run)))
            yield b"data: " + orjson.dumps({**head, "choices": [], "usage": used}) + b"\n\n"
        yield b"data: [DONE]\n\n"

    return stream(chunks())


def _head(run: Run, agent: Agent, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{run.run_id}", "object": kind, "created": int(time.time()), "model": agent.name}


def _usage(used: dict[str, Any]) -> dict[str, Any]:
    return {
        "prompt_tokens": used["input_tokens"],
        "completion_tokens": used["output_tokens"],
        "total_tokens": used["total_tokens"],
        "prompt_tokens_details": {"cached_tokens": used["cached_tokens"]},
    }
