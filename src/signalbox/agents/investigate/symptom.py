"""Reads what is wrong, on what, and when. Nothing behind this file, except `offline/` and prompts, sees the text.

An alert is read from its labels. A sentence is read with the names of the things that there are.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.types import Command, Send

from signalbox.agents.investigate.dependency_graph import recent_graph
from signalbox.agents.investigate.examining import not_asked, send_each, source_set, witnesses
from signalbox.agents.investigate.graph import Graph
from signalbox.agents.investigate.offline.sentence import (
    Sentence,
    find_shift,
    find_trouble,
    is_about_everything,
    is_about_now,
    names_nothing,
    read_sentence,
)  # fmt: skip
from signalbox.agents.investigate.offline.times import plain_times
from signalbox.agents.investigate.prompts import symptom_prompt
from signalbox.agents.investigate.runbooks import matching_runbooks
from signalbox.agents.investigate.state import LEAD, Alert, InvestigationState, Reading
from signalbox.agents.investigate.subjects import (
    candidates_of,
    nearest_thing,
    subject_of_alert,
    subject_of_words,
    told_subject,
)  # fmt: skip
from signalbox.contract import Presented
from signalbox.contract.sources import kind_in_use
from signalbox.errors import SignalboxError
from signalbox.grounding import Candidate
from signalbox.language.time import find_range
from signalbox.language.words import tokens
from signalbox.maps.context import current_run
from signalbox.models import fills_plans, load_chat_model
from signalbox.settings import now, person_zone
from signalbox.toolbox.loop import LoopState, start_loop

__all__ = ["SYMPTOM", "begin_loop", "dry_run", "read_symptom"]

SYMPTOM: dict[str, Any] = {
    "title": "Symptom",
    "description": "A trouble whose cause is looked for.",
    "type": "object",
    "properties": {
        "about": {"type": "string", "description": "the service, device or thing that has the trouble"},
        "when": {"type": "string", "description": "when the trouble was, a day or a time or a range"},
    },
    "required": [],
}
_RECENT, _LONGEST_ALERT = timedelta(hours=1), timedelta(hours=6)
_ONE_DAY = timedelta(hours=26)
_DEFAULT = "what was looked at is from the start of yesterday until now"
Next = Literal["examine", "ask_model", "weigh"]


async def read_symptom(state: InvestigationState) -> Command[Next]:
    """Read what the trouble is about and when it was, among the things that the connected systems know."""
    kind, run = kind_in_use(), current_run.get()
    model = (run.model if run else None) or load_chat_model()
    try:
        known = await recent_graph(kind, now() - _RECENT, now())
        graph = await asyncio.to_thread(Graph.of, known.relations)
        candidates = candidates_of(graph, known.names)
        if alert := state.get("alert"):
            read = _of_alert(alert, graph)
        else:
            # A capable model reads the request itself; what stands in it by name is only shown to it first.
            read = (await _of_words(state, model, candidates) if fills_plans(model)
                    else _named(_plain(state["user_query"]), Reading(), candidates)[0])  # fmt: skip
        books, wrong = await asyncio.to_thread(matching_runbooks, read, state.get("alert"))
    except SignalboxError as error:
        return Command(goto="weigh", update={"error": error.as_dict()})
    update: dict[str, Any] = {
        **read, "kind": kind, "failed": [*not_asked(kind), *known.failed], "relations": known.as_kept(),
        "runbooks": books, "wrong_runbooks": wrong,
    }  # fmt: skip
    if not fills_plans(model):
        return Command(goto="ask_model", update=update)
    if (read.get("unknown") and not read.get("subject")) or not witnesses(kind):
        return Command(goto="weigh", update=update)
    to: list[Send] = send_each({**state, **update})  # type: ignore[typeddict-item]
    return Command(goto=to, update=update)


def begin_loop(state: InvestigationState, data: str) -> LoopState:
    """The state that a capable model's loop begins with: the request, the conversation, and what is known."""
    run = current_run.get()
    return start_loop(state["user_query"], run.conversation if run else (), data=data)


async def dry_run(state: Mapping[str, Any], model: BaseChatModel | None) -> Presented:
    """Which agents would be asked, about what and when; nothing is looked up."""
    read = await _of_words(state, model or load_chat_model(), ())
    kind = kind_in_use()
    asked = ", ".join(agent.name for agent in witnesses(kind)) or "nobody"
    told = f"Would ask {asked} what they saw from {read['since']} to {read['end']}, and shortly before"
    about = read["about"] or read.get("unknown") or "everything"
    return Presented(f"{told}, about {about}.", source=source_set(), state={**state, **read, "kind": kind})


