"""Filling a schema from a sentence: the public function, and what it gives back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as attribute
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Any

from signalbox.models.offline.fill.english.sentence import content_words, read_sentence, stem
from signalbox.models.offline.fill.filler import Filler
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.recall import recall
from signalbox.models.offline.fill.schema import Field, read_schema
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.state import Frame, build_values, leaves_of

__all__ = ["Filling", "fill_schema", "frame_of", "leaves_in"]

_SHARED = 4


@dataclass(frozen=True)
class Filling:
    """What a sentence gives for a schema. `missing` are required fields that it does not give."""

    values: dict[str, Any]
    missing: tuple[str, ...] = ()
    confidence: dict[str, float] = attribute(default_factory=dict)
    spans: dict[str, tuple[int, int]] = attribute(default_factory=dict)


def fill_schema(
    schema: Mapping[str, Any],
    text: str,
    *,
    instructions: str = "",
    clock: datetime | None = None,
    tz: tzinfo | None = None,
    known: Mapping[str, Any] | None = None,
) -> Filling:
    """Fill an object schema from one sentence. Values come from the text alone, never from defaults.

    `instructions` may list candidates for fields; `known` holds earlier values that the text may refer to.
    """
    fields = read_schema(schema)
    reading = Reading(read_sentence(text), clock, tz)
    title, description = str(schema.get("title") or ""), str(schema.get("description") or "")
    leaves = list(leaves_in(fields))
    filled = (
        Filler(reading, leaves, frame_of(title, description, fields), instructions).fill(learned=True) if leaves else {}
    )
    filled |= recall(reading, [leaf for leaf in leaves if leaf.path not in filled], known or {})
    return Filling(
        values=build_values(fields, filled),
        missing=tuple(_missing(fields, filled)),
        confidence={path: round(min(p.score, 1.0), 3) for path, p in filled.items()},
        spans={path: (p.start, p.end) for path, p in filled.items()},
    )


@lru_cache(maxsize=256)
def leaves_in(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """The fields of a schema that hold values themselves."""
    return tuple(leaves_of(fields))


@lru_cache(maxsize=256)
def frame_of(title: str, description: str, fields: tuple[Field, ...]) -> Frame:
    """The words that speak of a schema itself."""
    leaves = leaves_in(fields)
    titled = [stem(word) for word in content_words(title)]
    described = [stem(word) for word in content_words(description)]
    names = [stem(word) for leaf in leaves for word in (*leaf.name_words, *leaf.within)]
    names += [nickname for leaf in leaves for nickname in leaf.nicknames]
    # What several fields speak of is what the schema is about.
    spoken = Counter(word for leaf in leaves for word in leaf.words)
    shared = [word for word, count in spoken.items() if count >= _SHARED]
    return Frame(frozenset([*titled, *described, *names, *shared]), frozenset(titled))


def _missing(fields: Iterable[Field], filled: Mapping[str, Proposal]) -> Iterator[str]:
    """Required fields without a value; those of an optional object only when part of it is given."""
    for field in fields:
        if field.children:
            if field.required or any(path.startswith(field.path + ".") for path in filled):
                yield from _missing(field.children, filled)
        elif field.required and field.path not in filled:
            yield field.path
