"""The words of a plan that narrow, leave out or split, as labels and values of its measure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from signalbox.agents.metrics.candidates import OTHER_ENDS, Meant, Values, find_label, matchers_of
from signalbox.agents.metrics.errors import UnknownNameError
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.slots import Matcher, Measure
from signalbox.agents.metrics.vocabulary import LABEL_WORDS, label_kind
from signalbox.language.synonyms import FILLERS, base
from signalbox.language.words import read_words, split_name

__all__ = [
    "Labelled",
    "help_words",
    "label_plan",
    "names_measure",
    "own_words",
    "parts_kept",
    "things_of",
]

_MOST_LISTED = 12
# Disks, interfaces and the like are parts of a host: "sda" alone names one on every host.
_PARTS = frozenset(one for kind in ("interface", "disk", "filesystem", "core") for one in LABEL_WORDS[kind])
_DISKS = frozenset(one for kind in ("interface", "disk", "filesystem") for one in LABEL_WORDS[kind])
_ANY_THING = ("host", "device", "machine", "service")
"""Kinds whose words are also said of whatever a measure is of."""
_EVERY_ONE = frozenset({"each", "all", "every one", "individually", "each one"})


@dataclass(frozen=True, slots=True)
class Labelled:
    """What a plan narrows a measure to and splits it by. `said` are the values in the order of the plan."""

    said: tuple[Meant, ...]
    matchers: tuple[Matcher, ...]
    by: tuple[str, ...]
    lost: tuple[str, ...] = ()
    """What the question before narrowed, and this measure has no label for."""


def label_plan(
    plan: MetricsPlan,
    measure: Measure,
    values: Values,
    offer: Offer,
    also: Sequence[Meant],
    labels: Collection[str] = (),
) -> Labelled:
    """Return the conditions and the split of a plan; `also` are values named outside of it, and `labels` those of the
    server, as `base` gives words. Raises UnknownNameError."""
    said = [one for words in plan.filters for one in _values_of(words, measure, values, offer)]
    excluded = [one for words in plan.excluded for one in _values_of(words, measure, values, offer)]
    known = {(one.label, value) for one in (*said, *excluded) for value in one.values}
    # The order in which things are named is the order in which they are compared.
    said += [one for one in also if not all((one.label, value) in known for value in one.values)]
    said = said if plan.kind == "comparison" else _two_ends(said, values)
    by = _split(plan, measure, values, offer, said, labels)
    taken = {one.label for one in (*said, *excluded)} | ({*by} if plan.split_by else set())
    if plan.kind == "comparison" and not (plan.against or plan.also) and len(said) == 1:
        taken -= {said[0].label}  # The thing before is the other side: and compared with r1?
    said += [one for words in plan.carried for one in values.find(words) or () if one.label not in taken]
    excluded += [one for words in plan.carried_out for one in values.find(words) or () if one.label not in taken]
    lost = [one for one in (*plan.carried, *plan.carried_out) if values.find(one) is None]
    return Labelled(tuple(said), matchers_of(said, excluded), by, tuple(one.partition("=")[2] or one for one in lost))


def things_of(measure: Measure, values: Values) -> tuple[str, ...]:
    """Return the labels that tell the things of a measure apart, if nobody says which: the instance, else all."""
    several = [label for label in sorted(measure.labels) if len(values.values.get(label, ())) > 1]
    if "instance" not in several:
        return tuple(several) or tuple(sorted(measure.labels))
    # The mean of a host's disks would hide the one that is full.
    return ("instance", *(one for one in several if one in _DISKS and one != "instance" and measure.agg != "sum"))


def parts_kept(by: Sequence[str], measure: Measure, values: Values, pinned: frozenset[str]) -> tuple[str, ...]:
    """Return the labels to rank by with those that identify a thing: a disk is one of a host."""
    several = [one for one in measure.labels if len(values.values.get(one, ())) > 1 and one not in (*by, *pinned)]
    kept = list(by)
    hosts = [one for one in LABEL_WORDS["host"] if one in several]
    # GPU 1 is one of its host, as disk sda is.
    are_numbers = bool(by) and all(value.isdecimal() for one in by for value in values.values.get(one, ("",)))
    if (are_numbers or any(one in _PARTS for one in by)) and hosts and not {*by} & {*LABEL_WORDS["host"]} - _PARTS:
        kept.insert(0, hosts[0])
    return tuple(dict.fromkeys(kept))


def own_words(offer: Offer) -> frozenset[str]:
    """Return the words by which an offer is called."""
    told = (offer.title, *offer.wordings, *map(" ".join, map(split_name, (*offer.metrics[:4], offer.key))))
    return frozenset(base(word) for text in told for word in text.split())


def help_words(told: str) -> frozenset[str]:
    """Return the words of a help text."""
    return frozenset(base(word) for word, *_ in read_words(told) if word not in FILLERS)


def names_measure(words: str, offer: Offer) -> bool:
    """True if words only name the measure."""
    spoken = [base(word) for word, *_ in read_words(words)]
    return bool(spoken) and own_words(offer).issuperset(spoken)


def _values_of(words: str, measure: Measure, values: Values, offer: Offer) -> list[Meant]:
    # A name does not run on into the next sentence.
    meant = values.find(re.split(r"[;!?]\s|\.\s", words)[0])
    if meant is not None:
        is_only = len(meant) == 1 and len(values.values[meant[0].label]) == 1 and names_measure(words, offer)
        return [] if is_only else [Meant(one.label, one.values, words, one.is_exact) for one in meant]
    if _says_nothing(words, measure, offer):
        return []
    near = values.nearest(words)
    told = [f"Did you mean {' or '.join(near)}?"] if near else []
    shown = {label: values.values[label] for label in sorted(values.labels) if len(values.values[label]) > 1}
    listed = [f"{one}: {', '.join(v[:4])}{', …' if len(v) > 4 else ''}" for one, v in list(shown.items())[:4]]
    told.append(f"There is {'; '.join(listed)}." if listed else "It has no labels to narrow it by.")
    title = f"{measure.title[:1].upper()}{measure.title[1:]}"
    called = words.partition("=")[2].strip("\"'") or words
    raise UnknownNameError(f'{title} has nothing called "{called}" here.', suggestion=" ".join(told))


def _two_ends(said: list[Meant], values: Values) -> list[Meant]:
    """The values; the second of one label is what the first is connected to, if the measure has such a label."""
    first: dict[str, Meant] = {}
    found = []
    for one in said:
        ends = [label for label in values.labels if label in OTHER_ENDS and {*one.values} <= {*values.values[label]}]
        if ends and one.label not in OTHER_ENDS and first.get(one.label, one).values != one.values:
            one = replace(one, label=ends[0])
        first.setdefault(one.label, one)
        found.append(one)
    return found


def _says_nothing(words: str, measure: Measure, offer: Offer) -> bool:
    """True if words that narrow only name the measure, a kind of its things, or what its help says of all of it."""
    if any(letter.isdigit() or letter in "/:=" for letter in words):
        return False  # A code is the name of something.
    if names_measure(words, offer) or (words.isalpha() and find_label(words, measure.labels) is not None):
        return True
    told = f"{offer.about} {offer.family.help if offer.family else ''}"
    known = own_words(offer) | help_words(told)
    spoken = [word for word, *_ in read_words(words)]
    return bool(spoken) and words.islower() and all(base(word) in known or label_kind(word) for word in spoken)


def _splits_nothing(words: str, offer: Offer) -> bool:
    return names_measure(words, offer) or words.lower() in _EVERY_ONE


def _split(
    plan: MetricsPlan, measure: Measure, values: Values, offer: Offer, said: Sequence[Meant], labels: Collection[str]
) -> tuple[str, ...]:
    found: list[str] = []
    for words in plan.split_by:
        label = find_label(words, measure.labels)
        is_kind = any(base(word) in labels for word, *_ in read_words(words))  # Of other measures: by team.
        is_kind = is_kind or any(label_kind(word) not in (None, *_ANY_THING) for word, *_ in read_words(words))
        says_nothing = _says_nothing(words, measure, offer) and not is_kind
        if label is None and not _splits_nothing(words, offer) and not says_nothing:
            listed = ", ".join(sorted(measure.labels)[:_MOST_LISTED]) or "nothing"
            title = f"{measure.title[:1].upper()}{measure.title[1:]}"
            raise UnknownNameError(
                f'{title} cannot be split by "{words}".', suggestion=f"It can be split by: {listed}."
            )
        found += [label] if label else things_of(measure, values)
    if not found:
        found = [label for words in plan.carried_split if (label := find_label(words, measure.labels))]
    if not found and plan.kind in ("curve", None) and plan.how is None:
        # Of several things that are named one by one, each has a curve of its own.
        counted = Counter(one.label for one in said)
        found = [label for label, count in counted.items() if count > 1][:1]
    return tuple(dict.fromkeys(found))
