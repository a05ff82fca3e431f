"""Which of the things that were seen explains a symptom: connected to it, begun before it, and itself unexplained.

A cause is on what has the symptom, or on something that this depends on. Requests flow the other way: more of them, or
a new version that makes more, trouble whatever is depended on. Of a chain of troubles the cause is the one at its end
that nothing else explains, whatever is louder or nearer in time. What one event does to a network at one moment comes
in the order of its layers: a restart takes a link down, and no link restarts a router.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from signalbox.agents.investigate.graph import Edge, Graph, clients, kind_of, name_of, things_of_pair
from signalbox.agents.investigate.state import LEAD, Reading, Seen
from signalbox.settings import now

__all__ = [
    "SLACK", "Found", "Suspect", "belongs", "end_of", "ended_together", "find_causes", "find_impact", "find_symptoms",
    "has_kind", "is_about", "is_event", "is_since_known", "measures", "of_subject", "start_of", "told_length",
]  # fmt: skip

SLACK = timedelta(minutes=2)
"""How exactly two systems agree on when something began."""
_SOON, _OVER = timedelta(minutes=30), timedelta(minutes=15)
_GROWING = timedelta(hours=24)
_GROWTH = re.compile(r"disk|file ?system|memory|swap|connections|queue|lag|leak", re.I)
_LOAD = re.compile(r"request rate|query rate|traffic|logins", re.I)
_EVENT = re.compile(r"^release$|^restarts?$|reboots?$", re.I)
_MEASURES = {
    "slow": re.compile("latency|duration|time|slow", re.I),
    "errors": re.compile("error|fail", re.I),
    "down": re.compile("down|error|success|restart|not answer|cannot be read", re.I),
    "busy": re.compile("usage|load|saturation|busy|memory|disk|cpu", re.I),
    "restarts": re.compile("restart|reboot", re.I),
}
_LAYERS = {"restart": 0, "device": 0, "interface": 1, "isis": 2, "ldp": 2, "bgp": 3, "vrf": 4, "prefixes": 4}
"""The order in which one event shows in a network, by what was looked at."""
_FAULTS = {*_LAYERS, "system", "alarm"}
"""What a check of a device found: it says what is wrong by itself, as a curve does not."""
_WEIGHTS = {"critical": 1.0, "warning": 0.8, "info": 0.0}
_CLEAR, _FAINT = 0.25, 0.9
_Ways = Mapping[str, Mapping[str, tuple[Edge, ...]]]


@dataclass(frozen=True, slots=True)
class Suspect:
    """Something that may be the cause: how it is connected to the symptom, and how well it fits."""

    seen: Seen
    things: tuple[str, ...]
    way: tuple[Edge, ...]
    score: float
    also: tuple[Seen, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """The cause and how sure it is; those that it explains, others that nothing explains either, and why each of the
    rest is none."""

    cause: Suspect | None
    is_clear: bool
    explained: list[Suspect]
    others: list[Suspect]
    ruled_out: list[tuple[Seen, str]]
    unconnected: list[Seen]


def start_of(one: Seen) -> datetime:
    """When it began; when it was seen, if that is not known."""
    return datetime.fromisoformat(one["start"])


def end_of(one: Seen) -> datetime:
    """When it ended; now, if it goes on."""
    return datetime.fromisoformat(one["end"]) if one["end"] else now()


def is_since_known(one: Seen) -> bool:
    """True if it is known when it began."""
    return one.get("is_since_known", True)


def is_event(one: Seen) -> bool:
    """True for something that somebody did at a moment, and nothing else explains: a release, an experiment."""
    return one.get("measure") == "release" or one["about"].startswith("experiment ")


def is_about(one: Seen, graph: Graph) -> tuple[str, ...]:
    """The things of the graph that something was seen on."""
    return tuple(graph.find(one.get("labels") or {}, one["about"], one["agent"]))


def of_subject(read: Reading, seen: Sequence[Seen], graph: Graph) -> list[Seen]:
    """What was seen on the subject in the time asked about, the first first; without a subject, everything."""
    begin, subject = datetime.fromisoformat(read["since"]), read.get("subject") or []
    there = [one for one in seen if end_of(one) >= begin]
    there.sort(key=lambda one: (not is_since_known(one), start_of(one), _layer(one)))
    family = {member for one in subject for member in graph.family(one)}
    return [one for one in there if not family or belongs(is_about(one, graph), family)]


def find_symptoms(read: Reading, seen: Sequence[Seen], graph: Graph) -> list[Seen]:
    """The symptoms of the subject in the time asked about, the first first; where it has none, its own troubles, or
    what rose of the kind that is asked about."""
    mine = of_subject(read, seen, graph)
    symptoms = [one for one in mine if one["is_symptom"]]
    troubles = [one for one in mine if _is_trouble(one)]
    rose = [one for one in mine if read.get("subject") and " rose to " in one["text"]]
    wanted = next((of_kind for of_kind in (_of_kind(read, ones) for ones in (symptoms, troubles, rose)) if of_kind), [])
    return wanted or symptoms or troubles


def _of_kind(read: Reading, seen: Sequence[Seen]) -> list[Seen]:
    """Those of the kind of trouble that is asked about; none if it is not told."""
    wanted = _MEASURES.get(read.get("trouble") or "")
    # Where a check says what is wrong with a device, its words say more than what was looked at.
    told = [(one, one["text"] if _is_fault(one) else one.get("measure") or one["text"]) for one in seen]
    return [one for one, words in told if wanted and wanted.search(words)]


def measures(trouble: str, looked_at: Sequence[str]) -> bool:
    """True if something that was looked at shows this kind of trouble."""
    return any(_MEASURES[trouble].search(one) for one in looked_at)


def has_kind(read: Reading, symptoms: Sequence[Seen]) -> bool:
    """False if a kind of trouble is asked about, and these are of another."""
    return not read.get("trouble") or bool(_of_kind(read, symptoms))


def _is_trouble(one: Seen) -> bool:
    return one["severity"] != "info" and not is_event(one) and not _LOAD.search(one.get("measure") or "")


def _is_fault(one: Seen) -> bool:
    return one.get("measure") in _FAULTS


def _layer(one: Seen) -> int:
    return _LAYERS.get(one.get("measure") or "", len(_LAYERS))


def belongs(things: Sequence[str], family: set[str]) -> bool:
    """True if something was seen on the family, or on a link or session that ends there."""
    services = {one for one in things if kind_of(one) == "service"}
    if services and any(kind_of(one) == "service" for one in family):
        return bool(services & family)
    ends = {f"machine:{name}" for one in things for name in things_of_pair(one.partition(":")[2]) or ()}
    return bool(family & {*things, *ends})


def find_causes(read: Reading, symptoms: Sequence[Seen], seen: Sequence[Seen], graph: Graph) -> Found:
    """Which of what was seen explains these symptoms, of which there is at least one. A fault of the subject itself
    may be the cause of its others."""
    subject = read.get("subject") or [thing for one in symptoms for thing in is_about(one, graph)]
    ways = {thing: graph.ways(thing) for thing in dict.fromkeys(subject)}
    own = of_subject({**read, "subject": [*ways]}, seen, graph)
    faults = [one for one in own if _is_fault(one) and _is_trouble(one)]
    suspects: list[Suspect] = []
    ruled_out: list[tuple[Seen, str]] = []
    unconnected: list[Seen] = []
    for one in seen:
        is_own = one in faults and not symptoms[0]["is_symptom"]
        # Another symptom of the same thing is none of its causes.
        if (one in symptoms or (one["is_symptom"] and one in own)) and not is_own:
            continue
        things = is_about(one, graph)
        way = _connection(one, things, ways, graph)
        reason = "" if is_own else _why_not_in_time(one, symptoms)
        way = () if one in faults else way
        if way is None and things and not reason:
            unconnected.append(one)
        if way is None:
            reason = _why_unconnected(one, things, ways, graph) + (f", and {reason}" if reason else "")
        if reason:
            ruled_out.append((one, reason))
        else:
            suspects.append(Suspect(one, things or (one["about"],), way or (), _score(one, symptoms)))
    suspects = _by_thing(suspects)
    roots = [one for one in suspects if not any(_leads_to(other, one, graph) for other in suspects)]
    felt = [one for one in suspects if one.seen in faults and not symptoms[0]["is_symptom"]]
    if felt:
        roots = [one for one in roots if one in felt or any(_explains(one, it, graph) for it in felt)]
    ordered = sorted(roots or suspects, key=lambda one: (not (one.seen in faults and set(one.things) & set(subject)),
                     -round(one.score, 1), -len(one.way), start_of(one.seen)))  # fmt: skip
    cause = ordered[0] if ordered and ordered[0].score >= _FAINT else None
    explained = [one for one in suspects if cause and _explains(cause, one, graph)]
    others = [one for one in ordered if one is not cause and one not in explained]
    rivals = [one for one in others if cause and one.score >= cause.score - _CLEAR]
    return Found(cause, not rivals, explained, others, ruled_out, unconnected)


def find_impact(
    read: Reading, symptoms: Sequence[Seen], found: Found, seen: Sequence[Seen], graph: Graph
) -> list[Seen]:
    """The symptoms of other things that depend on the cause, or on the subject if no cause is known, and that began
    while it lasted. The earliest comes first."""
    mine = read.get("subject") or [thing for one in symptoms for thing in is_about(one, graph)]
    where = {*found.cause.things} if found.cause else {*mine}
    first = start_of(found.cause.seen if found.cause else symptoms[0])
    last = max([end_of(one) for one in symptoms] + ([end_of(found.cause.seen)] if found.cause else []))
    own = {member for one in mine for member in graph.family(one)}
    rivals = [one.seen for one in found.others]

    def is_hit(one: Seen) -> bool:
        things = is_about(one, graph)
        is_kind = _is_fault(one) or any(kind_of(thing) == "service" for thing in things)
        is_felt = one["is_symptom"] or (is_kind and _is_trouble(one) and is_since_known(one))
        if not is_felt or one in symptoms or one in rivals or {*things} & where or belongs(things, own):
            return False
        return first - SLACK <= start_of(one) <= last and any(where & graph.ways(thing).keys() for thing in things)

    return sorted(filter(is_hit, seen), key=start_of)


def _why_unconnected(one: Seen, things: Sequence[str], ways: _Ways, graph: Graph) -> str:
    mine = next((mine for thing in things for mine in ways if mine in graph.ways(thing)), None)
    if mine is not None:
        return f"it depends on {name_of(mine)} itself"
    told = ", ".join(name_of(thing) for thing in things[:2]) or one["about"] or "it"
    return f"nothing connects {told} to the symptom"


def _by_thing(suspects: Sequence[Suspect]) -> list[Suspect]:
    """Of several troubles of one thing the first, as a device tells it where one does; the others are `also`."""
    groups: dict[tuple[str, bool, bool], list[Suspect]] = {}
    for one in suspects:
        key = (one.things[0], is_event(one.seen), bool(_LOAD.search(one.seen.get("measure") or "")))
        groups.setdefault(key, []).append(one)
    found = []
    for ones in groups.values():
        known = [one for one in ones if is_since_known(one.seen)] or ones
        earliest = min(start_of(one.seen) for one in known)
        near = [one for one in known if start_of(one.seen) <= earliest + SLACK]
        best = min(near, key=lambda one: (bool(one.seen.get("measure")) and not _is_fault(one.seen),
                                          one.seen.get("measure") == "alarm", _layer(one.seen),
                                          -_WEIGHTS.get(one.seen["severity"], 0.5), start_of(one.seen)))  # fmt: skip
        also = tuple(one.seen for one in ones if one is not best)
        found.append(Suspect(best.seen, best.things, best.way, max(one.score for one in ones), also))
    return found


def _connection(one: Seen, things: Sequence[str], ways: _Ways, graph: Graph) -> tuple[Edge, ...] | None:
    """The way from the subject to where something was seen; for what flows the other way, also that one."""
    found = [way[thing] for way in ways.values() for thing in things if thing in way]
    if not found and _flows_down(one):
        found = [way[mine] for thing in things for way in [graph.ways(thing)] for mine in ways if mine in way]
    return min(found, key=len) if found else None


def _flows_down(one: Seen) -> bool:
    return is_event(one) or bool(_LOAD.search(one.get("measure") or ""))


def _leads_to(one: Suspect, other: Suspect, graph: Graph) -> bool:
    """True if the one explains the other and not the reverse; where two depend on each other, what came first does."""
    if not _explains(one, other, graph):
        return False
    return not _explains(other, one, graph) or (start_of(one.seen), -one.score) < (start_of(other.seen), -other.score)


def _explains(one: Suspect, other: Suspect, graph: Graph) -> bool:
    """True if the other is a consequence: it depends on where the one is, or is flooded by it, and began no earlier."""
    if one is other or is_event(other.seen) or not _may_precede(one.seen, other.seen):
        return False
    # What somebody did explains what came soon after, and not for ever.
    if is_event(one.seen) and start_of(other.seen) - start_of(one.seen) > _SOON:
        return False
    mine, below = set(one.things), {thing for own in other.things for thing in graph.ways(own)}
    # What a client sees of another may be the way there.
    routes = {thing for own in clients(other.seen.get("labels") or {}) for thing in graph.ways(own)}
    below |= {thing for thing in routes if kind_of(thing) in ("link", "session")}
    if is_event(one.seen) and below & mine:
        return True
    if _flows_down(one.seen):
        reached = {thing for own in one.things for thing in graph.ways(own)}
        return bool(reached & set(other.things))
    if mine & set(other.things):
        return other.seen["is_symptom"] and not one.seen["is_symptom"] and not _flows_down(other.seen)
    return bool(below & mine) and not _flows_down(other.seen)


def _may_precede(one: Seen, other: Seen) -> bool:
    """True if the one may have led to the other by their times, and within a network by their layers. A device's CPU,
    memory and clock are its own."""
    if _is_fault(other) and _layer(other) == len(_LAYERS) and not is_event(one):
        return False
    if _layer(other) < len(_LAYERS) and not is_event(one) and _layer(one) >= _layer(other):
        is_same_kind = _layer(one) == _layer(other) and is_since_known(one) and is_since_known(other)
        return is_same_kind and start_of(one) < start_of(other) - SLACK
    are_known = is_since_known(one) and is_since_known(other)
    return not are_known or start_of(one) <= start_of(other) + SLACK


def _why_not_in_time(one: Seen, symptoms: Sequence[Seen]) -> str:
    """Why something is no cause by its time or by what it is; empty if it may be."""
    first, last = start_of(symptoms[0]), max(map(end_of, symptoms))
    began, ended, is_first_known = start_of(one), end_of(one), is_since_known(symptoms[0])
    lead = _GROWING if _GROWTH.search(one.get("measure") or "") else LEAD
    if one["severity"] == "info":
        return "nothing was wrong with it"
    if not is_since_known(one):
        return "" if last >= now() - SLACK else "it is so now, and nothing tells that it was so then"
    if began > last:
        return "it began when the symptom was over"
    if began > first + SLACK:
        return f"it began {told_length(began - first)} after the symptom"
    if is_event(one):
        return "" if began >= first - LEAD else "it was done long before the symptom began"
    if ended < first - SLACK:
        return "it was over before the symptom began"
    return "" if began >= first - lead or not is_first_known else "it had been so long before the symptom began"


def _score(one: Seen, symptoms: Sequence[Seen]) -> float:
    """How well something explains the symptoms by its times: it begins shortly before and lasts as long."""
    first, last = start_of(symptoms[0]), max(map(end_of, symptoms))
    start, end, apart = start_of(one), end_of(one), max(timedelta(0), first - start_of(one))
    weight = _WEIGHTS.get(one["severity"], 0.5)
    if is_event(one):
        return weight + (1.0 if apart <= _SOON / 2 else 0.4 if apart <= _SOON else 0.0)
    if not is_since_known(one):
        return weight + 0.3
    shared = max(0.0, (min(end, last) - max(start, first)).total_seconds())
    whole = max((last - first).total_seconds(), 60.0)
    if _EVENT.search(one.get("measure") or ""):
        shared = whole / 2
    near = 0.5 if _GROWTH.search(one.get("measure") or "") else 1.0 - min(1.0, apart / LEAD)
    return weight + 0.5 * min(1.0, shared / whole) + 0.5 * near


def ended_together(cause: Seen, symptoms: Sequence[Seen]) -> bool:
    """True if cause and symptoms both go on, or ended within a quarter of an hour of each other."""
    last = max(map(end_of, symptoms))
    goes_on = cause["end"] is None and not is_event(cause), any(one["end"] is None for one in symptoms)
    return goes_on == (True, True) or (not any(goes_on) and abs(end_of(cause) - last) <= _OVER)


def told_length(apart: timedelta) -> str:
    """A length of time in words, in minutes or hours."""
    count = round(abs(apart.total_seconds()) / 60)
    if count < 120:
        return f"{count} minute{'s' if count != 1 else ''}" if count else "seconds"
    return f"{count // 60} hours"
