"""Free-form maps: "region=eu", "where region is eu and tier is gold", "with status failed"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import STOP, read_sentence, split_name, stem
from signalbox.models.offline.fill.figures.measures import convert
from signalbox.models.offline.fill.figures.numbers import Quantity, find_quantities
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal, Taken

__all__ = ["find_filters", "find_signed"]

_KEY = r"([A-Za-z_][\w.-]*)"
_VALUE = r"(\"[^\"]*\"|'[^']*'|[^\s,;]+)"
_SIGNED = re.compile(rf"{_KEY}\s*(?:==|=|:(?!//))\s*{_VALUE}")
_SAID = re.compile(rf"\b{_KEY}\s+(?:is|are|equals|equal to)\s+(?:the |a |an )?{_VALUE}", re.IGNORECASE)
_OPENED = re.compile(
    rf"\b(?:where|with|having|whose|filter(?:ed)?(?: by| on)?|for)\s+(?:the |a |an )?{_KEY}\s+{_VALUE}", re.IGNORECASE
)
_NEXT = re.compile(
    rf"\s*(?:,|and|,\s*and)\s+(?:the |whose |where |with )?{_KEY}\s+(?:is\s+|=\s*|equals\s+)?{_VALUE}", re.IGNORECASE
)

_WORD_BEFORE = re.compile(r"([A-Za-z_][\w-]*)\s*(?:at|gets?|=|:|to|is|with|-)?\s*\Z")
_WORD_AFTER = re.compile(r"\s*(?:for|of|to|on|in|is)?\s*(?:the |a |an )?([A-Za-z_][\w-]*)")
_NO_KEYS = word_set("share weight weights percent split each per group conditions condition")


def find_filters(
    reading: Reading, field: Field, names: frozenset[str], taken: Taken, keys: frozenset[str], strict: bool
) -> list[Proposal]:
    """A proposal for a map field: all pairs of the sentence whose key is no field of its own.

    `keys` are words that other fields know as labels: they may be keys with nothing but a value behind them.
    """
    if field.item is not None and field.item.kind in ("integer", "number"):
        return find_shares(reading, field, names, taken)
    pairs: dict[str, Any] = {}
    spans: list[tuple[int, int]] = []
    known = _wanted_keys(field) | keys
    for found, loose in _matches(reading.text, known):
        if strict and not _is_strict(reading.text, found, known):
            continue
        key, value = found[1], found[2].strip("\"'").rstrip(".!?")
        start, end = found.span(1)[0], found.span(2)[1]
        free = not any(start < e and s < end for s, e in spans) and not taken.overlaps(*found.span(2))
        if not free or not value or stem(key.lower()) in names or (loose and not _plausible(key, value)):
            continue
        pairs[key] = _typed(field, value)
        spans.append((start, end))
    if not pairs:
        return []
    return [Proposal(field, pairs, min(spans)[0], max(spans)[1], 0.85, pieces=tuple(sorted(spans)))]


def find_shares(reading: Reading, field: Field, names: frozenset[str], taken: Taken) -> list[Proposal]:
    """A proposal for a map of numbers: each number with the word beside it, as in "50% old, 50% new", "old: 30"."""
    assert field.item is not None
    numbers = [(q, convert(field.item, _plain(q))) for q in reading.quantities if not taken.overlaps(q.start, q.end)]
    numbers = [(q, value) for q, value in numbers if value is not None]
    for pattern, ahead in ((_WORD_BEFORE, True), (_WORD_AFTER, False)):
        pairs: dict[str, Any] = {}
        spans: list[tuple[int, int]] = []
        for quantity, value in numbers:
            if found := _word_beside(reading.text, quantity.start, quantity.end, pattern, ahead):
                key, start = found[1], found.start(1)
                if stem(key.lower()) not in names and key.lower() not in STOP | _NO_KEYS:
                    pairs[key] = value
                    spans.append((min(start, quantity.start), max(found.end(1), quantity.end)))
        if len(pairs) > 1 or (pairs and len(numbers) == 1 and _wanted_keys(field) & pairs.keys()):
            return [Proposal(field, pairs, min(spans)[0], max(spans)[1], 0.85, pieces=tuple(sorted(spans)))]
    return []


def _word_beside(text: str, start: int, end: int, pattern: re.Pattern[str], ahead: bool) -> re.Match[str] | None:
    return pattern.search(text, 0, start) if ahead else pattern.match(text, end)


def _plain(quantity: Quantity) -> Quantity:
    """A number without its unit: the share that a percentage states."""
    return replace(quantity, dimension="", meanings=()) if quantity.dimension == "percent" else quantity


def find_signed(reading: Reading, leaves: list[Field]) -> list[Proposal]:
    """Proposals for string fields that the sentence sets with a sign: service=web, owner="Jo March"."""
    found = []
    for match in re.finditer(rf"{_KEY}\s*==?\s*{_VALUE}", reading.text):
        key = tuple(stem(word) for word in split_name(match[1]))
        for leaf in leaves:
            if leaf.kind == "string" and not leaf.format and leaf.name_stems == key:
                value = match[2].strip("\"'").rstrip(".!?")
                found.append(Proposal(leaf, value, *match.span(2), 0.98, lead=match.start()))
    return found


def _is_strict(text: str, found: re.Match[str], known: frozenset[str]) -> bool:
    """Whether a pair leaves no doubt: it is written with a sign, or its key is known as one."""
    if "=" in text[found.end(1) : found.start(2)]:
        return True
    if re.search(r"\b(?:where|whose|and)\s+(?:the )?$", text[: found.start(1)], re.IGNORECASE) and found.re is _SAID:
        return True
    return found[1].lower() in known and not re.search(r"\b(?:by|per|each)\s+$", text[: found.start(1)])


def _wanted_keys(field: Field) -> frozenset[str]:
    return frozenset(field.described) | {
        str(key).lower() for example in field.examples if isinstance(example, dict) for key in example
    }


def _matches(text: str, said: frozenset[str]) -> list[tuple[re.Match[str], bool]]:
    found = [(match, False) for match in _SIGNED.finditer(text)]
    found += [(match, True) for match in _SAID.finditer(text)]
    for match in _OPENED.finditer(text):
        if match[1].lower() in said or not match[0].lower().startswith("for"):
            found.append((match, True))
            following = _NEXT.match(text, match.end())
            while following:
                found.append((following, True))
                following = _NEXT.match(text, following.end())
    if said:
        known = re.compile(
            rf"\b(?:in|on|for|of|from|at|where|with)\s+(?:the )?({'|'.join(map(re.escape, sorted(said)))})\s+{_VALUE}",
            re.I,
        )
        found += [(match, True) for match in known.finditer(text)]
    chained = [_NEXT.match(text, match.end()) for match, _ in found]
    return found + [(match, True) for match in chained if match]


def _plausible(key: str, value: str) -> bool:
    return (
        key.lower() not in STOP
        and value.lower() not in STOP
        and key.lower() not in ("it", "that", "this", "what", "there")
    )


def _typed(field: Field, value: str) -> Any:
    if field.item is None or field.item.kind not in ("integer", "number", "any"):
        return value
    quantities = find_quantities(read_sentence(value))
    number = convert(field.item, quantities[0]) if quantities else None
    return value if number is None and field.item.kind == "any" else number
