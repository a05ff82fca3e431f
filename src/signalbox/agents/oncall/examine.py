"""What devices saw between two moments, for who looks for a cause: their logs, restarts and last changes, and all that
a health check of them finds now."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from signalbox.agents.oncall.checks import load_checks
from signalbox.agents.oncall.events import Spell, read_events, spells_of
from signalbox.agents.oncall.facts import Record, collect
from signalbox.agents.oncall.inventory import read_devices
from signalbox.agents.oncall.judgement import judge_run
from signalbox.agents.oncall.spoken import moment_of, spoken_moment
from signalbox.agents.oncall.state import Finding
from signalbox.agents.oncall.tools import (
    Budget,
    call_device,
    call_plain,
    current_session,
    device_tools,
    place_to_read,
    source_of,
)
from signalbox.contract import Examination, Observation
from signalbox.settings import get_settings, now
from signalbox.toolbox.sessions import ToolInfo

__all__ = ["examine"]

_TOOLS = (
    "get_device_health", "get_interface_info", "get_topology_neighbors", "get_routing_info", "get_ldp_neighbors",
    "get_vpn_info",
)  # fmt: skip
"""What a health check reads, beside the log."""
_MOST_DEVICES = 120
_NEAR = timedelta(seconds=90)
_BOOT = timedelta(minutes=15)
"""How long before a device is up again it may have gone down."""
_PRESENT = timedelta(minutes=5)
_WORDS = {"bgp": "BGP session", "isis": "IS-IS adjacency", "ldp": "LDP session"}
_TOPICS = {"link": "interface", "bgp": "bgp", "isis": "isis", "ldp": "ldp"}
_FAR = ("far_device", "peer_name", "neighbor_name", "neighbor")
_GRAVITY = {"critical": 0, "warning": 1, "info": 2}


@dataclass
class _Seen:
    """What was read of one device."""

    device: str
    calls: list[Any] = field(default_factory=list)
    records: Mapping[str, Sequence[Record]] = field(default_factory=dict)
    spells: list[Spell] = field(default_factory=list)
    evidence: str = ""
    failed: list[str] = field(default_factory=list)


async def examine(question: str, start: datetime, end: datetime) -> Examination:
    """What the devices of the inventory, those named in `question` first, saw between two moments that may explain a
    symptom. Only reads.

    Raises SignalboxError where the tools or the inventory cannot be used; a device that cannot be read is told of.
    """
    session = current_session()
    infos = await device_tools(session)
    known = [device.name for device in read_devices(await call_plain(session, "get_devices"))]
    known.sort(key=lambda name: name not in question)
    devices, unread = known[:_MOST_DEVICES], known[_MOST_DEVICES:]
    seen = await asyncio.gather(*(_read(infos, device, start, end) for device in devices))
    results = [{"device_name": one.device, "executed_calls": one.calls} for one in seen]
    records, findings = await judge_run([one.device for one in seen], results)
    for one in seen:
        one.records = records.get(one.device, {})
    told = [*_restarts(seen, start, end), *_merged(_spells(seen), _findings(seen, findings, start, end))]
    told += _changes(seen, told, start, end)
    read = [one.device for one in seen if len(one.failed) < len(one.calls)]
    failed = [line for one in seen for line in one.failed]
    if unread:
        failed.append(f"{len(unread)} of {len(known)} devices were not looked at, such as {unread[0]}")
    return Examination(
        observations=sorted(told, key=lambda one: (one.start, _GRAVITY[one.severity])),
        looked_at=[f"health, logs, links, sessions and restarts of {', '.join(read)}"] if read else [],
        failed=failed,
        source=source_of(),
    )


async def _read(infos: Sequence[ToolInfo], device: str, start: datetime, end: datetime) -> _Seen:
    session, offered = current_session(), {one.name for one in infos}
    minutes = max(ceil((now() - start).total_seconds() / 60) + 1, 1)
    tools = [one for one in _TOOLS if one in offered]
    tools += ["get_system_info"] if _TOOLS[0] not in offered else []
    async with place_to_read():
        budget = Budget.of(get_settings().oncall_deadline)
        calls = [await call_device(session, infos, device, "get_logs", {"minutes": minutes}, budget, "examine")]
        if not calls[0].get("error"):
            calls += [await call_device(session, infos, device, name, {}, budget, "examine") for name in tools]
    seen = _Seen(device, calls, evidence=str(calls[0].get("evidence", "")))
    seen.failed = [f"{device}: {call['function']}: {call['error']}" for call in calls if call.get("error")]
    data = (calls[0].get("result") or {}).get("data") or {}
    seen.spells = spells_of(read_events(device, data.get("logs") or ()), start, end)
    oldest = moment_of((data.get("logs") or [{}])[0].get("time")) if data.get("truncated") else None
    if oldest is not None and oldest > start:
        seen.failed.append(f"{device}: its log was read back to {spoken_moment(oldest)} only")
    seen.records = collect([{"device_name": device, "executed_calls": calls}], device)
    return seen


# What the logs tell


def _spells(seen: Sequence[_Seen]) -> list[Observation]:
    """One observation a link, session or adjacency that went down, whichever of its ends told of it."""
    told: dict[tuple[str, frozenset[str]], list[tuple[_Seen, Spell, str]]] = {}
    owners = {
        str(address).partition("/")[0]: one.device
        for one in seen
        for port in one.records.get("interface", ())
        for address in port.get("addresses") or ()
    }
    for one in seen:
        for spell in one.spells:
            if spell.kind in _TOPICS:
                far, far_port = _far_end(one, spell)
                far = owners.get(far, far)
                ends = {f"{one.device} {spell.about}", f"{far} {far_port}"} if far_port else {one.device, far}
                told.setdefault((spell.kind, frozenset(ends)), []).append((one, spell, far))
    return [_spell(kind, sorted(ends), both) for (kind, ends), both in told.items()]


def _spell(kind: str, ends: Sequence[str], both: Sequence[tuple[_Seen, Spell, str]]) -> Observation:
    one, spell, far = min(both, key=lambda it: it[1].downs[0])
    count, backs = max(len(other.downs) for _, other, _ in both), [other.end for _, other, _ in both]
    end = None if None in backs else max(back for back in backs if back is not None)
    name = f"link {' and '.join(ends)}" if kind == "link" else f"{_WORDS[kind]} {'–'.join(ends)}"
    down = "flapped: it went down" if kind == "link" and count > 1 else "went down"
    times = f" {count} times, first" if count > 1 else ""
    why = f" ({spell.why})" if spell.why else ""
    back = f", back{' for good' if count > 1 else ''} at {_clock(end)}" if end else ", and is not back"
    return Observation(
        f"The {name} {down}{times} at {_clock(spell.downs[0])}{why}{back}", spell.downs[0], end,
        "critical" if kind in ("link", "bgp") else "warning", _place(one.device, far), False,
        tuple(dict.fromkeys(it.evidence for it, _, _ in both if it.evidence)),
        _labels(one.device, far, _TOPICS[kind]), _TOPICS[kind],
    )  # fmt: skip


def _far_end(one: _Seen, spell: Spell) -> tuple[str, str]:
    """The device at the other end of what went down, and for a link its port there."""
    far = next(_far_ends(one, spell.about), "")
    if spell.kind == "link":
        links = (it for it in one.records.get("link", ()) if it.get("local_interface") == spell.about)
        ports = (it for it in one.records.get("interface", ()) if it.get("name") == spell.about)
        port = next((it.get("remote_interface") for it in links), None) or next(
            (it.get("far_port") for it in ports), ""
        )
        return far, f" {port or ''}".strip()
    return far or spell.about, ""


def _merged(spells: Sequence[Observation], findings: Iterable[Observation]) -> Iterator[Observation]:
    """What the checks find with the moments of the log, where that tells of the same trouble and of no end of it."""
    going_on = {(one.measure, one.about): one for one in spells if one.end is None}
    for one in findings:
        spell = going_on.pop((one.measure, one.about), None)
        if spell is None:
            yield one
        else:
            evidence = tuple(dict.fromkeys((*spell.evidence, *one.evidence)))
            yield replace(one, start=spell.start, is_since_known=True, evidence=evidence)
    yield from (one for one in spells if one.end is not None or one in going_on.values())


# What a health check finds


def _findings(
    seen: Sequence[_Seen], findings: Sequence[Finding], start: datetime, end: datetime
) -> Iterator[Observation]:
    """One observation for what the checks find on one thing now, whichever of its ends shows it.

    Most checks cannot say since when: that belongs to a time that reaches to now, and to no earlier one.
    """
    by_device, alarms = {one.device: one for one in seen}, [one for one in findings if one["topic"] == "alarm"]
    groups: dict[tuple[str, str, str], list[Observation]] = {}
    for one in findings:
        device, since = by_device[one["device"]], moment_of(one["since"] or _alarmed(one, alarms))
        is_recent = since is None and end >= now() - _PRESENT
        is_then = since is not None and since < end and (one["severity"] != "info" or since >= start)
        is_told = (is_recent and one["severity"] != "info") or is_then
        if not is_told or _is_restart(one, device):
            continue
        if any(_tells(spell, one, device, since) for spell in device.spells):
            continue
        far = next(_far_ends(device, one["about"]), "")
        far = far if one["about"] != one["device"] else ""
        because = f" ({one['cause']})" if one["cause"] and one["cause"] not in one["text"] else ""
        text = one["text"] if one["device"] in one["text"] else f"{one['device']}: {one['text']}"
        told = Observation(
            f"{text}{because}", since or min(now(), end), None, one["severity"], _place(one["device"], far), False,
            tuple(one["evidence"]), _labels(one["device"], far, one["topic"]), _measure(one, device),
            is_since_known=since is not None,
        )  # fmt: skip
        groups.setdefault((told.measure, told.about, "" if far else one["about"]), []).append(told)
    for ones in groups.values():
        worst = min(ones, key=lambda it: (_GRAVITY[it.severity], "(" not in it.text, not it.is_since_known))
        began = min((it.start for it in ones if it.is_since_known), default=None)
        evidence = tuple(dict.fromkeys(label for it in ones for label in it.evidence))
        yield replace(worst, start=began or worst.start, is_since_known=began is not None, evidence=evidence)


def _alarmed(one: Finding, alarms: Sequence[Finding]) -> str:
    """Since when an alarm of the device tells of the same: of its CPU, its memory, its clock."""
    words = set(load_checks().topics.get("system", ())) & set(re.findall(r"[a-z]+", one["text"].casefold()))
    same = [it for it in alarms if it["device"] == one["device"] and one["topic"] == "system"]
    told = [it["since"] for it in same if it["since"] and words & set(re.findall(r"[a-z]+", it["text"].casefold()))]
    return min(told, default="")


def _measure(one: Finding, device: _Seen) -> str:
    """The topic; of a BGP session that is up, the trouble is with its prefixes."""
    is_up = any(
        it.get("session_state") == "ESTABLISHED" and one["about"] in (it.get("neighbor_address"), it.get("who"))
        for it in device.records.get("bgp", ())
    )
    return "prefixes" if one["topic"] == "bgp" and is_up and not one["since"] else one["topic"]


def _tells(spell: Spell, one: Finding, device: _Seen, since: datetime | None) -> bool:
    """True if the log tells of the same trouble, and that it is over."""
    if spell.end is None:
        return False
    is_topic = _TOPICS.get(spell.kind) == one["topic"] and bool(
        {*_far_ends(device, spell.about), spell.about} & {*_far_ends(device, one["about"]), one["about"]}
    )
    return is_topic and since is not None and any(abs(since - at) < _NEAR for at in (*spell.downs, spell.end))


def _is_restart(one: Finding, device: _Seen) -> bool:
    return one["topic"] == "system" and bool(one["since"]) and moment_of(one["since"]) == _booted(device)


def _booted(one: _Seen) -> datetime | None:
    return next((moment_of(it.get("boot_time")) for it in one.records.get("system", ())), None)


# Restarts, and what changed last without a line in a log


def _restarts(seen: Sequence[_Seen], start: datetime, end: datetime) -> Iterator[Observation]:
    """The devices that started between the moments, from when the first of their neighbours lost them."""
    for one in seen:
        at = _booted(one)
        if at is None or not start <= at < end:
            continue
        lost = [
            spell.downs[-1]
            for other in seen
            for spell in other.spells
            if one.device in (other.device, *_far_ends(other, spell.about)) and at - _BOOT <= spell.downs[-1] <= at
        ]
        record = one.records["system"][0]
        why = f" ({record['last_reboot_reason']})" if record.get("last_reboot_reason") else ""
        down = min(lost, default=at)
        text = f"{one.device} restarted at {_clock(at)}{why}"
        text += f"; it was down from {_clock(down)} on" if down < at else ""
        yield replace(_change(text, down, "critical", one.device, "", record, "restart"), end=at)


def _changes(
    seen: Sequence[_Seen], told: Iterable[Observation], start: datetime, end: datetime
) -> Iterator[Observation]:
    """What changed state last between the moments, where nothing else tells of it."""
    known = [(one.about, at) for one in told for at in (one.start, one.end) if at and one.measure != "restart"]
    for one in seen:
        moments = [moment for spell in one.spells for moment in (*spell.downs, *([spell.end] if spell.end else []))]
        booted = _booted(one)
        for kind, key, field_of, words in (
            ("interface", "name", "last_change", "{name} of {device} changed state at {at} (now {oper_state})"),
            ("bgp", "neighbor_address", "last_established", "The BGP session of {device} with {who} came up at {at}"),
        ):
            for record in one.records.get(kind, ()):
                at = moment_of(record.get(field_of))
                if not at or not start <= at < end or any(abs(at - other) < _NEAR for other in moments):
                    continue
                far = next(_far_ends(one, str(record.get(key))), "")
                is_told = any(about == _place(one.device, far) and abs(at - when) < _NEAR for about, when in known)
                if is_told or (booted and timedelta(0) <= at - booted < _BOOT):
                    continue
                text = words.format_map({**record, "device": one.device, "at": _clock(at)})
                yield _change(text, at, "warning", one.device, far, record, kind)


def _change(text: str, at: datetime, severity: Any, device: str, far: str, record: Record, topic: str) -> Observation:
    cited = (str(record["evidence"]),) if record.get("evidence") else ()
    return Observation(text, at, None, severity, _place(device, far), False, cited, _labels(device, far, topic), topic)


# Which thing it is


def _far_ends(one: _Seen, about: str) -> Iterator[str]:
    """The devices at the other end of a port, a session or an adjacency of a device, as its records name them."""
    for records in one.records.values():
        for it in records:
            ids = (it.get("name"), it.get("neighbor_address"), it.get("interface"), it.get("local_interface"),
                   it.get("lsr_id"), it.get("system_id"), it.get("who"), it.get("neighbor_name"))  # fmt: skip
            if about and about in map(str, ids):
                yield from (str(it[key]) for key in _FAR if it.get(key) and str(it[key]) != one.device)


def _place(device: str, far: str) -> str:
    return "–".join(sorted({device, far})) if far else device


def _labels(device: str, far: str, topic: str) -> dict[str, str]:
    if not far:
        return {"device": device}
    if topic == "bgp":
        return {"device": device, "neighbor": far}
    return {"device": device, "interface": "", "peer": far}


def _clock(at: datetime) -> str:
    """A moment as a clock shows it to the person."""
    return spoken_moment(at, today="")
