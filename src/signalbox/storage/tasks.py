"""A person's tasks: storing, finding, changing, and undoing changes."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Executable, Select, delete, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from signalbox.errors import NotFoundError
from signalbox.language.words import stem, tokens, word_set
from signalbox.settings import now
from signalbox.storage.gate import Prepared, in_one_go, in_session
from signalbox.storage.models import NEVER, PRIORITIES, Numbering, Task, TaskChange, TaskWord

__all__ = ["Change", "Page", "TaskFilter", "Tasks", "words_of"]

# A type by another name: inside the class `list` is a method.
Rows = list
Sort = Literal["due", "priority", "created", "title"]
_table: Any = Task.__table__
_KEPT = ("title", "description", "completed", "due", "priority", "tags")
_LONGEST_WORD = 64
_MOST_WORDS = 200
_MOST_COUNTED = 1000
_MOST_NAMED, _MOST_DELETED = 50, 20
_LIGHT = word_set("the a an and or to of for in on at with my i it is")
_FINISHED = Prepared(select(_table.c.task_id).where(_table.c.completed.is_(True), _table.c.deleted.is_(None)).limit(1))


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Which tasks, in which order, and which page of them. Days are half-open: from `due_from` to before `due_to`.

    `overdue` is the moment, on the person's clock, before which a pending task should have been done.
    """

    status: Literal["pending", "completed", "all"] = "pending"
    due_from: str | None = None
    due_to: str | None = None
    no_due: bool = False
    overdue: datetime | None = None
    priority: str | None = None
    tag: str | None = None
    text: str | None = None
    sort: Sort = "due"
    limit: int = 20
    offset: int = 0

    @property
    def is_plain(self) -> bool:
        """True if an index provides the first page directly, however many tasks there are."""
        plain = TaskFilter(self.status, sort=self.sort, limit=self.limit)
        return self == plain and self.sort != "title" and self.limit <= 100


