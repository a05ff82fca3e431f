"""Step one: from the words of a question to `Asked`, before any server is asked."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo
from typing import Any

from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import ValidationError

from signalbox import settings
from signalbox.agents.metrics.errors import ParsingError
from signalbox.agents.metrics.prompts import EXAMPLES, READ_FOLLOW_UP, READ_QUESTION
from signalbox.agents.metrics.reading import cues
from signalbox.agents.metrics.reading.asked import Asked, Wording
from signalbox.agents.metrics.reading.links import follows_up
from signalbox.agents.metrics.reading.operations import find_operation, refuse_operation
from signalbox.agents.metrics.reading.quantiles import find_quantile, find_quantiles
from signalbox.agents.metrics.reading.rates import is_rate, is_running_total, is_total
from signalbox.agents.metrics.reading.spelling import correct_spelling
from signalbox.agents.metrics.reading.thresholds import find_threshold, lists_things, without_threshold
from signalbox.agents.metrics.reading.times import Times, checked, read_times
from signalbox.agents.metrics.state import Aggregation, ResultKind, TimeRange
from signalbox.errors import RequestError
from signalbox.language.time import Range
from signalbox.models.configuration import Configuration

__all__ = ["parse_question", "read_as_follow_up"]

_LONGEST = 2_000
_MOST_BEFORE = 6
# How long a moment is: as long as samples are mostly apart.
_MOMENT = timedelta(minutes=1)


async def parse_question(
    text: str,
    *,
    model: BaseChatModel | None = None,
    now: datetime | None = None,
    zone: tzinfo | str | None = None,
    previous: Asked | None = None,
) -> Asked:
    """What a question says; one that follows up `previous`, by its own words, takes over what it leaves out.

    Raises ParsingError, UnsupportedOperationError or InvalidTimeRangeError.
    """
    text = _readable(text)
    moment = now or settings.now()
    refuse_operation(find_operation(text))
    chosen = model or Configuration.from_context().load()
    wording = await _fill(text, chosen, previous)
    if chosen._llm_type == "offline":
        wording = _literal(wording)
    refuse_operation(wording.operation)
    return read_wording(text, wording, moment, zone or settings.person_zone(), previous)


def read_as_follow_up(asked: Asked) -> Asked:
    """The question read again as one that leans on the one before."""
    return read_wording(asked.text, asked, asked.now, settings.person_zone(), asked.previous, leans=True)


def read_wording(
    text: str,
    wording: Wording,
    now: datetime,
    zone: tzinfo | str,
    before: Asked | None = None,
    *,
    leans: bool = False,
) -> Asked:
    """The wording with its times, corrected by what the text says beyond doubt."""
    # Two quantiles are compared with each other, and a time is then that of both.
    compares = cues.is_comparison(text) and len(find_quantiles(text)) < 2
    times = read_times(text, now, zone, compares=compares)
    body = times.body
    previous = before if leans or follows_up(text, body) else None
    threshold = None if compares else find_threshold(body)
    if threshold:
        body = without_threshold(body, threshold)
    lists = threshold is not None and lists_things(body, threshold)
    if lists:
        # How many hosts are beyond it is known once it is known which.
        body = re.sub(r"\bhow many\b", "which   ", body, flags=re.IGNORECASE)
    said = "comparison" if times.against else cues.find_kind(body)
    if lists and said in (None, "series", "value"):
        said = "ranking"
    if said == "value" and times.main is not None and _is_of_series(body):
        said = "series"
    # That one figure is asked for shows in the words; where it does not, a model that says so only guesses.
    read = wording.kind if wording.kind != "value" else None
    kind = said or (previous.kind if previous else read) or _default_kind(times)
    time_range, is_time_said = _main_range(times, kind, now, previous)
    kept = previous if previous and kind == previous.kind else None
    aggregation = cues.find_aggregation(body) or (kept.aggregation if kept and not said else None)
    return Asked(
        subject=wording.subject,
        group_by=wording.group_by,
        filters=wording.filters,
        time=wording.time,
        against=wording.against,
        kind=kind,
        quantile=find_quantile(text) or wording.quantile or (previous.quantile if previous else None),
        aggregation=aggregation,
        top=cues.find_top(body) or (kept.top if kept else None),
        lowest=kind in ("ranking", "extreme", "series") and cues.is_lowest(body),
        text=text,
        now=now,
        time_range=time_range,
        is_time_said=is_time_said,
        is_current=_is_current(kind, times, None if kind == "ranking" else aggregation, previous),
        is_total=is_total(body) or is_running_total(text, body) or bool(kept and not said and kept.is_total),
        against_range=checked(times.against, now) if times.against else None,
        against_text=_against_text(body) if kind == "comparison" and not times.against else "",
        body=cues.blank_moment(body) if kind == "extreme" else body,
        threshold=threshold,
        previous=_shortened(before, _MOST_BEFORE),
        follows_up=previous is not None,
    )


def _shortened(previous: Asked | None, most: int) -> Asked | None:
    """The questions before, as many as are of use, so that a long conversation does not grow for ever."""
    if previous is None or most == 0:
        return None
    return previous.model_copy(update={"previous": _shortened(previous.previous, most - 1)})


def _readable(text: str) -> str:
    readable = re.sub(r"\s+", " ", text.replace("’", "'").replace("“", '"').replace("”", '"')).strip()
    readable = correct_spelling(re.sub(r"(?<=\s)%(?!\w)", "percent", readable))
    if len(readable) > _LONGEST or not re.search(r"[^\W\d_]{2}", readable):
        raise not_understood()
    return readable


def not_understood(details: Any = None) -> ParsingError:
    """The contract's error for a question that cannot be read."""
    examples = "; ".join(f'"{example}"' for example in EXAMPLES)
    return ParsingError("Could not understand your query", suggestion=f"Ask like this: {examples}.", details=details)


