"""Work across all people: removing what was deleted long ago, and finding messages that a crash left unanswered."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import delete, select

from signalbox.settings import now
from signalbox.storage.gate import everybodys
from signalbox.storage.models import Conversation, IdempotencyKey, Message, Note, Task, TaskChange, TaskWord

__all__ = ["KEPT", "purge", "unanswered"]

KEPT = timedelta(days=30)
"""How long deleted things can be restored."""


async def purge() -> int:
    """Permanently remove what was deleted more than 30 days ago, with everything that belongs to it; returns the
    count."""
    line = now() - KEPT
    async with everybodys(writes=True) as session:
        gone = (await session.execute(select(Task.user_id, Task.task_id).where(Task.deleted < line))).all()
        for user_id, task_id in gone:
            for table in (TaskWord, TaskChange, Task):
                await session.execute(delete(table).where(table.user_id == user_id, table.task_id == task_id))
        talks = list(await session.scalars(select(Conversation.id).where(Conversation.deleted < line)))
        for conversation_id in talks:
            await session.execute(delete(Message).where(Message.conversation_id == conversation_id))
            await session.execute(delete(Conversation).where(Conversation.id == conversation_id))
        for old in (Note, IdempotencyKey, TaskChange):
            await session.execute(delete(old).where(old.created < line))
    return len(gone) + len(talks)


async def unanswered() -> list[dict[str, Any]]:
    """The user's messages that no message answers, without their words: `user_id`, `conversation_id`, `message_id`,
    `created`."""
    answered = select(Message.answers).where(Message.answers.is_not(None))
    query = (
        select(Message.user_id, Message.conversation_id, Message.id, Message.created)
        .where(Message.role == "user", Message.id.not_in(answered))
        .order_by(Message.id)
    )
    async with everybodys() as session:
        names = ("user_id", "conversation_id", "message_id", "created")
        return [dict(zip(names, row, strict=True)) for row in await session.execute(query)]
