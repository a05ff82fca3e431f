"""The tables. Each has an owner, which the gate recognises by `Owned`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, ForeignKey, Index, Integer, String, Text, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column

__all__ = [
    "ApiKey",
    "Base",
    "Conversation",
    "IdempotencyKey",
    "Message",
    "Note",
    "Numbering",
    "Owned",
    "Task",
    "TaskChange",
    "TaskWord",
]


PRIORITIES = ("low", "normal", "high")
NEVER = "9999-12-31"


class Moment(TypeDecorator[datetime]):
    """An aware moment, stored in UTC because SQLite drops the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


class Base(DeclarativeBase):
    """The root of all tables."""


class Owned:
    """A row that belongs to one person. The gate adds the owner to every query and refuses other people's rows."""

    @declared_attr
    def user_id(cls) -> Mapped[str]:
        is_key = getattr(cls, "__name__", "") in _KEYED_BY_OWNER
        return mapped_column(String(36), primary_key=is_key, sort_order=-1)


# Tables whose keys are only unique for one person.
_KEYED_BY_OWNER = ("IdempotencyKey", "Note", "Numbering", "Task", "TaskWord")


class Conversation(Owned, Base):
    """A conversation. `deleted` is when it was deleted; 30 days later it is removed."""

    __tablename__ = "conversations"
    __table_args__ = (Index("conversations_of_owner", "user_id", "updated"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    title: Mapped[str] = mapped_column(String(200), default="")
    created: Mapped[datetime] = mapped_column(Moment)
    updated: Mapped[datetime] = mapped_column(Moment)
    deleted: Mapped[datetime | None] = mapped_column(Moment, default=None)


class Message(Owned, Base):
    """What was said. An assistant's message `answers` the user's message with this id."""

    __tablename__ = "messages"
    __table_args__ = (Index("messages_of_conversation", "user_id", "conversation_id", "id"),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    conversation_id: Mapped[str] = mapped_column(ForeignKey("conversations.id", ondelete="CASCADE"))
    role: Mapped[str] = mapped_column(String(16))
    content: Mapped[str] = mapped_column(Text)
    answers: Mapped[int | None] = mapped_column(Integer, default=None, index=True)
    created: Mapped[datetime] = mapped_column(Moment)


class Task(Owned, Base):
    """A task.

    `due` is the person's wall clock: `2026-11-20`, or `2026-11-20T17:30` if a time was given. One without a due date
    has `NEVER`, which sorts last in an index.
    """

    __tablename__ = "tasks"
    __table_args__ = (
        Index("tasks_by_due", "user_id", "completed", "due", "task_id"),
        Index("tasks_by_number", "user_id", "deleted", "task_id"),
        Index("tasks_by_priority", "user_id", "completed", "priority", "task_id"),
    )

    task_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    title: Mapped[str] = mapped_column(String(500))
    description: Mapped[str] = mapped_column(Text, default="")
    completed: Mapped[bool] = mapped_column(default=False)
    due: Mapped[str] = mapped_column(String(16), default=NEVER)
    priority: Mapped[int] = mapped_column(Integer, default=1)
    """0 low, 1 normal, 2 high, for sorting; `as_dict` returns the word."""
    tags: Mapped[list[str]] = mapped_column(JSON, default=list)
    created: Mapped[datetime] = mapped_column(Moment)
    updated: Mapped[datetime] = mapped_column(Moment)
    deleted: Mapped[datetime | None] = mapped_column(Moment, default=None)

    @property
    def due_date(self) -> str | None:
        """When it is due, or None; internally `due` is then a far future day, for sorting."""
        return None if self.due == NEVER else self.due

    def as_dict(self) -> dict[str, Any]:
        """The task as tools return it, with `status` as a word in addition to `completed`."""
        return {
            "task_id": self.task_id,
            "title": self.title,
            "description": self.description,
            "status": "completed" if self.completed else "pending",
            "completed": self.completed,
            "due": self.due_date,
            "priority": PRIORITIES[self.priority],
            "tags": list(self.tags),
            "created": self.created.isoformat(timespec="seconds"),
            "updated": self.updated.isoformat(timespec="seconds"),
        }


class TaskWord(Owned, Base):
    """A word of a task, an index for finding tasks by words or tags."""

    __tablename__ = "task_words"
    __table_args__ = (Index("words_of_task", "user_id", "task_id"),)

    word: Mapped[str] = mapped_column(String(64), primary_key=True)
    task_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)


class TaskChange(Owned, Base):
    """What a turn of a conversation did to a task: `before` is null for a new one. Undo uses it."""

    __tablename__ = "task_changes"
    __table_args__ = (Index("changes_of_turn", "user_id", "turn"),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    turn: Mapped[str] = mapped_column(String(64))
    task_id: Mapped[int] = mapped_column(Integer)
    what: Mapped[str] = mapped_column(String(16))
    before: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None)
    after: Mapped[dict[str, Any]] = mapped_column(JSON)
    created: Mapped[datetime] = mapped_column(Moment)
    undone: Mapped[bool] = mapped_column(default=False)


class Numbering(Owned, Base):
    """The number that a person's latest task got."""

    __tablename__ = "numbering"

    latest: Mapped[int] = mapped_column(Integer, default=0)


class Note(Owned, Base):
    """What an agent stores about something it said, by a digest of the words: what was shown, what is open."""

    __tablename__ = "notes"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    data: Mapped[dict[str, Any]] = mapped_column(JSON)
    created: Mapped[datetime] = mapped_column(Moment, index=True)


class ApiKey(Owned, Base):
    """A key for programs; only its hash is stored."""

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), default="")
    hash: Mapped[str] = mapped_column(String(128), unique=True)
    created: Mapped[datetime] = mapped_column(Moment)
    revoked: Mapped[datetime | None] = mapped_column(Moment, default=None)


class IdempotencyKey(Owned, Base):
    """A request with an idempotency key; `status` and `response` are null until it is done."""

    __tablename__ = "idempotency_keys"

    key: Mapped[str] = mapped_column(String(200), primary_key=True)
    request_hash: Mapped[str] = mapped_column(String(64))
    status: Mapped[int | None] = mapped_column(Integer, default=None)
    response: Mapped[Any | None] = mapped_column(JSON, default=None)
    created: Mapped[datetime] = mapped_column(Moment, index=True)
