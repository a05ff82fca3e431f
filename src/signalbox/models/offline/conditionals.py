"""Requests with a condition: see whether there is any, and if so keep two; the second half waits for the first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from signalbox.models.offline.comparing import measure_of
from signalbox.models.offline.conversation import Call
from signalbox.models.offline.records import Record, records_in
from signalbox.models.offline.wording import mask
from signalbox.models.offline.words import split_name, word_set

__all__ = ["Halves", "holds", "split_condition"]

_IF = re.compile(
    r"(?i)[\s,;.]*\b(?:and |then |but )*(?:if|in case|provided|as long as|unless)\s+(?P<says>so|yes|not|none|nothing|"
    r"(?:it|he|she|they|one|any|some|that|this|we|i|there)(?:'s|'re)?(?:\s+(?:does|do|is|are|has|have|can|was|were|"
    r"don't|doesn't|isn't|aren't|hasn't|haven't|can't|not|still|really|any|some|one|ones|enough|the case|so|true|"
    r"free|left|there|available|possible|in stock|open|of them|of those|nothing|none))+)(?=\s*(?:[,:]|\bthen\b|\b\w))"
    r"\s*[,:]?\s*(?:then\s+)?"
)
_NEGATIVE = re.compile(r"(?i)\bnot\b|n't\b|\bnone\b|\bnothing\b")
_NOTHING = re.compile(
    r"(?i)\W*(?:no\b|none\b|nothing\b|not (?:found|available|in stock)|0\b|false\b|sold out|unavailable|closed)"
)
_TELLING = word_set("available free ok exists found open possible in_stock stock success left")


@dataclass(frozen=True)
class Halves:
    """What is to be found out, and what is done then; `positive` says on which outcome."""

    first: str
    then: str
    positive: bool


def split_condition(request: str) -> Halves | None:
    """The halves of a request with a condition on the outcome of its first half; None when it has none."""
    masked = mask(request)
    found = _IF.search(masked)
    if found is None or found.start() == 0 or len(request[found.end() :].split()) < 2:
        return None
    if not request[: found.start()].strip():
        return None
    unless = "unless" in found.group().lower()
    positive = bool(_NEGATIVE.search(found["says"])) == unless
    return Halves(request[: found.start()].strip(), request[found.end() :].strip(), positive)


def holds(calls: Sequence[Call]) -> bool:
    """Whether a result says yes: it holds something, and nothing in it says that there is none."""
    texts = [call.text or "" for call in calls if not call.failed]
    if not texts or not texts[-1].strip() or _NOTHING.match(texts[-1]):
        return False
    records = records_in(texts[-1])
    if not records:
        return not re.fullmatch(r"\s*[\[{]\s*[\]}]\s*", texts[-1])
    return any(_is_so(record) for record in records)


def _is_so(record: Record) -> bool:
    """Whether a thing is there: no word for being so is false or zero, and some figure is more than zero if any is."""
    for key, value in record.fields.items():
        if set(split_name(key)) & _TELLING and (value is False or value == 0 or value == []):
            return False
    numbers = [value for key in record.fields if isinstance(value := measure_of(record, key), float)]
    lists = [value for value in record.fields.values() if isinstance(value, list)]
    if lists and not any(lists) and not numbers:
        return False
    return not numbers or any(number > 0 for number in numbers)
