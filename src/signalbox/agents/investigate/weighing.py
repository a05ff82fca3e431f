"""Lining up what was seen: which symptom is meant, what began before it and lasted with it, and what is ruled out.

A cause begins before its symptom, or with it, and is still there while it lasts. Nothing else is claimed: what is told
is which of the things that were seen fits that best, and what speaks against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from langgraph.types import Command

from signalbox.agents.investigate.examining import send_each
from signalbox.agents.investigate.naming import find_meant
from signalbox.agents.investigate.state import LEAD, Conclusion, InvestigationState, Seen, latest_seen
from signalbox.settings import now, person_zone
from signalbox.toolbox import current_ledger

__all__ = ["conclude", "weigh"]

FAR = timedelta(days=5)
"""What was seen in a longer time than this is looked at once more: a curve of it has too few points to say what began
first."""
SLACK = timedelta(minutes=2)
"""How exactly two systems agree on when something began."""
_ABOUT_EQUAL = 0.35
_WEIGHTS = {"critical": 1.0, "warning": 0.7, "info": 0.2}


def weigh(state: InvestigationState) -> Command[Literal["examine", "propose", "report"]]:
    """What follows from all that was seen; where it was seen from far away, a closer look first."""
    if state.get("error"):
        return Command(goto="report")
    seen, about, since, end = latest_seen(state), state.get("about", ""), state.get("since"), state.get("end")
    failed = state.get("failed") or ()
    conclusion = conclude(about, seen, since, end, failed)
    closer = _closer(state, conclusion) if "closer" not in state else {}
    if closer:
        return Command(goto=send_each({**state, **closer}), update=closer)  # type: ignore[typeddict-item]
    if not conclusion["symptoms"] and state.get("closer"):
        state = {**state, "closer": 0}
        conclusion = conclude(about, latest_seen(state), since, end, failed)
    update = {"conclusion": conclusion, "closer": state.get("closer", 0), "evidence": current_ledger().as_list()}
    return Command(goto="propose" if conclusion["next_steps"] else "report", update=update)


def _closer(state: InvestigationState, conclusion: Conclusion) -> dict[str, Any]:
    """The time around the symptoms, where they lie in a far longer one; else nothing."""
    start, end = (datetime.fromisoformat(state[key]) for key in ("start", "end"))
    symptoms = conclusion["symptoms"]
    if not symptoms or end - start <= FAR:
        return {}
    margin = (end - start) / 50
    first, last = min(map(_start, symptoms)) - LEAD - margin, min(max(map(_end, symptoms)) + margin, end)
    if last - first > (end - start) / 2:
        return {}
    return {"start": first.isoformat(), "end": last.isoformat(), "closer": len(state["seen"])}


def conclude(
    about: str,
    seen: Sequence[Seen],
    since: str | None = None,
    until: str | None = None,
    failed: Sequence[str] = (),
) -> Conclusion:
    """The most likely cause of the symptoms of `about` (of all, where it is empty). What was over before `since` is no
    symptom that was asked about; where something `failed` to be looked at, nothing found says nothing."""
    begin = datetime.fromisoformat(since) if since else None
    # What went on when the time was over that was looked at is not known to have gone on until now.
    seen = [{**one, "end": one["end"] or until} for one in seen] if _is_past(until) else seen
    symptoms = sorted((one for one in seen if one["is_symptom"] and (not begin or _end(one) >= begin)), key=_start)
    mine = sorted(_mine(about, seen, symptoms, begin), key=_start)
    others = [one for one in seen if not one["is_symptom"] and one not in mine]
    if not mine:
        return _nothing(about, symptoms, others, since, until, failed)
    first, last = _start(mine[0]), max(_end(one) for one in mine)
    fitting = [one for one in others if _fits(one, first, last)]
    cause = _likeliest(fitting, first, last)
    rest = [one for one in seen if one is not cause and one not in mine]
    if cause is None:
        verdict = f"{_sentence(mine[0]['text'])} Nothing that was looked at began before it, so its cause is not known."
        return _conclusion(verdict, None, mine, ruled_out=[_why_not(one, first, last) for one in rest])
    pro, contra = _for(cause, mine, rest, first, last), _against(cause, rest, first, last)
    verdict = f"{_sentence('Most likely cause: ' + cause['text'])} {_lasted(mine, first, last, until)}"
    ruled = [_why_not(one, first, last) for one in rest if one not in fitting and not one["is_symptom"]]
    return _conclusion(verdict, cause, mine, pro, contra, ruled, _next_steps(cause, mine[0], about))


def _mine(about: str, seen: Sequence[Seen], symptoms: Sequence[Seen], begin: datetime | None) -> Sequence[Seen]:
    """The symptoms of what was named; where it has none, the troubles that it had itself."""
    if not about:
        return symptoms
    meant = find_meant(about, seen)
    troubles = (one for one in meant if one["severity"] != "info" and (not begin or _end(one) >= begin))
    return [one for one in symptoms if one in meant] or list(troubles)


def _nothing(
    about: str,
    symptoms: Sequence[Seen],
    others: Sequence[Seen],
    since: str | None,
    until: str | None,
    failed: Sequence[str],
) -> Conclusion:
    named = f" of {about}" if about else ""
    when = f"between {_moment(since)} and {_moment(until)}" if since and until else "in that time"
    verdict = f"Nothing found: no symptom{named} was seen {when}."
    if failed:
        unseen = "; ".join(one.rstrip(".") for one in dict.fromkeys(failed))
        verdict += f" Not everything could be looked at, though: {unseen}."
    if symptoms:
        verdict += f" Others had symptoms: {'; '.join(one['text'] for one in symptoms[:3])}."
    ruled_out = [] if failed else [f"{one['text'].rstrip('.')} (no symptom beside it)" for one in others]
    return _conclusion(verdict, None, [], ruled_out=ruled_out)


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
    return f"{one['text'].rstrip('.')} ({reason})"


def _next_steps(cause: Seen, symptom: Seen, named: str) -> list[str]:
    about, seen_on = cause["about"] or cause["agent"], named or symptom["about"] or "the symptom"
    return [
        f"Find out why: {cause['text']}",
        f"Check that {about} is stable now",
        f"Write up what happened to {seen_on} on {_day(symptom['start'])}",
    ]


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


def _moment(moment: str) -> str:
    return f"{_day(moment)} {_clock(moment)}"


def _is_past(until: str | None) -> bool:
    return until is not None and now() - datetime.fromisoformat(until) > SLACK


def _lasted(mine: Sequence[Seen], first: datetime, last: datetime, until: str | None) -> str:
    """When it was: a trouble that is over since yesterday is told otherwise than one of now."""
    began, ended = _moment(first.isoformat()), last.isoformat()
    if any(one["end"] is None for one in mine):
        if until and now() - datetime.fromisoformat(until) > SLACK:
            return (
                f"The symptoms began {began} and were not over by {_moment(until)}; what came later was not looked at."
            )
        return f"The symptoms began {began} and go on."
    over = _clock(ended) if _day(ended) == _day(first.isoformat()) else _moment(ended)
    return f"The symptoms lasted from {began} to {over} and are over."


def _apart(before: timedelta) -> str:
    minutes = round(abs(before.total_seconds()) / 60)
    if minutes == 0:
        return "at the same time as"
    told = f"{minutes} minute{'s' if minutes > 1 else ''}" if minutes < 120 else f"{minutes // 60} hours"
    return f"{told} {'before' if before > timedelta(0) else 'after'}"
