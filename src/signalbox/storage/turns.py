"""A turn of a conversation in two transactions: what was said, and what was answered."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError

from signalbox.errors import NotFoundError
from signalbox.settings import now
from signalbox.storage.gate import Prepared, Transaction, check_owner, in_one_go
from signalbox.storage.models import Conversation, IdempotencyKey, Message
from signalbox.storage.notes import put_note

__all__ = ["NEW", "Begun", "begin_turn", "end_turn", "read_turn"]

NEW = "new"
"""In place of a conversation's id: begin a new one."""

_talks: Any = Conversation.__table__
_said: Any = Message.__table__
_keys: Any = IdempotencyKey.__table__
_ADD_TALK, _ADD_MESSAGE, _ADD_KEY = Prepared(insert(_talks)), Prepared(insert(_said)), Prepared(insert(_keys))
_TOUCH = Prepared(
    update(_talks)
    .where(_talks.c.id == bindparam("conversation"), _talks.c.deleted.is_(None))
    .values(updated=bindparam("moment"))
)
_USED_LAST = Prepared(
    select(_talks.c.id, _talks.c.updated)
    .where(_talks.c.deleted.is_(None))
    .order_by(_talks.c.updated.desc(), _talks.c.id)
    .limit(1)
    .with_for_update()  # so that nobody deletes it before the message is in it
)
_USED_AT = Prepared(
    select(_talks.c.id).where(_talks.c.deleted.is_(None), _talks.c.updated == bindparam("moment")).limit(100)
)
_SPOKEN_IN_LAST = Prepared(
    select(_said.c.conversation_id)
    .where(_said.c.conversation_id.in_(bindparam("talks", expanding=True)))
    .order_by(_said.c.id.desc())
    .limit(1)
)
_LATEST = Prepared(
    select(_said.c.role, _said.c.content)
    .where(_said.c.conversation_id == bindparam("conversation"), _said.c.id < bindparam("message"))
    .order_by(_said.c.id.desc())
    .limit(bindparam("most"))
)
_ANSWER = Prepared(select(_said.c.content).where(_said.c.answers == bindparam("message")).limit(1))
_KEY = Prepared(select(_keys).where(_keys.c.key == bindparam("named")))
_ANSWER_KEY = Prepared(
    update(_keys)
    .where(_keys.c.key == bindparam("named"))
    .values(status=bindparam("answered"), response=bindparam("given"))
)


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn that has begun: where, and the id of the message.

    If the request's key is known, nothing was begun, and `repeats` is set instead.
    """

    conversation_id: str = ""
    message_id: int = 0
    repeats: IdempotencyKey | None = None


async def begin_turn(
    owner: str,
    content: str,
    conversation_id: str | None = None,
    *,
    title: str = "",
    key: str | None = None,
    digest: str = "",
    response: Any = None,
) -> Begun:
    """Store what a person says, and claim the key of the request; until the turn has ended, a repeated request finds
    `response`, with the ids as its `message`. Without a `conversation_id` it is said in the conversation used last, or
    in a first one; with `NEW`, in a new one.

    Raises NotFoundError if this person has no such conversation, or it was deleted.
    """
    person = check_owner(owner)

    def begin(transaction: Transaction) -> Begun:
        return _begin(transaction, content, conversation_id, title, key, digest, response)

    def known(transaction: Transaction) -> Begun:
        return Begun(repeats=IdempotencyKey(**transaction.run(_KEY, named=key).one()._mapping))

    try:
        return await in_one_go(person, begin, writes=True)
    except IntegrityError:
        return await in_one_go(person, known)


def _begin(
    transaction: Transaction,
    content: str,
    conversation_id: str | None,
    title: str,
    key: str | None,
    digest: str,
    response: Any,
) -> Begun:
    moment = now()
    if conversation_id is None:
        conversation_id = _last_used(transaction) or NEW
    if conversation_id == NEW:
        conversation_id = str(uuid.uuid4())
        transaction.run(_ADD_TALK, id=conversation_id, title=title, created=moment, updated=moment)
    else:
        _touch(transaction, conversation_id, moment)
    said = {"conversation_id": conversation_id, "role": "user", "content": content, "created": moment}
    number = transaction.run(_ADD_MESSAGE, **said).inserted_primary_key
    begun = Begun(conversation_id, int(number[0]) if number else 0)
    if key is not None:
        where = {"conversation_id": begun.conversation_id, "message_id": begun.message_id}
        kept = {**(response or {}), "message": where}
        transaction.run(_ADD_KEY, key=key, request_hash=digest, created=moment, response=kept)
    return begun


async def read_turn(owner: str, begun: Begun, history: int) -> tuple[tuple[tuple[str, str], ...], str | None]:
    """The latest messages before that of a turn, oldest first, and its answer if there is one."""

    def read(transaction: Transaction) -> tuple[tuple[tuple[str, str], ...], str | None]:
        answer = transaction.run(_ANSWER, message=begun.message_id).scalar()
        where = {"conversation": begun.conversation_id, "message": begun.message_id, "most": history}
        latest = transaction.run(_LATEST, **where).all()
        return tuple((row[0], row[1]) for row in reversed(latest)), answer

    return await in_one_go(check_owner(owner), read)


def _last_used(transaction: Transaction) -> str | None:
    """The id of the conversation that this person used last. While it is None, no other transaction begins one for
    them."""
    found = transaction.run(_USED_LAST).first()
    if found is None:
        # Two first messages may come at once.
        transaction.exclude_others()
        found = transaction.run(_USED_LAST).first()
    if found is None:
        return None
    same = transaction.run(_USED_AT, moment=found.updated).scalars().all()
    # While the clock stands still, the order of the messages tells.
    return str((transaction.run(_SPOKEN_IN_LAST, talks=same).scalar() if len(same) > 1 else None) or found.id)


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
    """Store the answer, its `notes`, and the response for repeated requests; an existing answer is kept.

    Raises NotFoundError if the conversation was deleted meanwhile.
    """
    person = check_owner(owner)

    def end(transaction: Transaction) -> None:
        moment = now()
        _touch(transaction, begun.conversation_id, moment)
        if transaction.run(_ANSWER, message=begun.message_id).first() is not None:
            return  # that of another process, which had taken the turn over
        if key is not None:
            transaction.run(_ANSWER_KEY, named=key, answered=status, given=response)
        said = {"role": "assistant", "content": answer, "answers": begun.message_id, "created": moment}
        transaction.run(_ADD_MESSAGE, conversation_id=begun.conversation_id, **said)
        for digest, data in (notes or {}).items():
            put_note(transaction, digest, data, moment)

    await in_one_go(person, end, writes=True)


def _touch(transaction: Transaction, conversation_id: str, moment: datetime) -> None:
    """Mark a conversation as used. Raises NotFoundError if the person has no such conversation, or it was deleted."""
    if transaction.run(_TOUCH, conversation=conversation_id, moment=moment).rowcount == 0:
        raise NotFoundError("There is no such conversation.", suggestion="It may have been deleted.")
