"""Info metrics, which only say what a thing is: a question that names a thing by that means the thing."""

from __future__ import annotations

from dataclasses import replace

from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.measures import selector_template
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.promql import selector_text
from signalbox.agents.metrics.question import Measure
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.values import Meant, find_label, find_value
from signalbox.agents.metrics.vocabulary import base

__all__ = ["named_by_info", "split_by_info"]

_MOST = 20
_SURE = 0.78
_TARGET = frozenset({"job", "instance"})


async def named_by_info(plan: MetricsPlan, text: str, offer: Offer, live: Live, within: TimeRange) -> MetricsPlan:
    """The plan; what names no thing of its measure, and stands in an info metric, as the things that have it there."""
    names = [name for name in live.names if name.endswith("_info")][:_MOST]
    if not names or plan.promql:
        return plan
    from signalbox.agents.metrics.choosing import measure_for

    measure, series = await measure_for(offer, live, within)
    infos = await live.series(names, within)
    said = [words for words in plan.filters if words not in plan.names]
    mentioned = [value for label, value in await live.mentioned(text, within) if label not in measure.labels]
    found: dict[str, list[str]] = {}
    for words in dict.fromkeys((*said, *mentioned)):
        if find_value(words, series, measure.labels) is not None:
            continue
        for name, info in infos.items():
            meant = find_value(words, info, info.names() - measure.labels)
            thing = _thing(info, measure.labels)
            if meant is None or meant.sure < _SURE or not thing:
                continue
            things = [one for one in await _with(meant, name, thing, live, within) if one in series.values[thing]]
            if things:
                found[words] = [f"{thing}={'|'.join(things)}"]
                break
    added = [words for words in found if words not in plan.filters]
    return plan.model_copy(update={"filters": [*plan.filters, *added], "names": {**plan.names, **found}})


async def split_by_info(measure: Measure, plan: MetricsPlan, live: Live, within: TimeRange) -> Measure:
    """The measure; what it is split by and only an info metric says of its things stands beside each of its series."""
    words = [one for one in plan.split_by if find_label(one, measure.labels) is None]
    names = [name for name in live.names if name.endswith("_info")][:_MOST] if words else []
    infos = await live.series(names, within) if names else {}
    for one in words:
        for name, info in infos.items():
            thing = _thing(info, measure.labels)
            label = next((own for own in sorted(info.names() - measure.labels) if base(own) == base(one)), "")
            if thing and thing not in _TARGET and label:
                return _joined(measure, name, thing, label)
    return measure


def _joined(measure: Measure, info: str, thing: str, label: str) -> Measure:
    told = selector_text(info).replace("$", "$$")
    beside = f"* on ({thing}) group_left ({label}) max by ({thing}, {label}) ({told})"

    def with_info(promql: str) -> str:
        for name in measure.metrics:
            own = selector_template(name)
            rated = [f"{how}({own}[$window])" for how in ("rate", "increase") if f"{how}({own}[$window])" in promql]
            for one in rated or [own]:
                promql = promql.replace(one, f"({one} {beside})")
        return promql

    promql, total = with_info(measure.promql), with_info(measure.total)
    return replace(measure, promql=promql, total=total, labels=measure.labels | {label})


def _thing(info: Series, labels: frozenset[str]) -> str:
    """The label by which an info metric and a measure tell the same things apart."""
    shared = sorted((info.names() & labels) - _TARGET) or sorted(info.names() & labels)
    return max(shared, key=lambda label: len(info.values[label]), default="")


async def _with(meant: Meant, name: str, thing: str, live: Live, within: TimeRange) -> list[str]:
    sets = await live.client.series(selector_text(name, [meant.matcher()]), within)
    return list(dict.fromkeys(one[thing] for one in sets if thing in one))
