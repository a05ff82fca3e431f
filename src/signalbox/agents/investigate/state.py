"""The state of an investigation: the symptom, what every agent saw, what depends on what, and what follows from it."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from signalbox.contract import Relation
from signalbox.contract.sources import Kind, Source

__all__ = [
    "LEAD", "Alert", "Conclusion", "InvestigationState", "Reading", "Runbook", "Seen", "Sureness", "conclusion_of",
    "graph_relations", "start_alert", "start_state", "told_by",
]  # fmt: skip

LEAD = timedelta(hours=2)
"""How long before its symptom a cause may begin; so long before the time that is asked about is looked at, too."""
Sureness = Literal["confirmed", "likely", "not known"]


class Alert(TypedDict):
    """What fires, as its labels; moments are ISO 8601, `until` is empty while it fires."""

    summary: str
    labels: dict[str, str]
    since: str
    until: str


class Reading(TypedDict, total=False):
    """A request as data. `subject` are things of the graph, all of them together what the trouble is seen on; empty
    means everything. `about` tells them to a person. `trouble` is the kind of symptom, if one is named. `unknown` is
    what the request names and nothing is called. The time asked about is from `since` to `end`; `start` is before.
    `notes` say what of the request was not understood."""

    subject: list[str]
    about: str
    trouble: str
    unknown: str
    since: str
    start: str
    end: str
    notes: list[str]


class Seen(TypedDict):
    """One thing that an agent saw, as plain data; moments are ISO 8601."""

    agent: str
    text: str
    start: str
    end: str | None
    severity: str
    about: str
    is_symptom: bool
    evidence: list[str]
    labels: NotRequired[dict[str, str]]
    measure: NotRequired[str]
    points: NotRequired[list[tuple[str, float]]]
    unit: NotRequired[str]
    is_since_known: NotRequired[bool]


class Conclusion(TypedDict):
    """What follows. `cause` is None where nothing explains the symptom, `connection` is how it is connected to it, step
    by step, `impact` is what suffered from it, and `ruled_out` says why each thing is no cause."""

    verdict: str
    sureness: Sureness
    cause: Seen | None
    connection: list[str]
    symptoms: list[Seen]
    evidence_for: list[str]
    evidence_against: list[str]
    impact: list[str]
    ruled_out: list[str]
    next_steps: list[str]


def told_by(agent: str, text: str, **known: Any) -> Seen:
    """What an alert or a model tells, as something that was seen."""
    told: dict[str, Any] = {"start": "", "end": None, "severity": "critical", "about": "", "is_symptom": False}
    return {"agent": agent, "text": text, "evidence": [], **told, **known}  # type: ignore[typeddict-item]


def conclusion_of(verdict: str, **known: Any) -> Conclusion:
    """A verdict with what is known beside it; the rest of the conclusion is empty."""
    empty = Conclusion(
        verdict=verdict, sureness="not known", cause=None, connection=[], symptoms=[], evidence_for=[],
        evidence_against=[], impact=[], ruled_out=[], next_steps=[],
    )  # fmt: skip
    return {**empty, **known}  # type: ignore[typeddict-item]


class Runbook(TypedDict):
    """A file of the operator's own that fits: its checks are the items of its lists."""

    name: str
    text: str
    checks: list[str]


class InvestigationState(Reading, total=False):
    """`kind` is the one kind of system that is asked,
    from the beginning to the end. `relations` are the edges of the graph. `failed` says what could not be looked at;
    `unread` are the sources of which nothing was."""

    user_query: str
    alert: Alert | None
    kind: Kind
    agent: str
    relations: list[dict[str, Any]]
    runbooks: list[Runbook]
    wrong_runbooks: list[str]
    seen: Annotated[list[Seen], operator.add]
    looked_at: Annotated[list[str], operator.add]
    failed: Annotated[list[str], operator.add]
    unread: Annotated[list[str], operator.add]
    sources: Annotated[list[Source], operator.add]
    evidence: list[dict[str, Any]]
    conclusion: Conclusion
    noted: str
    not_covered: list[str]
    error: dict[str, str] | None


def start_state(request: str, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """The state that a run begins with."""
    empty: dict[str, Any] = {key: [] for key in ("seen", "looked_at", "failed", "unread", "sources")}
    return {"user_query": request, "alert": None, **empty}


def start_alert(alert: Mapping[str, Any]) -> dict[str, Any]:
    """The state that a run begins with for an alert."""
    told = {key: str(alert.get(key) or "") for key in ("summary", "since", "until")}
    return {**start_state(told["summary"], None), "alert": {**told, "labels": dict(alert.get("labels") or {})}}


def graph_relations(state: Mapping[str, Any]) -> list[Relation]:
    """The relations that the graph is made of."""
    return [Relation(**one) for one in state.get("relations") or ()]