@dataclass(frozen=True, slots=True)
class Page:
    """A page of tasks, and how many there are in all, counted up to a thousand."""

    tasks: list[Task] = field(default_factory=list)
    total: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to a task: `what` is added, updated, completed, reopened, deleted or restored."""

    what: str
    task: Task
    before: dict[str, Any] | None


class Tasks:
    """The tasks of one person. A change belongs to a `turn`, by which it can be undone.

    A repeated call with the same turn changes nothing: each call has its own turn. Every method is one
    transaction. An unknown or deleted task raises NotFoundError.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner

    async def add(
        self, title: str, *, description: str = "", due: str | None = None, priority: str = "normal",
        tags: Rows[str] | None = None, turn: str = "",
    ) -> Task:  # fmt: skip
        """A new task, with the next number of this person. A turn that has already added one gets the same one
        again."""

        def add(session: Session) -> Task:
            before = _made_before(session, turn, None)
            if before is not None:
                return before
            moment = now()
            task = Task(
                user_id=self._owner, task_id=_next_number(session), title=title, description=description,
                due=due or NEVER, priority=PRIORITIES.index(priority), tags=tags or [], completed=False,
                created=moment, updated=moment,
            )  # fmt: skip
            session.add(task)
            _index(session, task)
            _record(session, turn, "added", task, None)
            return task

        return await in_session(self._owner, add, writes=True, is_short=True)

    async def get(self, task_id: int) -> Task:
        """One task."""
        return await in_session(self._owner, lambda session: _task(session, task_id), is_short=True)

    async def several(self, task_ids: Rows[int], *, deleted: bool = False) -> Rows[Task]:
        """The existing ones of these tasks, in the order of the numbers given; with `deleted`, deleted ones too."""
        query = select(Task).where(Task.task_id.in_(task_ids[:_MOST_WORDS]))
        if not deleted:
            query = query.where(Task.deleted.is_(None))
        found = {task.task_id: task for task in await self._all(query)}
        return [found[one] for one in dict.fromkeys(task_ids) if one in found]

    async def list(self, wanted: TaskFilter) -> Page:
        """A page of the tasks that match."""
        query = _filtered(wanted)
        counted = query.with_only_columns(Task.task_id).limit(_MOST_COUNTED).subquery()
        page = _sorted(query, wanted.sort).limit(wanted.limit).offset(wanted.offset)

        def find(session: Session) -> Page:
            found = [*session.scalars(page)]
            if len(found) < wanted.limit and (found or not wanted.offset):
                # The page is the last: what stands before it and on it is all there is.
                return Page(found, min(wanted.offset + len(found), _MOST_COUNTED))
            return Page(found, int(session.scalar(select(func.count()).select_from(counted)) or 0))

        return await in_session(self._owner, find, is_short=wanted.is_plain)

    async def naming(self, words: Rows[str]) -> Rows[Task]:
        """The tasks that share words with these, those that share most first, the latest of equals first."""
        stems = sorted(set(_stems(" ".join(words))))
        if not stems:
            return []
        ranked = (
            select(TaskWord.task_id, func.count().label("shared"))
            .where(TaskWord.word.in_(stems))
            .group_by(TaskWord.task_id)
            .order_by(func.count().desc(), TaskWord.task_id.desc())
            .limit(_MOST_NAMED)
        )
        return await self.several(await self._all(ranked))

    async def latest(self, *, most: int = 50) -> Rows[Task]:
        """The latest tasks, the newest first."""
        return await self._all(select(Task).where(Task.deleted.is_(None)).order_by(Task.task_id.desc()).limit(most))

    async def _all(self, query: Executable) -> Rows[Any]:
        """The results of a query: its rows, or the first column of each."""
        return await in_session(self._owner, lambda session: [*session.scalars(query)])

    async def update(self, task_id: int, changes: dict[str, Any], *, turn: str = "", what: str = "updated") -> Change:
        """Change the given ones of title, description, completed, due, priority (in words) and tags."""

        def change(session: Session) -> Change:
            task = _task(session, task_id)
            before = _state(task)
            if _made_before(session, turn, task_id) is not None:
                return Change(what, task, before)
            for name, value in changes.items():
                setattr(task, name, _kept(name, value))
            task.updated = now()
            _reindex(session, task)
            _record(session, turn, what, task, before)
            return Change(what, task, before)

        return await in_session(self._owner, change, writes=True, is_short=True)

    async def complete(self, task_id: int, *, turn: str = "") -> Change:
        """Mark a task as done."""
        return await self.update(task_id, {"completed": True}, turn=turn, what="completed")

    async def reopen(self, task_id: int, *, turn: str = "") -> Change:
        """Reopen a finished task."""
        return await self.update(task_id, {"completed": False}, turn=turn, what="reopened")

    async def delete(self, task_id: int, *, turn: str = "") -> Change:
        """Delete a task; it can be restored for 30 days."""

        def remove(session: Session) -> Change:
            done = _made_before(session, turn, task_id)
            if done is not None:
                return Change("deleted", done, _state(done))
            task = _task(session, task_id)
            before = _state(task)
            task.deleted = task.updated = now()
            _unindex(session, task)
            _record(session, turn, "deleted", task, before)
            return Change("deleted", task, before)

        return await in_session(self._owner, remove, writes=True, is_short=True)

    async def restore(self, task_id: int, *, turn: str = "") -> Change:
        """Restore a deleted task."""

        def bring_back(session: Session) -> Change:
            task = _task(session, task_id, deleted=True)
            before = _state(task)
            task.deleted, task.updated = None, now()
            _reindex(session, task)
            _record(session, turn, "restored", task, before)
            return Change("restored", task, before)

        return await in_session(self._owner, bring_back, writes=True, is_short=True)

    async def has_finished(self) -> bool:
        """True if any task is done."""
        return await in_one_go(self._owner, lambda transaction: transaction.run(_FINISHED).first() is not None)

    async def deleted(self) -> Rows[Task]:
        """The tasks that can still be restored, most recently deleted first."""
        query = select(Task).where(Task.deleted.is_not(None)).order_by(Task.deleted.desc()).limit(_MOST_DELETED)
        return await self._all(query)

    async def changed_by(self, turn: str, *, even_undone: bool = False) -> Rows[Change]:
        """The changes of a turn, in order, that were not undone: a repeated step looks here first. With `even_undone`,
        also those that were undone."""
        query = select(TaskChange).where(TaskChange.turn == turn).order_by(TaskChange.id)
        query = query if even_undone else query.where(TaskChange.undone.is_(False))

        def find(session: Session) -> Rows[Change]:
            changes = session.scalars(query).all()
            numbers = [one.task_id for one in changes]
            tasks = {one.task_id: one for one in session.scalars(select(Task).where(Task.task_id.in_(numbers)))}
            return [Change(one.what, tasks[one.task_id], one.before) for one in changes if one.task_id in tasks]

        return await in_session(self._owner, find)

    async def latest_turn(self) -> str | None:
        """The turn of the latest change that was not undone; None if there is none."""
        query = select(TaskChange.turn).where(TaskChange.undone.is_(False)).order_by(TaskChange.id.desc()).limit(1)
        return next(iter(await self._all(query)), None)

    async def undo(self, turn: str, task_ids: Rows[int] | None = None) -> Rows[Change]:
        """Undo all changes of a turn, or those to these tasks, the latest first; nothing if that was already done. Each
        change without a turn counts as a turn. Later changes stay, except to the fields that the turn had changed."""
        query = select(TaskChange).where(TaskChange.turn == turn, TaskChange.undone.is_(False))
        if task_ids:
            query = query.where(TaskChange.task_id.in_(task_ids))

        def take_back(session: Session) -> Rows[Change]:
            done = []
            for change in session.scalars(query.order_by(TaskChange.id.desc())).all():
                task = session.scalars(select(Task).where(Task.task_id == change.task_id)).one_or_none()
                if task is not None:
                    done.append(Change(change.what, task, change.before))
                    _put_back(task, change)
                    _reindex(session, task)
                change.undone = True
            return done

        return await in_session(self._owner, take_back, writes=True)


