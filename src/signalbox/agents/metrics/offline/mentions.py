"""Names that a question writes out as the server has them, and that stand in no field of the plan."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from signalbox.agents.metrics.candidates import Meant, Values
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.offline.labels import own_words
from signalbox.agents.metrics.offline.words import OF_SCHEMA, places_of
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.vocabulary import label_kind
from signalbox.language.mentions import Mention, find_mentions
from signalbox.language.mentions import Values as Spelt
from signalbox.language.synonyms import FILLERS, LIGHT, base
from signalbox.language.time.stretches import is_time_word
from signalbox.language.words import read_words

__all__ = ["kinds_in", "named_values"]

_LEAVES_OUT = re.compile(
    r"\b(?:without|except|excluding|exclude|ignoring|besides|unless|not|minus|other|apart)\b", re.I
)
_PLACE = re.compile(r"\b(?:in|at|on|of|for|from|via|by|to|with|without|except)\s+(?:the\s+|our\s+|all\s+)?$", re.I)
_OF_KIND = re.compile(
    r"\b(?:in|at|on|of|for|from|with|during|while)\s+(?:the\s+|our\s+|all\s+)?(?:\w+\s+)?(?P<kind>[a-z]{3,})\b", re.I
)
_JOINED = re.compile(r"\s*(?:,|and|or|&|vs\.?|versus|against)\s*(?:the\s+)?", re.I)
_LONGEST, _FEW = 400, 300


def kinds_in(text: str, labels: Collection[str]) -> list[Mention]:
    """Return the words of a question that say where, and that are called like one of these labels: of the trucks."""
    places = [(one["kind"], *one.span("kind")) for one in _OF_KIND.finditer(text[:_LONGEST])]
    return [Mention(word, word, *span) for word, *span in places if base(word) in labels]


def named_values(
    plan: MetricsPlan, text: str, mentioned: Iterable[Mention], values: Values, offer: Offer
) -> tuple[list[Meant], list[str]]:
    """Return the values of a measure that stand in the question outside of the plan: those that narrow it, and those
    that may be left out or belong elsewhere."""
    known = {label: some for label, some in values.values.items() if len(some) <= _FEW}
    by_label = {label: list(some) for label, some in known.items()}
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
        is_split = is_split or (is_plain and not is_beside and not _is_placed(said, one, own))
        if not (is_all or is_taken or is_split) and one.start not in found:
            found[one.start] = Meant(one.label, (one.value,), said[one.start : one.end], True)
    meant = [found[at] for at in sorted(found)]
    is_unclear = _LEAVES_OUT.search(said) is not None and not plan.excluded
    return ([], [one.said for one in meant]) if is_unclear else (meant, [])


def _short(text: str, values: Mapping[str, Sequence[str]]) -> Iterator[Mention]:
    """The values that are also small words, where the question has them just so: in the us."""
    small = {value.casefold(): (label, value) for label, some in values.items() for value in some if _is_small(value)}
    for word, start, end in read_words(text):
        if word in small:
            yield Mention(*small[word], start, end)


def _are_joined(text: str, one: Mention, other: Mention) -> bool:
    """True if nothing but "and", "or" or a comma stands between two names: the one is as much a name as the other."""
    first, last = sorted((one, other), key=lambda each: each.start)
    return first.value != last.value and bool(_JOINED.fullmatch(text[first.end : last.start]))


def _is_small(value: str) -> bool:
    return value.isalpha() and (len(value) < 3 or value.casefold() in FILLERS)


def _is_of_schema(word: str) -> bool:
    """True if a word also says how to answer: peak, total."""
    return base(word) in OF_SCHEMA


def _is_placed(text: str, named: Mention, own: frozenset[str]) -> bool:
    """True if a word stands where a name does: in the us; with a word of the measure or its label: day tickets, at the
    top station. A preposition is a name only if nothing follows that it could belong to."""
    before, after = read_words(text[: named.start])[-1:], read_words(text[named.end :])[:1]
    known = own | {base(named.label)}
    is_beside = [base(one.word) in known and one.word not in FILLERS for one in (*before, *after)]
    if _PLACE.fullmatch(f"{named.value.casefold()} "):
        return any(is_beside) and not re.match(r"\s+\w", text[named.end :])
    return bool(_PLACE.search(text[: named.start])) or any(is_beside)