async def _fill(text: str, model: BaseChatModel, previous: Asked | None) -> Wording:
    told = READ_QUESTION if previous is None else f"{READ_QUESTION}\n{READ_FOLLOW_UP.format(previous=previous.text)}"
    messages = [SystemMessage(told), HumanMessage(text)]
    try:
        filled = await model.with_structured_output(Wording).ainvoke(messages)
    except RequestError:
        # The model found nothing for the schema; the words themselves may still say enough.
        return Wording()
    except (OutputParserException, ValidationError) as error:
        raise not_understood(error) from None
    if not isinstance(filled, Wording):
        raise not_understood(filled)
    return filled


def _literal(wording: Wording) -> Wording:
    """What the offline model took from the words, without what it may only infer: for that, the words are read here."""
    kind = wording.kind if wording.kind in ("series", "value") else None
    return wording.model_copy(update={"operation": "read", "kind": kind, "quantile": None})


def _is_of_series(body: str) -> bool:
    """Whether what is put together are series, so that over a range a curve is left."""
    total_rate = cues.find_aggregation(body) == "sum" and is_rate(body)
    return cues.joins_series(body) or total_rate


def _default_kind(times: Times) -> ResultKind:
    if times.is_moment:
        return "value"
    return "value" if times.main is None and cues.is_current(times.body) else "series"


def _main_range(times: Times, kind: ResultKind, now: datetime, previous: Asked | None) -> tuple[TimeRange, bool]:
    if times.main is not None and times.is_moment and kind in ("value", "ranking", "share"):
        return checked(Range(times.main.start - _MOMENT, times.main.start), now), True
    if times.main is not None:
        return checked(times.main, now), True
    if previous is not None:
        return previous.time_range, previous.is_time_said
    length = timedelta(days=1) if kind == "extreme" else timedelta(hours=1)
    return checked(Range(now - length, now), now), False


def _is_current(kind: ResultKind, times: Times, aggregation: Aggregation | None, previous: Asked | None) -> bool:
    if times.main is not None:
        return False
    if cues.is_current(times.body):
        return True
    if previous is not None:
        return previous.is_current
    return kind in ("value", "ranking", "share", "comparison") and aggregation is None


def _against_text(body: str) -> str:
    cue = cues.COMPARISON.search(body)
    return body[cue.end() :] if cue else ""
