"""Lists: several options, numbers, literals or phrases for one field."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.everyday import COUNTRIES, LANGUAGES
from signalbox.models.offline.fill.english.sentence import stem
from signalbox.models.offline.fill.figures.measures import convert
from signalbox.models.offline.fill.lists.moment_lists import find_moment_list
from signalbox.models.offline.fill.options.choices import find_choices
from signalbox.models.offline.fill.options.weekdays import find_weekdays
from signalbox.models.offline.fill.options.wholes import find_wholes
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal, Taken
from signalbox.models.offline.fill.texts.names import find_names
from signalbox.models.offline.fill.texts.phrases import find_phrases
from signalbox.models.offline.fill.times.moments import time_kind

__all__ = ["find_closed_list", "find_phrase_list", "part_spans", "split_items"]

_BETWEEN = re.compile(
    r"\s*(?:,|;|/|\+|&|and|or|n|,\s*and|,\s*or|plus|as well as|\s)\s*(?:the |a |an |also |at )?", re.IGNORECASE
)
_JOINED_NAME = re.compile(r"\s*(?:,|/|\bor\b|\band\b|&)\s*([A-Z][\w'-]+(?: [A-Z][\w'-]+)?)(?=\s*(?:$|[,.;!?]|\b[a-z]))")
_JOINED_NOUN = re.compile(
    r"\s*(?:,|/|\bor\b|\band\b|&)\s*(?:an?\s+|the\s+|some\s+)?"
    r"([a-z][a-z-]+(?: [a-z][a-z-]+)?)(?=\s*(?:$|[,.;!?]|(?:and|or|for|in|on|at|to|with|from|by)\b))"
)
_SEPARATOR = re.compile(
    r"(?:,\s{0,3}and\b|,\s{0,3}or\b|,|;|\n|\band\b|\bor\b|\bplus\b|&|\+(?=\s|[^\W\d])|\bas well as\b|(?<=\s)n(?=\s)|"
    r"\s/\s|(?<=[a-z]{2})/(?=[a-z]{2}))",
    re.IGNORECASE,
)
# Classes that are known nearly in full, by what a field calls them.
_CLASSES = (("country", COUNTRIES), ("countries", COUNTRIES), ("language", LANGUAGES))
_KNOWN = 0.8
_PART_END = re.compile(rf"{_SEPARATOR.pattern}|[:.!?](?=\s|$)", re.IGNORECASE)


def find_closed_list(reading: Reading, field: Field, taken: Taken) -> list[Proposal]:
    """Proposals for a list whose items have a closed form: options, numbers or literals."""
    item = field.item
    if item is None:
        return []
    if time_kind(item):
        return find_moment_list(reading, field, item)
    if item.kind == "enum":
        if whole := find_weekdays(reading, field) or find_wholes(reading, field):
            return whole
        options = [p for p in find_choices(reading, item) if not taken.overlaps(p.start, p.end)]
        options = [p for p in options if not _bounds_number(reading, p) and not _inside_literal(reading, p)]
        # What is only near in meaning is too weak for a list that may stay empty.
        options = [p for p in options if p.score >= 0.72 or field.must or reading.cue(field, p.start, p.end)]
        # Beside an option that is named, one that is only akin to some word is none.
        sure = any(p.score >= 0.9 for p in options)
        options = [p for p in options if p.score >= 0.85 or not sure]
        return _gather(field, _apart(options), anywhere=True, text=reading.text)
    if item.kind in ("integer", "number"):
        return _numbers(reading, field, item)
    if item.kind == "string":
        shown = () if item.pattern else _shown(item)
        if found := _by_examples(reading, field, replace(item, options=shown)) if shown else []:
            return found
        return _gather(field, _apart(find_names(reading, item)), anywhere=False, text=reading.text)
    return []


def _shown(item: Field) -> tuple[str, ...]:
    """The examples of an item that are plain names; a list of examples may hold whole lists."""
    rows = [one if isinstance(one, list) else [one] for one in item.examples]
    return tuple(one for row in rows for one in row if isinstance(one, str) and one.replace(" ", "").isalpha())


def _by_examples(reading: Reading, field: Field, item: Field) -> list[Proposal]:
    """A list with an example in it: the example, and the names that commas and "or" join to it."""
    named = [p for p in find_choices(reading, item) if p.score >= 0.95]
    named = [p for p in named if not field.must or reading.text[p.start].isupper()]
    spans: list[tuple[int, int]] = []
    for one in sorted(named, key=lambda p: p.start):
        if any(start < one.end and one.start < end for start, end in spans):
            continue
        spans.append((one.start, one.end))
        joined = _JOINED_NAME if reading.text[one.start].isupper() else _JOINED_NOUN
        while following := joined.match(reading.text, spans[-1][1]):
            spans.append(following.span(1))
    spans = sorted(set(spans))
    items = [Proposal(field, reading.text[start:end], start, end, 0.85) for start, end in spans]
    return [_as_list(field, items)] if items else []


def _inside_literal(reading: Reading, proposal: Proposal) -> bool:
    """Whether a word is only part of an address or of a text in quotes."""
    solid = [one for one in reading.literals if one.kind in ("quoted", "email", "url", "host", "file")]
    return any(one.start <= proposal.start and proposal.end < one.end for one in solid)


def _bounds_number(reading: Reading, proposal: Proposal) -> bool:
    """Whether a word only bounds a number: "two hours tops"."""
    reaches = [(q.reach, q.start, q.end) for q in reading.quantities if q.bound]
    return any(
        reach[0] <= proposal.start and proposal.end <= reach[1] and not (start <= proposal.start < end)
        for reach, start, end in reaches
    )


def _apart(proposals: list[Proposal]) -> list[Proposal]:
    """The best proposals that do not overlap, left to right."""
    chosen: list[Proposal] = []
    for proposal in sorted(proposals, key=lambda p: (-p.score, p.start - p.end)):
        if all(proposal.end <= other.start or other.end <= proposal.start for other in chosen):
            chosen.append(proposal)
    return sorted(chosen, key=lambda p: p.start)


def _gather(field: Field, items: list[Proposal], *, anywhere: bool, text: str) -> list[Proposal]:
    """Items as lists: all of them, or each run that only commas and "and" part."""
    if not items:
        return []
    runs: list[list[Proposal]] = [[items[0]]]
    for item in items[1:]:
        if anywhere or _BETWEEN.fullmatch(text[runs[-1][-1].end : item.start]):
            runs[-1].append(item)
        else:
            runs.append([item])
    return [_as_list(field, run) for run in runs]


def _as_list(field: Field, items: list[Proposal]) -> Proposal:
    values: list[Any] = []
    for item in items:
        if item.value not in values:
            values.append(item.value)
    pieces = tuple((item.start, item.end) for item in items)
    score = max(item.score for item in items) + 0.02 * (min(len(values), 3) - 1)
    return Proposal(field, values, pieces[0][0], pieces[-1][1], score, pieces=pieces)


def _numbers(reading: Reading, field: Field, item: Field) -> list[Proposal]:
    found = [
        Proposal(field, value, q.start, q.end, 0.55 + 0.4 * reading.cue(field, q.start, q.end))
        for q in reading.quantities
        if (value := convert(item, q)) is not None
    ]
    lists = _gather(field, found, anywhere=False, text=reading.text)
    return [p for p in lists if field.must or len(p.value) > 1 or p.score > 0.6]


def find_phrase_list(bounds: Bounds, field: Field) -> list[Proposal]:
    """Proposals for a list of free phrases: what announces the field, cut at commas and "and"."""
    found = []
    for proposal in find_phrases(bounds, field, many=True):
        items = split_items(str(proposal.value))
        if items:
            found.append(replace(proposal, value=items))
    return [*found, *_repeated(bounds, found), *_of_class(bounds, field)]


def _of_class(bounds: Bounds, field: Field) -> list[Proposal]:
    """Countries or languages for a list that asks for such by its name or the first words of its description."""
    told = {stem(word) for word in (*field.name_words, *field.described[:2])}
    known = next((words for name, words in _CLASSES if stem(name) in told), None)
    if known is None or any(_asks_one(leaf, known) for leaf in bounds.leaves if leaf.path != field.path):
        return []
    named = [
        Proposal(field, token.text, token.start, token.end, _KNOWN)
        for at, token in enumerate(bounds.tokens)
        if token.lower in known and token.text[0].isupper() and not bounds.blocked(at) and not bounds.in_quotes(at)
    ]
    return _gather(field, named, anywhere=False, text=bounds.reading.text)


def _asks_one(leaf: Field, known: frozenset[str]) -> bool:
    """Whether another field asks for a single one of the class."""
    told = {stem(word) for word in (*leaf.name_words, *leaf.described)}
    return any(words is known and stem(name) in told for name, words in _CLASSES)


def _repeated(bounds: Bounds, found: list[Proposal]) -> list[Proposal]:
    """One list of what the same word announces again and again: "no nuts, no eggs"."""
    groups: dict[str, list[Proposal]] = {}
    for proposal in sorted(found, key=lambda p: p.start):
        if proposal.lead is not None and proposal.lead < proposal.start and proposal.score >= 0.75:
            cue = bounds.reading.text[proposal.lead : proposal.start].split()[0].lower()
            groups.setdefault(cue, []).append(proposal)
    joined = []
    for group in groups.values():
        apart = [p for at, p in enumerate(group) if at == 0 or p.start >= group[at - 1].end]
        if len(apart) > 1:
            items = list(dict.fromkeys(item for p in apart for item in p.value))
            pieces = tuple(span for p in apart for span in ((p.lead or p.start, p.start), *p.spans))
            joined.append(replace(apart[0], value=items, score=apart[0].score + 0.02, pieces=pieces))
    return joined


def part_spans(text: str) -> list[tuple[int, int]]:
    """Where the parts of a text between stops, commas and "and" stand."""
    spans, start = [], 0
    for found in _PART_END.finditer(text):
        spans.append((start, found.start()))
        start = found.end()
    return [(a, b) for a, b in [*spans, (start, len(text))] if text[a:b].strip()][:30]


def split_items(text: str) -> list[str]:
    """The items of "a, b and c", without their articles."""
    parts = (re.sub(r"^(?:[-*•–]|the|a|an|my|some|also)\s+", "", p.strip(), flags=re.I) for p in _SEPARATOR.split(text))
    return [part.strip("\"' .") for part in parts if part.strip("\"' .")]
