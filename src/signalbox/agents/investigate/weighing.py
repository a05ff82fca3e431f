"""Lining up what was seen: which symptom is meant, what began before it and lasted with it, and what is ruled out.

A cause begins before its symptom, or with it, and is still there while it lasts. Nothing else is claimed: what is told
is which of the things that were seen fits that best, and what speaks against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from langgraph.types import Command

from signalbox.agents.investigate.state import Conclusion, InvestigationState, Seen
from signalbox.settings import now, person_zone
from signalbox.toolbox import current_ledger

__all__ = ["conclude", "weigh"]

LEAD = timedelta(hours=2)
"""How long before its symptom a cause may begin, if it is over by then it is none."""
SLACK = timedelta(minutes=2)
"""How exactly two systems agree on when something began."""
_ABOUT_EQUAL = 0.35
_WEIGHTS = {"critical": 1.0, "warning": 0.7, "info": 0.2}


def weigh(state: InvestigationState) -> Command[Literal["propose", "report"]]:
    """What follows from all that was seen."""
    if state.get("error"):
        return Command(goto="report")
    conclusion = conclude(state.get("about", ""), state["seen"])
    update = {"conclusion": conclusion, "evidence": current_ledger().as_list()}
    return Command(goto="propose" if conclusion["next_steps"] else "report", update=update)


def conclude(about: str, seen: Sequence[Seen]) -> Conclusion:
    """The most likely cause of the symptoms of `about` (of all, where it is empty or nothing bears its name)."""
    symptoms = sorted((one for one in seen if one["is_symptom"]), key=_start)
    mine = [one for one in symptoms if _names(about, one)] or ([] if about and symptoms else symptoms)
    others = [one for one in seen if not one["is_symptom"]]
    if not mine:
        return _nothing(about, symptoms, others)
    first, last = _start(mine[0]), max(_end(one) for one in mine)
    fitting = [one for one in others if _fits(one, first, last)]
    cause = _likeliest(fitting, first, last)
    rest = [one for one in seen if one is not cause and one not in mine]
    if cause is None:
        verdict = f"{_sentence(mine[0]['text'])} Nothing that was looked at began before it, so its cause is not known."
        return _conclusion(verdict, None, mine, ruled_out=[_why_not(one, first, last) for one in rest])
    pro, contra = _for(cause, mine, rest, first, last), _against(cause, rest, first, last)
    verdict = f"Most likely cause: {cause['text']}"
    ruled = [_why_not(one, first, last) for one in rest if one not in fitting and not one["is_symptom"]]
    return _conclusion(_sentence(verdict), cause, mine, pro, contra, ruled, _next_steps(cause, mine[0]))


def _nothing(about: str, symptoms: Sequence[Seen], others: Sequence[Seen]) -> Conclusion:
    named = f" of {about}" if about else ""
    verdict = f"Nothing found: no symptom{named} was seen in that time."
    if symptoms:
        verdict += f" Others had symptoms: {'; '.join(one['text'] for one in symptoms[:3])}."
    return _conclusion(verdict, None, [], ruled_out=[f"{one['text']} (no symptom beside it)" for one in others])


def _conclusion(
    verdict: str,
    cause: Seen | None,
    symptoms: Sequence[Seen],
    evidence_for: Sequence[str] = (),
    evidence_against: Sequence[str] = (),
    ruled_out: Sequence[str] = (),
    next_steps: Sequence[str] = (),
) -> Conclusion:
    return Conclusion(
        verdict=verdict,
        cause=cause,
        symptoms=list(symptoms),
        evidence_for=list(evidence_for),
        evidence_against=list(evidence_against),
        ruled_out=list(ruled_out),
        next_steps=list(next_steps),
    )


def _fits(one: Seen, first: datetime, last: datetime) -> bool:
    began = _start(one)
    return first - LEAD <= began <= first + SLACK and _end(one) >= first and one["severity"] != "info"


def _likeliest(fitting: Sequence[Seen], first: datetime, last: datetime) -> Seen | None:
    """What explains the symptom best; of several that do so about equally well, the one that began before the others:
    in a chain of troubles, each is the cause of the next."""
    best = max((_score(one, first, last) for one in fitting), default=0.0)
    return min((one for one in fitting if _score(one, first, last) >= best - _ABOUT_EQUAL), key=_start, default=None)


def _score(one: Seen, first: datetime, last: datetime) -> float:
    """How well something explains the symptom: it lasts as long, begins shortly before it, and is bad enough."""
    start, end = _start(one), _end(one)
    shared = max(0.0, (min(end, last) - max(start, first)).total_seconds())
    whole = (max(end, last) - min(start, first)).total_seconds() or 1.0
    return shared / whole + _WEIGHTS.get(one["severity"], 0.2) - abs((first - start) / LEAD) * 0.5


def _for(cause: Seen, mine: Sequence[Seen], rest: Sequence[Seen], first: datetime, last: datetime) -> list[str]:
    told = [
        f"it began at {_clock(cause['start'])}, {_apart(first - _start(cause))} the first symptom ({mine[0]['text']})"
    ]
    if abs(_end(cause) - last) <= timedelta(minutes=15):
        told.append(f"it ended at {_clock(cause['end'])}, and the symptoms at {_clock(last.isoformat())}")
    followed = [one for one in rest if _start(cause) <= _start(one) <= last and one["severity"] != "info"]
    told += [f"with it, at {_clock(one['start'])}: {one['text']}" for one in sorted(followed, key=_start)[:5]]
    return told


def _against(cause: Seen, rest: Sequence[Seen], first: datetime, last: datetime) -> list[str]:
    told = [
        f"{one['text']} had begun earlier, at {_clock(one['start'])}, and may be the cause as well"
        for one in rest
        if not one["is_symptom"] and _fits(one, first, last) and _start(one) < _start(cause)
    ]
    if _end(cause) < last - timedelta(minutes=15):
        told.append(f"it ended at {_clock(cause['end'])}, long before the symptoms did")
    told.append("that one thing began before another does not prove that it caused it")
    return told


def _why_not(one: Seen, first: datetime, last: datetime) -> str:
    began, ended = _start(one), _end(one)
    if ended < first:
        reason = "it was over before the symptom began"
    elif began > last:
        reason = "it began when the symptom was over"
    elif began > first + SLACK:
        reason = f"it began {_apart(first - began)} the symptom"
    elif one["severity"] == "info":
        reason = "nothing was wrong with it"
    else:
        reason = "it had been so long before the symptom began"
    return f"{one['text']} ({reason})"


def _next_steps(cause: Seen, symptom: Seen) -> list[str]:
    about, seen_on = cause["about"] or cause["agent"], symptom["about"] or "the symptom"
    return [
        f"Find out why: {cause['text']}",
        f"Check that {about} is stable now",
        f"Write up what happened to {seen_on} on {_day(symptom['start'])}",
    ]


def _names(about: str, one: Seen) -> bool:
    """Whether something is about what the person named: all words of the one are in the other."""
    words = set(about.casefold().replace("-", " ").split()) - {"the", "our", "a", "service", "page", "app"}
    return bool(words) and words <= set(f"{one['about']} {one['text']}".casefold().replace("-", " ").split())


def _start(one: Seen) -> datetime:
    return datetime.fromisoformat(one["start"])


def _end(one: Seen) -> datetime:
    return datetime.fromisoformat(one["end"]) if one["end"] else now()


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _clock(moment: str | None) -> str:
    return datetime.fromisoformat(moment).astimezone(person_zone()).strftime("%H:%M") if moment else "now"


def _day(moment: str) -> str:
    local = datetime.fromisoformat(moment).astimezone(person_zone())
    return f"{local:%a} {local.day} {local:%b}"


def _apart(before: timedelta) -> str:
    minutes = round(abs(before.total_seconds()) / 60)
    if minutes == 0:
        return "at the same time as"
    told = f"{minutes} minute{'s' if minutes > 1 else ''}" if minutes < 120 else f"{minutes // 60} hours"
    return f"{told} {'before' if before > timedelta(0) else 'after'}"
