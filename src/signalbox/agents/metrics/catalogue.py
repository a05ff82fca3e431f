"""The metrics that a server has: their names, types and help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = ["MetricInfo", "base_unit", "describe_metrics"]

_PARTS = ("_bucket", "_sum", "_count")
_SUFFIXES = (*_PARTS, "_total", "_info")
_UNITS = ("bytes bits seconds milliseconds ratio percent celsius hertz volts amperes watts joules meters grams").split()
_OTHER_UNITS = {"octets": "bytes", "ms": "milliseconds", "pct": "percent"}
_BY_SUFFIX = {"_total": "counter", "_info": "gauge"}


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
    """The unit that the name ends in; a count of things, as the buckets of a histogram hold, has none."""
    if metric.name != metric.family and metric.name.endswith(("_bucket", "_count")):
        return ""
    stem = metric.family if metric.name.endswith("_sum") else metric.name
    last = stem.removesuffix("_total").rpartition("_")[2].lower()
    return last if last in _UNITS else _OTHER_UNITS.get(last, "")


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
