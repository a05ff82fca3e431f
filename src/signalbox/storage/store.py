"""A person's store: conversations with their messages, keys for programs, and tasks."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from signalbox.errors import NotFoundError, RequestError
from signalbox.settings import now
from signalbox.storage.gate import check_owner, in_one_go, owned
from signalbox.storage.models import ApiKey, Conversation, Message
from signalbox.storage.notes import find_note, put_note
from signalbox.storage.tasks import Tasks

__all__ = ["Store", "notes_of_turn"]

_LONGEST_TITLE = 200
_ROLES = ("user", "assistant")
_of_turn: ContextVar[dict[str, dict[str, Any]] | None] = ContextVar("signalbox_notes_of_turn", default=None)


class Store:
    """Everything stored for one person. It never sees or changes anything of anybody else.

    `owner` is the person's UUID; anything else raises RequestError. Every method is one transaction. Results are plain
    rows, detached from the database."""

    def __init__(self, owner: str) -> None:
        self.owner = check_owner(owner)

    @property
    def tasks(self) -> Tasks:
        """The person's tasks."""
        return Tasks(self.owner)

    # Conversations

    async def start_conversation(self, title: str = "") -> Conversation:
        """A new conversation, with a new id (a UUID)."""
        moment = now()
        started = Conversation(
            id=str(uuid.uuid4()), title=_title(title), created=moment, updated=moment, user_id=self.owner
        )
        async with owned(self.owner, writes=True) as session:
            session.add(started)
        return started

    async def conversation(self, conversation_id: str) -> Conversation:
        """One conversation. Raises NotFoundError if the person has no such conversation, or it was deleted."""
        async with owned(self.owner) as session:
            return await _conversation(session, conversation_id)

    async def conversations(self, *, limit: int = 50, offset: int = 0) -> list[Conversation]:
        """The conversations that are not deleted, most recently used first."""
        query = (
            select(Conversation)
            .where(Conversation.deleted.is_(None))
            .order_by(Conversation.updated.desc(), Conversation.id)
            .limit(limit)
            .offset(offset)
        )
        async with owned(self.owner) as session:
            return list(await session.scalars(query))

    async def rename(self, conversation_id: str, title: str) -> Conversation:
        """Rename a conversation. Raises NotFoundError, and RequestError for a title that is too long."""
        async with owned(self.owner, writes=True) as session:
            found = await _conversation(session, conversation_id)
            found.title = _title(title)
        return found

    async def delete(self, conversation_id: str) -> Conversation:
        """Delete a conversation; for 30 days `restore` brings it back. Raises NotFoundError."""
        async with owned(self.owner, writes=True) as session:
            found = await _conversation(session, conversation_id)
            found.deleted = now()
        return found

    async def restore(self, conversation_id: str) -> Conversation:
        """Restore a deleted conversation. Raises NotFoundError if it no longer exists."""
        async with owned(self.owner, writes=True) as session:
            found = await _conversation(session, conversation_id, deleted=True)
            found.deleted = None
        return found

    # Messages

    async def add_message(
        self, conversation_id: str, role: str, content: str, *, answers: int | None = None
    ) -> Message:
        """Store a message; `role` is user or assistant. `answers` is the id of the user's message that this one
        answers; a user's message without an answer counts as `unanswered`. Raises NotFoundError."""
        if role not in _ROLES:
            raise RequestError(f"The role '{role}' is unknown.", suggestion="Use user or assistant.")
        moment = now()
        said = Message(
            conversation_id=conversation_id, role=role, content=content, answers=answers, created=moment,
            user_id=self.owner,
        )  # fmt: skip
        async with owned(self.owner, writes=True) as session:
            found = await _conversation(session, conversation_id)
            found.updated = moment
            session.add(said)
        return said

    async def messages(self, conversation_id: str, *, limit: int = 50, before: int | None = None) -> list[Message]:
        """The latest messages, oldest first; `before` (a message's id) pages further back. Raises NotFoundError."""
        query = select(Message).where(Message.conversation_id == conversation_id)
        if before is not None:
            query = query.where(Message.id < before)
        async with owned(self.owner) as session:
            await _conversation(session, conversation_id)
            latest = await session.scalars(query.order_by(Message.id.desc()).limit(limit))
            return list(latest)[::-1]

    async def unanswered(self, conversation_id: str) -> list[Message]:
        """The user's messages in a conversation that no message answers, oldest first."""
        answered = select(Message.answers).where(
            Message.conversation_id == conversation_id, Message.answers.is_not(None)
        )
        query = select(Message).where(Message.conversation_id == conversation_id, Message.role == "user")
        async with owned(self.owner) as session:
            await _conversation(session, conversation_id)
            return list(await session.scalars(query.where(Message.id.not_in(answered)).order_by(Message.id)))

    # Keys for programs. A key should name its owner (`sb_<user id>_<secret>`), so that it can be looked up here.

    async def add_api_key(self, hashed: str, name: str = "") -> ApiKey:
        """Store the hash of a new key."""
        made = ApiKey(id=str(uuid.uuid4()), name=name, hash=hashed, created=now(), user_id=self.owner)
        async with owned(self.owner, writes=True) as session:
            session.add(made)
        return made

    async def api_keys(self) -> list[ApiKey]:
        """The keys, oldest first, including revoked ones."""
        async with owned(self.owner) as session:
            return list(await session.scalars(select(ApiKey).order_by(ApiKey.created, ApiKey.id)))

    async def find_api_key(self, hashed: str) -> ApiKey | None:
        """The key with this hash, if this person has it and it is not revoked."""
        query = select(ApiKey).where(ApiKey.hash == hashed, ApiKey.revoked.is_(None))
        async with owned(self.owner) as session:
            return (await session.scalars(query)).one_or_none()

    async def revoke_api_key(self, key_id: str) -> ApiKey:
        """Revoke a key. Raises NotFoundError."""
        async with owned(self.owner, writes=True) as session:
            found = (await session.scalars(select(ApiKey).where(ApiKey.id == key_id))).one_or_none()
            if found is None:
                raise NotFoundError("There is no such key.")
            found.revoked = found.revoked or now()
        return found

    # What an agent keeps of something it said

    async def note(self, digest: str) -> dict[str, Any] | None:
        """The note stored under a digest, or None."""
        return await in_one_go(self.owner, lambda transaction: find_note(transaction, digest))

    async def keep_note(self, digest: str, data: dict[str, Any]) -> None:
        """Store a note under a digest, replacing any other; inside `notes_of_turn`, it is stored with the answer."""
        collected = _of_turn.get()
        if collected is not None:
            collected[digest] = data
            return
        moment = now()
        await in_one_go(self.owner, lambda transaction: put_note(transaction, digest, data, moment), writes=True)


@contextmanager
def notes_of_turn() -> Iterator[dict[str, dict[str, Any]]]:
    """Collects the notes made inside, which `end_turn` stores in one transaction with the answer."""
    collected: dict[str, dict[str, Any]] = {}
    token = _of_turn.set(collected)
    try:
        yield collected
    finally:
        _of_turn.reset(token)


async def _conversation(session: AsyncSession, conversation_id: str, *, deleted: bool = False) -> Conversation:
    found = (await session.scalars(select(Conversation).where(Conversation.id == conversation_id))).one_or_none()
    if found is None or (found.deleted is not None and not deleted):
        raise NotFoundError("There is no such conversation.", suggestion="It may have been deleted.")
    return found


def _title(title: str) -> str:
    trimmed = " ".join(title.split())
    if len(trimmed) > _LONGEST_TITLE:
        raise RequestError(f"A title has at most {_LONGEST_TITLE} characters.", suggestion="Shorten it.")
    return trimmed
