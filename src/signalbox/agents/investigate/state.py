"""The state of an investigation: the symptom, what every agent saw, and what follows from it."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

__all__ = ["Conclusion", "InvestigationState", "Seen", "start_state"]


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
    """`start` and `end` are the time that is looked at; `about` is what the symptom is seen on, if it is named."""

    user_query: str
    about: str
    start: str
    end: str
    agent: str
    seen: Annotated[list[Seen], operator.add]
    looked_at: Annotated[list[str], operator.add]
    failed: Annotated[list[str], operator.add]
    sources: Annotated[list[dict[str, str]], operator.add]
    evidence: list[dict[str, Any]]
    conclusion: Conclusion
    noted: str
    not_covered: list[str]
    error: dict[str, str] | None


def start_state(request: str, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """The state that a run begins with."""
    return {"user_query": request, "seen": [], "looked_at": [], "failed": [], "sources": []}
