"""Who asks: the person whose tasks, threads and runs a request is about, and what they said themselves."""

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


def persons_words() -> str | None:
    """What the person said themselves, where a run knows it. A request that a model has written is nothing that the
    person said: the policy of effects goes by this."""
    return _WORDS.get()


@contextmanager
def use_words(words: str | None) -> Iterator[None]:
    """Let everything inside the block be done for what the person said in these words."""
    token = _WORDS.set(words)
    try:
        yield
    finally:
        _WORDS.reset(token)


def follows_results() -> bool:
    """True if the request was written by a model that had seen results: what it asks for may come from them."""
    return _AFTER.get()


@contextmanager
def use_results(has_seen: bool) -> Iterator[None]:
    """Let everything inside the block be asked for by a model that has seen results of tools, or none."""
    token = _AFTER.set(has_seen or _AFTER.get())
    try:
        yield
    finally:
        _AFTER.reset(token)
