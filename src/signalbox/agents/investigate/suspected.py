"""What is answered of a suspect that the question names: whether it was the cause, and if not, why."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.investigate.causes import Found, belongs, is_about
from signalbox.agents.investigate.graph import Graph, kind_of, name_of
from signalbox.agents.investigate.state import Seen

__all__ = ["answer_suspects"]

_MEASURES = {
    "release": re.compile(r"^release$"),
    "change": re.compile(r"^release$"),
    "load": re.compile(r"request rate|query rate|traffic|logins", re.I),
    "restart": re.compile(r"restart|reboot", re.I),
}


def answer_suspects(
    suspects: Sequence[Mapping[str, Any]], found: Found | None, seen: Sequence[Seen], graph: Graph, *, is_whole: bool
) -> str:
    """A sentence for each suspect, from what was found; without a symptom there is nothing that it could have caused.
    Where not all of it could be read, what was not seen is not cleared."""
    told = ""
    for one in suspects:
        meant = [it for it in seen if _is_meant(one, it, graph)]
        told += f"{_on_the_way(one, found, graph) or _answer(one, found, meant, is_whole)} "
    return told


def _family(suspect: Mapping[str, Any], graph: Graph) -> set[str]:
    return {member for thing in suspect["things"] for member in graph.family(thing)}


def _on_the_way(suspect: Mapping[str, Any], found: Found | None, graph: Graph) -> str:
    """What is said of a thing that is not the cause, but part of it or between it and the symptom; else nothing."""
    family, cause = _family(suspect, graph), found.cause if found else None
    if cause is None or family & {*cause.things}:
        return ""
    if len(suspect["things"]) == 1 and belongs(cause.things, family):
        return f"It was {name_of(cause.things[0])}, of which {suspect['said']} is one end."
    if len(suspect["things"]) == 1 and family & {thing for edge in cause.way for thing in (edge.thing, edge.other)}:
        return f"It was not {suspect['said']} itself: it lies between the cause and the symptom."
    return ""


def _is_meant(suspect: Mapping[str, Any], one: Seen, graph: Graph) -> bool:
    things = is_about(one, graph)
    if suspect["things"]:
        return belongs(things, _family(suspect, graph))
    if suspect["kind"] in ("experiment", "change") and one["about"].startswith("experiment "):
        return True
    if suspect["kind"] == "network":
        return any(kind_of(thing) in ("link", "session") or thing in graph.roles for thing in things)
    measured = _MEASURES.get(suspect["kind"])
    return bool(measured and measured.search(one.get("measure") or ""))


def _answer(suspect: Mapping[str, Any], found: Found | None, meant: Sequence[Seen], is_whole: bool) -> str:
    said = suspect["said"]
    if not is_whole and not meant:
        return f"Whether it was {said} is not known: nothing of it was seen in what could be read."
    if found is None or not meant:
        nothing = (
            "there is no symptom that it could explain" if found is None else "nothing of it was seen in that time"
        )
        return f"It was not {said}: {nothing}."
    if found.cause and found.cause.seen in meant:
        return f"Yes, {'it was' if found.is_clear else 'it probably was'} {said}."
    if found.cause and any(one in found.cause.also for one in meant):
        return f"It probably was {said}."
    told = next((one.seen for one in found.others if one.seen in meant), None)
    if told:
        return f"It may have been {said}: {told['text'].rstrip('.')}."
    if any(one.seen in meant for one in found.explained):
        return f"It was not {said}: that is a consequence, too."
    reason = next((why for one, why in found.ruled_out if one in meant), "it does not explain the symptom")
    return f"It was not {said}: {reason}."
