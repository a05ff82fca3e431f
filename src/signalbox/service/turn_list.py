"""The turns of a thread: requests and answers, the evidence of an answer, and feedback on it."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import Field
from starlette.responses import Response

from signalbox.runs import records
from signalbox.runs.engine import engine
from signalbox.runs.events import list_events
from signalbox.runs.feedback import Value, keep_feedback, list_feedback, remove_feedback
from signalbox.runs.records import Run, carrier_of
from signalbox.runs.threads import Turn, list_turns, require_own
from signalbox.service.options import Options, refuse_unknown_query
from signalbox.service.payload import sendable
from signalbox.service.problems import REFUSALS
from signalbox.service.thread_body import interrupts_of
from signalbox.service.threads import ThreadId

__all__ = ["router"]

router = APIRouter(tags=["turns"], responses=REFUSALS, dependencies=[Depends(refuse_unknown_query)])


class Feedback(Options):
    """A person's feedback on an answer."""

    value: Value
    comment: str = Field(default="", max_length=2000)


@router.get("/threads/{thread_id}/turns")
async def turns(
    thread_id: ThreadId,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[str | None, Query(max_length=200)] = None,
    state: bool = True,
) -> list[dict[str, Any]]:
    """List the latest requests of a thread, oldest first, each with its Answer and the replies to its questions.
    `before` is a run, for paging back; without `state`, Answers come without the agent's own state, which is their
    largest part."""

    def found() -> list[dict[str, Any]]:
        require_own(thread_id)
        asked = [(run, carrier_of(run)) for run in reversed(records.list_requests(thread_id, limit, before))]
        thoughts = list_feedback(thread_id)
        said = list_turns(thread_id, of=[carrier.run_id for _, carrier in asked]) if asked else []
        return [_shown(run, carrier, said, thoughts.get(run.run_id), state) for run, carrier in asked]

    return await asyncio.to_thread(found)


def _shown(run: Run, carrier: Run, said: list[Turn], thought: dict[str, Any] | None, state: bool) -> dict[str, Any]:
    rows = [turn for turn in said if turn.run_id == carrier.run_id]
    answer = carrier.result.get("answer")
    replies = [{"question": one.answer, "reply": two.said} for one, two in pairwise(rows)]
    told = {
        "run_id": run.run_id,
        "said": run.said,
        "agent": carrier.agent or carrier.name,
        "status": carrier.standing,
        "started_at": run.started_at,
        "updated_at": carrier.updated_at,
        "replies": replies,
        "answer": answer if state or not answer else {**answer, "state": {}},
        "interrupts": interrupts_of(carrier),
        "feedback": thought,
    }
    return dict(sendable(told))


@router.get("/threads/{thread_id}/runs/{run_id}/evidence")
async def evidence(thread_id: ThreadId, run_id: str) -> list[dict[str, Any]]:
    """List the tool calls of a run so far, with their arguments, outcome, and the beginning of the result. An answer
    cites them by their ids."""
    run = await engine().status(thread_id, run_id)

    def found() -> list[dict[str, Any]]:
        events = list_events(run.channel)
        calls = {one.data["id"]: one.data for one in events if one.kind == "tool_result"}
        cited = (carrier_of(run).result.get("answer") or {}).get("evidence")
        # A request that was handed on has the calls of both runs among its events, and the answer those of the last.
        return list(sendable([calls.get(one["id"], one) for one in cited] if cited else list(calls.values())))

    return await asyncio.to_thread(found)


@router.put("/threads/{thread_id}/runs/{run_id}/feedback")
async def give_feedback(thread_id: ThreadId, run_id: str, wanted: Feedback) -> dict[str, Any]:
    """Give feedback on an answer: up or down."""
    await engine().status(thread_id, run_id)
    return await asyncio.to_thread(keep_feedback, thread_id, run_id, wanted.value, wanted.comment)


@router.delete("/threads/{thread_id}/runs/{run_id}/feedback", status_code=204)
async def take_feedback_back(thread_id: ThreadId, run_id: str) -> Response:
    """Remove the feedback."""
    await engine().status(thread_id, run_id)
    await asyncio.to_thread(remove_feedback, run_id)
    return Response(status_code=204)
