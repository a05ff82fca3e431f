"""The current person, whose tasks, threads and runs a request is about, and their own words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from signalbox.settings import get_settings

__all__ = ["current_person", "follows_results", "persons_words", "use_person", "use_results", "use_words"]

_PERSON: ContextVar[str] = ContextVar("signalbox_person", default="")
_WORDS: ContextVar[str | None] = ContextVar("signalbox_words", default=None)
_AFTER: ContextVar[bool] = ContextVar("signalbox_after_results", default=False)


def current_person() -> str:
    """The id of the current person: set by the service for a request, or SIGNALBOX_USER, the one person of this
    machine."""
    return _PERSON.get() or get_settings().user


@contextmanager
def use_person(user_id: str) -> Iterator[str]:
    """Use this person inside the block."""
    token = _PERSON.set(user_id)
    try:
        yield user_id
    finally:
        _PERSON.reset(token)


def persons_words() -> str | None:
    """The person's own words, if known, for the policy of effects. A request that a model wrote is not included."""
    return _WORDS.get()


@contextmanager
def use_words(words: str | None) -> Iterator[None]:
    """Use these words of the person inside the block."""
    token = _WORDS.set(words)
    try:
        yield
    finally:
        _WORDS.reset(token)


def follows_results() -> bool:
    """True if the request was written by a model that had seen results, which may have influenced it."""
    return _AFTER.get()


@contextmanager
def use_results(has_seen: bool) -> Iterator[None]:
    """Set inside the block whether the requesting model has seen tool results."""
    token = _AFTER.set(has_seen or _AFTER.get())
    try:
        yield
    finally:
        _AFTER.reset(token)
