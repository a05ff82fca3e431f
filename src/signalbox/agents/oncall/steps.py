"""A step of a plan taken apart: what is to be done, under which condition, and what guides who does it.

How a step is written: sentences that say what to do; `If …, …` (or `… if …`) for what is done only then; and sentences
that begin with Normal, Not normal, Expected, Abnormal, Problem, Why or Note, which guide and ask for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Condition", "Part", "Step", "read_condition", "read_step", "topics_in"]

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“(])")
_GUIDES = re.compile(r"(?:not\s+normal|normal|abnormal|expected|unexpected|problem|why|note|because)\b", re.IGNORECASE)
_DO = (
    "check|look|search|examine|get|read|review|verify|inspect|collect|see|pull|go|show|find|list|confirm|investigate|"
    "run|note|gather|retrieve|fetch|compare|also|then|scan|use|query|call|report|test|determine|identify|analy[sz]e"
)
_FIRST = re.compile(
    rf"(?:if|when|where|in case|should)\s+(.+?),\s*(?:then\s+)?((?:please\s+)?(?:{_DO})\b.+)", re.IGNORECASE
)
_PLAIN = re.compile(r"(?:if|when|in case)\s+(.+?),\s*(?:then\s+)?(.+)", re.IGNORECASE)
_LAST = re.compile(r"(.+?),?\s+(?:only\s+)?if\s+(.+)", re.IGNORECASE)
_WHETHER = re.compile(
    r"\b(?:check|see|verify|determine|confirm|find\s+out|know|note|tell|ask|test|whether|as)$", re.IGNORECASE
)
_ALL_WELL = re.compile(
    r"\b(?:all|every|everything|each)\b.*\b(?:up|established|fine|ok|okay|healthy|normal|operational|well|good)\b"
    r"|\bnothing\b.*\b(?:wrong|down|missing|unusual)\b|\bno\b.*\b(?:problems?|errors?|faults?|issues?)\b",
    re.IGNORECASE,
)
_ANYTHING = re.compile(
    r"\b(?:anything|any\s+(?:\w+\s+)?(?:problems?|issues?|faults?|of\s+th\w+)|something|trouble|findings?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Condition:
    """When something is done: where a finding of one of these topics stands (`topics` empty: of any), or none does."""

    text: str
    topics: frozenset[str]
    wants_none: bool = False

    def holds(self, found: Iterable[str]) -> bool:
        """Whether it holds, given the topics of what was found so far."""
        hit = any(not self.topics or topic in self.topics for topic in found)
        return hit != self.wants_none


@dataclass(frozen=True, slots=True)
class Part:
    """Something to do; with a condition, only where that holds. One that cannot be told in topics stays in the text."""

    text: str
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A step: its parts, and its guidance."""

    text: str
    parts: tuple[Part, ...]
    guidance: str


def read_step(text: str, topics: Mapping[str, Sequence[str]]) -> Step:
    """A step taken apart; `topics` has the words that tell of each topic."""
    guidance: list[str] = []
    parts: list[Part] = []
    for sentence in _SENTENCE.split(text.strip()):
        if _GUIDES.match(sentence):
            guidance.append(sentence)
        else:
            parts.append(_part(sentence, topics, " ".join(part.text for part in parts)))
    return Step(text, tuple(parts), " ".join(guidance))


def _part(sentence: str, topics: Mapping[str, Sequence[str]], before: str) -> Part:
    match = _FIRST.match(sentence) or _PLAIN.match(sentence)
    said, do = (match[1], match[2]) if match else ("", "")
    if not match and (last := _LAST.fullmatch(sentence.rstrip("."))) and not _WHETHER.search(last[1]):
        said, do = last[2], last[1]
    condition = read_condition(said, topics, before) if said else None
    return Part(do[:1].upper() + do[1:], condition) if condition else Part(sentence)


def read_condition(said: str, topics: Mapping[str, Sequence[str]], before: str = "") -> Condition | None:
    """A condition in topics; "any of them is down" is about what the step spoke of before. None where none is told."""
    found = topics_in(said, topics)
    if not found and not _ANYTHING.search(said):
        found = topics_in(before, topics)
        if not found:
            return None
    return Condition(said, frozenset(found), bool(_ALL_WELL.search(said)))


def topics_in(said: str, topics: Mapping[str, Sequence[str]]) -> set[str]:
    """The topics that words tell of; those marked ~ only where no other word tells of any."""
    words = {_bare(word) for word in re.findall(r"[A-Za-z][\w-]*", said)}
    strong = {
        topic for topic, own in topics.items() if any(_bare(one) in words for one in own if not one.startswith("~"))
    }
    return strong or {topic for topic, own in topics.items() if any(_bare(one.lstrip("~")) in words for one in own)}


def _bare(word: str) -> str:
    return word.casefold().rstrip("s")
