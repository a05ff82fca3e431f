"""What follows from all that was seen, in words: the cause and how it is connected, or that none is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from langgraph.types import Command

from signalbox.agents.investigate.causes import (
    SLACK,
    Found,
    Suspect,
    end_of,
    ended_together,
    find_causes,
    find_impact,
    find_symptoms,
    has_kind,
    is_about,
    is_event,
    is_since_known,
    measures,
    of_subject,
    start_of,
    told_length,
)  # fmt: skip
from signalbox.agents.investigate.examining import not_asked
from signalbox.agents.investigate.graph import Graph, name_of
from signalbox.agents.investigate.state import (
    Alert,
    Conclusion,
    InvestigationState,
    Reading,
    Seen,
    Sureness,
    conclusion_of,
    graph_relations,
    told_by,
)  # fmt: skip
from signalbox.agents.investigate.subjects import known_things
from signalbox.settings import now, person_zone
from signalbox.toolbox import current_ledger

__all__ = ["conclude", "grouped", "told_moment", "weigh"]

_MOST_TOLD, _MOST_LISTED = 5, 20
_TROUBLES = {"slow": "slowness", "errors": "errors", "down": "outages", "busy": "high load", "restarts": "restarts"}
_BY_FILE = ("dependencies", ".yaml", ".yml", "its decision point", "its context")


def weigh(state: InvestigationState) -> Command[Literal["propose", "report"]]:
    """What follows from all that was seen."""
    if state.get("error"):
        return Command(goto="report")
    conclusion = _concluded(state)
    checks = [f"{check} (runbook {book['name']})" for book in state.get("runbooks") or () for check in book["checks"]]
    if conclusion["symptoms"] or state.get("alert"):
        conclusion = {**conclusion, "next_steps": list(dict.fromkeys([*conclusion["next_steps"], *checks]))}
    update = {"conclusion": conclusion, "evidence": current_ledger().as_list()}
    return Command(goto="propose" if conclusion["next_steps"] else "report", update=update)


def _concluded(state: InvestigationState) -> Conclusion:
    graph = Graph.of(graph_relations(state))
    failed, unread = ([*dict.fromkeys(one)] for one in (state.get("failed") or [], state.get("unread") or []))
    told = conclude(state, state.get("seen") or [], graph, failed, unread, state.get("alert"))
    looked_at, trouble = state.get("looked_at") or [], state.get("trouble") or ""
    if looked_at and trouble and not measures(trouble, looked_at):
        # Of what was never looked at, nothing found says nothing.
        told["verdict"] = f"Nothing that was looked at would show {_TROUBLES[trouble]}. {told['verdict']}"
    if {*failed} <= {*not_asked(state["kind"])} and not _is_blind(state, graph):
        return told
    # A part that could not be read might hold another cause.
    sureness: Sureness = "likely" if told["sureness"] == "confirmed" else told["sureness"]
    return {**told, "verdict": told["verdict"].replace("Cause:", "Most likely cause:", 1), "sureness": sureness}


def _is_blind(state: InvestigationState, graph: Graph) -> bool:
    """True if a system is not connected, and the subject depends on something that nothing which is measures."""
    if state["kind"] == "embedded" or not not_asked(state["kind"]):
        return False
    return any(not _is_measured(other, graph) for one in state.get("subject") or () for other in graph.ways(one))


def conclude(
    read: Reading,
    seen: Sequence[Seen],
    graph: Graph,
    failed: Sequence[str] = (),
    unread: Sequence[str] = (),
    alert: Alert | None = None,
) -> Conclusion:
    """The cause of the symptoms that were asked about, held to the graph. What `failed` to be looked at is told; of a
    source that is `unread`, nothing found says nothing."""
    unknown = ""
    if read.get("unknown"):
        unknown = f"There is no {read['unknown']} here: nothing that was read is called so."
    if unknown and not read.get("subject"):
        return conclusion_of(" ".join([unknown, f"There are {known_things(graph)}.", *_not_seen(failed)]))
    until = read["end"]
    seen = [one for one in seen if not is_since_known(one) or start_of(one) <= datetime.fromisoformat(until)]
    # What went on when the time was over that was looked at is not known to have gone on until now.
    seen = [{**one, "end": one["end"] or until} for one in seen] if _is_past(until) else seen
    # The symptom is that of a service; its instances only measured it.
    graph = graph.through(thing for one in seen if one["is_symptom"] for thing in is_about(one, graph)[:1])
    symptoms = find_symptoms(read, seen, graph)
    is_unseen = not symptoms and any(_is_measured(one, graph) for one in read.get("subject") or ())
    if symptoms and not has_kind(read, symptoms):
        unknown += f" {_of_other_kind(read)}"
    if alert and not symptoms:
        lasts = {"start": alert["since"] or now().isoformat(), "end": alert["until"] or None}
        symptoms = [told_by("alert", alert["summary"], is_symptom=True, labels=alert["labels"], **lasts)]
        if not unread and is_unseen:
            unknown += f"Only the alert tells of it: nothing that was read shows a trouble of {read.get('about')}."
    found = find_causes(read, symptoms, seen, graph) if symptoms else None
    is_of_link = all(one.startswith(("link:", "session:")) for one in read.get("subject") or ("",))
    if found and found.cause and found.cause.seen in symptoms and is_of_link:
        # That a link flapped is no answer to why it did.
        found = replace(found, cause=None)
    if found and found.cause and alert and is_unseen:
        # Earlier and connected is not enough where nothing shows the trouble itself.
        found = replace(found, cause=None, others=[found.cause, *found.others])
    if found is None:
        told = _nothing(read, seen, graph, failed, unread)
    else:
        impact = find_impact(read, symptoms, found, seen, graph)
        ruled_out = [_ruled(one, why) for one, why in found.ruled_out if one not in impact][:_MOST_LISTED]
        told = (_caused(read, symptoms, found, ruled_out, is_whole=not unread) if found.cause
                else _unknown(read, symptoms, found, ruled_out))  # fmt: skip
        told = _with_impact(told, impact, graph)
    verdict = " ".join([f"{unknown} {told['verdict']}".strip(), *_not_seen(failed), *read.get("notes", ())])
    return {**told, "verdict": verdict}


def _of_other_kind(read: Reading) -> str:
    return f"Nothing shows {_TROUBLES.get(read.get('trouble') or '', 'this')} of {read.get('about') or 'anything'}."


def _with_impact(told: Conclusion, impact: Sequence[Seen], graph: Graph) -> Conclusion:
    """The conclusion with what suffered as well: in the verdict by its names, and each with what was seen."""
    named = [name_of(one) for it in impact for one in is_about(it, graph)[:1]]
    hit = f" It also hit {', '.join(dict.fromkeys(named))}." if named else ""
    return {**told, "verdict": f"{told['verdict']}{hit}", "impact": [one["text"] for one in impact[:_MOST_LISTED]]}


def _caused(read: Reading, symptoms: list[Seen], found: Found, ruled_out: list[str], *, is_whole: bool) -> Conclusion:
    assert found.cause is not None
    cause, first, is_own = found.cause.seen, start_of(symptoms[0]), found.cause.seen in symptoms
    apart = first - start_of(cause)
    is_near = is_own or -SLACK <= apart <= timedelta(minutes=30)
    is_sure = found.is_clear and is_near and is_since_known(cause) and is_whole
    is_sure = is_sure and symptoms[0]["agent"] != "alert" and (ended_together(cause, symptoms) or is_event(cause))
    way = [str(edge) for edge in found.cause.way]
    how = " → ".join(map(name_of, (found.cause.way[0].thing, *(edge.other for edge in found.cause.way)))) if way else ""
    lead = "Cause" if is_sure else "Most likely cause"
    verdict = f"{lead}: {cause['text'].rstrip('.')}."
    verdict += f" {f'The connection: {how}. ' if how else ''}"
    # What is so since nobody knows when may be the older trouble.
    beside = [one.seen for one in found.others if is_own]
    beside += [one for one in symptoms if one != cause and not is_since_known(one) and one not in beside]
    told = [one["text"].rstrip(".") for one in beside[:_MOST_TOLD]]
    verdict += f"Also found: {'; '.join(told)}. " if told else ""
    verdict += _lasted(symptoms, read["end"])
    began = (
        f"it began at {_clock(cause['start'])}" if is_since_known(cause) else "it is so now; nothing tells since when"
    )
    if not is_own and is_since_known(cause) and is_since_known(symptoms[0]):
        began += f", {_apart(apart)} the first symptom ({symptoms[0]['text']})"
    pro = [began, *([f"connected: {one}" for one in way] or ["it was seen on the thing itself that has the symptom"])]
    if not is_event(cause) and ended_together(cause, symptoms) and cause["end"]:
        pro.append(f"it ended at {_clock(cause['end'])}, and the symptoms at {_clock(_last(symptoms))}")
    pro += [f"seen there as well{_from(one)}: {one['text']}" for one in found.cause.also[:_MOST_TOLD]]
    followed = sorted((one.seen for one in found.explained), key=start_of)[:_MOST_TOLD]
    pro += [f"it explains{_from(one)}: {one['text']}" for one in followed]
    contra = [
        f"{one.seen['text']}{_when(one.seen, first)} may be a cause as well"
        for one in found.others[:_MOST_TOLD]
        if not is_own
    ]
    if not is_sure and not contra:
        contra.append("that one thing began before another does not prove that it caused it")
    return conclusion_of(
        verdict, sureness="confirmed" if is_sure else "likely", cause=cause, connection=way,
        symptoms=symptoms, evidence_for=pro, evidence_against=contra, ruled_out=ruled_out,
        next_steps=_next_steps(found.cause, symptoms[0], read.get("about") or ""),
    )  # fmt: skip


def _unknown(read: Reading, symptoms: list[Seen], found: Found, ruled_out: list[str]) -> Conclusion:
    """A symptom whose cause is not known: with what is connected but explains it badly, and what is not connected."""
    why = "" if found.others else ": nothing that was looked at and is connected to it began before it"
    verdict = f"{symptoms[0]['text'].rstrip('.')}. {_lasted(symptoms, read['end'])} Its cause is not known{why}."
    contra = [f"{one.seen['text']} is connected, and explains it badly" for one in found.others[:_MOST_TOLD]]
    steps = []
    if found.unconnected:
        about = read.get("about") or symptoms[0]["about"] or "it"
        steps.append(f"If {about} depends on one of what was ruled out as unconnected, say so in dependencies.yaml")
    return conclusion_of(verdict, symptoms=symptoms, evidence_against=contra, ruled_out=ruled_out, next_steps=steps)


def _nothing(
    read: Reading, seen: Sequence[Seen], graph: Graph, failed: Sequence[str], unread: Sequence[str]
) -> Conclusion:
    """No symptom of the subject: it is healthy if it was read, and not known to be if not."""
    about = read.get("about") or ""
    when = f"between {told_moment(read['since'])} and {told_moment(read['end'])}"
    subject, named = read.get("subject") or [], f" of {about}" if about else ""
    changed = [one["text"].rstrip(".") for one in of_subject(read, seen, graph)]
    if unread:
        what = f"anything was wrong{f' with {about}' if about else ''}"
        verdict = f"It is not known whether {what} {when}: no symptom was seen in what could be read."
    elif subject and not any(_is_measured(one, graph) for one in subject):
        verdict = f"Nothing measures {about}, so nothing can be said about it {when}."
    elif failed or (subject and changed):
        verdict = f"Nothing found: no symptom{named} was seen {when}."
    else:
        whole = about or "everything that was looked at"
        verdict = f"Nothing found: {whole} was healthy, no symptom{named} was seen {when}."
    if subject and changed:
        verdict += f" What did change: {'; '.join(changed[:_MOST_TOLD])}."
    others = [one for one in seen if one["is_symptom"] and end_of(one) >= datetime.fromisoformat(read["since"])]
    if others:
        verdict += f" Others had symptoms: {'; '.join(one['text'] for one in others[:3])}."
    why = f"{about or 'nothing that was looked at'} had no trouble that it could explain"
    rest = [] if unread else [_ruled(one, why) for one in seen if one not in others]
    return conclusion_of(verdict, ruled_out=rest[:_MOST_LISTED])


def _is_measured(thing: str, graph: Graph) -> bool:
    """True if a system itself told of the thing, and not only the operator's file or an experiment's name."""
    edges = [edge for pair, edge in graph.edges.items() if thing in pair]
    told = [edge.evidence for edge in edges] + [why for pair, why in graph.wires.items() if thing in pair]
    is_pair = thing.startswith(("link:", "session:"))
    is_told = thing in graph.alone and not thing.startswith("experiment:")
    return is_pair or is_told or thing in graph.roles or any(not any(one in why for one in _BY_FILE) for why in told)


def _not_seen(failed: Sequence[str]) -> list[str]:
    return [f"Not everything could be looked at: {'; '.join(grouped(failed))}."] if failed else []


def grouped(failed: Sequence[str]) -> list[str]:
    """What was not read, by the reason why: what one reason took away is one line, with all of it named."""
    by_reason: dict[str, list[str]] = {}
    for one in dict.fromkeys(failed):
        what, _, why = one.rstrip(".").partition(": ")
        by_reason.setdefault(why, []).append(what)
    return [f"{', '.join(what)}{f': {why}' if why else ''}" for why, what in by_reason.items()]


def _ruled(one: Seen, why: str) -> str:
    return f"{one['text'].rstrip('.')} ({why})"


def _next_steps(cause: Suspect, symptom: Seen, named: str) -> list[str]:
    about = name_of(cause.things[0]) or cause.seen["about"] or cause.seen["agent"]
    when = f" at {_clock(cause.seen['start'])}" if is_since_known(cause.seen) else ""
    return [
        f"Find out what happened to {about}{when}",
        f"Check that {about} is stable now",
        f"Write up what happened to {named or symptom['about'] or 'the symptom'} on {_day(symptom['start'])}",
    ]


def _last(symptoms: Sequence[Seen]) -> str:
    return max(map(end_of, symptoms)).isoformat()


def _clock(moment: str | None) -> str:
    return datetime.fromisoformat(moment).astimezone(person_zone()).strftime("%H:%M") if moment else "now"


def _day(moment: str) -> str:
    local = datetime.fromisoformat(moment).astimezone(person_zone())
    return f"{local:%a} {local.day} {local:%b}"


def told_moment(moment: str) -> str:
    """A moment with its day, as a person reads it."""
    return f"{_day(moment)} {_clock(moment)}"


def _is_past(until: str) -> bool:
    return now() - datetime.fromisoformat(until) > SLACK


def _lasted(symptoms: Sequence[Seen], until: str) -> str:
    """When it was: a trouble that is over since yesterday is told otherwise than one of now."""
    began, ended = symptoms[0]["start"], _last(symptoms)
    if not is_since_known(symptoms[0]):
        return "It is so now; nothing tells since when."
    if any(one["end"] is None for one in symptoms):
        return f"The symptoms began {told_moment(began)} and go on."
    if _is_past(until) and datetime.fromisoformat(ended) >= datetime.fromisoformat(until):
        open_end = f"were not over by {told_moment(until)}; what came later was not looked at"
        return f"The symptoms began {told_moment(began)} and {open_end}."
    over = _clock(ended) if _day(ended) == _day(began) else told_moment(ended)
    return f"The symptoms lasted from {told_moment(began)} to {over} and are over."


def _from(one: Seen) -> str:
    return f", from {_clock(one['start'])}" if is_since_known(one) else ""


def _when(one: Seen, first: datetime) -> str:
    return f" ({_apart(first - start_of(one))} the symptom)" if is_since_known(one) else ""


def _apart(before: timedelta) -> str:
    if round(before.total_seconds() / 60) == 0:
        return "at the same time as"
    return f"{told_length(before)} {'before' if before > timedelta(0) else 'after'}"
