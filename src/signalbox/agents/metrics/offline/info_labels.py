"""Labels that only an info metric has: requests by firmware, where `controller_info` says which runs it."""

from __future__ import annotations

from collections.abc import Sequence

from signalbox.agents.metrics.candidates import Values, find_label
from signalbox.agents.metrics.compile import Query
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import joined
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.promql import selector_text
from signalbox.agents.metrics.run import ask
from signalbox.agents.metrics.slots import Measure
from signalbox.agents.metrics.state import TimeRange

__all__ = ["with_info_labels"]

_MOST = 20


async def with_info_labels(
    plan: MetricsPlan, written: Sequence[str], measure: Measure, values: Values, live: Live, within: TimeRange
) -> tuple[Measure, dict[str, tuple[str, ...]]]:
    """Return the measure with the labels of the plan, or `written` as a split, that only an info metric of its things
    has, and the values of these labels. What several info metrics have, or none, stays unknown."""
    kinds = [one for one in dict.fromkeys((*plan.split_by, *written)) if find_label(one, measure.labels) is None]
    things = [one for one in (*plan.filters, *plan.excluded) if values.find(one) is None]
    having: dict[str, list[tuple[str, tuple[str, ...], tuple[str, ...]]]] = {}
    names = [one for one in live.names if one.endswith("_info") and one not in measure.metrics][:_MOST]
    for name, series in (await live.series(names, within)).items() if kinds or things else ():
        shared = sorted(series.names() & measure.labels - {"job"})
        on = tuple(one for one in shared if {*series.values[one]} & {*values.values.get(one, ())})
        told = Values(series.values, series.names() - measure.labels - {"job", "instance"})
        named = {one.label for words in things for one in told.find(words) or () if one.is_exact}
        labels = named | {label for words in kinds if (label := find_label(words, told.labels))}
        for label in labels if on else ():
            having.setdefault(label, []).append((name, on, told.values[label]))
    found = {
        label: some[0]
        for label, some in having.items()
        if len(some) == 1 and await _tells_one(some[0][0], some[0][1], label, live, within)
    }
    for label, (name, on, _) in found.items():
        measure = joined(measure, name, on, label)
    return measure, {label: told for label, (_, _, told) in found.items()}


async def _tells_one(info: str, on: tuple[str, ...], label: str, live: Live, within: TimeRange) -> bool:
    """True if each thing has one value of the label: a hall has many machines, each with a firmware of its own."""
    things, pairs = (f"count(group by ({', '.join(one)}) ({selector_text(info)}))" for one in (on, (*on, label)))
    found = (await ask(Query(f"{pairs} - {things}", at=within.end_time), live)).curves
    return not any(one.values[-1] for one in found)
