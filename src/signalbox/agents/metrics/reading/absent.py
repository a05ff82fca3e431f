"""Conditions that the server cannot meet: a label that the metric does not have, or a value that the label does not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz

from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.reading.grouping import label_for
from signalbox.agents.metrics.reading.mentions import find_pairs
from signalbox.agents.metrics.reading.question_words import identifiers
from signalbox.agents.metrics.reading.readings import Reading
from signalbox.agents.metrics.vocabulary import LABEL_WORDS, label_kind
from signalbox.language.vectors import is_known, similarity

__all__ = ["refuse_absent"]

_SHOWN = 12
_LONGEST = 60
# Where everything is: no value of a label.
_EVERYWHERE = frozenset(
    """system systems platform website web shop company business users people customers world infrastructure fleet
    everything general backend frontend site app application product team whole environment network cluster internet
    cloud detail total background meantime""".split()
)
_PLACED = re.compile(
    r"\b(?P<where>for|on|of|in|at|from|(?P<to>to))\s+(?P<the>the\s+|our\s+|my\s+|all\s+)?(?P<value>[\w-]+)(?:\s+(?P<kind>[a-z]+)\b)?",
    re.IGNORECASE,
)
_KIND_FIRST = re.compile(r"\b(?P<kind>[a-z]{3,})(?=\s+(?P<value>[\w-]+)\b)", re.IGNORECASE)
_SPLIT = re.compile(r"\b(?:by|per|each|every|which)\s+(?:the\s+)?(?P<label>[a-z]+)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:for|of|on|in|at|from|to)\s+(?:the\s+|our\s+)?$", re.IGNORECASE)
_CODE = re.compile(r"\b(?:in|for|from|of)\s+(?P<value>[A-Z]{2,3})\b")
# Which kinds of label a value after a preposition is likely of.
_LIKELY = {
    "in": ("region", "site", "country", "environment", "namespace", "cluster"),
    "at": ("site", "region"),
    "on": ("host", "device"),
    "for": ("service", "customer"),
    "from": ("country", "region", "customer"),
}
_STATUS = re.compile(
    r"\b(?:status|code|http)\W{0,2}(?P<value>\d{3})\b|\b(?P<other>[1-5]xx|[1-5]\d\ds)\b", re.IGNORECASE
)
_NO_NAME = re.compile(r"[pP]\d+(?:\.\d+)?|[\d.:/-]+|\d+[a-z]+|[1-5]xx", re.IGNORECASE)


def refuse_absent(text: str, chosen: Reading) -> None:
    """Raise InvalidQueryError, with the values there are, for what the text asks of a label that is not there."""
    _refuse_pairs(text, chosen)
    _refuse_split(text, chosen)
    for label, value in (
        *_status_codes(text, chosen),
        *_names(text, chosen),
        *_placed(text, chosen),
        *_short_codes(text, chosen),
    ):
        raise _absent(label, value, chosen.series.values[label])


def _refuse_pairs(text: str, chosen: Reading) -> None:
    for label, operator, values, *_ in find_pairs(text):
        known = chosen.series.values.get(label)
        if known is None or label not in chosen.labels:
            shown = ", ".join(sorted(chosen.labels)) or "none"
            name = chosen.fit.candidate.metrics[0]
            raise InvalidQueryError(f"{name} has no label {label}.", suggestion=f"Its labels are: {shown}.")
        for value in values:
            if operator != "!=" and value not in known:
                raise _absent(label, value, known)


def _refuse_split(text: str, chosen: Reading) -> None:
    """Raise where the answer is to be split by what is no label: "by printer", "which depot"."""
    left = {word.start for word in chosen.left}
    for found in _SPLIT.finditer(text):
        if found.start("label") in left and not any(one.start >= found.start() for one in chosen.groups):
            shown = ", ".join(sorted(chosen.labels)) or "none"
            raise InvalidQueryError(
                f'{chosen.fit.candidate.metrics[0]} has no label "{found["label"]}".',
                suggestion=f"Its labels are: {shown}.",
            )


def _status_codes(text: str, chosen: Reading) -> Iterator[tuple[str, str]]:
    label = next((one for one in LABEL_WORDS["status"] if one in chosen.labels), None)
    for found in _STATUS.finditer(text):
        name = "value" if found["value"] else "other"
        if label and not _is_mentioned(*found.span(name), chosen):
            yield label, found[name].removesuffix("s")


def _names(text: str, chosen: Reading) -> Iterator[tuple[str, str]]:
    """Names with digits that no value explains: the label is the one whose values look most like them."""
    pairs = [(start, end) for *_, start, end in find_pairs(text)]
    for said, start, end in identifiers(text):
        known = "_" in said or _NO_NAME.fullmatch(said) or start in chosen.fit.explained or label_kind(said)
        if known or _is_mentioned(start, end, chosen) or any(a <= start < b for a, b in pairs):
            continue
        if (re.search(r"\d", said) or said.startswith("/")) and (label := _likely_label(said, chosen)):
            yield label, said


def _placed(text: str, chosen: Reading) -> Iterator[tuple[str, str]]:
    """Words that nothing explains where a value would stand: "for the billing service", "in Berlin"."""
    left = {word.start for word in chosen.left}
    for found in _PLACED.finditer(text):
        if found.start("value") in left:
            label = _label_of_kind(found["kind"], chosen) if found["kind"] else None
            if label is None and found["the"] is None and found["to"] is None:
                label = _kindred_label(found["value"], found["where"], chosen)
            if label:
                yield label, found["value"]
    for found in _KIND_FIRST.finditer(text):
        is_said = any(one.start <= found.start("kind") <= one.end + 2 for one in chosen.said)
        is_name = bool(_AFTER.search(text[: found.start()])) or not is_known(found["value"])
        if is_said or not is_name or found.start("kind") in chosen.fit.core():
            continue
        if (
            found.start("value") in left
            and (label := label_for(found["kind"], chosen.labels))
            and label_kind(found["kind"])
        ):
            yield label, found["value"]


def _short_codes(text: str, chosen: Reading) -> Iterator[tuple[str, str]]:
    """Codes in capitals, as of countries, where a label has only such values and not this one."""
    for found in _CODE.finditer(text):
        if _is_mentioned(*found.span("value"), chosen) or found.start("value") in chosen.fit.explained:
            continue
        for label in sorted(chosen.labels):
            known = chosen.series.values[label]
            if len(known) > 1 and all(len(value) == len(found["value"]) and value.isupper() for value in known):
                yield label, found["value"]


def _label_of_kind(kind: str, chosen: Reading) -> str | None:
    """The label that the word names, or whose values end in it, as tracking-api and booking-api end in api."""
    ending = re.compile(rf".*[-_. ]{re.escape(kind.lower().removesuffix('s'))}s?(?::\d+)?")
    ends = [
        label
        for label in chosen.labels
        if any(ending.fullmatch(value.lower()) for value in chosen.series.values[label])
    ]
    return ends[0] if ends else label_for(kind, chosen.labels)


def _is_mentioned(start: int, end: int, chosen: Reading) -> bool:
    return any(one.start < end and start < one.end for one in chosen.said)


def _likely_label(said: str, chosen: Reading) -> str | None:
    options = [(value, label) for label in chosen.labels for value in chosen.series.values[label][:500]]
    if not options:
        return None
    return max(options, key=lambda pair: fuzz.ratio(said.lower(), re.sub(r":\d+$", "", pair[0]).lower()))[1]


def _kindred_label(word: str, where: str, chosen: Reading) -> str | None:
    """The label that a value after such a preposition is likely of, the one with the value nearest in meaning first."""
    likely = frozenset(name for kind in _LIKELY.get(where.lower(), ()) for name in LABEL_WORDS[kind])
    options = [
        (label in likely, similarity(word, value), label)
        for label in chosen.labels
        for value in chosen.series.values[label][:50]
        if value.isalpha()
    ]
    if word.lower() in _EVERYWHERE:
        return None
    if not is_known(word):
        # A word that no sentence has is a name: of what, the preposition says best.
        named = (name for kind in (*_LIKELY.get(where.lower(), ()), "service", "host") for name in LABEL_WORDS[kind])
        found = next((name for name in named if len(chosen.series.values.get(name, ())) > 1), None)
        if found in chosen.labels:
            return found
    return max(options)[2] if options else None


def _shortened(value: str) -> str:
    said = " ".join(value.split())
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"


def _absent(label: str, value: str, known: Sequence[str]) -> InvalidQueryError:
    more = f", and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    return InvalidQueryError(
        f'The label {label} has no value "{value}" here.',
        suggestion=f"Its values are: {', '.join(map(_shortened, known[:_SHOWN]))}{more}.",
    )
