"""References to what was shown before: the first one, that one, both, the milk one; and the value they stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from signalbox.models.offline.records import Record
from signalbox.models.offline.smallwords import STOP
from signalbox.models.offline.words import close, split_name, stem, tokens, word_set

__all__ = ["Reference", "describe_match", "find_reference", "label", "names_key", "value_for"]

_ORDINALS = {
    word: place
    for place, words in enumerate(
        (
            "first 1st top",
            "second 2nd",
            "third 3rd",
            "fourth 4th",
            "fifth 5th",
            "sixth 6th",
            "seventh 7th",
            "eighth 8th",
            "ninth 9th",
            "tenth 10th",
        )
    )
    for word in words.split()
} | {"last": -1, "bottom": -1, "final": -1}
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
_ORDINAL = re.compile(
    r"\b(?:the\s+)?(?P<ord>" + "|".join(_ORDINALS) + r")\b(?![.@/-]\w)(?:\s+(?P<many>two|three|four|five|[2-5]))?"
    r"(?!\s+(?:\d|week|weekend|month|day|hour|minute|night|year|quarter|monday|tuesday|wednesday|thursday|"
    r"friday|saturday|"
    r"sunday|january|february|march|april|may|june|july|august|september|october|november|december|name|"
    r"time|of \w+ber\b))"
    r"(?:\s+(?:one|ones|item|items|result|results|entry|option|of (?:them|those|these)))?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\b(?:the\s+)?(?:number|no\.|nr\.?|item|option|entry|result)\s+(?P<n>\d{1,4})\b", re.IGNORECASE)
_ALL = re.compile(
    r"\b(?:(?:all|both|each|every one|any)(?: of)?(?: (?:them|those|these))?(?: (?:two|three|four))?|"
    r"them(?: all)?|those(?: ones)?|"
    r"these(?: ones)?|everything)\b",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"\b(?:that one|this one|the one|the same(?: one)?|(?:that|this)(?: same)? (?:\w+)(?=\s*(?:$|[.,?!]|"
    r"to\b|as\b|from\b|for\b|and\b))|"
    r"(?:that|this)(?=\s*(?:$|[.,?!]|to\b|as\b|from\b|for\b|by\b|with\b|and\b|please|now))|it|there|him|her|his)\b",
    re.IGNORECASE,
)
_DESCRIBED = re.compile(
    r"\b(?:the|that|those|these|this)\s+(?P<what>(?:[\w'-]+\s+){1,4}?)ones?\b|\bthe ones?\s+(?:about|from|"
    r"with|for|called|named|that (?:is|says)|in|at|to|by|of)\s+(?P<whose>[\w'@-]+(?:\s+(?!with\b|to\b|"
    r"and\b|as\b|for\b|on\b|at\b|into\b|by\b)[\w'@-]+){0,3})",
    re.IGNORECASE,
)
_EXTREMES: tuple[tuple[str, str, int], ...] = (
    (r"cheapest|least expensive|lowest[- ]priced", "price cost total amount fare rate", 1),
    (r"most expensive|priciest|dearest", "price cost total amount fare rate", -1),
    (r"oldest|earliest|soonest", "date created time start due departure timestamp received", 1),
    (r"newest|latest|most recent", "date created time start due departure timestamp received", -1),
    (r"shortest|fastest|quickest", "duration minutes length time", 1),
    (r"longest|slowest", "duration minutes length time", -1),
    (r"biggest|largest|highest", "size amount value total count score rating usage cpu", -1),
    (r"smallest|lowest", "size amount value total count score rating usage cpu", 1),
    (r"best|top[- ]rated", "rating score stars", -1),
    (r"worst", "rating score stars", 1),
)
_ID_WORDS = word_set("id ids uuid key number ref reference identifier no code")


@dataclass(frozen=True)
class Reference:
    """Which records a passage means, and where the passage stands; no records: it is not clear which."""

    records: tuple[Record, ...]
    start: int
    end: int
    kind: str


def find_reference(text: str, records: Sequence[Record]) -> Reference | None:
    """The first reference in the text to things shown before; None when there is none."""
    if not records:
        return None
    for find in (_extreme, _described, _ordinal, _numbered, _whole):
        found = find(text, records)
        if found is not None:
            return found
    return None


def _extreme(text: str, records: Sequence[Record]) -> Reference | None:
    for pattern, keys, direction in _EXTREMES:
        match = re.search(rf"\b(?:the\s+)?(?:{pattern})(?:\s+(?:one|of (?:them|those)|\w+))?\b", text, re.IGNORECASE)
        if not match:
            continue
        ranked = [(value, record) for record in records if (value := _measure(record, keys.split())) is not None]
        if ranked and len({type(value) for value, _ in ranked}) == 1:
            best = (min if direction > 0 else max)(ranked, key=lambda pair: pair[0])
            return Reference((best[1],), match.start(), match.end(), "extreme")
    return None


def _measure(record: Record, keys: list[str]) -> Any:
    for key, value in record.fields.items():
        if set(split_name(key)) & set(keys) and value is not None and not isinstance(value, bool | dict | list):
            if isinstance(value, int | float):
                return float(value)
            number = re.fullmatch(r"\D{0,3}(\d+(?:[.,]\d+)?)\s*\D{0,4}", str(value))
            return float(number.group(1).replace(",", ".")) if number else str(value)
    return None


def _described(text: str, records: Sequence[Record]) -> Reference | None:
    for match in _DESCRIBED.finditer(text):
        words = (match["what"] or match["whose"] or "").strip()
        if not words or any(word in _ORDINALS for word in words.lower().split()):
            continue
        fitting = describe_match(words, records)
        if fitting:
            single = not match.group().lower().rstrip().endswith("ones") and match["what"] is not None
            chosen = tuple(fitting if not single or len(fitting) == 1 else ())
            return Reference(chosen, match.start(), match.end(), "described")
    return None


def _ordinal(text: str, records: Sequence[Record]) -> Reference | None:
    found: list[Record] = []
    start, end = len(text), 0
    for match in _ORDINAL.finditer(text):
        place = _ORDINALS[match["ord"].lower()]
        many = _NUMBERS.get((match["many"] or "").lower(), 1)
        chosen = records[-many:] if place < 0 else records[place : place + many]
        if not chosen:
            return Reference((), match.start(), match.end(), "beyond")
        found += [record for record in chosen if record not in found]
        start, end = min(start, match.start()), max(end, match.end())
    return Reference(tuple(found), start, end, "ordinal") if found else None


def _numbered(text: str, records: Sequence[Record]) -> Reference | None:
    match = _NUMBER.search(text)
    if not match:
        return None
    number = int(match["n"])
    named = [record for record in records if record.number == number or str(_identity(record)) == str(number)]
    chosen = named[:1] or records[number - 1 : number]
    return Reference(tuple(chosen), match.start(), match.end(), "ordinal")


def _whole(text: str, records: Sequence[Record]) -> Reference | None:
    match = _ALL.search(text)
    if match and (match.group().lower() not in ("any", "all", "each") or match.end() == len(text.rstrip(" .!?"))):
        return Reference(tuple(records), match.start(), match.end(), "all")
    match = _ONE.search(text)
    if match:
        return Reference(tuple(records) if len(records) == 1 else (), match.start(), match.end(), "one")
    return None


def describe_match(text: str, records: Sequence[Record]) -> list[Record]:
    """The records that the words of a text describe best: those sharing the most words with it, if any are shared."""
    wanted = [word for word in tokens(text) if word not in STOP]
    if not wanted:
        return []
    counts = [(sum(_mentions(record, word) for word in wanted), record) for record in records]
    best = max((count for count, _ in counts), default=0)
    return [record for count, record in counts if count == best] if best >= 1 else []


def _mentions(record: Record, word: str) -> float:
    root = stem(word)
    words = [*tokens(record.text)]
    if any(stem(other) == root for other in words):
        return 1.0
    if any(isinstance(value, bool) and value and stem(key) == root for key, value in record.fields.items()):
        return 1.0
    return 0.9 if any(close(root, stem(other)) for other in words) else 0.0


def label(record: Record) -> str:
    """A short name for a record, to show a person."""
    for key in ("title", "name", "subject", "summary", "label", "description", "value", "path"):
        for own, value in record.fields.items():
            if own.lower() == key and value not in (None, ""):
                return str(value)
    return record.text[:80]


def _identity(record: Record) -> Any:
    for key, value in record.fields.items():
        if split_name(key)[-1:] and split_name(key)[-1] in ("id", "uuid", "key"):
            return value
    return None


def value_for(name: str, schema: dict[str, Any], record: Record, object_words: frozenset[str] = frozenset()) -> Any:
    """The record's value for a parameter: by the same name, as its identifier or as its name; else None."""
    value = _by_key(name, record, object_words)
    if value is None and schema.get("type") == "string" and not schema.get("enum") and not schema.get("format"):
        value = _name_of(record) if not set(split_name(name)) & _TEXTS else None
    return None if value is None else _coerce(value, schema)


