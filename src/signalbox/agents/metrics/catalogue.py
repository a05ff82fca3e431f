"""The metrics that a server has: their names, types and help."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from signalbox.language.units import dimension_of

__all__ = ["MetricInfo", "base_unit", "describe_metrics"]

_PARTS = ("_bucket", "_sum", "_count")
_SUFFIXES = (*_PARTS, "_total", "_info")
_UNITS = ("bytes bits seconds milliseconds ratio percent celsius hertz volts amperes watts joules meters grams").split()
_OTHER_UNITS = {"octets": "bytes", "ms": "milliseconds", "pct": "percent"}
_BY_SUFFIX = {"_total": "counter", "_info": "gauge"}
_PER_TIME = re.compile(r"(?:.*_)?([a-z]+)_per_(second|minute|hour|day)")
_PER = re.compile(r"(?:.*_)?([a-z]+)_per_([a-z]+)(?:_([a-z]+))?")
_CUBED = re.compile(r"(?:^|_)(cubic|square)_met(?:re|er)s$")
_TIMES = {"second": "s", "minute": "min", "hour": "h", "day": "day"}
# Ends of names that are also short for a unit and mostly mean something else: a minimum, incoming.
_NO_UNITS = frozenset("in min max sec day week month hour minute second m s h d k c f t l a b g v w".split())


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """One metric. `type` is counter, gauge, histogram, summary or unknown; `family` is the name its parts share.

    `x_bucket`, `x_sum` and `x_count` of a histogram or summary `x` have its type and the family `x`.
    """

    name: str
    type: str = "unknown"
    help: str = ""
    family: str = ""


def describe_metrics(names: Iterable[str], metadata: Mapping[str, tuple[str, str]]) -> dict[str, MetricInfo]:
    """Each metric by its name; what the server does not say of it is inferred from the names, if it can be."""
    known = sorted(set(names))
    present = set(known)
    return {name: _said(name, metadata) or _inferred(name, present) for name in known}


def base_unit(metric: MetricInfo) -> str:
    """Return the unit that the name ends in, such as `bytes`, `litres` or `bottles/min`.

    A count of things, as the buckets of a histogram hold, has none.
    """
    if metric.name != metric.family and metric.name.endswith(("_bucket", "_count")):
        return ""
    stem = (metric.family if metric.name.endswith("_sum") else metric.name).removesuffix("_total").lower()
    if per_time := _PER_TIME.fullmatch(stem):
        return f"{per_time[1]}/{_TIMES[per_time[2]]}"
    if per := _PER.fullmatch(stem):
        return "/".join((per[1], " ".join(filter(None, per.groups()[1:])))) if dimension_of(per[1]) else ""
    if cubed := _CUBED.search(stem):
        return {"cubic": "m3", "square": "m2"}[cubed[1]]
    last = stem.rpartition("_")[2]
    if last in _UNITS or last in _OTHER_UNITS:
        return _OTHER_UNITS.get(last, last)
    return last if "_" in stem and last not in _NO_UNITS and dimension_of(last) else ""


def _said(name: str, metadata: Mapping[str, tuple[str, str]]) -> MetricInfo | None:
    if name in metadata:
        return MetricInfo(name, *metadata[name], family=name)
    for suffix in _SUFFIXES:
        family = name.removesuffix(suffix)
        kind, words = metadata.get(family, ("", ""))
        if family != name and kind and (suffix not in _PARTS or kind in ("histogram", "summary")):
            # OpenMetrics leaves `_total` and `_info` out of a family's name.
            return MetricInfo(name, _BY_SUFFIX.get(suffix, kind), words, family)
    return None


def _inferred(name: str, present: set[str]) -> MetricInfo:
    for suffix in _PARTS:
        family = name.removesuffix(suffix)
        if family != name and f"{family}_bucket" in present:
            return MetricInfo(name, "histogram", family=family)
        if family != name and {f"{family}_sum", f"{family}_count"} <= present:
            return MetricInfo(name, "summary", family=family)
    if {f"{name}_sum", f"{name}_count"} <= present:
        return MetricInfo(name, "summary", family=name)
    kind = next((kind for suffix, kind in _BY_SUFFIX.items() if name.endswith(suffix)), "unknown")
    return MetricInfo(name, kind, family=name)
