"""What a plan leaves out although it can be known: a name, a label, a time or a figure that stands in the question.

A model marks words; which of them are names of this server, times and percentiles is known to code. What stands in the
question and in no field is put where it belongs, if there is one such place only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from signalbox.agents.metrics.bounds import find_parts, find_percentiles, read_percentile
from signalbox.agents.metrics.left import places_of
from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.offers import Offer, is_slip
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.times import Moment, find_present, is_present
from signalbox.agents.metrics.values import Meant, find_value
from signalbox.agents.metrics.vocabulary import (
    EXCLUDES,
    FILLERS,
    GENERIC,
    SOFT,
    SPLITS,
    base,
    label_kind,
    name_words,
    runs,
)
from signalbox.errors import TimeRangeError
from signalbox.language.names import nearest
from signalbox.language.quantities import Quantity, find_quantities
from signalbox.language.time import Range, find_range
from signalbox.language.time.stretches import is_time_word

__all__ = [
    "all_named",
    "completed",
    "forgotten_values",
    "is_whole",
    "own_words",
]

_LONGEST = 400
_MOST_PIECES = 5
_MOST_PLACES = 50
_SURE = 0.9
_CERTAIN = 0.97
_MOST_NAMES = 60_000
_METRIC = re.compile(r"(?<![\w:.])[A-Za-z]\w*_[\w:]*\w(?![\w=])")
_PER_TIME = re.compile(r"\bper (?:second|sec|minute|min|hour)\b|(?<=[a-z])/(?:s|sec|min|h)\b", re.IGNORECASE)
_PERCENT = re.compile(r"(?<![\d.])(?<!\d )(?:%|\b(?:percent|pct)\b)", re.IGNORECASE)
_CODE = re.compile(r"[1-5]\d\d")
_CLOCK = re.compile(r"\d+(?:am|pm|h|hrs?|m|mins?|s|d|days?|st|nd|rd|th)?")
_PATH = re.compile(r"(?<!\S)/[\w./-]*(?<![.])")
_LEAVES_OUT = re.compile(
    r"\b(?:not|never|without|except(?: for)?|excluding|(?:other|rather) than|(?:apart|aside) from) "
    r"(?:(?:counting|including|in|at|on|for|(?:\w+ )?(?:by|with|via|through|using|from)) )?(?:the |an? )?$",
    re.IGNORECASE,
)
_TO_A_NAME = re.compile(r"[\w)][-_/:.][\w]|[-_/:]\d|\d[-_/:]")


def completed(plan: MetricsPlan, text: str, live: Live, moment: Moment) -> MetricsPlan:
    """The plan with the metric, the time and the figures that the question writes out and that it has not."""
    if is_present(plan.time):
        # A slip of the pen before it, or a word that belongs elsewhere: in kohm now.
        plan = plan.model_copy(update={"time": find_present(plan.time) or plan.time})
    # What is no percentile may be a name: the calls to 112.
    percentiles = [words for words in plan.percentiles if read_percentile(words) is not None]
    named = with_exclusion(with_name(plan, text, live), text).model_copy(update={"percentiles": percentiles})
    return with_figures(with_time(named, text, moment), text)


def with_time(plan: MetricsPlan, text: str, moment: Moment) -> MetricsPlan:
    """The plan with the one time of the question, where it has none, only a piece of it, or words that are no time."""
    if plan.promql or len(text) > _LONGEST:
        return plan
    if plan.against:
        # What is compared with is another time: the one that is asked about stands in the rest.
        at = text.lower().find(plan.against.lower())
        if at < 0:
            return plan
        text = text[:at] + " " * len(plan.against) + text[at + len(plan.against) :]
    try:
        found = find_range(text, moment.now, moment.zone)
        mine = find_range(plan.time, moment.now, moment.zone) if plan.time else None
    except TimeRangeError:
        return plan
    if plan.time and not is_present(plan.time) and mine is None and not any(map(is_time_word, plan.time.split())):
        plan = plan.model_copy(update={"time": "", "not_covered": [*plan.not_covered, plan.time]})
    if found is None:
        said = find_present(text) if not plan.time else ""
        return plan.model_copy(update={"time": said}) if said else plan
    both = f"{found.text} {plan.time}"
    if plan.time and mine is not None and text.lower().find(plan.time.lower()) >= found.spans[-1][1]:
        # The day stands apart from its hours: when yesterday was it, between ten and noon.
        joined = find_range(both, moment.now, moment.zone)
        if joined is not None and joined.text == both and _lies_in(joined.range, found.range):
            return plan.model_copy(update={"time": both})
    covered = places_of(plan.model_copy(update={"time": ""}), text)
    is_whole = not any(_is_taken(start, end, covered) for start, end in found.spans)
    is_piece = not plan.time or plan.time.lower() in found.text.lower()
    # A word that a sure model leaves out of a time belongs to what is asked: it came late on Friday.
    rest = found.text.lower().replace(plan.time.lower(), "")
    is_sure = mine is not None and plan.confidence >= _CERTAIN and not any(map(str.isdigit, rest))
    if not is_whole or not is_piece or is_sure or (mine is not None and mine.range == found.range):
        return plan
    return plan.model_copy(update={"time": " ".join(text[start:end] for start, end in found.spans)})


def _lies_in(one: Range, other: Range) -> bool:
    return other.start <= one.start and one.end <= other.end and one != other


def with_name(plan: MetricsPlan, text: str, live: Live) -> MetricsPlan:
    """The plan with the metric that the question names as it is written, or nearly so; no second one of the plan is."""
    if plan.promql or plan.named in live.names:
        return plan
    found = [one for one in _METRIC.findall(text[:_LONGEST]) if one not in (plan.per, plan.less, plan.also)]
    written = [one for one in found if one in live.names or _is_slip_of(one, live)]
    if len(set(written)) != 1:
        return plan
    filters = [one for one in plan.filters if one != written[0]]
    return plan.model_copy(update={"named": written[0], "filters": filters})


def _is_slip_of(word: str, live: Live) -> bool:
    near = nearest(word, [*live.names][:_MOST_NAMES], 1)
    return bool(near) and is_slip(word, near[0])


def with_exclusion(plan: MetricsPlan, text: str) -> MetricsPlan:
    """The plan with what the question leaves out in the field for it: orders that were not paid by card."""
    out = [one for one in plan.filters if (at := text.lower().find(one.lower())) > 0 and _LEAVES_OUT.search(text[:at])]
    kept = [one for one in plan.filters if one not in out]
    return plan.model_copy(update={"filters": kept, "excluded": [*plan.excluded, *out]}) if out else plan


def with_figures(plan: MetricsPlan, text: str) -> MetricsPlan:
    """The plan with the percentiles and the rate that the question writes out, and how many places a ranking has."""
    taken: dict[str, Any] = {}
    is_of_values = plan.how in (None, "highest", "lowest", "latest")
    if is_of_values and not plan.percentiles and (percentiles := find_percentiles(text[:_LONGEST])):
        taken["percentiles"] = percentiles
    if not plan.unit and not plan.bound and not plan.percentiles and plan.kind not in ("share", "threshold"):
        percent = _PERCENT.search(text[:_LONGEST])
        if percent is not None and not _is_taken(*percent.span(), places_of(plan, text)):
            taken["unit"] = percent.group()
    rate = None if plan.unit or taken.get("unit") else _PER_TIME.search(text[:_LONGEST])
    if rate is not None and not _is_taken(*rate.span(), places_of(plan, text)):
        taken["unit"] = rate.group()
    if plan.side and not plan.bound and (parts := find_parts(text[:_LONGEST])):
        taken["bound"] = parts[0]
        taken["not_covered"] = [one for one in plan.not_covered if one != parts[0]]
    elif plan.kind == "ranking" and plan.top is None and not plan.bound:
        free = [one for one in _bare_numbers(text) if not _is_taken(one.start, one.end, places_of(plan, text))]
        if len(free) == 1 and 0 < free[0].value <= _MOST_PLACES:
            taken["top"] = int(free[0].value)
            taken["not_covered"] = [one for one in plan.not_covered if one != text[free[0].start : free[0].end]]
    return plan.model_copy(update=taken) if taken else plan


def _bare_numbers(text: str) -> list[Quantity]:
    """The whole numbers of a text that have no unit and are no part of a name."""
    found = (one for one in find_quantities(text[:_LONGEST]) if not one.unit and one.value == int(one.value))
    # The first and the second are places, and no numbers of them.
    counted = (one for one in found if text[one.start : one.end].lower() not in SOFT | {"one"})
    return [one for one in counted if not _TO_A_NAME.search(text[max(0, one.start - 1) : one.end + 1])]


def forgotten_values(plan: MetricsPlan, text: str, offer: Offer, series: Series, labels: frozenset[str]) -> list[Meant]:
    """The things of a measure that the question names outside every field of the plan.

    None where the question leaves something out and the plan does not say what: that may be any of them.
    """
    pieces = runs(text[:_LONGEST])
    if any(word in EXCLUDES for word, *_ in pieces) and not plan.excluded:
        return []
    covered = places_of(plan, text)
    found: list[tuple[int, Meant]] = []
    for start, end in _names(text, pieces, own_words(offer)):
        words = text[start:end]
        meant = None if _is_taken(start, end, covered) else find_value(words, series, labels)
        if meant is not None and meant.sure >= _SURE and is_whole(words, meant):
            found.append((start, replace(meant, said=words)))
            covered.append((start, end))
    sides = plan.kind in ("curve", None) or (plan.kind == "comparison" and not plan.against)
    told = [one for one in found if sides or not all_named(text, series.values.get(one[1].label, ()))]
    return [meant for _, meant in sorted(told, key=lambda one: one[0])]


def all_named(text: str, values: Sequence[str]) -> bool:
    """Whether a text names all that there are, which narrows nothing: single and double rooms together."""
    said = f" {' '.join(piece for piece, *_ in runs(text[:_LONGEST]))} "
    return 1 < len(values) <= _MOST_PIECES and all(
        f" {' '.join(piece for piece, *_ in runs(value))} " in said for value in values
    )


def _names(text: str, pieces: Sequence[tuple[str, int, int]], own: frozenset[str]) -> Iterator[tuple[int, int]]:
    """The stretches that may be a name, the longest first: paths, words, codes of three digits."""
    for path in _PATH.finditer(text[:_LONGEST]):
        yield path.span()
    for (before, *_), (word, start, end) in pairwise(pieces):
        if before == "the" and word in FILLERS:
            yield start, end  # A small word that is a thing: from the well.
    for length in range(min(_MOST_PIECES, len(pieces)), 0, -1):
        for first in range(len(pieces) - length + 1):
            last = first + length - 1
            if not _says_nothing([word for word, *_ in pieces[first : last + 1]], own):
                yield pieces[first][1], pieces[last][2]
    for number in _bare_numbers(text):
        if _CODE.fullmatch(text[number.start : number.end]):
            yield number.start, number.end


def _says_nothing(words: list[str], own: frozenset[str]) -> bool:
    """Whether words are no name: of sentences, of time, of numbers, or of the measure itself."""
    if words[0] in FILLERS or words[-1] in FILLERS or any(word in SPLITS for word in words):
        return True
    if len(words) == 2 and any(map(label_kind, words)) and not any(map(str.isdigit, words)):
        return False
    return all(
        word in FILLERS or word in SOFT or word in GENERIC or base(word) in own or _is_of_time(word) for word in words
    )


def _is_of_time(word: str) -> bool:
    return bool(_CLOCK.fullmatch(word)) or (word.isalpha() and is_time_word(word))


def is_whole(words: str, meant: Meant) -> bool:
    """Whether the words are the whole name, and no part of them would do."""
    said = {base(piece) for piece, *_ in runs(words)}
    return meant.is_told or all(
        said <= {base(piece) for piece, *_ in runs(value)} or len(said) == 1 for value in meant.values
    )


def own_words(offer: Offer) -> frozenset[str]:
    """The words by which an offer is called."""
    told = (offer.title, *offer.wordings, *map(" ".join, map(name_words, (*offer.metrics[:4], offer.key))))
    return frozenset(base(word) for text in told for word in text.split())


def _is_taken(start: int, end: int, covered: Any) -> bool:
    return any(start < last and end > first for first, last in covered)
