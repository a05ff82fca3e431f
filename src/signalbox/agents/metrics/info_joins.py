"""Joins through info metrics: scans by firmware, where only `turnstile_info` knows the firmware of a turnstile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from signalbox.agents.metrics.candidates import Meant, Values, find_label
from signalbox.agents.metrics.compile import Query
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.promql import match_text
from signalbox.agents.metrics.run import ask
from signalbox.agents.metrics.slots import Matcher, Measure
from signalbox.agents.metrics.state import TimeRange

__all__ = ["Info", "infos_of", "joined", "label_of", "tells_one", "value_of"]

_MOST = 20
_RATE = re.compile(r"(?:rate|increase)\([^()]*\[\$window\]\)")
_SELECTOR = re.compile(r"[a-zA-Z_:][\w:]*\{[^{}]*\}(?!\s*\[)")


@dataclass(frozen=True, slots=True)
class Info:
    """An info metric, the labels by which it names the things of a measure, and what else it says of them."""

    metric: str
    on: tuple[str, ...]
    values: Values


async def infos_of(measure: Measure, values: Values, live: Live, within: TimeRange) -> list[Info]:
    """Return the info metrics that are of the things of a measure."""
    names = [name for name in live.names if name.endswith("_info") and name not in measure.metrics][:_MOST]
    found = []
    for name, series in (await live.series(names, within)).items():
        shared = sorted(one for one in series.names() & measure.labels if one != "job")
        on = tuple(one for one in shared if {*series.values[one]} & {*values.values.get(one, ())})
        if on:
            found.append(Info(name, on, Values(series.values, series.names() - measure.labels)))
    return sorted(found, key=lambda one: -len(one.on))


def label_of(words: str, infos: Sequence[Info]) -> tuple[Info, str] | None:
    """Return the info metric, and its label, that words name."""
    return next(((one, label) for one in infos if (label := find_label(words, one.values.labels))), None)


def value_of(words: str, infos: Sequence[Info]) -> tuple[Info, Meant] | None:
    """Return the info metric, and the value of one of its labels, that words name in full."""
    found = ((one, one.values.find(words) or []) for one in infos)
    return next(((one, meant[0]) for one, meant in found if len(meant) == 1 and meant[0].is_exact), None)


async def tells_one(info: Info, label: str, live: Live, at: datetime) -> bool:
    """True if each thing of the measure has one value of the label: the plant of a meter has many machines."""
    on = ", ".join(info.on)
    query = f"count(group by ({on}, {label}) ({info.metric})) - count(group by ({on}) ({info.metric}))"
    return not any(one.values[-1] for one in (await ask(Query(query, at=at), live)).curves)


def joined(measure: Measure, info: Info, label: str, values: Sequence[str] = ()) -> Measure:
    """Return the measure with a label of an info metric on its series, of these values alone if some are given."""
    match = f"{{{match_text([Matcher(label, tuple(values))])}}}".replace("$", "$$") if values else ""
    group = f"group by ({', '.join((*info.on, label))}) ({info.metric}{match})"
    join = f" * on ({', '.join(info.on)}) group_left ({label}) {group}"

    def on_series(template: str) -> str:
        series = _RATE if "[$window]" in template else _SELECTOR
        return series.sub(lambda found: f"({found[0]}{join})", template)

    return replace(
        measure, promql=on_series(measure.promql), total=on_series(measure.total),
        metrics=(*measure.metrics, info.metric), labels=measure.labels | {label},
    )  # fmt: skip
