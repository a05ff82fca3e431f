"""A person's conversations: list, read, rename, delete, restore."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from signalbox.service.auth import require_self
from signalbox.service.options import Options
from signalbox.service.problems import REFUSALS
from signalbox.storage import Conversation, Store

__all__ = ["router"]

router = APIRouter(tags=["conversations"], responses=REFUSALS, prefix="/api/{user_id}/conversations")


class Said(BaseModel):
    """A message of a conversation."""

    id: int
    role: str
    content: str
    answers: int | None
    created: datetime


class Summary(BaseModel):
    """A conversation."""

    id: str
    title: str
    created: datetime
    updated: datetime


class Talk(Summary):
    """A conversation with its messages, oldest first."""

    messages: list[Said]


class Rename(Options):
    """The new title."""

    title: str = Field(min_length=1, max_length=200, pattern=r"\S")


@router.get("")
async def list_all(
    user_id: str,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> list[Summary]:
    """List the conversations, most recently used first."""
    found = await Store(require_self(user_id)).conversations(limit=limit, offset=offset)
    return [_summary(one) for one in found]


@router.get("/{conversation_id}")
async def read(
    user_id: str,
    conversation_id: str,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    before: Annotated[int | None, Query(ge=1, le=2**62)] = None,
) -> Talk:
    """Return a conversation with its latest messages; `before` pages further back."""
    store = Store(require_self(user_id))
    found = await store.conversation(conversation_id)
    messages = await store.messages(conversation_id, limit=limit, before=before)
    said = [Said(id=m.id, role=m.role, content=m.content, answers=m.answers, created=m.created) for m in messages]
    return Talk(**_summary(found).model_dump(), messages=said)


@router.patch("/{conversation_id}")
async def rename(user_id: str, conversation_id: str, wanted: Rename) -> Summary:
    """Rename a conversation."""
    return _summary(await Store(require_self(user_id)).rename(conversation_id, wanted.title))


@router.delete("/{conversation_id}", status_code=204)
async def delete(user_id: str, conversation_id: str) -> Response:
    """Delete a conversation; it can be restored for 30 days."""
    await Store(require_self(user_id)).delete(conversation_id)
    return Response(status_code=204)


@router.post("/{conversation_id}/restore")
async def restore(user_id: str, conversation_id: str) -> Summary:
    """Restore a deleted conversation."""
    return _summary(await Store(require_self(user_id)).restore(conversation_id))


def _summary(one: Conversation) -> Summary:
    return Summary(id=one.id, title=one.title, created=one.created, updated=one.updated)
