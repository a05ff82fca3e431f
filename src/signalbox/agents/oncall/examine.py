"""What devices saw between two moments: their logs, flaps, last changes and restarts, for who looks for a cause."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from signalbox.agents.oncall.events import Spell, read_events, spells_of
from signalbox.agents.oncall.facts import Record, collect
from signalbox.agents.oncall.inventory import read_devices
from signalbox.agents.oncall.spoken import moment_of, spoken_moment
from signalbox.agents.oncall.tools import Budget, call_device, call_plain, current_session, device_tools, source_of
from signalbox.contract import Examination, Observation
from signalbox.errors import SignalboxError
from signalbox.settings import get_settings, now
from signalbox.toolbox.sessions import Session, ToolInfo

__all__ = ["examine"]

_TOOLS = ("get_interface_info", "get_routing_info", "get_ldp_neighbors", "get_system_info")
_NEAR = timedelta(seconds=90)
_WORDS = {"bgp": "BGP session", "isis": "IS-IS adjacency", "ldp": "LDP session"}


@dataclass
class _Seen:
    """What was read of one device."""

    device: str
    facts: Mapping[str, Sequence[Record]] = field(default_factory=dict)
    spells: list[Spell] = field(default_factory=list)
    evidence: str = ""
    failed: list[str] = field(default_factory=list)


async def examine(question: str, start: datetime, end: datetime) -> Examination:
    """What every device of the inventory saw between two moments that may explain a symptom. Only reads.

    Raises SignalboxError where the tools or the inventory cannot be used; a device that cannot be read is told of.
    """
    session = current_session()
    infos = await device_tools(session)
    devices = [device.name for device in read_devices(await call_plain(session, "get_devices"))]
    places = asyncio.Semaphore(get_settings().oncall_parallel)
    seen = await asyncio.gather(*(_look(session, infos, device, start, end, places) for device in devices))
    links = await _links(session) if any(spell.kind == "link" for one in seen for spell in one.spells) else {}
    observations = [*_links_seen(seen, links), *_peers_seen(seen), *_changes(seen, start, end)]
    read = [one.device for one in seen if one.facts]
    looked = [f"logs, interfaces, routing sessions and restarts of {', '.join(read)}"] if read else []
    return Examination(
        observations=sorted(observations, key=lambda one: one.start),
        looked_at=looked,
        failed=[line for one in seen for line in one.failed],
        source=source_of(),
    )


async def _look(
    session: Session, infos: Sequence[ToolInfo], device: str, start: datetime, end: datetime, places: asyncio.Semaphore
) -> _Seen:
    minutes = max(ceil((now() - start).total_seconds() / 60) + 1, 1)
    budget = Budget.of(get_settings().oncall_deadline)
    async with places:
        logs = await call_device(session, infos, device, "get_logs", {"minutes": minutes}, budget, "examine")
        if logs.get("error"):
            return _Seen(device, failed=[f"{device} could not be read: {logs['error']}"])
        others = [await call_device(session, infos, device, name, {}, budget, "examine") for name in _TOOLS]
    data = (logs.get("result") or {}).get("data") or {}
    seen = _Seen(
        device,
        collect([{"device_name": device, "executed_calls": others}], device),
        evidence=str(logs.get("evidence", "")),
    )
    seen.spells = spells_of(read_events(device, data.get("logs") or ()), start, end)
    seen.failed = [f"{device}: {call['function']}: {call['error']}" for call in others if call.get("error")]
    oldest = moment_of((data.get("logs") or [{}])[0].get("time")) if data.get("truncated") else None
    if oldest is not None and oldest > start:
        seen.failed.append(f"{device}: its log was read back to {spoken_moment(oldest)} only")
    return seen


async def _links(session: Session) -> dict[tuple[str, str], tuple[str, str]]:
    """The other end of each interface, by device and name."""
    try:
        told = await call_plain(session, "get_network_topology_api")
    except SignalboxError:
        return {}
    ends: dict[tuple[str, str], tuple[str, str]] = {}
    for link in ((told or {}).get("data") or {}).get("links") or ():
        one, other = (
            (str(link.get("a")), str(link.get("a_interface"))),
            (str(link.get("b")), str(link.get("b_interface"))),
        )
        ends |= {one: other, other: one}
    return ends


def _links_seen(seen: Sequence[_Seen], links: Mapping[tuple[str, str], tuple[str, str]]) -> list[Observation]:
    """One observation a link, whichever of its ends told of it."""
    told: dict[frozenset[tuple[str, str]], list[tuple[_Seen, Spell]]] = {}
    for one in seen:
        for spell in one.spells:
            if spell.kind == "link":
                end = (one.device, spell.about)
                told.setdefault(frozenset({end, links.get(end, end)}), []).append((one, spell))
    return [_link_observation(sorted(ends), both) for ends, both in told.items()]


def _link_observation(ends: Sequence[tuple[str, str]], both: Sequence[tuple[_Seen, Spell]]) -> Observation:
    _, spell = min(both, key=lambda pair: pair[1].downs[0])
    names = " and ".join(f"{device} {port}" for device, port in ends)
    count = max(len(other.downs) for _, other in both)
    backs = [other.end for _, other in both]
    end = None if None in backs else max(back for back in backs if back is not None)
    how = f"flapped: it went down {count} times" if count > 1 else "went down"
    back = (
        f", back for good at {_clock(end)}"
        if end and count > 1
        else f", back at {_clock(end)}"
        if end
        else ", and is not back"
    )
    evidence = tuple(dict.fromkeys(one.evidence for one, _ in both if one.evidence))
    about = "–".join(dict.fromkeys(device for device, _ in ends))
    text = f"The link {names} {how}, first at {_clock(spell.downs[0])}{back}"
    return Observation(text, spell.downs[0], end, "critical", about, False, evidence)


def _peers_seen(seen: Sequence[_Seen]) -> list[Observation]:
    """One observation a session or adjacency, whichever of its ends told of it."""
    told: dict[tuple[str, frozenset[str]], list[tuple[_Seen, Spell]]] = {}
    for one in seen:
        for spell in one.spells:
            if spell.kind in _WORDS:
                told.setdefault((spell.kind, frozenset({one.device, _peer(one, spell)})), []).append((one, spell))
    found = []
    for (kind, ends), both in told.items():
        _, spell = min(both, key=lambda pair: pair[1].downs[0])
        names, count = "–".join(sorted(ends)), max(len(other.downs) for _, other in both)
        backs = [other.end for _, other in both]
        end = None if None in backs else max(back for back in backs if back is not None)
        times = f" {count} times, first" if count > 1 else ""
        why = f" ({spell.why})" if spell.why else ""
        back = f", back at {_clock(end)}" if end else ", and is not back"
        text = f"The {_WORDS[kind]} {names} went down{times} at {_clock(spell.downs[0])}{why}{back}"
        evidence = tuple(dict.fromkeys(one.evidence for one, _ in both if one.evidence))
        found.append(
            Observation(text, spell.downs[0], end, "critical" if kind == "bgp" else "warning", names, False, evidence)
        )
    return found


def _peer(one: _Seen, spell: Spell) -> str:
    """The device at the other end of a session, by what the device itself knows of its neighbours."""
    for kind, key in (("bgp", "neighbor_address"), ("ldp", "lsr_id")):
        for record in one.facts.get(kind, ()) if spell.kind == kind else ():
            if record.get(key) == spell.about and record.get("peer_name"):
                return str(record["peer_name"])
    if spell.kind == "ldp":
        known = {record.get("neighbor_address"): record.get("peer_name") for record in one.facts.get("bgp", ())}
        return str(known.get(spell.about) or spell.about)
    return spell.about


def _changes(seen: Sequence[_Seen], start: datetime, end: datetime) -> list[Observation]:
    """What changed last between the two moments and no log told of: interfaces, sessions, restarts."""
    found = []
    for one in seen:
        told = [moment for spell in one.spells for moment in (*spell.downs, *([spell.end] if spell.end else []))]
        for record in one.facts.get("interface", ()):
            at = moment_of(record.get("last_change"))
            if at and start <= at < end and not any(abs(at - other) < _NEAR for other in told):
                text = (
                    f"{record['name']} of {one.device} changed state at {_clock(at)} (now {record.get('oper_state')})"
                )
                found.append(_change(text, at, "warning", one.device, record))
        for record in one.facts.get("bgp", ()):
            at = moment_of(record.get("last_established"))
            if at and start <= at < end and not any(abs(at - other) < _NEAR for other in told):
                found.append(
                    _change(
                        f"The BGP session of {one.device} with {record['who']} came up at {_clock(at)}",
                        at,
                        "warning",
                        one.device,
                        record,
                    )
                )
        for record in one.facts.get("system", ()):
            at = moment_of(record.get("boot_time"))
            if at and start <= at < end:
                why = f" ({record['last_reboot_reason']})" if record.get("last_reboot_reason") else ""
                found.append(
                    _change(f"{one.device} restarted at {_clock(at)}{why}", at, "critical", one.device, record)
                )
    return found


def _change(text: str, at: datetime, severity: Any, device: str, record: Record) -> Observation:
    return Observation(
        text, at, None, severity, device, False, (str(record["evidence"]),) if record.get("evidence") else ()
    )


def _clock(at: datetime) -> str:
    """A moment as a clock shows it to the person."""
    return spoken_moment(at, today="")
