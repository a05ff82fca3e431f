"""Questions that what was shown already answers: which of these, when is the second one due; nothing is called."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from signalbox.language.numbers import SMALL
from signalbox.language.words import split_name, stem, tokens
from signalbox.models.offline.conversation import Conversation
from signalbox.models.offline.nouns import kin_of
from signalbox.models.offline.phrase import phrase_data
from signalbox.models.offline.shown.comparing import scale_words
from signalbox.models.offline.shown.givens import identity
from signalbox.models.offline.shown.mentioning import describe_match
from signalbox.models.offline.shown.records import Record
from signalbox.models.offline.shown.references import Setting, find_reference, named_in
from signalbox.models.offline.shown.scene import results_shown
from signalbox.models.offline.shown.timing import find_timings, holding
from signalbox.models.offline.smallwords import STOP
from signalbox.models.offline.wording import mask

__all__ = ["answer_shown"]

_QUESTION = re.compile(
    r"(?i)^\W*(?:(?:and|so|but|ok|okay|then|hm+|oh|great|thanks|wait|sorry|remind me)\b[\s,.]*)*"
    r"(?:(?:in|on|at|from|to|by|for|with|of|until|since)\s+(?=which|what|whose|who))?"
    r"(?P<opener>which|whichever|who|whose|whos|who's|when|whens|when's|what|whats|what's|where|wheres|how|hows|"
    r"is|are|was|were|(?:does|do|did|has|have)(?=\s+(?:we|you|they|i|it|any|he|she)\b|.*\?))\b"
)
_OF_THEM = re.compile(
    r"(?i)\b(?:which|who|what|how many|any|one|does any|is any|are any)(?: ones?| one)?\s+of\s+"
    r"(?:them|those|these|the (?:two|three|four|five|lot))\b"
)
_ASKED: tuple[tuple[str, str], ...] = (
    (
        r"when|whens|when's|what time|what day|what date",
        "date time due start end departs arrives at on expected created",
    ),
    (r"how much|cost|costs|price", "price cost fare amount total fee rate sum paid value"),
    (r"how old", "age years born birth"),
    (r"how heavy|weigh", "weight kg mass grams"),
    (r"how long", "duration minutes hours length days pages"),
    (r"how (?:far|near|close)", "distance km miles away"),
    (
        r"who|whos|who's|whose",
        "owner customer author name person user by member sender recipient tenant assignee driver",
    ),
    (r"where|wheres", "place location room site branch city hall address shelf position"),
)

_HOW = re.compile(r"(?i)\bhow (\w+)")
_MORE = re.compile(r"(?i)\b(?:else|others?|another)\b")
_NOW = re.compile(r"(?i)\b(?:now|by now|at the moment)\b")
_ASKS = re.compile(r"(?i)\b(?:which|what|whats|who|whose|when|where|how)\b")
_SUPPLY = frozenset({"full", "left", "available", "availabl", "stock", "still"})


def answer_shown(conversation: Conversation, setting: Setting) -> str | None:
    """The shown things that answer a question about them; None when it is no such question."""
    shown = results_shown(conversation.earlier[-1:])
    if not shown:
        return None
    request = mask(conversation.turn.request)
    question = _QUESTION.match(request)
    if question is None or len(request.split()) > 20 or _MORE.search(request):
        return None
    for records in shown[:2]:
        if len(records) == 1 and _NOW.search(request):
            return None
        meant = _meant(request, records, setting)
        if meant:
            return phrase_data(json.dumps([record.fields for record in meant], default=str, ensure_ascii=False))
    return None


def _meant(request: str, records: Sequence[Record], setting: Setting) -> list[Record]:
    """The records that a question is about, where their fields hold what it asks."""
    reference = find_reference(request, records, setting)
    specific = list(reference.records) if reference is not None and reference.kind not in ("all", "one") else []
    specific = specific or [record for record in records if _named(record, request)]
    named = None if specific else named_in(request[1:], records)
    specific = specific or list(named.records if named else ())
    described = [] if specific or not _knows(request, records, setting) else describe_match(request, records)
    specific = specific or (described if len(described) == 1 else [])
    of_them = _OF_THEM.search(request)
    if of_them:
        rest = request[of_them.end() :]
        return _fitting(rest, specific or list(records), setting) or specific or list(records)
    if reference is not None and reference.kind == "extreme" and _knows(reference.plain(request), records, setting):
        return specific
    if (specific and len(specific) < len(records)) or (specific and len(records) == 1):
        return specific if _asks_field(request, specific) or _knows(request, records, setting) else []
    if reference is not None and reference.records and _ASKS.search(request) and _asks_field(request, records):
        return list(reference.records)
    if re.search(r"(?i)\bwhich ones?\b", request):
        return _fitting(request, list(records), setting)
    return []


def _named(record: Record, request: str) -> bool:
    known = str(identity(record) or "")
    return bool(known) and bool(re.search(rf"(?i)(?<![\\w-]){re.escape(known)}(?![\\w-])", request))


def _knows(request: str, records: Sequence[Record], setting: Setting) -> bool:
    """Whether every word of a question stands in the records, or names one of their fields."""
    keys = {stem(word) for record in records for key in record.fields for word in split_name(key)} | _SUPPLY
    for timing in find_timings(request, setting.moment):
        request = request[: timing.start] + " " * (timing.end - timing.start) + request[timing.end :]
    for pattern, names in _ASKED:
        if {stem(name) for name in names.split()} & keys:
            request = re.sub(rf"(?i)\b(?:{pattern})\b", " ", request)
    if _asks_scale(request, keys):
        request = _HOW.sub(" ", request)
    words = [word for word in tokens(request) if word not in STOP and not word.endswith(("ing", "ed"))]
    return all(stem(word) in keys or any(_has(record, word) for record in records) for word in words)


def _fitting(text: str, records: list[Record], setting: Setting) -> list[Record]:
    """Those for which the times and values in a text hold; none where it says nothing that tells them apart."""
    timings = find_timings(text, setting.moment)
    left = holding(timings, records, text) if timings else records
    for word in tokens(text):
        having = [record for record in left if _has(record, word)]
        left = having if having and word not in STOP else left
    return left if len(left) < len(records) else []


def _has(record: Record, word: str) -> bool:
    digits = _DIGITS.get(word, word)
    return any(stem(other) == stem(word) or other == digits for other in tokens(record.text))


_DIGITS = {word: str(number) for number, word in enumerate(SMALL[:13])}


def _asks_scale(request: str, keys: set[str]) -> bool:
    """Whether a question asks how heavy, how deep and the like something is, and a field says so."""
    said = _HOW.search(request)
    return said is not None and bool(scale_words(said.group(1).lower()) & keys)


def _asks_field(request: str, records: Sequence[Record]) -> bool:
    """Whether the fields of the records hold what a question asks: by its opener, or by name."""
    keys = {stem(word) for record in records for key in record.fields for word in split_name(key)}
    for pattern, names in _ASKED:
        if re.search(rf"(?i)\b(?:{pattern})\b", request) and {stem(name) for name in names.split()} & keys:
            return True
    if _asks_scale(request, keys):
        return True
    asked = {stem(word) for word in tokens(request) if word not in STOP}
    return any(word in keys or kin_of(word) & keys for word in asked)
