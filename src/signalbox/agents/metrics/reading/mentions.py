"""Label values that a question mentions, found by the values that the server has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from signalbox.agents.metrics.reading.live import Series
from signalbox.agents.metrics.vocabulary import (
    COUNTRIES,
    FILLERS,
    LABEL_WORDS,
    alike,
    base,
    label_kind,
    runs,
    text_words,
)
from signalbox.language.names import close

__all__ = ["Mention", "find_mentions", "find_pairs", "near_values", "with_negation"]

_COUNTRY_LABELS = frozenset((*LABEL_WORDS["country"], *LABEL_WORDS["region"], "country_code"))
_YES, _NO = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})
_MOST_RUNS = 8
_MOST_VALUES = 5_000
_KIN = 0.6
_NEVER = frozenset({"le", "quantile", "__name__"})
_NEGATION = re.compile(
    r"\b(?:without|excluding|exclude|except(?:\s+for)?|not|ignoring|ignore|other\s+than|but\s+not|minus|apart\s+from|leaving\s+out|"
    r"leave\s+out|aside\s+from|outside(?:\s+of)?|non|isn't|aren't|omit(?:ting)?|(?:everything|all|anything|everyone)\s+but|but)\W+(?:(?:the|on|in|from|for|of|any|all|those|with|to|[\w-]+)\W+){0,2}$",
    re.IGNORECASE,
)
_JOINED = re.compile(r"^\W*(?:(?:and|or|nor|plus|the|,|&)\W*)*$", re.IGNORECASE)
_PAIR = re.compile(
    r"""(?P<label>[A-Za-z_]\w*)\s*(?P<op>=~|!~|!=|==?)\s*(?:"(?P<a>[^"]*)"|'(?P<b>[^']*)'|(?P<c>[^\s,;}"']+))"""
)
_CLASS = re.compile(r"\b(?P<digit>[1-5])(?:xx|XX)s?\b")
_CODE = re.compile(r"(?<![\w.:/-])(?P<code>[1-5]\d\d)s?(?![\w:/%-])(?!\.\d)")
_STATUS = frozenset(name for name in LABEL_WORDS["status"] if name not in ("result", "outcome", "state"))
# Where a value stands under several labels, the thing itself is meant before what it is connected to.
_THINGS = (
    "service",
    "app",
    "application",
    "job",
    "component",
    "host",
    "hostname",
    "node",
    "device",
    "instance",
    "pod",
    "container",
)
_OTHER_ENDS = frozenset(LABEL_WORDS["neighbor"]) | {"peer", "client", "destination", "source", "upstream", "target"}
_TOWARDS = re.compile(
    r"\b(?:from|to|towards?|with|between\s+[\w-]+\s+and|via|peer(?:ing)?|neighbou?r)\W+(?:the\s+)?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Mention:
    """Values of one label that words in the text stand for; `sure` is 1 where they stand there as they are."""

    label: str
    values: tuple[str, ...]
    start: int
    end: int
    sure: float = 1.0
    negated: bool = False
    is_marked: bool = False
    """The value looks like nothing else, or its label is said beside it."""
    is_counted: bool = False
    """A plural where the value is a singular: "payments" are rather counted than the service payment meant."""
    is_named: bool = False
    """The label, or its kind, is said beside the value: "the payment service"."""


def find_pairs(text: str) -> list[tuple[str, str, tuple[str, ...], int, int]]:
    """Conditions that are written out: `service="payment"`, as label, operator, values and place."""
    return [
        (one["label"], one["op"], tuple((one["a"] or one["b"] or one["c"] or "").split("|")), one.start(), one.end())
        for one in _PAIR.finditer(text)
    ]


def find_mentions(
    text: str, series: Series, labels: Iterable[str], *, taken: Iterable[tuple[int, int]] = ()
) -> list[Mention]:
    """The label values in the text that stand there whole, the longest first where several overlap.

    `taken` are places that mean something else: a value there counts only where it is marked.
    """
    allowed = frozenset(labels) - _NEVER
    found = [
        *_written(text, series, allowed),
        *_paths(text, series, allowed),
        *_codes(text, series, allowed),
        *_flags(text, series, allowed),
    ]
    chosen = _without_overlap(_marked(found, text))
    covered = tuple(taken)
    kept = [one for one in chosen if one.is_marked or not _touches(one, covered)]
    return with_negation(sorted(kept, key=lambda one: one.start), text)


def near_values(word: str, series: Series, labels: Iterable[str]) -> Mention | None:
    """The values of one label that a word is a part of, or a slip of the pen away from."""
    best: Mention | None = None
    for label in sorted(frozenset(labels) - _NEVER, key=_rank):
        parts = [value for value in series.values.get(label, ())[:_MOST_VALUES] if _is_part(word, value)]
        slips = (
            [] if parts else [value for value in series.values.get(label, ())[:_MOST_VALUES] if _is_slip(word, value)]
        )
        if not parts and not slips:
            slips = [
                value
                for value in series.values.get(label, ())[:_MOST_VALUES]
                if value.isalpha() and alike(word, value) >= _KIN
            ]
        values = tuple(parts or (slips if len(slips) == 1 else ()))
        everything = len(values) == len(series.values.get(label, ())) > 1
        if values and not everything and (best is None or len(values) < len(best.values)):
            is_path = any(value.startswith("/") for value in values)
            best = Mention(label, values, 0, 0, 0.7 if is_path else 0.8)
    return best


def _paths(text: str, series: Series, labels: frozenset[str]) -> Iterator[Mention]:
    """Values that are paths stand in a text only as they are: /data is no data."""
    for label in labels:
        for value in series.values.get(label, ())[:_MOST_VALUES]:
            if value.startswith("/"):
                pattern = rf"(?<![\w/.-]){re.escape(value)}(?![\w/-])"
                for found in re.finditer(pattern, text, re.IGNORECASE):
                    yield Mention(label, (value,), *found.span(), 1.0, is_marked=True)


def _written(text: str, series: Series, labels: frozenset[str]) -> Iterator[Mention]:
    keys: dict[str, list[tuple[str, str, float]]] = {}
    for label in labels:
        for value in series.values.get(label, ())[:_MOST_VALUES]:
            for key, sure in (*_keys(value), *_country_keys(label, value)):
                keys.setdefault(key, []).append((label, value, sure))
    pieces = runs(text)
    for first in range(len(pieces)):
        joined = ""
        for last in range(first, min(first + _MOST_RUNS, len(pieces))):
            if last > first and not _adjacent(text, pieces[last - 1][2], pieces[last][1]):
                break
            joined += pieces[last][0]
            start, end = pieces[first][1], pieces[last][2]
            options = keys.get(joined) or (keys.get(f"~{base(joined)}", []) if first == last else [])
            before = re.search(r"([\w-]+)\W{1,2}$", text[:start])
            beside = base(before[1]) if before else ""
            yield from _options(text[start:end], options, start, end, beside)


def _options(said: str, options: list[tuple[str, str, float]], start: int, end: int, beside: str) -> Iterator[Mention]:
    best = max((sure for *_, sure in options), default=0.0)
    by_label: dict[str, list[str]] = {}
    for label, value, sure in options:
        if sure == best and (_may_mean(said, value) or (beside == base(label) and said.isalpha())):
            by_label.setdefault(label, []).append(value)
    for label, values in by_label.items():
        looks = bool(re.search(r"\d", said) and re.search(r"[A-Za-z]", said)) or bool(re.search(r"[-_/.:]", said))
        counted = (
            label in _THINGS and said.lower().endswith("s") and not any(value.lower().endswith("s") for value in values)
        )
        yield Mention(label, tuple(dict.fromkeys(values)), start, end, best, is_marked=looks, is_counted=counted)


def _may_mean(said: str, value: str) -> bool:
    """A word that sentences are made of means a value only in its own writing; a bare number never by itself."""
    if said.isdigit():
        return False
    return said.lower() not in FILLERS or (said == value and not said.islower())


def _keys(value: str) -> list[tuple[str, float]]:
    """What may stand in a text for the value: itself, a host without port or domain, one word in another form."""
    pieces = [piece for piece, *_ in runs(value)]
    whole = "".join(pieces)
    if value == "/":
        return [("root", 0.95)]
    if not whole or value.startswith("/"):
        return []
    keys = [(whole, 1.0)]
    host = re.sub(r":\d+$", "", value)
    if host != value:
        keys.append(("".join(piece for piece, *_ in runs(host)), 0.99))
    if "." in host and not re.fullmatch(r"[\d.]+", host) and "/" not in host:
        keys.append(("".join(piece for piece, *_ in runs(host.split(".")[0])), 0.97))
    if len(pieces) == 1 and pieces[0].isalpha() and len(whole) > 2:
        keys.append((f"~{base(whole)}", 0.9))
    return [(key, sure) for key, sure in keys if key]


def _country_keys(label: str, value: str) -> list[tuple[str, float]]:
    names = COUNTRIES.get(value.upper(), ()) if label in _COUNTRY_LABELS else ()
    return [(name, 0.95) for name in names]


def _adjacent(text: str, end: int, start: int) -> bool:
    gap = text[end:start]
    return len(gap) <= 2 and not re.search(r"[,;?!\"']", gap)


def _codes(text: str, series: Series, labels: frozenset[str]) -> Iterator[Mention]:
    """Status codes and their classes: 500, 5xx; and numbers right beside the name of a label: cpu 0, shard 3."""
    for label in labels:
        values = series.values.get(label, ())
        if label in _STATUS:
            for found in _CLASS.finditer(text):
                fitting = tuple(v for v in values if re.fullmatch(rf"{found['digit']}(?:\d\d|xx)", v, re.I))
                if fitting:
                    yield Mention(label, fitting, *found.span(), 1.0, is_marked=True)
            for found in _CODE.finditer(text):
                if found["code"] in values:
                    yield Mention(label, (found["code"],), *found.span(), 0.98, is_marked=True)
        for found in re.finditer(rf"\b{re.escape(label)}s?\W{{0,3}}(?P<value>\d+)\b", text, re.I):
            if found["value"] in values:
                yield Mention(label, (found["value"],), *found.span("value"), 1.0, is_marked=True)


def _flags(text: str, series: Series, labels: frozenset[str]) -> Iterator[Mention]:
    """Labels that are yes or no, by their own word or its opposite: success="false" for what failed."""
    for label in labels:
        values = {value.lower(): value for value in series.values.get(label, ())}
        if not values or not values.keys() <= _YES | _NO:
            continue
        for word, start, end in text_words(text):
            wanted = _YES if base(word) == base(label) else _NO if _is_opposite(word, label) else frozenset()
            for value in wanted & values.keys():
                yield Mention(label, (values[value],), start, end, 0.95)


def _is_opposite(word: str, label: str) -> bool:
    fails = base(label) in (base("success"), base("ok")) and base(word) in (base("failed"), base("error"))
    return fails or base(word.removeprefix("un")) == base(label) != base(word)


def _marked(found: list[Mention], text: str) -> list[Mention]:
    return [replace(one, is_marked=True, is_named=True) if _is_named(one, text) else one for one in found]


def _is_named(one: Mention, text: str) -> bool:
    """Whether the label, or what people call such a label, stands beside the value."""
    if one.label in _OTHER_ENDS and _TOWARDS.search(text[: one.start]):
        return True
    before = re.search(r"([\w-]+)\W+$", text[: one.start])
    after = re.match(r"\W+([\w-]+)", text[one.end :])
    return any(beside and _names(beside[1], one.label) for beside in (before, after))


def _names(word: str, label: str) -> bool:
    kind = label_kind(word)
    return base(word) == base(label) or (kind is not None and label in LABEL_WORDS[kind])


def _without_overlap(found: list[Mention]) -> list[Mention]:
    """Longer before shorter, sure before likely, named before unnamed, then the label that people mean first."""
    ordered = sorted(found, key=lambda one: (one.start - one.end, -one.sure, not one.is_named, _rank(one.label)))
    named = {(one.start, one.end): one.label for one in reversed(ordered)}
    chosen: list[Mention] = []
    for one in ordered:
        if named[one.start, one.end] == one.label and not any(
            one.start < other.end and other.start < one.end for other in chosen
        ):
            chosen.append(one)
    return chosen


def _rank(label: str) -> tuple[int, str]:
    if label in _OTHER_ENDS:
        return 90, label
    return (_THINGS.index(label), label) if label in _THINGS else (50, label)


def _touches(one: Mention, spans: Iterable[tuple[int, int]]) -> bool:
    return any(one.start < end and start < one.end for start, end in spans)


def with_negation(found: list[Mention], text: str) -> list[Mention]:
    """The mentions in their order, with those negated that the text leaves out: "without lo", "except web-1"."""
    result: list[Mention] = []
    for one in found:
        negated = bool(_NEGATION.search(text[: one.start]))
        if result and _JOINED.match(text[result[-1].end : one.start]):
            negated = result[-1].negated
        result.append(replace(one, negated=negated))
    return result


def _is_part(word: str, value: str) -> bool:
    pieces = [piece for piece, *_ in runs(re.sub(r":\d+$", "", value))]
    is_path = value.startswith("/")
    return len(word) > 2 and (len(pieces) > 1 or is_path) and any(base(piece) == base(word) for piece in pieces)


def _is_slip(word: str, value: str) -> bool:
    whole = "".join(piece for piece, *_ in runs(re.sub(r":\d+$", "", value)))
    return len(word) >= 5 and close(word, whole)
