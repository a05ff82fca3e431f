"""OpenAI's Responses: every agent and map is a model, and `previous_response_id` continues a conversation.

The id of a response contains its run and, if the run was resumed, the number of the preceding event: each answer of a
run is a separate response.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter
from pydantic import BeforeValidator, Field
from starlette.responses import Response, StreamingResponse

from signalbox.contract import Agent
from signalbox.errors import NotFoundError, RequestError
from signalbox.runs import records
from signalbox.runs.asking import check_question
from signalbox.runs.conversing import say
from signalbox.runs.copying import copy_thread
from signalbox.runs.engine import engine
from signalbox.runs.events import list_events
from signalbox.runs.records import Run, carrier_of
from signalbox.runs.threads import find_by_transcript, list_turns
from signalbox.service.assistants import find_agent
from signalbox.service.options import Options, Unsupported
from signalbox.service.problems import REFUSALS, problem_of
from signalbox.service.sse import as_event, stream
from signalbox.service.transcripts import answer_text, digest_of, pieces, remember, usage_of

__all__ = ["router"]

router = APIRouter(prefix="/v1/responses", tags=["models"], responses=REFUSALS)
_KEPT = "previous_response_id"
_ENDED = {"completed": "completed", "waiting": "completed", "error": "failed", "cancelled": "cancelled"}


class TextPart(Options):
    """A piece of a message. Only text is read."""

    type: Literal["input_text", "output_text", "text", "refusal"]
    text: str = ""
    refusal: str = ""
    annotations: list[Any] | None = None
    logprobs: list[Any] | None = None


def _as_parts(content: Any) -> Any:
    return [{"type": "input_text", "text": content}] if isinstance(content, str) else content


class Message(Options):
    """A message. Instructions (system, developer) have no effect."""

    type: Literal["message"] = "message"
    role: Literal["system", "developer", "user", "assistant"]
    content: Annotated[list[TextPart], BeforeValidator(_as_parts, json_schema_input_type=str | list[TextPart])]
    id: str | None = None
    status: str | None = None
    phase: str | None = None


def _as_messages(given: Any) -> Any:
    return [{"role": "user", "content": given}] if isinstance(given, str) else given


class TextFormat(Options):
    """The format of an answer, which is text."""

    type: Literal["text"] = "text"


class TextOptions(Options):
    """Options for the answer's text."""

    format: TextFormat | None = None
    verbosity: str | None = None


class NewResponse(Options):
    """A request: the last message is what is asked.

    With `previous_response_id` it continues from that response; otherwise the earlier messages are the conversation.
    `background` returns an id at once, for fetching the answer later. Settings for sampling and billing have no effect;
    settings that would change the answer are refused.
    """

    model: str = Field(min_length=1, max_length=200)
    input: Annotated[list[Message], BeforeValidator(_as_messages, json_schema_input_type=str | list[Message])] = Field(
        min_length=1, max_length=1000
    )
    previous_response_id: str | None = Field(default=None, max_length=200)
    stream: bool = False
    background: bool = False
    metadata: dict[str, str] | None = None
    text: TextOptions | None = None
    # These have no effect.
    instructions: str | None = None
    max_output_tokens: int | None = None
    max_tool_calls: int | None = None
    parallel_tool_calls: bool | None = None
    prompt_cache_key: str | None = None
    prompt_cache_retention: str | None = None
    reasoning: dict[str, Any] | None = None
    safety_identifier: str | None = None
    service_tier: str | None = None
    store: bool | None = None
    stream_options: dict[str, Any] | None = None
    temperature: float | None = None
    tool_choice: Literal["none", "auto"] | None = None
    top_p: float | None = None
    truncation: Literal["auto", "disabled"] | None = None
    user: str | None = None
    # These are refused.
    conversation: Unsupported = None
    include: Unsupported = None
    prompt: Unsupported = None
    tools: Unsupported = None
    top_logprobs: Unsupported = None