def _of_alert(alert: Alert, graph: Graph) -> Reading:
    """What an alert's labels are about, and since when it fires."""
    subject, unknown = subject_of_alert(alert, graph)
    moment = now()
    since = _moment(alert["since"]) or moment - _RECENT
    end = min(_moment(alert["until"]) or moment, moment, since + _LONGEST_ALERT)
    # An alert fires some minutes after its trouble began.
    since = min(since, end) - timedelta(minutes=15)
    span = _between(since, max(end, since + LEAD / 8))
    return _reading(subject, told_subject(subject), find_trouble(alert["summary"]), unknown, span)


async def _of_words(state: Mapping[str, Any], model: BaseChatModel, candidates: Sequence[Candidate]) -> Reading:
    """The request as a model that fills plans reads it, with the names that stand in it. What a follow-up does not say
    is as it was in the turns before."""
    run, before = current_run.get(), Reading()
    turns = [turn["said"] for turn in run.conversation if turn["agent"] == "investigate"] if run else []
    for turn in (*turns, *(state.get("asked_before") or ())):
        before, _ = _named(_plain(turn), before, candidates)
    said = _plain(str(state["user_query"]))
    read, found = _named(said, before, candidates)
    if read["subject"] or read["unknown"] or found.unknown:
        return read
    asked = model.with_structured_output(SYMPTOM)
    told: Any = await asked.ainvoke([SystemMessage(symptom_prompt()), HumanMessage(said)])
    words = str(told.get("about") or "").strip()
    if find_range(said, now(), person_zone()) is None and told.get("when"):
        said = str(told["when"])
    if words and not names_nothing(words) and candidates:
        read["subject"] = subject_of_words(words, candidates) or []
        read["unknown"] = "" if read["subject"] else words
    about = told_subject(read["subject"]) or ("" if candidates else words)
    return {**read, **_reading(read["subject"], about, read["trouble"], read["unknown"], _span(said, before))}


def _plain(said: str) -> str:
    return plain_times(said, now().astimezone(person_zone()))


def _named(said: str, before: Reading, candidates: Sequence[Candidate]) -> tuple[Reading, Sentence]:
    """What a sentence says by its names alone."""
    found, before = read_sentence(said, candidates), Reading() if is_about_everything(said) else before
    subject, unknown = list(found.subject), list[str]()
    for words in found.unknown:
        # A name with a slip of the pen is near to one that there is.
        near = nearest_thing(words, candidates)
        subject += [near] if near else []
        # Where no system names its things, nothing can be said not to be there.
        unknown += [] if near or not candidates else [words]
    if not subject and not unknown:
        spelt = (nearest_thing(word, candidates) for word in tokens(said) if len(word) > 5)
        subject = list(filter(None, spelt)) or before.get("subject") or []
    about = told_subject(subject) or ("" if candidates or not found.unknown else found.unknown[0])
    trouble = found.trouble or before.get("trouble") or ""
    return _reading([*dict.fromkeys(subject)], about, trouble, " and no ".join(unknown), _span(said, before)), found


def _reading(subject: list[str], about: str, trouble: str, unknown: str, span: Reading) -> Reading:
    return {**span, "subject": subject, "about": about, "trouble": trouble, "unknown": unknown}


def _between(since: datetime, end: datetime, **more: Any) -> Reading:
    """A reading of the time alone."""
    ends = Reading(since=since.isoformat(), start=(since - LEAD).isoformat(), end=end.isoformat())
    return {**ends, **more}  # type: ignore[typeddict-item]


def _span(words: str, before: Reading) -> Reading:
    """The time that is asked about: the last hour for now; without any that of before, else from the start of
    yesterday, which is told. A moment is meant with the time around it. Raises TimeRangeError."""
    moment, zone = now(), person_zone()
    known = [datetime.fromisoformat(before[key]) for key in ("since", "end")] if before else []
    if known and (shift := find_shift(words)):
        return _between(*(min(one + shift, moment) for one in known))
    words = _without_statuses(words)
    found = find_range(words, moment, zone)
    if found and known and not found.has_day and known[1] - known[0] <= _ONE_DAY:
        # "And 10:00 to 11:00?" is of the day that was spoken of.
        found = find_range(
            words, min(_midnight(known[0] + (known[1] - known[0]) / 2) + timedelta(days=1), moment), zone
        )
    if found is None:
        if is_about_now(words):
            return _between(moment - _RECENT, moment)
        if known:
            return _between(known[0], known[1], notes=before.get("notes") or [])
        since = _midnight(moment) - timedelta(days=1)
        return _between(since, moment, notes=[f"No time was read in the request: {_DEFAULT}."])
    start, end = found.range.start, found.range.end
    if end - start > timedelta(hours=1):
        return _between(start, min(end, moment))
    return _between(start - timedelta(minutes=30), min(end + timedelta(minutes=30), moment))


def _midnight(moment: datetime) -> datetime:
    return moment.astimezone(person_zone()).replace(hour=0, minute=0, second=0, microsecond=0)


def _without_statuses(words: str) -> str:
    """Answers with such a status are no seconds."""
    return re.sub(r"\b[45]\d\ds\b", "errors", words)


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo and found.year > 1 else None
