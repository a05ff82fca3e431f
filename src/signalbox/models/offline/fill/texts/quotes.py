"""Text in quotes: it is a name, a title or somebody's words, and seldom a place or a person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.sentence import stem
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.literals import Literal, shape_of
from signalbox.models.offline.fill.texts.role_table import ROLES
from signalbox.models.offline.fill.texts.roles import roles_of
from signalbox.models.offline.fill.texts.sorts import sort_of

__all__ = ["find_quoted", "fits", "is_like", "shuns_quotes"]

# How likely an unannounced text in quotes is what a field asks for, by the field's role.
_WORTH = {
    "match": 0.74,
    "name": 0.74,
    "task": 0.74,
    "query": 0.74,
    "body": 0.72,
    "topic": 0.73,
    "thing": 0.73,
    "value": 0.72,
}
_TITLES = re.compile(
    r"^(?:(?:full |exact |the |a )*(?:name|title)s? (?:of|for)|what \w+(?: \w+)? is called)\b", re.IGNORECASE
)
# What holds words as they stand has the first claim to those in quotes.
_WORDED = re.compile(r"(?:the |exact |an? )*(?:text|words?|phrase|wording|string) (?:that|which|to) ", re.IGNORECASE)
_BEARERS = frozenset(("person", "place", "organisation", "destination", "origin", "copy"))
_SPOTS = word_set("location place where address city town room venue site area country region office building zone")
_PEOPLE = next(role.words for role in ROLES if role.name == "person")


def find_quoted(bounds: Bounds, field: Field, many: bool) -> Iterator[Proposal]:
    """What stands in quotes is a name or a text, even when nothing announces it."""
    if many or not bounds.reading.quoted:
        return
    needed = field.must and sort_of(field) not in ("person", "place")
    score = max(_worth(field), 0.66 if needed else 0.0)
    for literal in bounds.reading.literals:
        liked = literal.kind == "quoted" and fits(field, literal.value) and is_like(field, literal.value)
        if liked and score:
            told = 0.12 if _is_called(bounds, field, literal) else 0.0
            yield Proposal(
                field, literal.value, literal.start, literal.end, score + told + 0.05 * field.must, running=True
            )


def is_like(field: Field, quoted: str) -> bool:
    """Whether a text may be of the shape of the examples, if these are codes."""
    shapes = [shape_of(str(one)) for one in field.examples]
    coded = sort_of(field) == "title" and bool(shapes) and all(shapes) and " " in quoted
    return not coded or any(re.fullmatch(shape or "", quoted) for shape in shapes)


def shuns_quotes(field: Field, others: Iterable[Field]) -> bool:
    """Whether a text in quotes is rather another field's: this one holds a person or a place, that one a title."""
    roles = roles_of(field)
    spot = bool(set(field.name_words) & _SPOTS) and not _TITLES.match(field.description)
    shuns = sort_of(field) == "person" or (bool(roles) and (roles[0][0].name in ("person", "copy") or spot))
    if shuns:
        return any(other.path != field.path and _may_be_quoted(other) for other in others)
    worded = _WORDED.match(field.description) is not None
    return not worded and any(other.kind == "string" and _WORDED.match(other.description) for other in others)


def _may_be_quoted(field: Field) -> bool:
    """Whether a text in quotes may be a field's: it holds a title, a text or a thing of no closed form."""
    if field.kind != "string" or field.options or field.format or field.candidates or field.pattern:
        return False
    return bool(_worth(field)) or sort_of(field) in ("title", "text", "thing")


def _worth(field: Field) -> float:
    roles = roles_of(field)
    personal = {stem(word) for word in field.within} & _PEOPLE
    if field.options or field.format or field.candidates or personal or sort_of(field) == "person":
        return 0.0
    worth = max((_WORTH.get(role.name, 0.0) for role, strength in roles[:2] if strength >= 0.8), default=0.0)
    bears = any(role.name in _BEARERS for role, _ in roles[:2])
    return max(worth, 0.76) if not bears and _TITLES.match(field.description) else worth


def _is_called(bounds: Bounds, field: Field, literal: Literal) -> bool:
    """Whether the word right before the quotes is one that the field speaks of: the podcast "..."."""
    before = bounds.reading.before(literal.start, 1)
    return bool(before) and before[0].stem in field.words


def fits(field: Field, value: str) -> bool:
    """Whether a text obeys the field's length and pattern."""
    if (
        not any(c.isalnum() for c in value)
        or len(value) < field.shortest
        or (field.longest is not None and len(value) > field.longest)
    ):
        return False
    try:
        return not field.pattern or re.search(field.pattern, value[:500]) is not None
    except re.error:
        return True
