"""A turn of a conversation in two transactions: what was said, and what was answered. Nothing is ever half there."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from signalbox.errors import NotFoundError
from signalbox.settings import now
from signalbox.storage.gate import check_owner, owned
from signalbox.storage.models import Conversation, IdempotencyKey, Message

__all__ = ["Begun", "begin_turn", "end_turn"]


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn that has begun: where, the id of the message, and what was said before, oldest first.

    `repeats` is there instead where the key of the request is known: then nothing was begun.
    """

    conversation_id: str = ""
    message_id: int = 0
    before: tuple[tuple[str, str], ...] = ()
    repeats: IdempotencyKey | None = None


async def begin_turn(
    owner: str,
    content: str,
    conversation_id: str | None = None,
    *,
    title: str = "",
    history: int = 49,
    key: str | None = None,
    digest: str = "",
) -> Begun:
    """Keep what a person says, in a conversation or in a new one, and claim the key of the request with it.

    Raises NotFoundError where this person has no such conversation, or it was deleted.
    """
    person = check_owner(owner)
    try:
        return await _begin(person, content, conversation_id, title, history, key, digest)
    except IntegrityError:
        async with owned(person) as session:
            known = await session.scalars(select(IdempotencyKey).where(IdempotencyKey.key == (key or "")))
            return Begun(repeats=known.one())


async def _begin(
    person: str, content: str, conversation_id: str | None, title: str, history: int, key: str | None, digest: str
) -> Begun:
    moment = now()
    before: tuple[tuple[str, str], ...] = ()
    async with owned(person, writes=True) as session:
        if key is not None:
            session.add(IdempotencyKey(key=key, request_hash=digest, created=moment, user_id=person))
        if conversation_id is None:
            talk = Conversation(id=str(uuid.uuid4()), title=title, created=moment, updated=moment, user_id=person)
            session.add(talk)
        else:
            talk = await _talk(session, conversation_id)
            talk.updated = moment
            query = select(Message.role, Message.content).where(Message.conversation_id == talk.id)
            latest = (await session.execute(query.order_by(Message.id.desc()).limit(history))).all()
            before = tuple((row[0], row[1]) for row in reversed(latest))
        said = Message(conversation_id=talk.id, role="user", content=content, created=moment, user_id=person)
        session.add(said)
        await session.flush()
    return Begun(talk.id, said.id, before)


async def end_turn(
    owner: str, begun: Begun, answer: str, *, key: str | None = None, status: int = 200, response: Any = None
) -> None:
    """Keep the answer, and what is given to who repeats the request. Raises NotFoundError where the conversation was
    deleted meanwhile."""
    person, moment = check_owner(owner), now()
    async with owned(person, writes=True) as session:
        if key is not None:
            kept = (await session.scalars(select(IdempotencyKey).where(IdempotencyKey.key == key))).one_or_none()
            if kept is not None:
                kept.status, kept.response = status, response
        talk = await _talk(session, begun.conversation_id)
        talk.updated = moment
        session.add(
            Message(
                conversation_id=talk.id, role="assistant", content=answer, answers=begun.message_id, created=moment,
                user_id=person,
            )
        )  # fmt: skip


async def _talk(session: Any, conversation_id: str) -> Conversation:
    found = (await session.scalars(select(Conversation).where(Conversation.id == conversation_id))).one_or_none()
    if found is None or found.deleted is not None:
        raise NotFoundError("There is no such conversation.", suggestion="It may have been deleted.")
    return found  # type: ignore[no-any-return]
