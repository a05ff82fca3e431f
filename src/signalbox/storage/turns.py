"""A turn of a conversation in two transactions: what was said, and what was answered. Nothing is ever half there."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from signalbox.errors import NotFoundError
from signalbox.settings import now
from signalbox.storage.gate import check_owner, in_one_go
from signalbox.storage.models import Conversation, IdempotencyKey, Message, Note

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

    def begin(session: Session) -> Begun:
        return _begin(session, person, content, conversation_id, title, history, key, digest)

    def known(session: Session) -> Begun:
        return Begun(repeats=session.scalars(select(IdempotencyKey).where(IdempotencyKey.key == key)).one())

    try:
        return await in_one_go(person, begin, writes=True)
    except IntegrityError:
        return await in_one_go(person, known)


def _begin(
    session: Session,
    person: str,
    content: str,
    conversation_id: str | None,
    title: str,
    history: int,
    key: str | None,
    digest: str,
) -> Begun:
    moment = now()
    before: tuple[tuple[str, str], ...] = ()
    if key is not None:
        session.add(IdempotencyKey(key=key, request_hash=digest, created=moment, user_id=person))
    if conversation_id is None:
        conversation_id = str(uuid.uuid4())
        session.add(Conversation(id=conversation_id, title=title, created=moment, updated=moment, user_id=person))
    else:
        _touch(session, conversation_id, moment)
        query = select(Message.role, Message.content).where(Message.conversation_id == conversation_id)
        latest = session.execute(query.order_by(Message.id.desc()).limit(history)).all()
        before = tuple((row[0], row[1]) for row in reversed(latest))
    said = Message(conversation_id=conversation_id, role="user", content=content, created=moment, user_id=person)
    session.add(said)
    session.flush()
    return Begun(conversation_id, said.id, before)


async def end_turn(
    owner: str,
    begun: Begun,
    answer: str,
    *,
    key: str | None = None,
    status: int = 200,
    response: Any = None,
    notes: Mapping[str, dict[str, Any]] | None = None,
) -> None:
    """Keep the answer, what stands behind it (`notes`), and what is given to who repeats the request.

    Raises NotFoundError where the conversation was deleted meanwhile.
    """
    person = check_owner(owner)

    def end(session: Session) -> None:
        moment = now()
        if key is not None:
            kept = session.scalars(select(IdempotencyKey).where(IdempotencyKey.key == key)).one_or_none()
            if kept is not None:
                kept.status, kept.response = status, response
        _touch(session, begun.conversation_id, moment)
        said = {"role": "assistant", "content": answer, "answers": begun.message_id, "created": moment}
        session.add(Message(conversation_id=begun.conversation_id, user_id=person, **said))
        for digest, data in (notes or {}).items():
            session.merge(Note(user_id=person, digest=digest, data=data, created=moment))

    await in_one_go(person, end, writes=True)


def _touch(session: Session, conversation_id: str, moment: datetime) -> None:
    """Note that a conversation is used. Raises NotFoundError where this person has none, or it was deleted."""
    there = update(Conversation).where(Conversation.id == conversation_id, Conversation.deleted.is_(None))
    done = session.execute(there.values(updated=moment), execution_options={"synchronize_session": False})
    if done.rowcount == 0:  # type: ignore[attr-defined]
        raise NotFoundError("There is no such conversation.", suggestion="It may have been deleted.")
