"""A number that nothing explains: which field may take it, if just one may."""

from __future__ import annotations

import re
from collections.abc import Iterator

from signalbox.language.vectors import is_known
from signalbox.language.words import word_set
from signalbox.models.offline.fill.figures.counted import (
    NUMBER_WORDS,
    counted_nouns,
    counts_people,
    ends_name,
    holds_people,
    label_of,
)
from signalbox.models.offline.fill.figures.measures import convert, counts, counts_one_thing
from signalbox.models.offline.fill.figures.quantities import Quantity
from signalbox.models.offline.fill.figures.units import unit_of_field
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.state import State
from signalbox.models.offline.fill.texts.roles import style_of

__all__ = ["find_count_of_value", "find_lone_number", "find_number_of_thing"]


# Fields of how many of what the schema is for there may be.
_LIMITS = word_set("limit results top count")


_THING = re.compile(
    r"(?:the )?(?:number|letter)(?: or (?:the )?(?:number|letter|name))? of (?:the|an?)\b", re.IGNORECASE
)


def find_lone_number(state: State) -> Iterator[Proposal]:
    """A number that nothing explains, when one field that counts is left."""
    waiting = [leaf for leaf in state.waiting() if leaf.kind in ("integer", "number")]
    lists = [leaf for leaf in state.waiting() if leaf.kind == "array" and leaf.item and leaf.item.kind == "integer"]
    if not waiting and not lists:
        return
    plain = [q for q in state.reading.quantities if not q.dimension and not _spoken_for(state, q)]
    if len(plain) != 1:
        yield from _needed_measure(state, waiting)
        return
    if not any(convert(leaf, plain[0]) is not None for leaf in waiting) and len(lists) == 1 and lists[0].item:
        value = convert(lists[0].item, plain[0])
        nouns = [n for n in counted_nouns(state.reading, plain[0]) if not state.taken.overlaps(n.start, n.end)]
        if value is not None and not nouns:
            yield Proposal(lists[0], [value], plain[0].start, plain[0].end, 0.5)
        return
    fitting = [(leaf, value) for leaf in waiting if (value := convert(leaf, plain[0])) is not None]
    fitting = [(leaf, value) for leaf, value in fitting if leaf.must or _may_count(state, leaf, plain[0])]
    said = {word.stem for word in state.reading.words}
    named = [(leaf, value) for leaf, value in fitting if said & set(leaf.name_stems)]
    able = [(leaf, value) for leaf, value in fitting if _may_end(state, leaf, plain[0])]
    counting = [(leaf, value) for leaf, value in able if counts(leaf) and leaf.kind == "integer"]
    counting = [(leaf, v) for leaf, v in counting if not unit_of_field(leaf.about, leaf.maximum)[0]] or counting
    required = [(leaf, value) for leaf, value in fitting if leaf.must and _may_count(state, leaf, plain[0])]
    whole = _counts_whole(state, plain[0])
    limits = [(leaf, value) for leaf, value in fitting if whole and _LIMITS & set(leaf.name_words)]
    for leaf, value in next((group for group in (limits, named, counting, able, required) if len(group) == 1), ()):
        yield Proposal(leaf, value, plain[0].start, plain[0].end, 0.5)


def find_number_of_thing(state: State) -> Iterator[Proposal]:
    """The number that a thing goes by, for the one text that asks for it: the 22 of "tram 22", of "near number 22"."""
    waiting = [leaf for leaf in state.waiting() if leaf.kind == "string" and _goes_by_number(leaf)]
    for quantity in state.reading.quantities if len(waiting) == 1 else ():
        label = None if _spoken_for(state, quantity) else label_of(state.reading, quantity)
        said = state.reading.text[quantity.start : quantity.end]
        if label is None or not said.isdigit():
            continue
        own = label.lower in NUMBER_WORDS and "number" in waiting[0].name_words
        kind = _THING.match(waiting[0].description) and state.taken.overlaps(label.start, label.end)
        if own or kind:
            yield Proposal(waiting[0], said, quantity.start, quantity.end, 0.5)


def _goes_by_number(leaf: Field) -> bool:
    free = not (leaf.options or leaf.pattern or leaf.format)
    return free and ("number" in leaf.name_words or _THING.match(leaf.description) is not None)


