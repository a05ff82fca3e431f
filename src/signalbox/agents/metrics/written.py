"""Options that a question writes out and that the model left open: the highest or the lowest.

The words are those by which the plan's own schema tells its options apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

from signalbox.agents.metrics.left import places_of
from signalbox.agents.metrics.plan import HOW, KINDS, ORDERS, MetricsPlan
from signalbox.agents.metrics.vocabulary import LOWS, base, label_kind, text_words

__all__ = ["with_written"]

_LONGEST = 400
_ENDS = ("highest", "lowest")
_CURVE = frozenset(base(word.strip()) for word in KINDS["curve"].partition(":")[2].split(","))
_SHARES = frozenset({"share", "percentage", "fraction", "proportion"})
_AND_WHEN = re.compile(
    r"(?:[,.?!;]|\band\b)\s*(?:and\s+)?(?:at\s+)?(?:when|what\s+time)\b(?:\s+(?:was|did|is|were)\s+\w+(?:\s+\w+)?)?\s*[?.!]*$",
    re.IGNORECASE,
)


def with_written(plan: MetricsPlan, text: str, own: Set[str]) -> MetricsPlan:
    """The plan with the end of the values that the question names; `own` are the words of the measure itself."""
    if plan.promql or plan.bound:
        return plan
    if plan.percentiles:
        is_drawn = plan.kind is None and any(base(word) in _CURVE for word, *_ in text_words(text[:_LONGEST]))
        return plan.model_copy(update={"kind": "curve"}) if is_drawn else plan
    free = [word for word, start, end in text_words(text[:_LONGEST]) if not _is_taken(start, end, plan, text)]
    said = [word for word in free if base(word) not in own]
    if plan.kind in ("figure", None) and not plan.split_by and plan.time and _AND_WHEN.search(text[:_LONGEST]):
        # Only the highest and the lowest value have a moment.
        end = (plan.how if plan.how in _ENDS else None) or plan.order or _end(free, _words(HOW))
        end = end or ("lowest" if any(word in LOWS for word in free) else "highest")
        return plan.model_copy(update={"kind": "extreme", "order": end, "how": None})
    if plan.kind == "comparison" and plan.against and any(word in _SHARES for word in free):
        return plan.model_copy(update={"kind": "share"})
    if plan.kind in ("ranking", "extreme"):
        end = None if plan.order or plan.how in _ENDS else _end(said, {**_words(HOW), **_words(ORDERS)})
        if end is None and plan.kind == "extreme" and not (plan.order or plan.how in _ENDS):
            end = "lowest" if any(word in LOWS for word in free) else None
        return plan.model_copy(update={"order": end}) if end else plan
    end = _end(said, _words(HOW))
    if end is None or plan.order or plan.how in (*_ENDS, "total") or plan.kind not in ("figure", "threshold", None):
        return plan
    if any(label_kind(word) for word in said) and plan.kind != "figure":
        # Which of them: the host with the highest load.
        return plan.model_copy(update={"kind": "ranking", "order": end, "how": None})
    return plan.model_copy(update={"kind": "figure", "how": end})


def _words(options: Mapping[str, str]) -> dict[str, str]:
    """The single words that stand for each end, by their base, and PromQL's own; its min is a minute to most people."""
    return {
        base(word): end
        for end in _ENDS
        for word in (end, *(part.strip() for part in options[end].split(",")))
        if " " not in word
    } | {"max": "highest"}


def _end(said: list[str], known: Mapping[str, str]) -> str | None:
    """The one end that words name; None where they name none, or both."""
    ends = {known[base(word)] for word in said if base(word) in known}
    return ends.pop() if len(ends) == 1 else None


def _is_taken(start: int, end: int, plan: MetricsPlan, text: str) -> bool:
    return any(start < last and end > first for first, last in places_of(plan, text))