def names_key(name: str, record: Record) -> bool:
    """Whether a field of the record has just the name of a parameter, or is the identifier that it asks for."""
    wanted = tuple(stem(word) for word in split_name(name))
    keys = [tuple(stem(word) for word in split_name(key)) for key in record.fields]
    return wanted in keys or (wanted[-1:] == ("id",) and ("id",) in keys)


def _by_key(name: str, record: Record, object_words: frozenset[str]) -> Any:
    wanted = tuple(stem(word) for word in split_name(name))
    keys = {key: tuple(stem(word) for word in split_name(key)) for key in record.fields}
    exact = [key for key, words in keys.items() if words == wanted]
    if exact:
        return record.fields[exact[0]]
    if wanted and wanted[-1] in _ID_WORDS:
        return _identifier(wanted, keys, record)
    within = [key for key, words in keys.items() if words and (set(words) <= set(wanted) or set(wanted) <= set(words))]
    if within:
        return record.fields[within[0]]
    if set(wanted) & object_words or not set(wanted) - _NAMING:
        for key in ("name", "title", "id", "value", "path"):
            if key in record.fields:
                return record.fields[key]
    return record.fields.get("value") if set(record.fields) == {"value"} else None


def _name_of(record: Record) -> Any:
    return next((record.fields[key] for key in ("name", "title", "id") if key in record.fields), None)


