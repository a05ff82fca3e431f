"""How a capable model investigates: in the loop, with the read tools of all rooms. Code keeps the ledger, checks every
figure, name and moment of the verdict, and holds the claim to the graph."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, TypedDict

from langgraph.types import Command
from pydantic import AwareDatetime, Field

from signalbox.agents.investigate.causes import start_of
from signalbox.agents.investigate.examining import look, witnesses
from signalbox.agents.investigate.graph import Graph, name_of
from signalbox.agents.investigate.prompts import INVESTIGATE
from signalbox.agents.investigate.state import (
    Conclusion,
    InvestigationState,
    Seen,
    Sureness,
    conclusion_of,
    graph_relations,
    told_by,
)  # fmt: skip
from signalbox.agents.investigate.subjects import candidates_of, known_things, subject_of_words
from signalbox.agents.investigate.symptom import begin_loop
from signalbox.contract.sources import joined
from signalbox.errors import NotFoundError, ToolFailedError
from signalbox.language.names import did_you_mean
from signalbox.maps.context import current_run
from signalbox.models import load_chat_model
from signalbox.settings import person_zone
from signalbox.toolbox import Result, Tool, current_ledger, tool
from signalbox.toolbox.loop import Limits, LoopContext, build_loop, run_loop
from signalbox.toolbox.loop_outcome import Outcome, renumbered
from signalbox.toolbox.loop_prompt import said_texts
from signalbox.toolbox.verify import Sources, split_sentences

__all__ = ["ask_model", "investigation_tools"]

_LIMITS = Limits(rounds=14, calls=40, tokens=300_000, seconds=400)
_TOLD = f"- You have {_LIMITS.rounds} replies and {_LIMITS.calls} calls. Conclude as soon as the evidence decides."
_AWAY = ("unavailable", "timeout", "refused", "tool_timeout", "tool_server")
"""Errors of a system that could not be read. Others are a call's own, which the model has seen and made differently."""
_MOST_SEEN, _LONGEST_BOOK = 60, 3_000
_LINE = Annotated[str, Field(max_length=500)]


class _Look(TypedDict):
    """What `examine` gives, as it goes into the state."""

    seen: list[Seen]
    failed: list[str]
    unread: list[str]


async def ask_model(state: InvestigationState) -> Command[Literal["propose", "report"]]:
    """Have the model investigate, and keep its verdict, without what nothing supports."""
    run = current_run.get()
    model, graph = (run.model if run else None) or load_chat_model(), Graph.of(graph_relations(state))
    loop = build_loop(investigation_tools(state, graph), f"{INVESTIGATE}\n{_TOLD}", limits=_LIMITS)
    context = LoopContext(model, streams=run.streams if run else False, may_pause=False)
    begun = begin_loop(state, _data(state, graph))
    outcome = await run_loop(loop, begun, context)
    if outcome["error"]:
        return Command(goto="report", update={"error": outcome["error"]})
    look: _Look = _last(outcome, "examine") or _Look(seen=[], failed=[], unread=[])
    given = [*said_texts(begun["asked"]), begun["asked"]["data"]]
    is_whole = not look["unread"] and not state.get("unread")
    told = _last(outcome, "conclude") or conclusion_of(outcome["answer"])
    conclusion = _verified(told, outcome, given, is_whole=is_whole)
    sources = [one["source"] for one in outcome["results"] if one.get("source")]
    errors = [(one["name"], one["error"]) for one in outcome["results"] if one.get("error")]
    failed = [f"{name}: {error['message']}" for name, error in errors if error["error_type"] in _AWAY]
    update = {
        "conclusion": conclusion,
        "evidence": current_ledger().as_list(),
        "sources": [joined(sources)] if sources else [],
        **look,
        "failed": [*look["failed"], *failed],
        "not_covered": list(outcome["not_covered"]),
    }
    return Command(goto="propose" if conclusion["next_steps"] else "report", update=update)


