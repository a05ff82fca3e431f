"""Who asks: the person whose tasks, threads and runs a request is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from signalbox.settings import get_settings

__all__ = ["current_person", "use_person"]

_PERSON: ContextVar[str] = ContextVar("signalbox_person", default="")


def current_person() -> str:
    """The id of who asks: bound by the service for a request; else SIGNALBOX_USER, the one person of this machine."""
    return _PERSON.get() or get_settings().user


@contextmanager
def use_person(user_id: str) -> Iterator[str]:
    """Let everything inside the block be asked by this person."""
    token = _PERSON.set(user_id)
    try:
        yield user_id
    finally:
        _PERSON.reset(token)
