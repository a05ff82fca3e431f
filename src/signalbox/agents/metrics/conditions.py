"""The conditions of a plan: the words that narrow, as labels and values of the measure."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from signalbox.agents.metrics.errors import UnknownNameError
from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.question import Matcher, Measure
from signalbox.agents.metrics.values import OTHER_ENDS, Meant, find_label, find_value, nearest_values
from signalbox.agents.metrics.vocabulary import FILLERS, base, name_words, runs, text_words

__all__ = [
    "conditions_said",
    "in_names",
    "matchers_of",
    "names_measure",
    "one_by_one",
    "says_help",
    "says_measure",
    "upper",
]

_BESIDE = re.compile(
    r"\s+(?:versus|vs\.?|against|compared (?:to|with)|and|or|of|on|in|at|for|from|to)\s+|\s*,\s+|(?<=\w)\s*/\s+",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"['’]s?$")
_SENTENCE = re.compile(r"(?:[?!;]|(?<=\w\w)\.)\s+")
_SURE = 0.9


def conditions_said(
    plan: MetricsPlan,
    text: str,
    measure: Measure,
    series: Series,
    offer: Offer,
    live: Live,
    forgotten: Sequence[Meant],
) -> tuple[tuple[Meant, ...], tuple[Matcher, ...]]:
    said = [*forgotten]
    filters = [
        one
        for words in in_names(plan.filters, plan)
        for one in one_by_one(_widened(words, text, series, measure.labels), series, measure.labels)
    ]
    meant_by = [
        replace(meant, said=words) for words in filters if (meant := _meant(words, measure, series, offer, live))
    ]
    excluded = [
        meant for words in in_names(plan.excluded, plan) if (meant := _meant(words, measure, series, offer, live))
    ]
    given = {(one.label, value) for one in (*meant_by, *excluded) for value in one.values}
    said = [one for one in said if not all((one.label, value) in given for value in one.values)]
    # What was placed by its meaning yields to what the model says of the same label, but for the sides of a comparison.
    named = {one.label for one in meant_by}
    said = [one for one in said if one.sure >= _SURE or one.label not in named or plan.kind == "comparison"]
    said += meant_by
    said = _two_ends(said, series, measure.labels) if plan.kind != "comparison" else said
    named = {one.label for one in (*said, *excluded)}
    for words in plan.carried:
        meant = find_value(words, series, measure.labels)
        if meant is not None and meant.label not in named:
            said.append(meant)
    for words in plan.carried_out:
        meant = find_value(words, series, measure.labels)
        if meant is not None and meant.label not in named:
            excluded.append(meant)
    return tuple(said), matchers_of(said, excluded)


def matchers_of(said: Sequence[Meant], excluded: Sequence[Meant]) -> tuple[Matcher, ...]:
    """One condition for each label, on all that is meant of it, and one on all that is left out."""
    values: dict[tuple[str, bool], dict[str, None]] = {}
    for meant, negated in (*((one, False) for one in said), *((one, True) for one in excluded)):
        values.setdefault((meant.label, negated), {}).update(dict.fromkeys(meant.values))
    return tuple(Matcher(label, tuple(found), negated) for (label, negated), found in values.items())


def _two_ends(said: list[Meant], series: Series, labels: frozenset[str]) -> list[Meant]:
    """What narrows; of two names of one label the second is what the first is connected to, where it can be."""
    first: dict[str, Meant] = {}
    found = []
    for one in said:
        ends = [label for label in sorted(labels & OTHER_ENDS) if {*one.values} <= {*series.values.get(label, ())}]
        is_second = one.label in first and first[one.label].values != one.values
        if is_second and ends and one.label not in OTHER_ENDS:
            one = replace(one, label=ends[0])
        first.setdefault(one.label, one)
        found.append(one)
    return found


def in_names(said: Sequence[str], plan: MetricsPlan) -> list[str]:
    """The words, with the names of the server for which some of them stand in their place; none runs on into the next
    sentence."""
    return [name for words in said for name in plan.names.get(words, [_SENTENCE.split(words)[0]])]


def _widened(words: str, text: str, series: Series, labels: frozenset[str]) -> str:
    """The words; where they are a piece of a whole name that stands in the question, that name: line 2, gate left."""
    said = {piece for piece, *_ in runs(words)}
    known = [value for label in sorted(labels) for value in series.values.get(label, ())]
    whole = [value for value in known if words.lower() in value.lower() and said < {piece for piece, *_ in runs(value)}]
    standing = [value for value in whole if any(_stands(value, text, small) for small in (frozenset(), FILLERS))]
    return max(standing, key=len, default=words)


def _stands(value: str, text: str, small: Set[str]) -> bool:
    """Whether all the pieces of a name stand side by side in a text, but for small words."""
    name, said = ([piece for piece, *_ in runs(one) if piece not in small] for one in (value, text))
    return len(name) > 1 and f" {' '.join(name)} " in f" {' '.join(said)} "


def one_by_one(words: str, series: Series, labels: frozenset[str]) -> list[str]:
    """The words; where two things stand in them side by side, each by itself."""
    if (whole := find_value(words, series, labels)) is None:
        parts = _BESIDE.split(words)
        return parts if len(parts) > 1 and all(find_value(one, series, labels) for one in parts) else [words]
    parts = [_POSSESSIVE.sub("", one) for one in words.split()]
    each = [meant for one in parts if (meant := find_value(one, series, labels)) and meant.sure >= _SURE]
    # Names of different kinds stand side by side without a word between them: a host, and a path on it.
    are_apart = len({one.label for one in each}) == len(parts) > 1
    return parts if are_apart and not _has_all(words, whole) else [words]


def _has_all(words: str, meant: Meant) -> bool:
    """Whether a name has all of the words, and not only some of them."""
    said = {piece for piece, *_ in runs(words)}
    return any(said <= {piece for piece, *_ in runs(value)} for value in meant.values)


def _meant(words: str, measure: Measure, series: Series, offer: Offer, live: Live) -> Meant | None:
    """What words that narrow stand for; None where they only name the measure. Raises UnknownNameError for others."""
    found = find_value(words, series, measure.labels)
    is_one = found is not None and len(series.values.get(found.label, ())) == 1
    # The kind of the things, which is a part of some of their names, narrows to none: all lifts, and not the bed lift.
    is_kind = found is not None and found.sure < _SURE and base(words) in map(base, measure.labels)
    if is_kind or (is_one and names_measure(words, offer)):
        return None
    if found is not None:
        return found
    if says_measure(words, measure, offer) or says_help(words, offer):
        return None
    near = nearest_values(words, series, measure.labels)
    hidden = find_value(words, series, series.names() - measure.labels)
    if hidden is not None:
        detail = f"{measure.title} is computed over all values of {hidden.label}, and cannot be narrowed by it."
        raise UnknownNameError(
            detail, suggestion=f"It can be narrowed by: {', '.join(sorted(measure.labels)) or 'nothing'}."
        )
    there = " ".join(filter(None, (f"Did you mean {' or '.join(near)}?" if near else "", _listing(series, measure))))
    raise UnknownNameError(f'{upper(measure.title)} has nothing called "{words}" here.', suggestion=there)


def says_measure(words: str, measure: Measure, offer: Offer) -> bool:
    """Whether words that narrow only name the measure, or what it is split by."""
    if names_measure(words, offer) or (words.isalpha() and find_label(words, measure.labels) is not None):
        return True
    if any(word.isupper() and len(word) > 1 and not names_measure(word, offer) for word in words.split()):
        return False  # A name as machines have it, beside a word of the measure.
    # Mostly the measure by a longer name: what else is said of it is said not to be considered.
    return words.replace(" ", "").isalpha() and any(names_measure(word, offer) for word in words.split())


def says_help(words: str, offer: Offer) -> bool:
    """Whether words that narrow stand in the help text of the measure, which so says them of all of it."""
    told = {base(word) for word, *_ in text_words(offer.family.help if offer.family else "") if word not in FILLERS}
    spoken = [word for word, *_ in text_words(words)]
    return bool(spoken) and words.islower() and all(base(word) in told for word in spoken)


def upper(title: str) -> str:
    return title[:1].upper() + title[1:]


def _listing(series: Series, measure: Measure) -> str:
    """The labels with some of their values, for who named something else."""
    told = [
        f"{label}: {', '.join(series.values[label][:4])}{', …' if len(series.values[label]) > 4 else ''}"
        for label in sorted(measure.labels)
        if len(series.values.get(label, ())) > 1
    ]
    return f"There is {'; '.join(told[:4])}." if told else "It has no labels to narrow it by."


def names_measure(words: str, offer: Offer) -> bool:
    own = {
        base(word)
        for text in (offer.title, *offer.wordings, *map(" ".join, map(name_words, offer.metrics)))
        for word in text.split()
    }
    spoken = [base(word) for word, *_ in text_words(words)]
    return bool(spoken) and own.issuperset(spoken)