def _data(state: InvestigationState, graph: Graph) -> str:
    """What is known before the first call: the things, the alert, what is not connected, and the runbooks."""
    parts = [f"What there is: {known_things(graph)}."]
    for thing in (state.get("subject") or [])[:3]:
        parts.append(f"What {name_of(thing)} depends on:\n{_told_ways(graph, thing)}")
    if alert := state.get("alert"):
        labels = ", ".join(f"{key}={value}" for key, value in alert["labels"].items())
        parts.append(f"The alert: {alert['summary']} ({labels}), firing since {alert['since']} {alert['until']}")
    if failed := state.get("failed"):
        parts.append("Not connected or not read: " + "; ".join(failed))
    parts += [f"Runbook {one['name']}:\n{one['text'][:_LONGEST_BOOK]}" for one in state.get("runbooks") or ()]
    return "\n\n".join(parts)


def investigation_tools(state: InvestigationState, graph: Graph) -> list[Tool]:
    """The read tools of all agents on systems of the kind in use, and those of the investigation itself."""
    own, kind = _own_tools(state, graph), state["kind"]
    names, found = {one.name for one in own}, [*own]
    for agent in witnesses(kind):
        for one in agent.tools() if agent.tools is not None else ():
            if one.effect == "read":
                named = one if one.name not in names else replace(one, name=f"{agent.name}_{one.name}")
                names.add(named.name)
                found.append(named)
    return found


def _own_tools(state: InvestigationState, graph: Graph) -> list[Tool]:
    candidates = candidates_of(graph, {})

    def exactly(name: str) -> str:
        """The one thing that is called so; links and sessions are written with both ends."""
        plain = re.sub(r"^(?:the )?(?:link|BGP session|session)[ :]", "", name)
        found = [name] if name in graph.things else graph.find({}, plain)[:1] or subject_of_words(name, candidates)
        if not found or len(found) > 1:
            raise NotFoundError(
                f"There is no thing '{name}'." if not found else f"'{name}' is {' or '.join(found)}.",
                suggestion=did_you_mean(name, [one.name for one in candidates]),
            )
        return found[0]

    @tool(effect="read")
    async def examine(start: AwareDatetime, end: AwareDatetime) -> Result:
        """What every connected system saw between two moments: measures that left their course and when each began,
        links and sessions that went down, releases, experiments. Begin with it; look two hours before the symptom."""
        parts = [await look(agent, "", start, end, state["kind"]) for agent in witnesses(state["kind"])]
        seen: list[Seen] = [one for part in parts for one in part.get("seen", ())]
        lines = [f"- {_clock(one)} {one['agent']}: {one['text']}" for one in sorted(seen, key=start_of)[:_MOST_SEEN]]
        failed, unread = ([line for part in parts for line in part.get(key, ())] for key in ("failed", "unread"))
        sources = joined([one for part in parts for one in part.get("sources", ())])
        text = "\n".join(lines) or f"Nothing left its course between {start.isoformat()} and {end.isoformat()}."
        text += "\nCould not be looked at: " + "; ".join(failed) if failed else ""
        return Result(text, _Look(seen=seen, failed=failed, unread=unread), source=sources, not_covered=failed)

    @tool(effect="read")
    async def dependencies(thing: str) -> Result:
        """Everything that a service, machine or other thing depends on, directly or further down, with the evidence."""
        return Result(f"What {name_of(exactly(thing))} depends on:\n{_told_ways(graph, exactly(thing))}")

    @tool(effect="read")
    async def conclude(
        verdict: Annotated[str, Field(max_length=1200, description="For a person, in their language.")],
        subject: Annotated[str, Field(description="The thing that has the symptom, by its exact name.")],
        sureness: Sureness,
        cause: Annotated[str, Field(max_length=500, description="What happened; empty if not known.")] = "",
        cause_thing: Annotated[str, Field(description="The thing that it happened to; a link as a–b.")] = "",
        evidence_for: list[_LINE] | None = None,
        evidence_against: list[_LINE] | None = None,
        ruled_out: Annotated[list[_LINE] | None, Field(description="Each with why.")] = None,
        next_steps: list[_LINE] | None = None,
    ) -> Result:
        """End with the verdict. Mark it as the answer. A cause must be connected to the subject in the graph."""
        way, happened = list[str](), None
        if cause:
            if sureness == "not known":
                raise ToolFailedError("A cause is confirmed or likely; where it is not known, leave cause empty.")
            thing, mine = exactly(cause_thing), exactly(subject)
            ways, back = graph.ways(mine), graph.ways(thing)
            if thing not in ways and mine not in back:
                raise ToolFailedError(
                    f"Nothing connects {name_of(thing)} to {name_of(mine)}.",
                    suggestion="Rule it out for that reason, name a connected cause, or say that it is not known.",
                )
            way = [str(edge) for edge in (ways[thing] if thing in ways else back[mine])]
            happened = told_by("model", cause, about=thing.partition(":")[2])
        told = conclusion_of(
            verdict, sureness=sureness if cause else "not known", connection=way, cause=happened,
            evidence_for=evidence_for or [], evidence_against=evidence_against or [], ruled_out=ruled_out or [],
            next_steps=next_steps or [],
        )  # fmt: skip
        return Result(verdict, told)

    return [examine, dependencies, conclude]


