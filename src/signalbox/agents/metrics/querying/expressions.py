"""From a grounded question to PromQL: the curve of a measure, and the one figure for a range of time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from signalbox.agents.metrics.promql import duration_text, fill_template
from signalbox.agents.metrics.question import Matcher, Measure, Question
from signalbox.agents.metrics.units import adds_up
from signalbox.agents.metrics.windows import Resolution, seconds_of

__all__ = [
    "close_curve_of",
    "curve_of",
    "figure_of",
    "from_numbers_only",
    "over_time",
    "ranked",
    "share_of",
    "steps_of",
]

_ONE_FIGURE = ("value", "comparison", "share")
# So short a range is a moment: the value at its end stands for it.
_MOMENT = 60.0
_ADDED_UP = ("counter", "histogram")
_SELECTOR = re.compile(r"[a-zA-Z_:][\w:]*\{[^{}]*\}(?!\s*\[)")


def curve_of(question: Question, resolution: Resolution) -> str:
    """What gives the measure's value at every moment; of a total, what added up since the step before."""
    if adds_up(question):
        return _added_up(question, resolution.step, resolution)
    return _filled(question, question.measure.promql, resolution.window, resolution)


def close_curve_of(question: Question, resolution: Resolution) -> str:
    """What gives the measure's value at a moment, as closely as the samples allow."""
    return _filled(question, question.measure.promql, resolution.close_window, resolution)


def figure_of(question: Question, resolution: Resolution) -> str:
    """What gives one figure for the whole range (or for now) when it is evaluated at the end of the range."""
    measure, length = question.measure, seconds_of(question.time_range)
    if question.is_current:
        return close_curve_of(question, resolution)
    if adds_up(question):
        return _added_up(question, length, resolution)
    if length <= _MOMENT:
        return close_curve_of(question, resolution)
    if question.quantile_over is not None:
        return _quantile_over(close_curve_of(question, resolution), question.quantile_over, length, resolution)
    if question.aggregation in ("max", "min"):
        return over_time(close_curve_of(question, resolution), question.aggregation, length, resolution)
    if "$window" in measure.promql or "${window}" in measure.promql:
        # The mean of a rate over the range is the rate over the range, exactly.
        return _filled(question, measure.promql, max(length, 4 * resolution.scrape), resolution)
    return over_time(close_curve_of(question, resolution), "avg", length, resolution)


def steps_of(question: Question, how: str, resolution: Resolution) -> str:
    """What gives the highest or the lowest value since the step before, so that none is passed over."""
    curve = close_curve_of(question, resolution)
    return over_time(curve, how, resolution.step, resolution) if resolution.grain < resolution.step else curve


def over_time(expression: str, how: str, seconds: float, resolution: Resolution) -> str:
    """The mean, the highest or the lowest of an expression over so many seconds."""
    # In less than a grain there may be no moment that is looked at.
    span = duration_text(max(seconds, resolution.grain))
    return f"{how}_over_time(({expression})[{span}:{duration_text(resolution.grain)}])"


def _quantile_over(expression: str, quantile: float, seconds: float, resolution: Resolution) -> str:
    span = duration_text(max(seconds, resolution.grain))
    return f"quantile_over_time({quantile:.10g}, ({expression})[{span}:{duration_text(resolution.grain)}])"


def ranked(expression: str, top: int | None, lowest: bool) -> str:
    """Only the best places of a ranking, if it is said how many."""
    return expression if top is None else f"{'bottomk' if lowest else 'topk'}({top}, {expression})"


def share_of(question: Question, part: str, whole: str) -> str:
    """Part by whole; a part of which there is nothing is none of the whole, rather than unknown.

    Without a part of its own, each group is a part of all groups.
    """
    if not question.part and question.group_by:
        return f"({part}) / on () group_left () ({whole})"
    return f"(({part}) or ({whole}) * 0) / ({whole})"


def from_numbers_only(measure: Measure) -> Measure:
    """The measure without samples that are no finite numbers: one of them makes no number of a mean or a sum of many.

    The same measure where it takes no sample as it is, but only rates.
    """
    return replace(measure, promql=_SELECTOR.sub(r"(\g<0> < Inf > -Inf)", measure.promql))


def _added_up(question: Question, seconds: float, resolution: Resolution) -> str:
    """What added up in so many seconds; where those have no two samples, their part of what added up between two."""
    window = max(seconds, 2 * resolution.scrape)
    filled = _filled(question, question.measure.total, window, resolution)
    return filled if window == seconds else f"({filled}) * {seconds / window:.10g}"


def _filled(question: Question, template: str, window: float, resolution: Resolution) -> str:
    by: Sequence[str] = question.group_by
    matchers: Sequence[Matcher] = question.matchers
    agg = _over_series(question)
    filled = fill_template(
        _reaching(template, resolution), matchers=matchers, by=by, window=window, quantile=question.quantile, agg=agg
    )
    if "$by" in template or "${by}" in template or not _must_be_joined(question):
        return filled
    return fill_template(f"{agg} by ($by) (", by=by) + f"{filled})"


def _reaching(template: str, resolution: Resolution) -> str:
    """The template with selectors that find the last sample also where the server by itself would not."""
    if not resolution.reach:
        return template
    return _SELECTOR.sub(rf"last_over_time(\g<0>[{duration_text(resolution.reach)}])", template)


def _must_be_joined(question: Question) -> bool:
    """Whether the series of a template that does not group by itself are to be put together."""
    asked = question.kind == "series" and question.aggregation is not None
    return bool(question.group_by) or asked or question.kind in _ONE_FIGURE


def _over_series(question: Question) -> str:
    """How series are put together: as the measure says, unless the question speaks of series rather than of time."""
    wanted = question.aggregation
    is_part = question.kind == "share" and question.measure.type != "ratio"
    if wanted == "sum" or is_part:
        return "sum"
    # The mean or the highest of counters that only differ by a label is a figure that nobody asks for.
    speaks_of_series = question.kind == "series" or question.is_current
    if wanted and speaks_of_series and question.measure.type not in _ADDED_UP:
        return wanted
    return question.measure.agg
