"""Notes: what an agent keeps of something it said, in place of what it kept under the same digest before."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, insert, select, update

from signalbox.storage.gate import Prepared, Transaction
from signalbox.storage.models import Note

__all__ = ["find_note", "put_note"]

_notes: Any = Note.__table__
_FIND = Prepared(select(_notes.c.data).where(_notes.c.digest == bindparam("named")))
_ADD = Prepared(insert(_notes))
_CHANGE = Prepared(
    update(_notes)
    .where(_notes.c.digest == bindparam("named"))
    .values(data=bindparam("told"), created=bindparam("moment"))
)


def find_note(transaction: Transaction, digest: str) -> dict[str, Any] | None:
    """What was kept under a digest; None where nothing was."""
    kept = transaction.run(_FIND, named=digest).scalar_one_or_none()
    return dict(kept) if kept is not None else None


def put_note(transaction: Transaction, digest: str, data: dict[str, Any], moment: datetime) -> None:
    """Keep something under a digest."""
    if transaction.run(_CHANGE, named=digest, told=data, moment=moment).rowcount == 0:
        transaction.run(_ADD, digest=digest, data=data, created=moment)
