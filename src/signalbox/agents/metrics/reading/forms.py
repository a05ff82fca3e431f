"""The form of an answer where it depends on the measure: figure or curve, total or rate, one line or several."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from signalbox.agents.metrics.question import Measure
from signalbox.agents.metrics.reading import cues
from signalbox.agents.metrics.reading.asked import Asked
from signalbox.agents.metrics.reading.rates import find_rate_time, is_flow
from signalbox.agents.metrics.reading.readings import Reading
from signalbox.agents.metrics.state import ResultKind
from signalbox.agents.metrics.vocabulary import LABEL_WORDS

__all__ = ["adds_events", "is_lowest_of", "kind_of", "rated_by", "split_by_names"]

_JUDGED = re.compile(r"\b(?:worst|best)\b", re.IGNORECASE)
# The slowest belt has the lowest speed; the slowest request the longest time.
_PACED = re.compile(r"\b(?:slowest|fastest)\b", re.IGNORECASE)
_SPEED = re.compile(r"speed|velocity|rpm|throughput|per_second|bandwidth", re.IGNORECASE)
_GOOD = re.compile(r"hit|success|availab|free|\bup\b", re.IGNORECASE)
_AMOUNT = re.compile(r"\b(?:bytes|octets|data|volume|amount|[kmgt]i?bs?)\b", re.IGNORECASE)
_MOMENT = timedelta(minutes=1)
_SHARES = ("ratio", "percent")
_TOGETHER = re.compile(r"\b(?:together|combined|in\s+total|altogether|overall|total|as\s+one|or)\b", re.IGNORECASE)
# What stands between names that are listed: "web-1, web-2 and web-3".
_LISTED = re.compile(r"\W*(?:(?:and|plus|also|the|on|for|of|vs)\W+)*", re.IGNORECASE)


def kind_of(asked: Asked, measure: Measure) -> ResultKind:
    """The kind of answer that suits the measure, where the words leave it open."""
    kind = asked.kind or "series"
    if kind == "share" and (measure.type == "ratio" or measure.unit in _SHARES):
        if cues.is_drawn(asked.body) and asked.is_time_said:
            return "series"
        return kind if measure.type == "ratio" else "value"
    if (
        kind == "value"
        and asked.is_time_said
        and not _is_moment(asked)
        and asked.aggregation is None
        and not adds_events(asked, measure)
    ):
        return "series" if cues.is_open_figure(asked.body) else kind
    if kind != "series" or cues.is_drawn(asked.body):
        return kind
    if asked.is_total and measure.total:
        return "value"
    # How long something has been up is a figure; as a curve it only rises. What is rare is counted.
    is_figure = _is_counted(measure) if asked.is_time_said else "time()" in measure.promql
    return "value" if is_figure else kind


def _is_moment(asked: Asked) -> bool:
    return asked.time_range.end_time - asked.time_range.start_time <= _MOMENT


def adds_events(asked: Asked, measure: Measure) -> bool:
    """Whether events are added up: where that is said, and where what is counted is ranked or compared over a range."""
    if asked.is_total or not measure.total:
        return asked.is_total and bool(measure.total)
    if _is_counted(measure) and asked.is_time_said and not cues.is_drawn(asked.body):
        return True
    is_past = (asked.is_time_said or asked.against_range is not None) and not asked.is_current
    flows = is_flow(asked.body) or (measure.unit == "bytes/s" and not _AMOUNT.search(asked.body))
    return asked.kind in ("ranking", "comparison") and is_past and not flows


def _is_counted(measure: Measure) -> bool:
    """Whether the measure is a number of rare events, such as restarts, rather than a rate of them."""
    return bool(measure.total) and measure.total == measure.promql


def is_lowest_of(asked: Asked, measure: Measure) -> bool:
    """Whether the lower end is asked for; the worst of what should be high, such as a hit ratio, is the lowest."""
    paced = _PACED.search(asked.body) if _SPEED.search(measure.name) else None
    if paced is not None:
        return paced.group().lower() == "slowest"
    judged = _JUDGED.search(asked.body) if _GOOD.search(f"{measure.title} {measure.name}") else None
    return judged.group().lower() == "worst" if judged else bool(asked.lowest)


def rated_by(asked: Asked, measure: Measure) -> Measure:
    """The measure by the minute, hour or day where its rate is asked for like that."""
    time = find_rate_time(asked.body)
    if time is None or measure.type != "counter" or not measure.unit.endswith("/s"):
        return measure
    seconds, name = time
    unit = f"{measure.unit.removesuffix('/s')}/{name}"
    return replace(measure, promql=f"({measure.promql}) * {seconds}", unit=unit)


def split_by_names(asked: Asked, chosen: Reading, measure: Measure) -> tuple[str, ...]:
    """The label of which several values are named one after the other, each of which is a curve of its own."""
    if asked.aggregation is not None or (asked.is_total and measure.total) or _TOGETHER.search(asked.body):
        return ()
    said = [one for one in chosen.mentions if not one.negated and len(one.values) == 1]
    for first, second in pairwise(said):
        is_listed = _LISTED.fullmatch(asked.body[first.end : second.start])
        is_other = first.label == second.label and first.values != second.values
        if is_other and is_listed and first.label not in LABEL_WORDS["status"]:
            return (first.label,)
    return ()
