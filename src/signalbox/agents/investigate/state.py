"""The state of an investigation: the symptom, what every agent saw, and what follows from it."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, TypedDict

from signalbox.contract.sources import Kind, Source

__all__ = ["LEAD", "Conclusion", "InvestigationState", "Seen", "latest_seen", "start_state"]

LEAD = timedelta(hours=2)
"""How long before its symptom a cause may begin; so long before the time that is asked about is looked at, too."""


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


class Conclusion(TypedDict):
    """What follows. `cause` is None where nothing explains the symptom; `ruled_out` says why each thing is no cause."""

    verdict: str
    cause: Seen | None
    symptoms: list[Seen]
    evidence_for: list[str]
    evidence_against: list[str]
    ruled_out: list[str]
    next_steps: list[str]


class InvestigationState(TypedDict, total=False):
    """`start` and `end` are the time that is looked at, `since` is when the time begins that was asked about; `about`
    is what the symptom is seen on, if it is named. What comes in `seen` before `closer` was seen from too far away.
    `kind` is the one kind of system that is asked, from the beginning to the end."""

    user_query: str
    about: str
    since: str
    start: str
    end: str
    kind: Kind
    agent: str
    seen: Annotated[list[Seen], operator.add]
    closer: int
    looked_at: Annotated[list[str], operator.add]
    failed: Annotated[list[str], operator.add]
    sources: Annotated[list[Source], operator.add]
    evidence: list[dict[str, Any]]
    conclusion: Conclusion
    noted: str
    not_covered: list[str]
    error: dict[str, str] | None


def start_state(request: str, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """The state that a run begins with."""
    return {"user_query": request, "seen": [], "looked_at": [], "failed": [], "sources": []}


def latest_seen(state: Mapping[str, Any]) -> list[Seen]:
    """What was seen when it was looked at most closely."""
    return list((state.get("seen") or ())[state.get("closer", 0) :])
