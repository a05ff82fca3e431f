"""What a plan leaves out of a question: words that look like a name, a figure or a condition and stand in no field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.vocabulary import CONDITIONS, FILLERS, base, name_words, text_words
from signalbox.language.time.stretches import is_time_word

__all__ = ["left_out", "places_of"]

_NAME = re.compile(
    r"[\"“`][^\"”`]{1,80}[\"”`]|(?<![\w./-])(?:\d[\w.,:%/-]*|[A-Za-z][\w.]*(?:[-_/:][\w.]+)+|(?<=[a-z,] )[A-Z][\w-]+)"
)
_MOST = 8
_LONGEST = 2_000


def left_out(plan: MetricsPlan, text: str, *offers: Offer | None, names: Sequence[str] = ()) -> tuple[str, ...]:
    """The words that went nowhere, and what the model itself says that it left out. `names` are things of the server
    that stand in the question and in no condition."""
    said = text[:_LONGEST]
    covered = places_of(plan, said)
    own = {base(word) for one in offers if one for word in (*one.title.split(), *_words(one))}
    found = [one for one in plan.not_covered if one.strip() and one.lower() in said.lower() and not _is_own(one, own)]
    for one in _NAME.finditer(said):
        words = one[0].strip('.,:?!"“”`')
        if any(one.start() < end and one.end() > start for start, end in covered) or _is_of_time(words):
            continue
        if words and not _is_own(words, own) and words.lower() not in FILLERS:
            found.append(words)
    found += [one for one in names if not _is_own(one, own)]
    found += [words for words, start, end in _conditions(said) if not any(start < b and end > a for a, b in covered)]
    kept = [one for one in dict.fromkeys(found) if not any(one != other and one in other for other in found)]
    return tuple(kept[:_MOST])


def _is_own(words: str, own: Set[str]) -> bool:
    """Whether words say no more than the name of the measure."""
    spoken = {base(word) for word, *_ in text_words(words)}
    return bool(spoken) and spoken <= own


def _words(offer: Offer) -> list[str]:
    told = [word for wording in offer.wordings for word in wording.split()]
    return told + [word for metric in (*offer.metrics[:4], offer.key) for word in name_words(metric)]


def places_of(plan: MetricsPlan, text: str) -> list[tuple[int, int]]:
    """Where the words of the plan stand in the question."""
    return list(_places(plan, text))


def _places(plan: MetricsPlan, text: str) -> Iterator[tuple[int, int]]:
    texts = [plan.named, plan.bound, plan.lasting, plan.time, plan.against, plan.per, plan.less]
    texts += [plan.also, plan.unit, *plan.filters, *plan.excluded, *plan.split_by, *plan.percentiles]
    if plan.top is not None:
        texts.append(str(plan.top))
    for one in filter(None, texts):
        for found in re.finditer(rf"(?<!\w){re.escape(one)}(?!\w)", text, re.IGNORECASE):
            yield found.span()


def _is_of_time(words: str) -> bool:
    return all(is_time_word(word) for word in words.split()) and (words.isalpha() or words[:1].isdigit())


def _conditions(text: str) -> Iterator[tuple[str, int, int]]:
    """What stands after a word that sets a condition, up to the end of its clause."""
    for word, start, end in text_words(text):
        if word in CONDITIONS:
            rest = re.match(r"[^,.;?!]{1,60}", text[end:])
            if rest and rest[0].strip():
                yield text[start : end + rest.end()].strip(), start, end + rest.end()
