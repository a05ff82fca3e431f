"""Plain words that nothing announces: those of a part of the text that only one field is left to hold."""

from __future__ import annotations

from functools import lru_cache

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.lexicon import is_verb_form
from signalbox.models.offline.fill.english.noun_kinds import kind_of_noun
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.texts.chunks import Chunk, is_verb
from signalbox.models.offline.fill.texts.literals import shape_of
from signalbox.models.offline.fill.texts.roles import roles_of
from signalbox.models.offline.fill.texts.sorts import CODED, sort_of

__all__ = ["end_of_part", "left_over", "like_examples", "opens_part"]

_ALIKE = 0.06
_LEFT = 0.16
_LEFT_THING = 0.25
# What only holds the thing that is spoken of.
_WRAPS = word_set("box boxes carton packaging package parcel delivery shipment rest colour color order")
# Fields for what somebody says, which plain words beside others are not.
_WORDED = word_set("body question remark task tag label code copy language grouping ordering means value")
_JUDGING = word_set(
    """good bad great big small huge long short quick fast slow wrong right happy sad sorry nice poor awful terrible
    excellent perfect strange odd full whole main usual other another same different first second next last more less
    kind best worst better worse strong weak urgent important easy hard high low late early regular final free"""
)
_ABSTRACT = word_set(
    """news question problem trouble story job idea luck help party call meeting size time way matter thing things stuff
    issue reason quality price cost number name note word words work case point fact request update reminder notice
    visit trip event day today office service delivery order experience mistake hurry rush end start team people life
    dinner lunch breakfast weather chance hope love fun joy thanks regards greetings feedback advice support"""
)
_ABSTRACT_ENDINGS = ("ness", "ity", "ship", "ance", "ence", "ism", "hood", "sion", "tion")
_DETERMINERS = word_set("the a an my our your his her their its this that these those some any")


def like_examples(bounds: Bounds, field: Field, chunk: Chunk) -> float:
    """More for plain words that stand alone, for a field whose examples are such: "blocked drain" like "burst pipe"."""
    if chunk.kind not in ("plain", "small") or not _stands_alone(bounds, chunk):
        return 0.0
    shown = [str(one).split() for one in field.examples if str(one).replace(" ", "").isalpha()]
    if not shown or len(shown) < len(field.examples) or not all(words[-1].islower() for words in shown):
        return 0.0
    size = chunk.last - chunk.first
    return _ALIKE if size <= max(map(len, shown)) + 1 else 0.0


def left_over(bounds: Bounds, field: Field, chunk: Chunk, waiting: list[Field]) -> float:
    """More for plain words that stand alone or that a part is about, for the one field that waits for such."""
    if field.must or chunk.kind not in ("plain", "small") or not _is_open(field) or chunk.value.lower() in _WRAPS:
        return 0.0
    if any(other.path != field.path and _is_open(other) for other in waiting) or not opens_part(bounds, chunk):
        return 0.0
    if sort_of(field) == "thing" and not _is_concrete(bounds, chunk):
        return 0.0
    roles = roles_of(field)
    told = bool(roles) and roles[0][0].name == "thing" and roles[0][1] == 1.0
    if told:
        return _LEFT_THING * (kind_of_noun(bounds.tokens[chunk.last - 1].lower) != "person")
    return _LEFT if _stands_alone(bounds, chunk) or end_of_part(bounds, chunk) > chunk.last else 0.0


def _is_concrete(bounds: Bounds, chunk: Chunk) -> bool:
    """Whether a chunk may be a thing that one can point at: no verdict as "good news", nothing abstract."""
    words = [token.lower for token in bounds.tokens[chunk.first : chunk.last]]
    following = bounds.tokens[chunk.last].lower if chunk.last < len(bounds.tokens) else ""
    wished = len(words) == 1 and is_verb_form(words[0]) and bounds.tokens[chunk.first - 1].lower not in _DETERMINERS
    if wished or words[0].endswith("ing") or following in ("please", "only"):
        # "Exchange please", "moving abroad", "cash only".
        return False
    return _JUDGING.isdisjoint(words) and words[-1] not in _ABSTRACT and not words[-1].endswith(_ABSTRACT_ENDINGS)


@lru_cache(maxsize=5_000)
def _is_open(field: Field) -> bool:
    """Whether a field asks for a thing or a matter in plain words, and neither for a code nor for somebody's text."""
    if field.kind != "string" or CODED & set(field.name_words) or any(map(shape_of, map(str, field.examples))):
        return False
    roles = roles_of(field)
    return sort_of(field) in ("thing", "text") and not (roles and roles[0][0].name in _WORDED)


def opens_part(bounds: Bounds, chunk: Chunk) -> bool:
    """Whether only an article, a number or what serves other fields stands before a chunk in its part of the text."""
    at = chunk.first - 1
    while at >= 0 and (bounds.tokens[at].lower in _DETERMINERS or bounds.in_quantity(at)):
        at -= 1
    return at < 0 or bounds.tokens[at].text in ",;.!?:-"


def end_of_part(bounds: Bounds, chunk: Chunk) -> int:
    """Where a noun ends with all that tells more of it: "noise from the street"; else where the chunk does."""
    last, tokens = chunk.last, bounds.tokens
    if last >= len(tokens) or tokens[last].lower not in POS["inner"]:
        return chunk.last
    while last < min(len(tokens), chunk.last + 5) and tokens[last].text[0].isalnum():
        named = tokens[last].text[0].isupper() or is_verb(bounds, last)
        if named or bounds.blocked(last) or bounds.in_quantity(last) or bounds.timed(last):
            return chunk.last
        last += 1
    return last if last == len(tokens) or tokens[last].text in ",;.!?" else chunk.last


def _stands_alone(bounds: Bounds, chunk: Chunk) -> bool:
    """Whether a chunk, with the article before it, stands between signs and ends."""
    first = chunk.first - (chunk.first > 0 and bounds.tokens[chunk.first - 1].lower in _DETERMINERS)
    tokens = bounds.tokens
    before = first == 0 or not tokens[first - 1].text[0].isalnum()
    return before and (chunk.last == len(tokens) or not tokens[chunk.last].text[0].isalnum())
