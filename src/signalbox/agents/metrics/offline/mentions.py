"""Names that a question writes out as the server has them, and that stand in no field of the plan."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from signalbox.agents.metrics.candidates import Meant, Values, find_label
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.offline.labels import own_words
from signalbox.agents.metrics.offline.words import OF_SCHEMA, places_of
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.vocabulary import label_kind
from signalbox.language.mentions import Mention, find_mentions
from signalbox.language.mentions import Values as Spelt
from signalbox.language.synonyms import FILLERS, LIGHT, base
from signalbox.language.time.stretches import is_time_word
from signalbox.language.units import dimension_of
from signalbox.language.words import read_words

__all__ = [
    "kinds_in",
    "name_metric",
    "named_values",
    "numbered",
    "split_named",
    "splits_of",
    "whole_names",
    "whole_words",
]

_METRIC = re.compile(r"(?<![\w:.])[A-Za-z]\w*_[\w:]*\w(?![\w=])")
_LEAVES_OUT = re.compile(
    r"\b(?:without|except|excluding|exclude|ignoring|besides|unless|not|minus|other|apart)\b", re.I
)
_PLACE = re.compile(r"\b(?:in|at|on|of|for|from|via|by|to|with|without|except)\s+(?:the\s+|our\s+|all\s+)?$", re.I)
_NUMBERED = re.compile(r"([A-Za-z]{3,})[-_ ]?\d+")
_OF_KIND = re.compile(
    r"\b(?:in|at|on|of|for|from|with|during|while)\s+(?:the\s+|our\s+|all\s+)?(?:\w+\s+)?(?P<kind>[a-z]{3,})\b", re.I
)
_SPLIT = re.compile(r"\b(?:by|per|each|every)\s+(\w+)", re.I)
_SIGNED = re.compile(r"\w{1,6}[+#-]+")
_JOINED = re.compile(r"\s*(?:,|and|or|&|vs\.?|versus|against)\s*(?:the\s+)?", re.I)
_LONGEST, _FEW = 400, 300


def kinds_in(text: str, labels: Collection[str]) -> list[Mention]:
    """Return the words of a question that say where, and that are called like one of these labels: of the trucks."""
    places = [(one["kind"], *one.span("kind")) for one in _OF_KIND.finditer(text[:_LONGEST])]
    return [Mention(word, word, *span) for word, *span in places if base(word) in labels]


def splits_of(text: str) -> list[str]:
    """Return the words of a question that may name what it is split by: by firmware."""
    return [one[1] for one in _SPLIT.finditer(text[:_LONGEST]) if one[1].lower() not in FILLERS]


def split_named(plan: MetricsPlan, text: str, labels: Iterable[str]) -> MetricsPlan:
    """Return the plan split by the labels that the question writes out, which a model may take for names."""
    known = [*labels]
    for words in splits_of(text):
        is_other = bool(dimension_of(words)) or words in (plan.less, plan.per, plan.also, plan.named)
        label = None if is_other or ("_" in words and words not in known) else find_label(words, known)
        if label is not None and label not in {find_label(one, known) for one in plan.split_by}:
            filters = [one for one in plan.filters if one.casefold() != words.casefold()]
            plan = plan.model_copy(update={"filters": filters, "split_by": [*plan.split_by, words]})
    return plan


def whole_words(plan: MetricsPlan, text: str) -> MetricsPlan:
    """Return the plan with whole names where it has the end of a word: gondola-2, not ndola-2."""

    def whole(words: str) -> str:
        if re.search(rf"(?<![\w-]){re.escape(words)}", text):
            return words
        found = re.search(rf"[\w-]*{re.escape(words)}", text)
        return found[0] if found else words

    filters, excluded = ([*dict.fromkeys(map(whole, some))] for some in (plan.filters, plan.excluded))
    less = whole(plan.less) if plan.less else ""
    return plan.model_copy(update={"filters": filters, "excluded": excluded, "less": "" if less in excluded else less})


def name_metric(plan: MetricsPlan, text: str, names: Iterable[str]) -> MetricsPlan:
    """Return the plan with the one metric that the question names by its own name."""
    known = {*names}
    if plan.named in known or plan.promql:
        return plan
    found = {one[0] for one in _METRIC.finditer(text[:_LONGEST]) if plan.named.lower() in one[0].lower()} & known
    found -= {plan.per, plan.less, plan.also}
    return plan.model_copy(update={"named": found.pop()}) if len(found) == 1 else plan


def whole_names(plan: MetricsPlan, text: str, mentioned: Iterable[Mention]) -> MetricsPlan:
    """Return the plan with whole names where it has a piece of one: North left, not left."""
    names = [one.value for one in mentioned if " " in one.value and one.value.lower() in text.lower()]

    def whole(words: str) -> str:
        return next((one for one in names if f" {words.lower()} " in f" {one.lower()} "), words)

    return plan.model_copy(update={"filters": [*dict.fromkeys(map(whole, plan.filters))]})


def named_values(
    plan: MetricsPlan, text: str, mentioned: Iterable[Mention], values: Values, offer: Offer
) -> tuple[list[Meant], list[str]]:
    """Return the values of a measure that stand in the question outside of the plan: those that narrow it, and those
    that may be left out or belong elsewhere."""
    known = {label: some for label, some in values.values.items() if len(some) <= _FEW}
    by_label = {label: list(some) for label, some in known.items()}
    for one in mentioned:
        if one.label not in known and one.value in values.values.get(one.label, ()):
            by_label.setdefault(one.label, []).append(one.value)
    said, own = text[:_LONGEST], own_words(offer)
    # What it is split by may narrow it, too: any plasma freezer.
    covered = places_of(plan.model_copy(update={"split_by": []}), said)
    narrowed = {meant.label for words in plan.filters for meant in values.find(words) or ()}
    found: dict[int, Meant] = {}
    spelt = [*find_mentions(said, Spelt(by_label)), *_short(said, by_label)]
    for one in spelt:
        words = [word for word, *_ in read_words(said[one.start : one.end])]
        is_beside = any(one.label == other.label and _are_joined(said, one, other) for other in spelt)
        # Of several words that are just those of a value none is said by chance: too large.
        is_plain = len(words) == 1 and all(
            word in FILLERS or len(word) < 3 or is_time_word(word) or base(word) in LIGHT or base(word) in own
            or label_kind(word) or _is_of_schema(word) for word in words
        )  # fmt: skip
        is_all = len(by_label[one.label]) == len(values.values[one.label]) == 1
        is_taken = any(one.start < last and one.end > first for first, last in covered)
        is_split = any(base(one.label) == base(word) for word in plan.split_by)
        # In another form a word counts only if nothing else of the kind is named: refused deliveries.
        is_form = not one.is_name and said[one.start : one.end].casefold() != one.value.casefold()
        is_split = is_split or (is_form and one.label in narrowed)
        is_split = is_split or (is_plain and not is_beside and not _is_placed(said, one.start, one.end, own))
        if not (is_all or is_taken or is_split) and one.start not in found:
            found[one.start] = Meant(one.label, (one.value,), said[one.start : one.end], True)
    for start, end, words in _stretches(said):
        is_taken = any(start < last and end > first for first, last in covered)
        named = None
        if not is_taken and not all(base(word) in own for word in words):
            named = values.alias(said[start:end]) or (numbered(words[0], values) if len(words) == 1 else None)
        is_form = named is not None and base(said[start:end]) in map(base, named.values)
        if named is not None and not is_form and not any(start <= at < end for at in found):
            found[start] = named
    meant = [found[at] for at in sorted(found)]
    is_unclear = _LEAVES_OUT.search(said) is not None and not plan.excluded
    return ([], [one.said for one in meant]) if is_unclear else (meant, [])


def numbered(word: str, values: Values) -> Meant | None:
    """Return all the values that are called like a word and numbered: the gondolas are gondola-1 and gondola-2."""
    for label, known in values.values.items():
        if len(known) <= _FEW:
            found = tuple(
                one for one in known if (kind := _NUMBERED.fullmatch(one)) and base(kind[1].lower()) == base(word)
            )
            if found and len(found) < len(known):
                return Meant(label, found, word, True)
    return None


def _short(text: str, values: Mapping[str, Sequence[str]]) -> Iterator[Mention]:
    """The values that are also small words, or end in a sign, where the question has them just so: in the us, C++."""
    small = {value.casefold(): (label, value) for label, some in values.items() for value in some if _is_small(value)}
    for word, start, end in read_words(text):
        if word in small:
            yield Mention(*small[word], start, end)
    for label, some in values.items():
        for value in (one for one in some if _SIGNED.fullmatch(one)):
            for found in re.finditer(rf"(?<![\w+-]){re.escape(value)}(?![\w+#-])", text):
                yield Mention(label, value, *found.span())


def _are_joined(text: str, one: Mention, other: Mention) -> bool:
    """True if nothing but "and", "or" or a comma stands between two names: the one is as much a name as the other."""
    first, last = sorted((one, other), key=lambda each: each.start)
    return first.value != last.value and bool(_JOINED.fullmatch(text[first.end : last.start]))


def _is_small(value: str) -> bool:
    return value.isalpha() and (len(value) < 3 or value.casefold() in FILLERS)


def _is_of_schema(word: str) -> bool:
    """True if a word also says how to answer: peak, total."""
    return base(word) in OF_SCHEMA


def _is_placed(text: str, start: int, end: int, own: frozenset[str]) -> bool:
    """True if a word stands where a name does: in the us; or with a word of the measure: day tickets."""
    before, after = read_words(text[:start])[-1:], read_words(text[end:])[:1]
    is_beside = [base(one.word) in own and one.word not in FILLERS for one in (*before, *after)]
    return bool(_PLACE.search(text[:start])) or any(is_beside)


def _stretches(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Up to three words side by side, the longest first, that begin and end with none that says nothing."""
    words = read_words(text)
    for size in (3, 2, 1):
        for first in range(len(words) - size + 1):
            some = words[first : first + size]
            if not {some[0].word, some[-1].word} & FILLERS and not label_kind(some[0].word):
                yield some[0].start, some[-1].end, [one.word for one in some]
