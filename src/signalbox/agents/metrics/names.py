"""A second reading: which of the server's own names a question means, where its words are not theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from signalbox.agents.metrics.choosing import in_ways_asked, measure_for, offer_of
from signalbox.agents.metrics.errors import MetricNotFoundError
from signalbox.agents.metrics.infos import split_by_info
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.splits import unknown_words
from signalbox.agents.metrics.values import Meant, find_value
from signalbox.agents.metrics.vocabulary import FILLERS, alike, runs

if TYPE_CHECKING:
    from signalbox.agents.metrics.read import Reading

__all__ = ["names_schema", "renamed"]

_SHOWN = 3
_SURE = 0.7
"""What a plan that is less sure narrows to is looked at again only where it fails: its measure may be wrong."""
_MOST_VALUES = 400
_LEAST, _ALIKE = 4, 0.6


def names_schema(labels: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The schema of what a question names, with the labels of one measure and their values to choose from."""
    several = {label: values[:_MOST_VALUES] for label, values in labels.items() if len(values) > 1}
    things = {value: label for label, values in reversed(several.items()) for value in values}
    kinds = {label: ", ".join(values[:_SHOWN]) for label, values in several.items()}
    fields = {
        "things": ("names and values that the question speaks of", things),
        "split_by": ("what it is split by: per host, each service", kinds),
    }
    return {
        "title": "Names",
        "description": "What a question about a measure names, in the names of the server.",
        "type": "object",
        "properties": {name: _several(about, options) for name, (about, options) in fields.items() if options},
    }


def _several(about: str, options: Mapping[str, str]) -> dict[str, Any]:
    chosen = {"type": "string", "enum": list(options), "enumDescriptions": dict(options)}
    return {"type": "array", "description": about, "items": chosen}


async def renamed(plan: MetricsPlan, reading: Reading, *, has_failed: bool = False) -> MetricsPlan | None:
    """The plan with the names of the server that its words stand for, by the model, which is offered those of the
    measure; None where the words are not what is wrong, or where it finds no name for them."""
    if plan.names or plan.promql or not (plan.measure or plan.named):
        return None
    try:
        offer = in_ways_asked(offer_of(plan, reading.live), reading.text)
        measure, series = await measure_for(offer, reading.live, reading.within)
    except MetricNotFoundError:
        return None
    things, kinds = unknown_words(plan, offer, await split_by_info(measure, plan, reading.live, reading.within), series)
    if not has_failed and plan.confidence < _SURE and not kinds:
        return None
    if any(_is_code(words) for words in things):
        return None
    labels = {label: series.values[label] for label in sorted(measure.labels) if len(series.values.get(label, ())) > 1}
    lacks_part = has_failed and plan.kind == "share" and not (plan.filters or plan.split_by or plan.bound)
    if not labels or not (things or kinds or lacks_part):
        return None
    found = await reading.names(labels)
    known = {value for words in plan.filters for value in _values(find_value(words, series, measure.labels))}
    new = [value for value in found.get("things", ()) if value not in known]
    new = [value for value in new if lacks_part or _is_like(" ".join(things), value)]
    names = [f"{label}={value}" for value in new for label in labels if value in labels[label]][: len(new)]
    split = [label for label in found.get("split_by", ()) if label in labels]
    if ((things or lacks_part) and not names) or (kinds and not split):
        return None
    if lacks_part:
        return plan.model_copy(update={"filters": names, "per": ""})
    # All that is found stands for the first of the words; the others add nothing to it.
    meant: dict[str, list[str]] = {words: [] for words in (*things, *kinds)}
    meant |= dict(zip(things[:1], [names], strict=False)) | dict(zip(kinds[:1], [split], strict=False))
    return plan.model_copy(update={"names": meant})


def _is_code(words: str) -> bool:
    """Whether words are a name as machines have it, which nothing else stands for: node-12, fridge-c."""
    is_capital = any(word.isupper() and len(word) > 1 for word in words.split())
    return is_capital or any(letter.isdigit() or letter in "-_/:." for letter in words)


def _is_like(words: str, value: str) -> bool:
    """Whether a name has something of the words that are to stand for it: a model that must choose finds any name."""
    pieces = [piece for piece, *_ in runs(value) if len(piece) >= _LEAST]
    said = [word for word, *_ in runs(words) if len(word) >= _LEAST and word not in FILLERS]
    return any(alike(word, piece) >= _ALIKE or piece in word or word in piece for word in said for piece in pieces)


def _values(meant: Meant | None) -> tuple[str, ...]:
    return meant.values if meant is not None else ()
