"""Info metrics, which only say what a thing is: a question that names a thing by that means the thing."""

from __future__ import annotations

from signalbox.agents.metrics.choosing import measure_for
from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.promql import selector_text
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.values import Meant, find_value

__all__ = ["named_by_info"]

_MOST = 20
_SURE = 0.78
_TARGET = frozenset({"job", "instance"})


async def named_by_info(plan: MetricsPlan, text: str, offer: Offer, live: Live, within: TimeRange) -> MetricsPlan:
    """The plan; what names no thing of its measure, and stands in an info metric, as the things that have it there."""
    names = [name for name in live.names if name.endswith("_info")][:_MOST]
    if not names or plan.promql:
        return plan
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
            if meant is not None and meant.sure >= _SURE and thing:
                found[words] = [f"{thing}={'|'.join(await _with(meant, name, thing, live, within))}"]
                break
    added = [words for words in found if words not in plan.filters]
    return plan.model_copy(update={"filters": [*plan.filters, *added], "names": {**plan.names, **found}})


def _thing(info: Series, labels: frozenset[str]) -> str:
    """The label by which an info metric and a measure tell the same things apart."""
    shared = sorted((info.names() & labels) - _TARGET) or sorted(info.names() & labels)
    return max(shared, key=lambda label: len(info.values[label]), default="")


async def _with(meant: Meant, name: str, thing: str, live: Live, within: TimeRange) -> list[str]:
    sets = await live.client.series(selector_text(name, [meant.matcher()]), within)
    return list(dict.fromkeys(one[thing] for one in sets if thing in one))
