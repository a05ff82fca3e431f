"""From slots to PromQL. Nothing else in this room writes queries that answer a question."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from signalbox.agents.metrics.promql import duration_text, fill_template
from signalbox.agents.metrics.slots import Measure, Slots, Threshold
from signalbox.agents.metrics.state import Aggregation, TimeRange
from signalbox.agents.metrics.windows import DEFAULT_SCRAPE, Resolution, choose_resolution, seconds_of

__all__ = [
    "Compiled",
    "Query",
    "adds_up",
    "beyond_query",
    "close_curve",
    "compile_slots",
    "identified",
    "numbers_only",
    "sought",
]

# A range this short is a moment: the value at its end stands for it.
_MOMENT = 60.0
_DEFAULT_QUANTILE = 0.95
_TARGETS = frozenset({"job"})
_HOSTS = ("instance", "host", "hostname", "node", "nodename", "server", "machine", "device", "router")
_PARTS_OF_HOSTS = frozenset(
    "mountpoint device disk volume drive filesystem fstype interface ifname ifName ifDescr port nic cpu core".split()
)
_SELECTOR = re.compile(r"[a-zA-Z_:][\w:]*\{[^{}]*\}(?!\s*\[)")


@dataclass(frozen=True, slots=True)
class Query:
    """PromQL, and when it is run: at a moment, or over a range with so many seconds between two points."""

    promql: str
    at: datetime | None = None
    window: TimeRange | None = None
    step: float = 0.0


@dataclass(frozen=True, slots=True)
class Compiled:
    """The queries that answer slots: `figure` at one moment, `curve` over the range, `other` for the second side."""

    figure: Query | None = None
    curve: Query | None = None
    other: Compiled | None = None
    resolution: Resolution = field(default_factory=lambda: Resolution(60.0, 300.0, 60.0, 300.0))

    def queries(self) -> list[Query]:
        """The queries that give the answer, without a curve that only illustrates a figure."""
        own = [one for one in (self.figure or self.curve,) if one is not None]
        return [*own, *(self.other.queries() if self.other else ())]


def identified(slots: Slots) -> Slots:
    """Return the slots of a ranking, threshold or forecast, split by what identifies the things it speaks of."""
    if slots.shape not in ("ranking", "threshold", "forecast"):
        return slots
    pinned = {one.label for one in slots.matchers if len(one.values) == 1 and not one.negated}
    free = slots.measure.labels - pinned
    if not slots.by and slots.shape == "threshold" and slots.measure.agg == "sum" and not slots.measure.is_difference:
        return slots  # What adds up is judged as a whole.
    if not slots.by:
        by = tuple(sorted(free - _TARGETS)) or tuple(sorted(free))
        return replace(slots, by=by)
    host = next((label for label in _HOSTS if label in free), "")
    # A disk or a port is one of its host: /data of web-1 is not /data of web-2.
    is_part = bool(host) and host not in slots.by and set(slots.by) <= _PARTS_OF_HOSTS
    return replace(slots, by=(host, *slots.by)) if is_part else slots


def compile_slots(slots: Slots, scrape: float = DEFAULT_SCRAPE) -> Compiled:
    """Return the queries for the slots. `scrape` is the seconds between two samples."""
    resolution = choose_resolution(slots.time_range, scrape)
    window = slots.time_range
    at = slots.now if slots.is_current else window.end_time
    if slots.shape == "comparison":
        first = replace(slots, shape="value", against=None)
        second = replace(slots.other_side(), shape="value")
        return replace(compile_slots(first, scrape), other=compile_slots(second, scrape))
    if slots.shape in ("curve", "forecast"):
        curve = Query(_curve(slots, resolution), window=window, step=resolution.step)
        is_quantile = slots.quantile is not None and slots.measure.type == "histogram"
        has_figure = is_quantile or (not slots.by and bool(slots.how or slots.is_total))
        if slots.shape == "forecast" or not has_figure:
            return Compiled(curve=curve, resolution=resolution)
        figure = _figure(replace(slots, shape="value"), resolution)
        return Compiled(Query(figure, at=at), curve, resolution=resolution)
    if slots.shape == "extreme":
        return Compiled(curve=_extreme(slots, resolution), resolution=resolution)
    if slots.shape == "share":
        figure, curve_text = _share(slots, resolution)
    elif slots.shape == "threshold":
        figure, curve_text = _judged(slots, resolution), close_curve(slots, resolution)
    elif slots.shape == "ranking":
        figure, curve_text = _top(_figure(slots, resolution), slots), ""
    else:
        figure, curve_text = _figure(slots, resolution), _behind(slots, resolution)
    drawn = bool(curve_text) and not slots.is_current and not adds_up(slots)
    behind = Query(curve_text, window=window, step=resolution.step) if drawn else None
    return Compiled(Query(figure, at=at), behind, resolution=resolution)


def adds_up(slots: Slots) -> bool:
    """True if the figure is what added up over the range."""
    wanted = slots.is_total or (slots.how == "sum" and slots.shape != "curve")
    return wanted and bool(slots.measure.total) and not slots.is_current


def sought(slots: Slots) -> Threshold:
    """Return the bound whose offenders are looked for: if all must be on one side, those that are not."""
    assert slots.threshold is not None
    return slots.threshold.opposite() if slots.threshold.scope == "all" else slots.threshold


def beyond_query(slots: Slots, query: Query) -> Query:
    """Return the same query, for the values beyond the bound alone."""
    bound = sought(slots)
    return replace(query, promql=f"({query.promql}) {bound.operator} {bound.value:.12g}")


def close_curve(slots: Slots, resolution: Resolution) -> str:
    """The value at a moment, as closely as the samples allow."""
    return _filled(slots, slots.measure.promql, resolution.close_window, resolution)


def _curve(slots: Slots, resolution: Resolution) -> str:
    """The value at every moment; of a total, what added up since the step before."""
    if adds_up(slots):
        return _added_up(slots, resolution.step, resolution)
    return _filled(slots, slots.measure.promql, resolution.window, resolution)


def _figure(slots: Slots, resolution: Resolution) -> str:
    """One figure for the whole range, or for now, when it is evaluated at its end."""
    length = seconds_of(slots.time_range)
    close = close_curve(slots, resolution)
    if adds_up(slots):
        return _added_up(slots, length, resolution)
    if slots.is_current or length <= _MOMENT:
        return close
    if _is_quantile_over_time(slots):
        span, grain = _span(length, resolution)
        return f"quantile_over_time({slots.quantile:.10g}, ({close})[{span}:{grain}])"
    how = slots.how
    if how is None and slots.measure.type == "summary" and slots.measure.agg == "max":
        how = "max"  # Quantiles are never averaged.
    if how in ("max", "min"):
        return _over_time(close, how, length, resolution)
    if "$window" in slots.measure.promql or "${window}" in slots.measure.promql:
        # The mean of a rate over the range is the rate over the range.
        return _filled(slots, slots.measure.promql, max(length, 4 * resolution.scrape), resolution)
    return _over_time(close, "avg", length, resolution)


def _behind(slots: Slots, resolution: Resolution) -> str:
    """The curve that shows where a figure comes from: of a highest value, the highest of each step."""
    return _steps(slots, slots.how, resolution) if slots.how in ("max", "min") else _curve(slots, resolution)


def _extreme(slots: Slots, resolution: Resolution) -> Query:
    """The highest (or lowest) value of each step; a point looks back over one step, so the first stands at its end."""
    window = slots.time_range
    if resolution.grain < resolution.step:
        start = window.start_time + timedelta(seconds=resolution.step)
        window = TimeRange(start_time=start, end_time=window.end_time) if start < window.end_time else window
    return Query(_steps(slots, "min" if slots.lowest else "max", resolution), window=window, step=resolution.step)


def _judged(slots: Slots, resolution: Resolution) -> str:
    """The furthest value of each thing in the range, what added up in it, or its value now."""
    if adds_up(slots):
        return _added_up(slots, seconds_of(slots.time_range), resolution)
    close = close_curve(slots, resolution)
    if slots.is_current:
        return close
    bound = sought(slots)
    how = "max" if bound.above != bound.always else "min"
    return _over_time(close, how, seconds_of(slots.time_range), resolution)


def _share(slots: Slots, resolution: Resolution) -> tuple[str, str]:
    """Part by whole for the range, and as a curve. Without a part of its own, each group is a part of all groups."""
    plain = replace(slots, how=None, is_total=False)
    if not slots.part and (slots.measure.type == "ratio" or not slots.by):
        return _figure(plain, resolution), _curve(plain, resolution)
    part = replace(plain, matchers=(*slots.matchers, *slots.part))
    whole = plain if slots.part else replace(plain, by=())
    made = []
    for build in (_figure, _curve):
        one, all_ = build(part, resolution), build(whole, resolution)
        if slots.part:
            # A part of which there is nothing is none of the whole; it is not unknown.
            made.append(f"(({one}) or ({all_}) * 0) / ({all_})")
        else:
            made.append(f"({one}) / on () group_left () ({all_})")
    return made[0], made[1]


def _top(expression: str, slots: Slots) -> str:
    """Only the first places of a ranking, if it is said how many."""
    return expression if slots.top is None else f"{'bottomk' if slots.lowest else 'topk'}({slots.top}, {expression})"


def _steps(slots: Slots, how: str | None, resolution: Resolution) -> str:
    """The highest or lowest value since the step before, so that none is passed over."""
    close = close_curve(slots, resolution)
    return _over_time(close, how or "max", resolution.step, resolution) if resolution.grain < resolution.step else close


def _over_time(expression: str, how: str, seconds: float, resolution: Resolution) -> str:
    span, grain = _span(seconds, resolution)
    return f"{how}_over_time(({expression})[{span}:{grain}])"


def _span(seconds: float, resolution: Resolution) -> tuple[str, str]:
    # In less than a grain there may be no moment that is looked at.
    return duration_text(max(seconds, resolution.grain)), duration_text(resolution.grain)


def _added_up(slots: Slots, seconds: float, resolution: Resolution) -> str:
    """What added up in so many seconds; if they hold no two samples, their part of what added up between two."""
    window = max(seconds, 2 * resolution.scrape)
    filled = _filled(slots, slots.measure.total, window, resolution)
    return filled if window == seconds else f"({filled}) * {seconds / window:.10g}"


def _filled(slots: Slots, template: str, window: float, resolution: Resolution) -> str:
    agg = _over_series(slots)
    quantile = slots.quantile if slots.quantile is not None else _DEFAULT_QUANTILE
    info = [one for one in slots.matchers if one.label in slots.measure.joined]
    filled = fill_template(
        _reaching(template, resolution), matchers=slots.own_matchers, info=info, by=slots.by, window=window,
        quantile=quantile, agg=agg,
    )  # fmt: skip
    if "$by" in template or "${by}" in template or not _must_be_joined(slots):
        return filled
    return fill_template(f"{agg} by ($by) (", by=slots.by) + f"{filled})"


def _reaching(template: str, resolution: Resolution) -> str:
    """The template with selectors that find the last sample also if the server by itself would not."""
    if not resolution.reach:
        return template
    return _SELECTOR.sub(rf"last_over_time(\g<0>[{duration_text(resolution.reach)}])", template)


def _must_be_joined(slots: Slots) -> bool:
    """True if the series of a template that does not group by itself are to be aggregated."""
    is_asked = slots.shape == "curve" and slots.how is not None
    return bool(slots.by) or is_asked or slots.shape in ("value", "share")


def _over_series(slots: Slots) -> Aggregation:
    """How series are aggregated: as the measure says, unless the slots speak of series and not of time."""
    measure, how = slots.measure, slots.how
    if how == "sum" or (slots.shape == "share" and measure.type != "ratio"):
        return "sum"
    if how and (slots.shape == "curve" or slots.is_current) and measure.type not in ("counter", "histogram"):
        return how
    if slots.shape == "ranking" and measure.agg == "avg" and how != "avg" and measure.unit in ("ratio", "percent"):
        # Of a host with one full disk and one empty one, the full one counts.
        return "min" if slots.lowest else "max"
    if slots.shape == "threshold" and measure.agg in ("avg", "max", "min"):
        return "max" if sought(slots).above != sought(slots).always else "min"
    return measure.agg


def _is_quantile_over_time(slots: Slots) -> bool:
    return slots.quantile is not None and "$quantile" not in slots.measure.promql and slots.measure.type != "summary"


def numbers_only(measure: Measure) -> Measure:
    """Return the measure without samples that are no finite numbers: one of them spoils a mean or a sum of many."""
    return replace(measure, promql=_SELECTOR.sub(r"(\g<0> < Inf > -Inf)", measure.promql))
