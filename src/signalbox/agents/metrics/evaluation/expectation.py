"""What a case about metrics may expect, and the moments that it names.

A moment is `now`, so long before it (`-90m`, `-2d`), or an ISO 8601 time, in the zone of the set if it has no offset.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from math import ceil
from typing import Any, get_args

from signalbox.agents.metrics.state import ErrorType, ResultKind

__all__ = ["ERRORS", "KEYS", "KINDS", "Span", "check_expectation", "moment_of", "span_of", "tolerance_of"]

KINDS: tuple[str, ...] = (*get_args(ResultKind), "threshold", "down", "says")
ERRORS: tuple[str, ...] = get_args(ErrorType)
_TIMES = ("at", "from", "to")
_QUERY = {"promql", "step", *_TIMES}
_ONLY = {
    "comparison": {"against"}, "extreme": {"extreme"}, "ranking": {"order", "top", "more"},
    "threshold": {"none"}, "down": {"none"}, "says": {"words"},
}  # fmt: skip
KEYS = {"kind", "tolerance", "error", "empty"} | _QUERY | set().union(*_ONLY.values())

_TOLERANCE = {"series": 0.03, "extreme": 0.05}
_BEFORE = re.compile(r"-(\d+)([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_MOST_STEPS = 300
_MOST_OF_EXTREME = 10_000
_SHORTEST_STEP = 60


@dataclass(frozen=True)
class Span:
    """Where a reference is evaluated: at `end`, or if it is a curve from `start` to `end`."""

    end: datetime
    start: datetime | None = None
    step: timedelta = timedelta(seconds=_SHORTEST_STEP)

    @property
    def length(self) -> str:
        """The length as PromQL writes it."""
        return f"{int((self.end - self.start).total_seconds())}s" if self.start else "0s"


def check_expectation(outcome: Mapping[str, Any]) -> None:
    """Raises ValueError for an outcome that no answer could have, or that says too little to be judged."""
    if "error" in outcome or "empty" in outcome:
        _demand(len(outcome) == 1, "`error` and `empty` stand alone")
        _demand(outcome.get("error", ERRORS[0]) in ERRORS, f"`error` is one of {', '.join(ERRORS)}")
        return
    kind = outcome.get("kind")
    _demand(kind in KINDS, f"needs `error`, `empty: true`, or a `kind` among {', '.join(KINDS)}")
    for key in sorted((set().union(*_ONLY.values()) - _ONLY.get(str(kind), set())) & set(outcome)):
        raise ValueError(f"`{key}` is not for a {kind}")
    words = outcome.get("words")
    _demand(kind != "says" or (isinstance(words, list) and words), "needs `words`, a list of what the answer says")
    _demand(kind == "says" or isinstance(outcome.get("promql"), str), "needs `promql`, the reference query")
    _demand(kind not in ("series", "extreme") or "from" in outcome, f"a {kind} needs `from`")
    against = outcome.get("against", "")
    is_query = isinstance(against, Mapping) and set(against) <= _QUERY
    _demand(
        kind != "comparison" or is_query or (against and isinstance(against, str)),
        "a comparison needs `against`: a query, or a mapping with another time or query",
    )
    _demand(outcome.get("extreme", "highest") in ("highest", "lowest"), "`extreme` is highest or lowest")
    _demand(outcome.get("order", "descending") in ("descending", "ascending"), "`order` is descending or ascending")
    for said in (outcome, against if is_query else {}):
        for key in _TIMES:
            _parse_moment(str(said.get(key, "now")), key)


def _demand(is_met: Any, reason: str) -> None:
    if not is_met:
        raise ValueError(reason)


def _parse_moment(text: str, key: str) -> timedelta | datetime:
    before = _BEFORE.fullmatch(text)
    if before:
        return timedelta(seconds=int(before[1]) * _SECONDS[before[2]])
    if text == "now":
        return timedelta(0)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"`{key}`: '{text}' is neither ISO 8601 nor such as -6h") from None


def moment_of(text: Any, now: datetime, tz: tzinfo) -> datetime:
    """The moment that a case names."""
    parsed = _parse_moment(str(text), "time")
    if isinstance(parsed, timedelta):
        return now - parsed
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=tz)


def span_of(query: Mapping[str, Any], now: datetime, tz: tzinfo) -> Span:
    """Where a reference query is evaluated; by default now."""
    end = moment_of(query.get("to", query.get("at", "now")), now, tz)
    if "from" not in query:
        return Span(end)
    start = moment_of(query["from"], now, tz)
    length = (end - start).total_seconds()
    # A peak between two steps would be none: of an extreme as many are looked at as a server gives.
    most = _MOST_OF_EXTREME if query.get("kind") == "extreme" else _MOST_STEPS
    seconds = max(_SHORTEST_STEP, ceil(length / most / _SHORTEST_STEP) * _SHORTEST_STEP)
    step = timedelta(seconds=int(query.get("step") or seconds))
    return Span(end, start, step)


def tolerance_of(expected: Mapping[str, Any]) -> float:
    """How far a figure may be off, as a share of itself."""
    return float(expected.get("tolerance") or _TOLERANCE.get(str(expected.get("kind")), 0.02))
