"""What was asked for, told first: which interfaces, which neighbours, how many, which version, which route.

Each kind of thing has a line with names and numbers, and lines for each of its members, those that are not well first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from signalbox.agents.oncall.arguments import match_interface
from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.fields import (
    IS_UP,
    fact_lines,
    fields,
    is_up,
    kind_of_group,
    none_is,
    of_subject,
    plans_for,
    things,
)
from signalbox.agents.oncall.presence import LABELS, Presence, presence_of
from signalbox.agents.oncall.spoken import moment_of, spoken_duration, spoken_moment
from signalbox.agents.oncall.state import Finding
from signalbox.agents.oncall.subjects import find_subject, kinds_of

__all__ = ["EVIDENCE", "MANY", "answer_lines", "rank", "subject_names"]

_MOST_NAMED, _MOST_LINES, _LONGEST = 12, 100, 240
MANY = 2
"""Of more devices, only what is not well is told in detail."""
_FEW_LOGGED = 60
_LAST = 5
"""So many lines at the end of a log are told in any case."""
EVIDENCE = re.compile(r" \[E\d+(?:, E\d+)*\]$")
"""The evidence at the end of a line."""
_NAMES = re.compile(r" \([^;]*\)(?=;|, \d|$| \[)")
_SERIOUS = 4
"""Log lines of this severity or worse are told: warnings, errors, and beyond; and those of what went down."""
Facts = Mapping[str, Sequence[Record]]


def answer_lines(
    intents: Sequence[str],
    focus: Mapping[str, str],
    facts: Facts,
    missing: Sequence[Presence],
    *,
    asked: Sequence[str] = (),
    checks: Sequence[str] = (),
    usual: Mapping[str, str] | None = None,
    devices: int = 1,
) -> list[str]:
    """What a device told of what was asked: the facts (`asked`), the one thing that is named, else every kind of thing;
    `checks` are asked for beside the facts, and `usual` are the values that are told of all devices together.

    What else is missing is in the verdict where there is one device; of many devices, only what is not well is told in
    detail.
    """
    untold = [one.said for one in missing if one.said and one.state != "not_checked"]
    missing = [one for one in missing if not one.said]
    lacking = [one.text for one in missing] if devices > 1 else []
    lines = [*untold, *fact_lines(asked, focus, facts, usual, is_counted=devices > MANY)]
    by_fact = {plan for plans in plans_for(asked).values() for plan in plans}
    rest = [intent for intent in intents if intent not in by_fact or intent in checks]
    if asked and not rest:
        return [_cut(one) for one in (*lines, *lacking)]
    subject = list(_subject_lines(focus, facts, intents))
    about = {kind for what, name in focus.items() for kind, _ in find_subject(what, name, facts, intents)}
    if focus.get("group") and "check_interface_status" in rest:
        ports, own = facts.get("interface", ()), of_subject("interface", focus, facts)
        if own and focus.get("state") and focus["group"] != "shut":
            subject = _in_state("interface", focus["state"], own)
        if devices <= MANY:
            subject = subject or [none_is("interface", len(ports), focus["group"])]
        about, rest = {"interface"}, [one for one in rest if one != "check_interface_status"]
    # Checks that are about something else than the one thing that is named.
    others = [intent for intent in rest if len(rest) > 1 and not about & {*kinds_of(intent)}]
    told = {fields()[one].kind for one in asked if one in fields()}
    if subject:
        return [_cut(one) for one in (*lines, *subject, *_kind_lines(others, focus, facts, devices, told))]
    if missing and set(focus) & {"interface", "vrf", "neighbor", "as_number", "prefix"}:
        return [*lines, *lacking]
    return list(dict.fromkeys(_cut(one) for one in (*lines, *_kind_lines(rest, focus, facts, devices, told))))


def _kind_lines(
    intents: Sequence[str], focus: Mapping[str, str], facts: Facts, devices: int, told: Collection[str]
) -> list[str]:
    """A headline for every kind of thing that the checks read, with its members where the check is no wide one; those
    of a kind of which facts were told have a line already."""
    lines: list[str] = []
    wide = [intent for intent in intents if len(kinds_of(intent)) > 2]
    for intent in intents:
        for kind in kinds_of(intent):
            records = facts.get(kind, ())
            if not records and kind not in ("log", "route", "lldp"):
                found = presence_of(facts, kind)
                is_told = found.state in _ABSENT and (wide or devices > 1)
                lines += [f"{LABELS[kind]}: {_ABSENT[found.state]}"] if is_told else []
                continue
            if focus.get("state") and kind in IS_UP and not focus.get("group"):
                chosen = _in_state(kind, focus["state"], records)[: 1 if kind in told else None]
                lines += chosen if devices <= MANY else chosen[1:]
                continue
            if focus.get("group") and kind_of_group(focus["group"]) == kind:
                records = of_subject(kind, {"group": focus["group"]}, facts)
                if not records:
                    lines += [] if devices > MANY else [none_is(kind, len(facts[kind]), focus["group"])]
                    continue
            words = _log_words(focus)
            records = _lines_asked_for(records, focus) if kind == "log" else records
            headline, members = (
                _logs_with(words, records, facts) if kind == "log" and words else _TELLERS[kind](records, facts)
            )
            headline = _brief(headline) if wide else headline
            if devices > MANY:
                headline = _NAMES.sub("", headline) if wide else headline
                members = [one for one in members if not one[0]]
            lines += [headline] if headline else []
            lines += _shortened(members) if not wide and kind not in told else []
    return ["; ".join(EVIDENCE.sub("", one) for one in lines)] if wide and devices > MANY else lines


def _in_state(kind: str, state: str, records: Sequence[Record]) -> list[str]:
    """How many of the records are in the state that is asked for, and those."""
    chosen = [one for one in records if is_up(kind, one) == (state == "up")]
    count = f"{len(chosen)} of {things(kind, len(records))} {'are' if len(chosen) > 1 else 'is'} {state}"
    count = count if chosen else none_is(kind, len(records), state)
    return [_with_evidence(count, records[0]), *(_with_evidence(_MEMBERS[kind](one), one) for one in chosen)]


_ABSENT = {"not_running": "not running", "not_configured": "not configured", "not_readable": "could not be read"}


def subject_names(focus: Mapping[str, str], facts: Facts, intents: Sequence[str]) -> set[str]:
    """The names that findings call the one thing by that is asked about."""
    found = [one for what, name in focus.items() for _, one in find_subject(what, name, facts, intents)]
    return {str(one[key]) for one in found for key in ("name", "neighbor_address", "peer_name", "who") if one.get(key)}


def rank(findings: Sequence[Finding], names: set[str]) -> list[Finding]:
    """The findings about the thing that is meant first, the rest in their order."""
    return sorted(findings, key=lambda one: not any(name in (one["about"], *one["text"].split()) for name in names))


def _subject_lines(focus: Mapping[str, str], facts: Facts, intents: Sequence[str]) -> Iterator[str]:
    wanted = focus.get("as_number")
    for what, name in focus.items():
        for kind, one in find_subject(what, name, facts, intents):
            if what == "as_number" and focus.get("neighbor"):
                continue
            yield _with_evidence(_MEMBERS[kind](one), one)
            if kind == "interface":
                yield from _links_of(one, facts)
            if what == "neighbor" and wanted and kind == "bgp" and str(one.get("peer_as")) != wanted:
                yield f"{one.get('who')} is in AS {one.get('peer_as')}, not in AS {wanted}"


def _links_of(port: Record, facts: Facts) -> Iterator[str]:
    for one in facts.get("link", ()):
        if one.get("local_interface") == port.get("name"):
            yield _with_evidence(f"at its other end: {one.get('neighbor')}, {one.get('remote_interface')}", one)


def _shortened(members: Iterable[tuple[bool, str]]) -> list[str]:
    """A line for each member, those that are not well first; of many, the number of the others."""
    told = [line for _, line in sorted(members, key=lambda one: one[0])]
    more = [f"… and {len(told) - _MOST_LINES} more"] if len(told) > _MOST_LINES else []
    return [*told[:_MOST_LINES], *more]


Members = list[tuple[bool, str]]


def _interfaces(records: Sequence[Record], facts: Facts) -> tuple[str, Members]:
    up = [one for one in records if one.get("oper_state") == "UP"]
    shut = [one for one in records if one.get("admin_state") == "DOWN" and one not in up]
    down = [one for one in records if one not in up and one not in shut]
    parts = [f"{len(up)} up" + _names(up, "name"), f"{len(down)} down" + _names(down, "name")]
    parts += [f"{len(shut)} shut" + _names(shut, "name")]
    return _with_evidence(f"{_count(records, 'interface')}: {'; '.join(parts)}", records[0]), [
        (one in up, _with_evidence(_interface(one), one)) for one in records if one not in up
    ]


def _interface(one: Record) -> str:
    return _fields(
        str(one.get("name")),
        {
            "admin": one.get("admin_state"),
            "oper": one.get("oper_state"),
            "address": ", ".join(map(str, one.get("addresses") or ())),
            "VRF": one.get("vrf"),
            "description": one.get("description"),
            "MTU": one.get("mtu"),
            "input errors": one.get("errors"),
            "carrier transitions": one.get("carrier_transitions"),
            "last change": spoken_moment(one["last_change"]) if one.get("last_change") else None,
        },
    )


def _bgp(records: Sequence[Record], facts: Facts) -> tuple[str, Members]:
    up = [one for one in records if one.get("session_state") == "ESTABLISHED"]
    headline = f"{_count(records, 'BGP neighbour')}, {len(up)} established{_names(up, 'who')}"
    return _with_evidence(headline, records[0]), [(one in up, _with_evidence(_session(one), one)) for one in records]


def _session(one: Record) -> str:
    return _fields(
        f"BGP neighbour {one.get('who')}",
        {
            "AS": one.get("peer_as"),
            "state": one.get("session_state"),
            "switched off": "yes" if one.get("enabled") is False else None,
            "prefixes received": one.get("received"),
            "prefixes sent": one.get("sent"),
            "up for": spoken_duration(one["uptime_seconds"]) if one.get("uptime_seconds") is not None else None,
            "last error": one.get("last_error"),
        },
    )


def _isis(records: Sequence[Record], facts: Facts) -> tuple[str, Members]:
    up = [one for one in records if one.get("state") == "UP"]
    headline = f"{_count(records, 'IS-IS adjacenc', 'y', 'ies')}, {len(up)} up{_names(up, 'who')}"
    lonely = [
        one for one in facts.get("isis_interface", ()) if one.get("passive") is False and not one["has_adjacency"]
    ]
    members = [(one in up, _with_evidence(_adjacency(one), one)) for one in records]
    return _with_evidence(headline, records[0]), [
        *members,
        *((False, _with_evidence(f"no adjacency on {one.get('name')}", one)) for one in lonely),
    ]


def _adjacency(one: Record) -> str:
    about = {"interface": one.get("interface"), "state": one.get("state"), "level": one.get("level")}
    return _fields(f"IS-IS adjacency with {one.get('who')}", about)


def _ldp(records: Sequence[Record], facts: Facts) -> tuple[str, Members]:
    up = [one for one in records if one.get("session_state") == "OPERATIONAL"]
    headline = f"{_count(records, 'LDP neighbour')}, {len(up)} operational{_names(up, 'who')}"
    return _with_evidence(headline, records[0]), [
        (one in up, _with_evidence(_label_session(one), one)) for one in records
    ]


def _label_session(one: Record) -> str:
    about = {"state": one.get("session_state"), "interface": ", ".join(one.get("ports") or ())}
    return _fields(f"LDP neighbour {one.get('who')}", about)


def _mpls(records: Sequence[Record], facts: Facts) -> tuple[str, Members]:
    one = records[0]
    routing = one.get("segment_routing") or {}
    ranges = [f"{low}–{high}" for low, high in [routing.get("srgb") or (None, None)] if low is not None]
    ports = [str(port.get("name")) for port in facts.get("mpls_interface", ())]
    about = {
        "enabled": _either(one.get("enabled"), "yes", "no"),
        "segment routing": _either(routing.get("enabled"), "on", "off"),
        "SRGB": ", ".join(ranges),
        "interfaces": f"{len(ports)} ({', '.join(ports[:_MOST_NAMED])})" if ports else None,
    }
    return _with_evidence(_fields("MPLS", about), one), []


def _vrfs(records: Sequence[Record], facts: Facts) -> tuple[str, Members]:
    headline = f"{_count(records, 'VRF')}{_names(records, 'name')}"
    return _with_evidence(headline, records[0]), [
        (bool(one.get("route_count")), _with_evidence(_vrf(one), one)) for one in records
    ]


def _vrf(one: Record) -> str:
    return _fields(
        f"VRF {one.get('name')}",
        {
            "routes": one.get("route_count"),
            "import": ", ".join(one.get("import_route_targets") or ()) or "none",
            "export": ", ".join(one.get("export_route_targets") or ()) or "none",
            "interfaces": ", ".join(one.get("interfaces") or ()) or "none",
        },
    )


def _routes(records: Sequence[Record], facts: Facts) -> tuple[str, Members]:
    if not records:
        return "", []
    by_protocol: dict[str, int] = {}
    for one in records:
        by_protocol[str(one.get("protocol"))] = by_protocol.get(str(one.get("protocol")), 0) + 1
    told = ", ".join(f"{count} {name}" for name, count in by_protocol.items())
    return _with_evidence(f"{_count(records, 'route')}: {told}", records[0]), [
        (str(one.get("prefix")) != "0.0.0.0/0", _with_evidence(_route(one), one)) for one in records
    ]


def _route(one: Record) -> str:
    about = {
        "by": one.get("protocol"),
        "to": " and ".join(map(_hop, one.get("next_hops") or ())),
        "metric": one.get("metric"),
    }
    return _fields(str(one.get("prefix")), about)


def _hop(one: Mapping[str, Any]) -> str:
    who, port = one.get("peer_name") or one.get("address"), one.get("interface")
    return " on ".join(str(part) for part in (who, port) if part)


def _logs(records: Sequence[Record], facts: Facts) -> tuple[str, Members]:
    presence = presence_of(facts, "log")
    if not records:
        return ("the log has no such line in that time" if presence.is_present else ""), []
    serious = [one for one in records if _is_trouble(one)]
    told = f"{_count(records, 'line')} of the log, {len(serious)} of them of trouble"
    told += f"; {presence.why}" if presence.why else ""
    if len(records) <= _FEW_LOGGED:
        return _with_evidence(told, records[0]), [(False, _line(one)) for one in records]
    shown = [one for one in records if one in serious[-_MOST_LINES + _LAST :] or one in records[-_LAST:]]
    return _with_evidence(f"{told}; these and the last lines" if serious else f"{told}; the last", records[0]), [
        (False, _line(one)) for one in shown
    ]


def _lines_asked_for(records: Sequence[Record], focus: Mapping[str, str]) -> Sequence[Record]:
    """The lines of a log up to the moment, and of the trouble, that are asked for."""
    until = moment_of(focus.get("until"))
    if until is not None:
        records = [one for one in records if (at := moment_of(one.get("time"))) is None or at <= until]
    return [one for one in records if _is_trouble(one)] if focus.get("trouble") else records


def _is_trouble(one: Record) -> bool:
    return _severity(one) <= _SERIOUS or one.get("is_up") is False


def _log_words(focus: Mapping[str, str]) -> list[str]:
    """What lines of the log are to have: the words that were asked for, or the name of the thing that is meant."""
    return [one for what in ("words", "interface", "neighbor", "vrf") for one in focus.get(what, "").split(", ") if one]


def _logs_with(words: Sequence[str], records: Sequence[Record], facts: Facts) -> tuple[str, Members]:
    """The lines of the log that have one of the words; where none has, the log as a whole."""
    said = " or ".join(f"'{word}'" for word in words)
    fitting = [one for one in records if any(_says(str(one.get("text")), word) for word in words)]
    if not fitting:
        headline, members = _logs(records, facts)
        return f"no line of the log has {said}; {headline}", members
    told = f"{len(fitting)} of {_count(records, 'line')} of the log {'has' if len(fitting) == 1 else 'have'} {said}"
    return _with_evidence(told, fitting[0]), [(False, _line(one)) for one in fitting]


def _says(line: str, word: str) -> bool:
    """Whether a line has a word, or the whole name of an interface that is abbreviated."""
    plain = line.casefold().replace("-", "")
    names = re.findall(r"[A-Za-z][\w./-]*\d", line) if "/" in word else []
    return word.casefold().replace("-", "") in plain or any(match_interface(word, [name]) for name in names)


def _line(one: Record) -> str:
    return f"{spoken_moment(one.get('time'))}: {_plain(one.get('text'))}"


def _severity(one: Record) -> int:
    given = one.get("severity")
    return given if isinstance(given, int) and not isinstance(given, bool) else 6


def _lldp(records: Sequence[Record], facts: Facts) -> tuple[str, Members]:
    if not records:
        return "", []
    headline = f"{_count(records, 'LLDP neighbour')}{_names(records, 'neighbor_name')}"
    return _with_evidence(headline, records[0]), [(False, _with_evidence(_wire(one), one)) for one in records]


def _wire(one: Record) -> str:
    return f"{one.get('local_interface')}: {one.get('neighbor_name')}, {one.get('neighbor_interface')}"


def _either(told: object, yes: str, no: str) -> str | None:
    """The word for what a device told; None where it told nothing."""
    return yes if told is True else no if told is False else None


def _system(records: Sequence[Record], facts: Facts) -> tuple[str, Members]:
    one = records[0]
    ntp = one.get("ntp") or {}
    servers = ", ".join(str(server.get("address")) for server in ntp.get("servers") or ())
    synchronized = _either(ntp.get("synchronized"), "synchronised", "not synchronised") or ""
    about = {
        "version": one.get("software_version"),
        "up for": spoken_duration(one["uptime_seconds"]) if one.get("uptime_seconds") is not None else None,
        "started": spoken_moment(one["boot_time"]) if one.get("boot_time") else None,
        "last reboot": one.get("last_reboot_reason"),
        "NTP": " ".join(filter(None, (synchronized, f"with {servers}" if servers else "")))
        or ("off" if ntp.get("enabled") is False else None),
        "CPU": f"{one['cpu']} %" if one.get("cpu") is not None else None,
        "memory": f"{one['memory']} %" if one.get("memory") is not None else None,
    }
    return _with_evidence(_fields("system", about), one), []


_TELLERS: Mapping[str, Callable[[Sequence[Record], Facts], tuple[str, Members]]] = {
    "interface": _interfaces,
    "bgp": _bgp,
    "isis": _isis,
    "ldp": _ldp,
    "mpls": _mpls,
    "vrf": _vrfs,
    "route": _routes,
    "log": _logs,
    "lldp": _lldp,
    "system": _system,
}
_MEMBERS: Mapping[str, Callable[[Record], str]] = {
    "interface": _interface,
    "bgp": _session,
    "isis": _adjacency,
    "ldp": _label_session,
    "vrf": _vrf,
    "lldp": _wire,
}


def _fields(name: str, values: Mapping[str, Any]) -> str:
    listed = ", ".join(f"{key} {_plain(value)}" for key, value in values.items() if value not in (None, ""))
    return f"{name}: {listed}" if listed else name


def _names(records: Sequence[Record], key: str) -> str:
    names = [_plain(one.get(key)) for one in records if one.get(key)]
    return f" ({', '.join(names)})" if names else ""


def _brief(headline: str) -> str:
    """A headline of a wide check: of many names the first."""

    def cut(found: re.Match[str]) -> str:
        names = found[1].split(", ")
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        return f" ({', '.join(names[:_MOST_NAMED])}{more})"

    return re.sub(r" \(((?:[^()]|\([^()]*\))*)\)", cut, headline)


def _count(records: Sequence[Record], stem: str, one: str = "", many: str = "s") -> str:
    return f"{len(records)} {stem}{one if len(records) == 1 else many}"


def _with_evidence(line: str, one: Record) -> str:
    return f"{line} [{one['evidence']}]" if one.get("evidence") else line


def _plain(value: Any) -> str:
    return " ".join(str(value).split())


def _cut(line: str) -> str:
    return line if len(line) <= 4 * _LONGEST else f"{line[: 4 * _LONGEST]}…"
