"""New versions of things between two moments, as info metrics with a version or an image tell of them."""

from __future__ import annotations

import re
from datetime import datetime

from signalbox.agents.metrics.compile import Query
from signalbox.agents.metrics.found import moment_of
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.relations import alternatives
from signalbox.agents.metrics.run import ask
from signalbox.agents.metrics.state import TimeRange
from signalbox.contract import Observation
from signalbox.drawing.values import format_moment

__all__ = ["find_releases"]

_NAMED = re.compile(r"(?:build|version|release)_info$|^kube_pod_container_info$")
_VERSIONS = ("version", "revision", "tag", "image")
_THINGS = ("service", "app", "container", "job", "device", "namespace")
_MOST_POINTS, _FINEST, _MOST = 700, 30.0, 12


async def find_releases(live: Live, start: datetime, end: datetime) -> list[Observation]:
    """Return each version that a thing began to run between the moments and did not run before them."""
    names = [name for name in live.names if _NAMED.search(name)]
    if not names:
        return []
    labels = ", ".join((*_THINGS, *_VERSIONS))
    step = max(_FINEST, (end - start).total_seconds() / _MOST_POINTS)
    query = Query(
        f'count by ({labels}) ({{__name__=~"{alternatives(names)}"}})',
        window=TimeRange(start_time=start, end_time=end),
        step=step,
    )
    things: dict[tuple[tuple[str, str], ...], dict[str, Curve]] = {}
    for curve in (await ask(query, live)).curves:
        thing = tuple((key, curve.labels[key]) for key in _THINGS if curve.labels.get(key))
        version = next((curve.labels[key] for key in _VERSIONS if curve.labels.get(key)), "")
        if thing and version:
            things.setdefault(thing, {})[version] = curve
    found = []
    for thing, versions in things.items():
        old = [name for name, one in versions.items() if moment_of(one.stamps[0]) <= start + 2 * (end - start) / 100]
        for version, curve in versions.items():
            at = moment_of(curve.stamps[0])
            if old and version not in old:
                found.append(_release(dict(thing), version, old[0], at))
    return sorted(found, key=lambda one: one.start)[-_MOST:]


def _release(thing: dict[str, str], version: str, before: str, at: datetime) -> Observation:
    name = next(thing[key] for key in _THINGS if key in thing)
    return Observation(
        f"A new version of {name} was rolled out at {format_moment(at)}: {version}, before {before}",
        at, severity="warning", about=name, labels=thing, measure="release",
    )  # fmt: skip
