"""What a reference is resolved among, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Ask", "Candidate", "NotFound", "One", "Result", "Several", "View", "members", "some"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A thing of a live system: what the system knows it by, what people call it, and what else identifies it.

    `traits` are lower-case words that are true of it: role, group, state, labels, priority. `aliases` are other names:
    hostname, address. `when` is the ISO day it belongs to, such as a due date. `details` are weaker words: a note.
    """

    id: str
    name: str
    kind: str = ""
    traits: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()
    when: str | None = None
    details: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """What the conversation has in view, by ids.

    `shown` is the list last shown, in its order, and `spoken` what was spoken of last. With `offered`, `shown` are the
    options of a question that waits for its answer: then bare numbers are places.
    """

    shown: tuple[str, ...] = ()
    spoken: tuple[str, ...] = ()
    offered: bool = False


@dataclass(frozen=True, slots=True)
class One:
    """Exactly one thing is meant."""

    candidate: Candidate


@dataclass(frozen=True, slots=True)
class Several:
    """Several things are meant. `is_group`: the words describe a group (all, a range, a state) and do not list them."""

    candidates: tuple[Candidate, ...]
    is_group: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """Only the person can say which of the options is meant."""

    options: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class NotFound:
    """Nothing fits the words. `nearest` are at most three things whose names come near, the nearest first."""

    words: str
    nearest: tuple[Candidate, ...] = ()


Result = One | Several | Ask | NotFound


def some(found: Iterable[Candidate], *, is_group: bool = False) -> One | Several | None:
    """Return what was found, each thing once; None if that is nothing."""
    unique = tuple({one.id: one for one in found}.values())
    if len(unique) > 1:
        return Several(unique, is_group)
    return One(unique[0]) if unique else None


def members(found: Result | None) -> tuple[Candidate, ...]:
    """Return the things that are meant; none if that is open."""
    if isinstance(found, One):
        return (found.candidate,)
    return found.candidates if isinstance(found, Several) else ()
