"""`POST /api/{user_id}/chat`: stores a message before anything else happens, and answers it."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Header, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from signalbox.service.auth import require_self
from signalbox.service.options import Options
from signalbox.service.problems import REFUSALS, ProblemError, sent
from signalbox.service.sse import is_wanted, stream
from signalbox.service.turns import Turn, start_turn

__all__ = ["router"]

router = APIRouter(tags=["chat"], responses=REFUSALS)


class ChatRequest(Options):
    """A message of a person. Without `conversation_id` it continues the conversation used last, or starts the first
    one; `"new"` starts a new one."""

    message: str = Field(min_length=1, max_length=10_000, pattern=r"\S")
    conversation_id: str | None = Field(
        default=None,
        min_length=1,
        max_length=36,
        description='The conversation to continue; "new" starts one. By default, the one used last.',
    )
    stream: bool = False


class ChatReply(BaseModel):
    """The answer, in the format of the contract, and where it is stored."""

    response: str
    iterations: int
    status: str
    conversation_id: str
    message_id: int
    warning: str | None = None
    source: dict[str, Any] | None = None


@router.post(
    "/api/{user_id}/chat",
    response_model=ChatReply,
    responses={200: {"content": {"text/event-stream": {}}}, 500: REFUSALS[422] | {"description": "The agent failed"}},
)
async def chat(
    user_id: str,
    said: ChatRequest,
    request: Request,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
    last_event_id: Annotated[str | None, Header(max_length=20)] = None,
) -> Response:
    """Send a message and get the answer as JSON, or as events if the client accepts them or sets `stream`.

    Repeating a request with the same `Idempotency-Key` returns the same answer, and nothing is done twice.
    """
    person = require_self(user_id)
    streamed = said.stream or is_wanted(request.headers.get("accept", ""))
    turn = await _turn(person, said, idempotency_key)
    if streamed:
        after = int(last_event_id) if last_event_id and last_event_id.isdecimal() else 0
        return stream(turn.events(after))
    status, body = await turn.outcome()
    return _json(status, body)


async def _turn(person: str, said: ChatRequest, key: str | None) -> Turn:
    """The turn that a request starts or repeats. Raises ProblemError if the key belongs to a different request."""
    # Of what was sent: the same key means the same request, whichever conversation was used last meanwhile.
    digest = hashlib.sha256(orjson.dumps([said.message, said.conversation_id])).hexdigest() if key else ""
    turn = await start_turn(person, said.message, said.conversation_id, key, digest)
    if key is not None:
        _require_same(turn.digest, digest)
    if turn.is_lost:
        raise ProblemError(
            409,
            "This request was begun before, and its answer is not there.",
            suggestion="Look at the conversation; if the answer is missing, send it again with another key.",
        )
    return turn


def _require_same(one: str, other: str) -> None:
    if one != other:
        raise ProblemError(422, "This Idempotency-Key belongs to another request.", suggestion="Use a new one.")


def _json(status: int, body: Any) -> Response:
    return Response(orjson.dumps(body), status, media_type="application/json") if status < 400 else sent(body)