@router.post("", responses={200: {"content": {"text/event-stream": {}, "application/json": {}}}})
async def create(wanted: NewResponse) -> Response:
    """Ask an agent."""
    agent, said = find_agent(wanted.model), _said(wanted)
    if said[-1][0] != "user":
        raise RequestError("The last message is not the user's.", suggestion="End with a message of the role user.")
    request = check_question(said[-1][1])
    thread = await asyncio.to_thread(_thread_of, agent, wanted)
    metadata = {**(wanted.metadata or {}), **({_KEPT: one} if (one := wanted.previous_response_id) else {})}
    run, before = await say(agent, request, thread_id=thread, metadata=metadata)
    if wanted.stream:
        return _streamed(agent, wanted, run, before)
    if not wanted.background:
        await engine().wait(run)
        await _remember(agent, wanted, run, before)
    body = await asyncio.to_thread(_shown, run, before)
    return _json(body if wanted.background else {**body, "usage": await _usage(run)})


def _json(body: dict[str, Any]) -> Response:
    return Response(orjson.dumps(body, default=str), media_type="application/json")


def _said(wanted: NewResponse) -> list[tuple[str, str]]:
    return [(one.role, "\n".join(part.text for part in one.content if part.text)) for one in wanted.input]


def _thread_of(agent: Agent, wanted: NewResponse) -> str:
    """The thread to continue: that of the previous response, or a copy of it if the conversation has moved on."""
    if wanted.previous_response_id is not None:
        run, before = _find(wanted.previous_response_id)
        [latest] = records.list_requests(run.thread_id, 1)
        answers = [event.number for event in list_events(run.channel) if event.kind == "answer"]
        is_last = latest.run_id == run.run_id and not [number for number in answers if number > before][1:]
        return run.thread_id if is_last else copy_thread(run.thread_id, until=carrier_of(run).run_id)
    known = find_by_transcript(digest_of(agent, _said(wanted)[:-1])) if len(wanted.input) > 1 else None
    return known or str(uuid.uuid4())


async def _remember(agent: Agent, wanted: NewResponse, run: Run, before: int) -> None:
    """Make the conversation findable by its messages, if all of them were sent."""
    answer = await asyncio.to_thread(_answer, run, before)
    if wanted.previous_response_id is None and answer is not None:
        await remember(agent, _said(wanted), answer_text(answer), run)


@router.get("/{response_id}")
async def get(response_id: str) -> Response:
    """Return the current state of a response."""
    return _json(await asyncio.to_thread(lambda: _shown(*_find(response_id))))


@router.get("/{response_id}/input_items")
async def input_items(response_id: str) -> dict[str, Any]:
    """Return the input of a response."""
    run, before = await asyncio.to_thread(_find, response_id)
    content = [{"type": "input_text", "text": await asyncio.to_thread(_asked, run, before)}]
    item = {"id": f"msg_{_name(run, before)}_in", "type": "message", "role": "user", "content": content}
    return {"object": "list", "data": [item], "first_id": item["id"], "last_id": item["id"], "has_more": False}


@router.post("/{response_id}/cancel")
async def cancel(response_id: str) -> Response:
    """Stop a response in progress."""
    run, before = await asyncio.to_thread(_find, response_id)
    await engine().cancel(run)
    return _json(await asyncio.to_thread(lambda: _shown(records.get_run(run.run_id) or run, before)))


@router.delete("/{response_id}")
async def delete(response_id: str) -> dict[str, Any]:
    """Delete a response, with all other responses of its run."""
    run, _ = await asyncio.to_thread(_find, response_id)
    if carrier_of(run).is_under_way:
        raise RequestError("The response is being made.", suggestion="Cancel it first.")
    await asyncio.to_thread(records.remove_run, run.run_id)
    return {"id": response_id, "object": "response", "deleted": True}


def _name(run: Run, before: int) -> str:
    return f"{run.run_id}-{before}" if before else run.run_id


def _find(response_id: str) -> tuple[Run, int]:
    """The run of a response, and the number of the last event before it. Raises NotFoundError."""
    name, _, before = response_id.removeprefix("resp_").partition("-")
    run = records.get_run(name) if response_id.startswith("resp_") else None
    if run is None or not (before.isdecimal() or not before) or len(before) > 9:
        raise NotFoundError(f"There is no response '{response_id[:100]}'.")
    return run, int(before or 0)