def _kept(name: str, value: Any) -> Any:
    if name == "priority":
        return PRIORITIES.index(value)
    return (value or NEVER) if name == "due" else value


def words_of(task: Task) -> set[str]:
    """The words that a task is found by."""
    return set(_stems(f"{task.title} {task.description[:2000]}"))


def _stems(text: str) -> list[str]:
    """The words of a text without their endings, and without those that nearly every task has."""
    return [stem(word)[:_LONGEST_WORD] for word in tokens(text)[:_MOST_WORDS] if word not in _LIGHT]


def _put_back(task: Task, change: TaskChange) -> None:
    if change.before is None:
        task.deleted = now()
    else:
        for name in _KEPT:
            if change.before[name] != change.after[name]:
                setattr(task, name, change.before[name])
        task.deleted = now() if change.before["deleted"] else None
    task.updated = now()


def _state(task: Task) -> dict[str, Any]:
    return {**{name: getattr(task, name) for name in _KEPT}, "deleted": task.deleted is not None}


def _record(session: Session, turn: str, what: str, task: Task, before: dict[str, Any] | None) -> None:
    kept = {"user_id": task.user_id, "turn": turn or uuid.uuid4().hex, "task_id": task.task_id, "what": what}
    session.add(TaskChange(**kept, before=before, after=_state(task), created=now(), undone=False))


def _task(session: Session, task_id: int, *, deleted: bool = False) -> Task:
    found = (session.scalars(select(Task).where(Task.task_id == task_id))).one_or_none()
    if found is None or (found.deleted is not None) != deleted:
        raise NotFoundError(f"Task with ID {task_id} does not exist", suggestion="It may have been deleted.")
    return found


def _made_before(session: Session, turn: str, task_id: int | None) -> Task | None:
    """The task that this turn has changed before: a call repeated after a crash changes nothing."""
    if not turn:
        return None
    query = select(TaskChange.task_id).where(TaskChange.turn == turn)
    if task_id is not None:
        query = query.where(TaskChange.task_id == task_id)
    number = (session.scalars(query.limit(1))).one_or_none()
    return session.get(Task, (session.info["owner"], number)) if number is not None else None


def _next_number(session: Session) -> int:
    """The next number of this person: one more than ever before, so that numbers are never reused."""
    for _ in range(2):
        raised = session.scalars(
            update(Numbering).values(latest=Numbering.latest + 1).returning(Numbering.latest),
            execution_options={"synchronize_session": False},
        )
        number = raised.one_or_none()
        if number is not None:
            return int(number)
        try:
            with session.begin_nested():
                session.add(Numbering(latest=0))
        except IntegrityError:
            continue
    raise NotFoundError("The person's numbering is missing.")


def _index(session: Session, task: Task) -> None:
    words = words_of(task) | {f"#{tag.casefold()}"[:_LONGEST_WORD] for tag in task.tags}
    session.add_all(TaskWord(user_id=task.user_id, word=word, task_id=task.task_id) for word in sorted(words))


def _unindex(session: Session, task: Task) -> None:
    session.execute(
        delete(TaskWord).where(TaskWord.task_id == task.task_id), execution_options={"synchronize_session": False}
    )


def _reindex(session: Session, task: Task) -> None:
    _unindex(session, task)
    if task.deleted is None:
        _index(session, task)


def _filtered(wanted: TaskFilter) -> Select[Any]:
    query = select(Task).where(Task.deleted.is_(None))
    if wanted.status != "all":
        query = query.where(Task.completed.is_(wanted.status == "completed"))
    if wanted.due_from is not None:
        query = query.where(Task.due >= wanted.due_from, Task.due != NEVER)
    if wanted.due_to is not None:
        query = query.where(Task.due < wanted.due_to)
    if wanted.no_due:
        query = query.where(Task.due == NEVER)
    if wanted.overdue is not None:
        query = query.where(_is_late(wanted.overdue))
    if wanted.priority is not None:
        query = query.where(Task.priority == PRIORITIES.index(wanted.priority))
    words = [f"#{wanted.tag.casefold()}"] if wanted.tag else []
    for word in [*words, *_stems(wanted.text or "")]:
        query = query.where(Task.task_id.in_(select(TaskWord.task_id).where(TaskWord.word == word[:_LONGEST_WORD])))
    return query


def _is_late(moment: datetime) -> Any:
    """A task due on a day is overdue once the day is over, one due at a time once that time has come."""
    today, minute = moment.strftime("%Y-%m-%d"), moment.strftime("%Y-%m-%dT%H:%M")
    return or_(Task.due < today, (Task.due > today) & (Task.due <= minute))


def _sorted(query: Select[Any], sort: Sort) -> Select[Any]:
    by = {
        "due": (Task.due, Task.task_id),
        "priority": (Task.priority.desc(), Task.task_id.desc()),
        "created": (Task.task_id,),
        "title": (func.lower(Task.title), Task.task_id),
    }
    return query.order_by(*by[sort])
