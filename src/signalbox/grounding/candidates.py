"""The candidates for a reference, and the possible results."""

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

    `shown` is the list shown last, in order, and `spoken` what was mentioned last. With `offered`, `shown` are the
    options of an open question, so bare numbers are positions."""

    shown: tuple[str, ...] = ()
    spoken: tuple[str, ...] = ()
    offered: bool = False


@dataclass(frozen=True, slots=True)
class One:
    """Exactly one match."""

    candidate: Candidate


@dataclass(frozen=True, slots=True)
class Several:
    """Several matches. `is_group`: the words describe a group (all, a range, a state) instead of listing its
    members."""

    candidates: tuple[Candidate, ...]
    is_group: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """The words are ambiguous, and the person has to choose between the options."""

    options: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class NotFound:
    """Nothing fits the words. `nearest` has up to three things with similar names, the most similar first."""

    words: str
    nearest: tuple[Candidate, ...] = ()


Result = One | Several | Ask | NotFound


def some(found: Iterable[Candidate], *, is_group: bool = False) -> One | Several | None:
    """Return the things found, without repetitions; None if there are none."""
    unique = tuple({one.id: one for one in found}.values())
    if len(unique) > 1:
        return Several(unique, is_group)
    return One(unique[0]) if unique else None


def members(found: Result | None) -> tuple[Candidate, ...]:
    """Return the matches; none if they are not certain."""
    if isinstance(found, One):
        return (found.candidate,)
    return found.candidates if isinstance(found, Several) else ()
