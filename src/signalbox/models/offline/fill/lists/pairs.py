"""Lists of pairs, a name and its value: "MODE=full and REGION=eu", "set the header X-Team to blue"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import STOP, read_sentence, split_name, stem
from signalbox.models.offline.fill.figures.measures import convert
from signalbox.models.offline.fill.figures.numbers import find_quantities
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal, Taken

__all__ = ["find_pairs"]

_NAMES = word_set("name key variable label header attribute field parameter param setting option property tag")
_VALUES = word_set("value val content setting data text")
_KEY = r"([A-Za-z_][\w.-]*)"
_VALUE = r"(\"[^\"]*\"|'[^']*'|[^\s,;]+)"
_SIGNED = re.compile(rf"(?<![\w.-]){_KEY}\s?(?:==?|:(?!//))\s?{_VALUE}")
_SAID = re.compile(rf"(?<![\w.-]){_KEY}\s+(?:set )?(?:to|is|as|equals|with the value|=)\s+{_VALUE}")
_CODED = re.compile(r"[A-Z][A-Z0-9_]+|\w+[-_.]\w+[\w.-]*")


def find_pairs(reading: Reading, leaf: Field, outer: frozenset[str], taken: Taken) -> Iterator[Proposal]:
    """The pairs that a sentence writes out, for a list of objects that are a name and a value."""
    fields = _pair_of(leaf)
    if fields is None:
        return
    name, value = fields
    items: list[tuple[int, dict[str, object]]] = []
    spans: list[tuple[int, int]] = []
    for found in _matches(reading, leaf, outer):
        start, end = found.start(1), found.end(2)
        typed = _typed(value, found[2].strip("\"'").rstrip(".!?"))
        if typed is not None and not taken.overlaps(start, end) and not any(start < e and s < end for s, e in spans):
            items.append((start, {name.name: found[1], value.name: typed}))
            spans.append((start, end))
    if items:
        spans.sort()
        values = [item for _, item in sorted(items, key=lambda row: row[0])]
        yield Proposal(leaf, values, spans[0][0], spans[-1][1], 0.85, running=True, pieces=tuple(spans))


def _pair_of(leaf: Field) -> tuple[Field, Field] | None:
    children = leaf.item.children if leaf.item else ()
    names = [child for child in children if child.kind == "string" and _NAMES & set(child.name_words)]
    values = [child for child in children if child not in names[:1] and _VALUES & set(child.name_words)]
    needed = {child.name for child in children if child.required}
    if not names or not values or not needed <= {names[0].name, values[0].name}:
        return None
    return names[0], values[0]


def _matches(reading: Reading, leaf: Field, outer: frozenset[str]) -> Iterator[re.Match[str]]:
    """Pairs with a sign, or in words when the key looks like one or the list's own word stands before it."""
    for found in _SIGNED.finditer(reading.text):
        if "=" in reading.text[found.end(1) : found.start(2)] or not _names(found[1], outer):
            yield found
    for found in _SAID.finditer(reading.text):
        before = reading.before(found.start(1), 1)
        said = bool(before) and before[0].stem in leaf.words
        if found[1].lower() not in STOP and (said or _CODED.fullmatch(found[1])) and not _names(found[1], outer):
            yield found


def _names(key: str, outer: frozenset[str]) -> bool:
    return any(stem(word) in outer for word in split_name(key))


def _typed(field: Field, text: str) -> object:
    """The text as the field's kind; None when it is no number that the field asks for."""
    if field.kind not in ("integer", "number"):
        return text or None
    numbers = find_quantities(read_sentence(text))
    return convert(field, numbers[0]) if numbers else None