def _asked(run: Run, before: int) -> str:
    """The message that a response answers: the request, or a reply to a question."""
    carrier = carrier_of(run)
    replies = [turn.said for turn in list_turns(run.thread_id) if turn.run_id == carrier.run_id]
    place = sum(event.kind == "answer" and event.number <= before for event in list_events(run.channel))
    return replies[place] if 0 < place < len(replies) else run.said


def _answer(run: Run, before: int) -> dict[str, Any] | None:
    """The first answer of a run after an event, if there is one."""
    return next((event.data for event in list_events(run.channel, before) if event.kind == "answer"), None)


def _shown(run: Run, before: int, text: str | None = None) -> dict[str, Any]:
    """The response, with the given text or the stored one."""
    run = records.get_run(run.run_id) or run
    done, answer = carrier_of(run), _answer(run, before)
    failed = (answer or {}).get("error")
    status = "failed" if failed else "completed" if answer else _ENDED.get(done.standing, "in_progress")
    error = failed or done.result.get("error") if status == "failed" else None
    told = text if text is not None else answer_text(answer) if answer else ""
    metadata = {name: value for name, value in run.metadata.items() if name != _KEPT}
    return {
        "id": f"resp_{_name(run, before)}",
        "object": "response",
        "created_at": int(datetime.fromisoformat(run.started_at).timestamp()),
        "status": "queued" if status == "in_progress" and done.standing == "pending" else status,
        "model": run.agent or run.name,
        "output": [_message(run, before, told)] if answer else [],
        "error": {"code": "server_error", "message": str(error.get("message"))} if error else None,
        "metadata": metadata,
        "previous_response_id": run.metadata.get(_KEPT),
        "usage": None,
        "source": (answer or {}).get("source"),
        "thread_id": run.thread_id,
        **_SETTINGS,
    }


_SETTINGS: dict[str, Any] = {
    "incomplete_details": None, "instructions": None, "max_output_tokens": None, "parallel_tool_calls": False,
    "reasoning": {"effort": None, "summary": None}, "store": True, "temperature": None, "tool_choice": "none",
    "text": {"format": {"type": "text"}}, "tools": [], "top_p": None, "truncation": "disabled", "background": False,
}  # fmt: skip


def _message(run: Run, before: int, text: str | None, status: str = "completed") -> dict[str, Any]:
    content = [] if text is None else [_part(text)]
    return {
        "id": f"msg_{_name(run, before)}", "type": "message", "role": "assistant", "status": status, "content": content,
    }  # fmt: skip


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


async def _usage(run: Run) -> dict[str, Any]:
    used = await usage_of(run, await engine().wait(run))
    return {
        "input_tokens": used["input_tokens"],
        "input_tokens_details": {"cached_tokens": used["cached_tokens"]},
        "output_tokens": used["output_tokens"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": used["total_tokens"],
    }


def _streamed(agent: Agent, wanted: NewResponse, run: Run, before: int) -> StreamingResponse:
    async def events() -> AsyncIterator[bytes]:
        number = 0

        def event(kind: str, **data: Any) -> bytes:
            nonlocal number
            number += 1
            return as_event(kind, {"type": kind, "sequence_number": number - 1, **data})

        head = await asyncio.to_thread(_shown, run, before)
        place = {"item_id": f"msg_{_name(run, before)}", "output_index": 0, "content_index": 0}
        started = {**head, "status": "in_progress", "output": []}
        for kind in ("response.created", "response.in_progress"):
            yield event(kind, response=started)
        item = _message(run, before, None, "in_progress")
        yield event("response.output_item.added", output_index=0, item=item)
        yield event("response.content_part.added", **place, part=_part(""))
        told = ""
        try:
            async for piece in pieces(run, before):
                told += piece
                yield event("response.output_text.delta", **place, delta=piece, logprobs=[])
            await _remember(agent, wanted, run, before)
            ended = {**await asyncio.to_thread(_shown, run, before, told), "usage": await _usage(run)}
        except Exception as error:
            message = problem_of(error)["error"]["message"]
            yield event("error", code="server_error", message=message, param=None)
            return
        yield event("response.output_text.done", **place, text=told, logprobs=[])
        yield event("response.content_part.done", **place, part=_part(told))
        yield event("response.output_item.done", output_index=0, item=_message(run, before, told))
        kind = "response.failed" if ended["status"] == "failed" else "response.completed"
        yield event(kind, response=ended)

    return stream(events())