def _clock(one: Seen) -> str:
    """When it began, in the form and the zone in which answers tell times."""
    return f"{start_of(one).astimezone(person_zone()):%Y-%m-%d %H:%M:%S}"


def _told_ways(graph: Graph, thing: str) -> str:
    """Every edge between the things that a thing depends on, those with one evidence in a line."""
    found: dict[tuple[str, str], list[str]] = {}
    ways = graph.ways(thing)
    edges = [edge for way in ways.values() for edge in way]
    edges += [edge for edge in graph.edges.values() if {edge.thing, edge.other} <= {*ways}]
    for edge in dict.fromkeys(edges):
        found.setdefault((edge.thing, edge.evidence), []).append(name_of(edge.other))
    lines = [f"- {name_of(one)} → {', '.join(others)} ({why})" for (one, why), others in found.items()]
    return "\n".join(lines[:_MOST_SEEN]) or "- nothing that is known"


def _verified(told: Conclusion, outcome: Outcome, given: Sequence[str], *, is_whole: bool) -> Conclusion:
    """The conclusion, without sentences that hold a figure, name or moment which neither a result of the run nor what
    was `given` holds, and with the ids that the evidence has in the Answer. It says how many sentences are left out.
    Where not all could be read, nothing is confirmed."""
    results = {str(one["number"]): one["text"] for one in outcome["results"] if one["ok"] and one["name"] != "conclude"}
    numbers = {one["id"]: one for one in outcome["results"]}
    removed: list[str] = []
    sources = Sources(results, [*given, *told["connection"]], vocabulary=INVESTIGATE, zone=person_zone())

    def kept(text: str) -> str:
        checked = [sources.check(one) for one in split_sentences(text)]
        removed.extend(one.text for one in checked if one.unsupported)
        return renumbered("".join(one.text for one in checked if not one.unsupported).strip(), numbers)

    def lines(texts: Sequence[str]) -> list[str]:
        return [one for text in texts if (one := kept(text))]

    cause = told["cause"]
    if cause is not None and not kept(cause["text"]):
        cause = None
    verdict = kept(told["verdict"])
    if told["cause"] is not None and cause is None:
        verdict = "The cause is not known: what was named as the cause is in no result."
    sureness: Sureness = told["sureness"] if cause else "not known"
    if sureness == "confirmed" and not (told["evidence_for"] and is_whole):
        sureness = "likely"
    checked = {key: lines(told[key]) for key in ("evidence_for", "evidence_against", "ruled_out", "next_steps")}
    if removed:
        many, them = ("1 sentence was", "it") if len(removed) == 1 else (f"{len(removed)} sentences were", "them")
        note = f"_{many} removed from this verdict: nothing that was read supports {them}._"
    verdict = "\n\n".join(filter(None, (verdict or "The cause is not known.", note if removed else "")))
    return {**told, **checked, "verdict": verdict, "cause": cause, "sureness": sureness}  # type: ignore[typeddict-item]


def _last(outcome: Outcome, name: str) -> Any:
    """What the last call of a tool gave; None if none was made."""
    return next((one["data"] for one in reversed(outcome["results"]) if one["ok"] and one["name"] == name), None)