def find_count_of_value(state: State) -> Iterator[Proposal]:
    """A number right before the value of another field, which it counts: the three of "three legal secretaries"."""
    values = [p.start for p in state.filled.values() if p.field.kind == "string"]
    counting = [leaf for leaf in state.waiting() if leaf.kind == "integer" and counts(leaf)]
    counting = [leaf for leaf in counting if not unit_of_field(leaf.about, leaf.maximum)[0]]
    counting = [leaf for leaf in counting if holds_people(leaf) or not counts_one_thing(leaf)]
    for quantity in state.reading.quantities if len(counting) == 1 else ():
        value = None if quantity.dimension or quantity.bound else convert(counting[0], quantity)
        if value is not None and quantity.end + 1 in values and not _spoken_for(state, quantity):
            yield Proposal(counting[0], value, quantity.start, quantity.end, 0.5)


def _needed_measure(state: State, waiting: list[Field]) -> Iterator[Proposal]:
    """The one number with a unit that serves nothing, for the one required field that asks for no unit."""
    left = [q for q in state.reading.quantities if q.dimension and not _spoken_for(state, q)]
    needed = [leaf for leaf in waiting if leaf.must]
    if len(left) == len(needed) == 1 and not unit_of_field(needed[0].about, needed[0].maximum)[0]:
        value = convert(needed[0], left[0])
        if value is not None and not (counts(needed[0]) and needed[0].kind == "integer"):
            yield Proposal(needed[0], value, left[0].start, left[0].end, 0.5)


def _counts_whole(state: State, quantity: Quantity) -> bool:
    """Whether a number counts what the schema is for, by its own word or by an option for its kind."""
    options = [span for p in state.filled.values() if p.field.kind == "enum" for span in p.spans]
    return any(
        noun.stem in state.frame.title or any(start <= noun.start < end for start, end in options)
        for noun in counted_nouns(state.reading, quantity)
    )


def _may_count(state: State, leaf: Field, quantity: Quantity) -> bool:
    """Whether a number may be a field's though nothing says so: it counts no other thing, and is no share."""
    if unit_of_field(leaf.about, leaf.maximum)[0] == "percent":
        return False
    if counts_people(state.reading, quantity):
        return holds_people(leaf)
    label = label_of(state.reading, quantity)
    if label is not None and label.stem not in leaf.kin:
        # The 53 of "udp 53" may be a port, but what goes by a number is no amount.
        taken = state.taken.overlaps(label.start, label.end)
        if not taken or leaf.kind != "integer":
            return False
    found = counted_nouns(state.reading, quantity)
    nouns = {noun.stem for noun in found}
    if (
        nouns
        and any(is_known(noun.lower) for noun in found)
        and unit_of_field(leaf.about, leaf.maximum)[0] not in ("", "money")
    ):
        # What counts things is no length, weight or time.
        return False
    if not nouns or nouns & (leaf.kin | state.frame.title) or _LIMITS & set(leaf.name_words):
        return True
    return not is_known(found[0].lower) or _counts_whole(state, quantity)


def _spoken_for(state: State, quantity: Quantity) -> bool:
    """Whether a number serves a field already, or stands in somebody's own words."""
    quoted = any(start <= quantity.start < end for start, end in state.reading.quoted)
    before = state.reading.before(quantity.start, 1)
    if before and before[0].lower == "the" and not counted_nouns(state.reading, quantity):
        # "the 71" is a thing that goes by its number.
        return True
    return quoted or ends_name(state.reading, quantity) or state.taken.overlaps(quantity.start, quantity.end)


def _may_end(state: State, leaf: Field, quantity: Quantity) -> bool:
    """A bare number that counts nothing may be any field's, unless a text could hold it."""
    if counts(leaf) and leaf.kind == "integer":
        return True
    if unit_of_field(leaf.about, leaf.maximum)[0] == "money":
        if any(other.path not in state.filled and counts(other) for other in state.leaves if other.kind == "integer"):
            return False
        nouns = counted_nouns(state.reading, quantity) or counts_people(state.reading, quantity)
        return not nouns and (quantity.value >= 1000 or not _bounded_away(leaf, quantity))
    texts = any(style_of(other) == "text" for other in state.leaves if other.kind == "string" and other.must)
    follows = state.reading.after(quantity.end, 1)
    return (
        not texts
        and (not follows or not follows[0].lower.isalpha() or _stands_by(state, quantity))
        and not _bounded_away(leaf, quantity)
    )


def _stands_by(state: State, quantity: Quantity) -> bool:
    """Whether a number that counts nothing stands right behind what serves another field: the 53 of "udp 53 from"."""
    before = state.reading.before(quantity.start, 1)
    return (
        bool(before)
        and state.taken.overlaps(before[0].start, before[0].end)
        and not counted_nouns(state.reading, quantity)
    )


def _bounded_away(leaf: Field, quantity: Quantity) -> bool:
    names = set(leaf.name_words)
    return bool(names & {"min", "max", "minimum", "maximum"}) != bool(quantity.bound)
