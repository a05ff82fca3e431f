"""Notes that an agent stores about something it said; a new note replaces the one under the same digest."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Insert, bindparam, select
from sqlalchemy.dialects import postgresql, sqlite

from signalbox.storage.gate import Prepared, Transaction
from signalbox.storage.models import Note

__all__ = ["find_note", "put_note"]

_notes: Any = Note.__table__
_FIND = Prepared(select(_notes.c.data).where(_notes.c.digest == bindparam("named")))


def _put(made: Any) -> Prepared:
    replaced = {name: made.excluded[name] for name in ("data", "created")}
    put: Insert = made.on_conflict_do_update(index_elements=["user_id", "digest"], set_=replaced)
    return Prepared(put)


_PUT = {"sqlite": _put(sqlite.insert(_notes)), "postgresql": _put(postgresql.insert(_notes))}


def find_note(transaction: Transaction, digest: str) -> dict[str, Any] | None:
    """The note stored under a digest, or None."""
    kept = transaction.run(_FIND, named=digest).scalar_one_or_none()
    return dict(kept) if kept is not None else None


def put_note(transaction: Transaction, digest: str, data: dict[str, Any], moment: datetime) -> None:
    """Store a note under a digest."""
    transaction.run(_PUT[transaction.dialect], digest=digest, data=data, created=moment)
