"""What a plan splits by: the words for kinds of things, as labels of the measure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from signalbox.agents.metrics.conditions import in_names, names_measure, one_by_one, says_help, upper
from signalbox.agents.metrics.errors import UnknownNameError
from signalbox.agents.metrics.live import Series
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.question import Measure
from signalbox.agents.metrics.values import Meant, find_label, find_value

__all__ = ["groups_of", "unknown_words"]

_MOST_LISTED = 12


def groups_of(
    plan: MetricsPlan, text: str, measure: Measure, series: Series, offer: Offer, said: Sequence[Meant]
) -> tuple[str, ...]:
    found: list[str] = []
    # What one word of the question names is not what the model takes another word for, too.
    own = {find_label(words, measure.labels) for words in plan.split_by if words not in plan.names}
    twice = [words for words in plan.split_by if own.intersection(plan.names.get(words, ()))]
    for words in (*in_names([one for one in plan.split_by if one not in twice], plan), *twice):
        over_all = re.search(rf"\b(?:all|every|both) (?:the )?{re.escape(words)}", text, re.IGNORECASE)
        if plan.kind == "figure" and over_all:
            continue  # One figure over all of them.
        label = find_label(words, measure.labels)
        if label is None and says_help(words, offer) and not names_measure(words, offer):
            # The things that the measure is of: one series each.
            found += _things(measure, series)
            continue
        if label is None and _splits_nothing(words, offer):
            continue
        if label is None:
            listed = ", ".join(sorted(measure.labels)[:_MOST_LISTED]) or "nothing"
            raise UnknownNameError(
                f'{upper(measure.title)} cannot be split by "{words}".', suggestion=f"It can be split by: {listed}."
            )
        found.append(label)
    carried = [label for words in plan.carried_split if (label := find_label(words, measure.labels))]
    found = found or carried
    if not found and plan.kind in ("curve", None):
        found = _side_by_side_labels(said)
    if not found and plan.kind == "ranking":
        return _things(measure, series)
    return tuple(dict.fromkeys(found))


def _side_by_side_labels(said: Sequence[Meant]) -> list[str]:
    """The label of which several things are named one by one: each has a curve of its own."""
    counted = Counter(one.label for one in said)
    return [label for label, count in counted.items() if count > 1][:1]


def unknown_words(plan: MetricsPlan, offer: Offer, measure: Measure, series: Series) -> tuple[list[str], list[str]]:
    """The words that narrow and those that split, as far as they are no names of the measure."""
    things = [
        words
        for words in (*plan.filters, *plan.excluded)
        if words not in plan.names
        and not all(find_value(one, series, measure.labels) for one in one_by_one(words, series, measure.labels))
        and not names_measure(words, offer)
        and (find_label(words, measure.labels) is None or len(words.split()) > 1)
    ]
    kinds = [
        words
        for words in plan.split_by
        if words not in plan.names and find_label(words, measure.labels) is None and not _splits_nothing(words, offer)
    ]
    return things, kinds


def _splits_nothing(words: str, offer: Offer) -> bool:
    return names_measure(words, offer) or words.lower() in ("each", "all", "every one", "individually")


def _things(measure: Measure, series: Series) -> tuple[str, ...]:
    """The labels that tell things apart, where nobody says which: the instance, else all that differ."""
    if "instance" in measure.labels and len(series.values.get("instance", ())) > 1:
        return ("instance",)
    return tuple(sorted(name for name in measure.labels if len(series.values.get(name, ())) > 1)) or tuple(
        sorted(measure.labels)
    )