_TEXTS = word_set("body text message content note notes description reason comment subject query new")
_NAMING = frozenset(map(stem, word_set("name title item target source object file path to recipient query")))


def _identifier(wanted: tuple[str, ...], keys: dict[str, tuple[str, ...]], record: Record) -> Any:
    ids = [key for key, words in keys.items() if words and words[-1] in _ID_WORDS]
    related = [key for key in ids if set(keys[key]) & set(wanted[:-1])]
    plain = [key for key in ids if len(keys[key]) == 1]
    for key in (*related, *plain, *(ids if len(ids) == 1 else [])):
        return record.fields[key]
    if set(record.fields) == {"value"}:
        return record.fields["value"]
    return record.number


def _coerce(value: Any, schema: dict[str, Any]) -> Any:
    kinds = {schema.get("type")} | {
        branch.get("type") for branch in schema.get("anyOf") or () if isinstance(branch, dict)
    }
    if "array" in kinds:
        items = schema.get("items")
        return value if isinstance(value, list) else [_coerce(value, items if isinstance(items, dict) else {})]
    if isinstance(value, str) and kinds & {"integer", "number"} and "string" not in kinds:
        try:
            return int(value) if "integer" in kinds else float(value)
        except ValueError:
            return None
    if "string" in kinds and not isinstance(value, str) and not isinstance(value, dict | list):
        return str(value)
    return value
