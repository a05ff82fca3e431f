"""What is wrong with devices, by what was read of them, of their neighbours, and of their last good state."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from signalbox.agents.oncall.checks import load_checks, run_checks
from signalbox.agents.oncall.compare import compare_devices
from signalbox.agents.oncall.facts import Record, collect
from signalbox.agents.oncall.far_ends import Facts, connect
from signalbox.agents.oncall.history import keep_good, last_good
from signalbox.agents.oncall.inventory import read_devices
from signalbox.agents.oncall.roles import with_roles
from signalbox.agents.oncall.spoken import moment_of, spoken_moment
from signalbox.agents.oncall.state import Finding
from signalbox.agents.oncall.tools import (
    Budget,
    call_device,
    call_plain,
    current_session,
    device_tools,
    place_to_read,
)
from signalbox.errors import SignalboxError
from signalbox.settings import get_settings

__all__ = ["judge", "judge_run"]

_log = logging.getLogger("signalbox.agents.oncall")
Records = Mapping[str, Sequence[Record]]
_TOOLS = {
    "bgp": "get_routing_info",
    "isis": "get_routing_info",
    "ldp": "get_ldp_neighbors",
    "mpls": "get_mpls_info",
    "interface": "get_interface_info",
    "link": "get_interface_info",
    "vrf": "get_vpn_info",
}
"""What is read of a neighbour, by what was read of the device itself."""
_OF_PEERS = ("bgp", "isis", "mpls", "vrf")
"""What is read of devices of the same role: what has to be unique, and what they have alike."""
_UNDERNEATH = {"interface": "get_interface_info", "link": "get_topology_neighbors"}
"""What protocols rest on: it is read with them, and tells why they fail."""
_PROTOCOLS = {"bgp", "isis", "ldp", "mpls", "vrf"}
_TOPICS = {"link": ("interface",), "lldp": ("interface",), "mpls": ("ldp",), "vrf": ("vrf", "bgp")}
_TOPICS |= {"system": ("system", "alarm")}
"""What a reading is about, where it is not its kind."""
_EXPLAINED_BY_LOGS = ("bgp", "isis", "ldp", "interface", "system", "device")
_MOST_ALONE = 8
_MOST_AROUND = 16
_MOST_PEERS = 4
_FEW_PEERS = 2
_MOST_PROFILED = 50
_BROAD = 4
_DAY = 24 * 60
_JUST_BEFORE = timedelta(minutes=2)


def judge(
    facts: Facts,
    around: Facts | None = None,
    good: Mapping[str, Mapping[str, Any]] | None = None,
    roles: Mapping[str, str] | None = None,
) -> tuple[dict[str, Records], list[Finding]]:
    """The records of the devices of `facts`, with what their far ends say, and the findings on them.

    `around` has devices that were read only for what they say of these; `good` the last good state of each device;
    `roles` what the inventory says of roles.
    """
    network = connect({**(around or {}), **facts}, good, roles, list(facts))
    checks = load_checks()
    found = [one for device in facts for one in run_checks(network[device], checks, network)]
    own = {device: network[device] for device in facts}
    return own, [*found, *(one for one in compare_devices({**own, **network}) if one["device"] in own)]


async def judge_run(
    devices: Sequence[str], results: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, Records], list[Finding]]:
    """The records and findings of a run's devices.

    Of a few devices, their neighbours are read as well, and the logs where something is wrong: what one end shows, the
    other explains. A device without a fault leaves its last good state for the next time.
    """
    facts: dict[str, Records] = {device: collect(results, device) for device in devices}
    good = await asyncio.to_thread(lambda: {device: last_good(device) for device in devices})
    around, roles = _Around(), dict[str, str]()
    try:
        roles = await _roles()
        if len(devices) <= _MOST_ALONE:
            await around.read(facts, roles)
        found, findings = judge(around.completed(facts), around.facts, good, roles)
        is_broad = any(len(_kinds(told)) >= _BROAD for told in facts.values())
        is_explained = any(one["severity"] == "critical" for one in findings)
        if len(devices) <= _MOST_ALONE and (is_broad or not is_explained):
            await around.read_peers(found, roles)
            found, findings = judge(around.completed(facts), around.facts, good, roles)
        if len(devices) <= _MOST_ALONE and await around.read_reasons(found, findings):
            found, findings = judge(around.completed(facts), around.facts, good, roles)
        findings = [_with_commit(one, found, around.facts) for one in around.asked_about(facts, findings)]
    except SignalboxError as error:
        _log.warning("The neighbours were not read: %s", error)
        found, findings = judge(facts, around.facts, good, roles)
    await asyncio.to_thread(_keep, found, findings)
    return found, findings


def _with_commit(finding: Finding, facts: Facts, around: Facts) -> Finding:
    """The finding with the change of the configuration that the log of its device has just before what went down."""
    device, about = finding["device"], finding["about"]
    log = facts.get(device, {}).get("log", ()) or around.get(device, {}).get("log", ())
    told = [(at, one) for one in log if (at := moment_of(one.get("time"))) is not None]
    downs = [at for at, one in told if one.get("is_up") is False and one.get("about") == about]
    began = downs[-1] if downs else moment_of(finding.get("since"))
    if finding["severity"] == "info" or not finding["cause"] or began is None:
        return finding
    commits = [(at, one) for at, one in told if one.get("event") == "changed" and began - _JUST_BEFORE <= at <= began]
    if not commits:
        return finding
    at, line = commits[-1]
    said = f"{finding['cause']}; just before, at {spoken_moment(at.isoformat())}: {' '.join(str(line['why']).split())}"
    evidence = [*finding["evidence"], *([line["evidence"]] if line.get("evidence") else [])]
    return {**finding, "cause": said, "evidence": list(dict.fromkeys(evidence))}


async def _roles() -> dict[str, str]:
    """The roles of all devices; of a small inventory without roles, by what the devices run."""
    session = current_session()
    devices = read_devices(await call_plain(session, "get_devices"))
    known = devices if len(devices) > _MOST_PROFILED else await with_roles(session, devices)
    return {one.name: one.role for one in known}


class _Around:
    """The devices around those that are asked about, as far as they were read."""

    def __init__(self) -> None:
        self.results: list[dict[str, Any]] = []

    @property
    def facts(self) -> dict[str, Records]:
        """The records of the devices that were read."""
        return {
            device: collect(self.results, device)
            for device in dict.fromkeys(one["device_name"] for one in self.results)
        }

    def completed(self, facts: Facts) -> dict[str, Records]:
        """The records of devices with what was read of them here."""
        return {device: _joined(collect(self.results, device), told) for device, told in facts.items()}

    async def read(self, facts: Facts, roles: Mapping[str, str]) -> None:
        """Read what the devices' protocols rest on, then their neighbours and the devices of the same role."""
        await self._call([(device, *call) for device, told in facts.items() for call in _beside(told)])
        facts = self.completed(facts)
        kinds = {kind for told in facts.values() for kind in _kinds(told)}
        tools = dict.fromkeys(_TOOLS[kind] for kind in _TOOLS if kind in kinds)
        near = [name for name in _neighbors(facts, roles, "bgp" in kinds) if name not in facts and name in roles]
        near = near[:_MOST_AROUND]
        await self._call([(name, tool, {}) for name in near for tool in tools if tool != _TOOLS["vrf"]])

    async def read_peers(self, facts: Facts, roles: Mapping[str, str]) -> None:
        """Read devices of the same role: what has to be unique, and what they should have alike. Where a device is
        looked at as a whole, every value that it, its neighbours and its peers tell is read as well, and its routes."""
        kinds = {kind for told in facts.values() for kind in _kinds(told)}
        tools = dict.fromkeys(_TOOLS[kind] for kind in _OF_PEERS if kind in kinds)
        own = {roles.get(device, "") for device in facts} - {""}
        peers = [name for role in own for name in [one for one in roles if roles[one] == role][: _MOST_PEERS + 1]]
        near = {one["device_name"] for one in self.results}
        known = {(one["device_name"], call["function"]) for one in self.results for call in one["executed_calls"]}
        wanted = [(name, tool) for name in peers for tool in tools]
        if "vrf" in kinds and len(peers) <= _FEW_PEERS:
            # A VRF for management is on devices of every role.
            wanted += [(name, _TOOLS["vrf"]) for name in sorted(near - {*peers})[:_FEW_PEERS]]
        wanted = [(name, tool) for name, tool in wanted if name not in facts and (name, tool) not in known]
        if whole := [device for device, told in facts.items() if _is_whole(told)]:
            wanted += [(name, "get_values") for name in dict.fromkeys((*facts, *near, *peers))]
            wanted += [(name, "get_route") for name in whole if "route" not in _kinds(facts[name])]
        await self._call([(name, tool, {}) for name, tool in wanted])

    def asked_about(self, facts: Facts, findings: Sequence[Finding]) -> list[Finding]:
        """The findings without those on what was read here only to explain the others."""
        beside = {call["evidence"] for one in self.results for call in one["executed_calls"]}
        topics = {
            device: {topic for kind in _kinds(told) for topic in _TOPICS.get(kind, (kind,))}
            for device, told in facts.items()
        }
        return [
            one
            for one in findings
            if one["topic"] in {"device", *topics[one["device"]]}
            or not one["evidence"]
            or one["evidence"][0] not in beside
        ]

    async def read_reasons(self, facts: Facts, findings: Iterable[Finding]) -> bool:
        """Read the logs of the devices with a finding, and of their far ends, and the routes to the peers of sessions
        that are down; whether there was something to read."""
        wanted: list[str] = []
        for one in findings:
            if one["severity"] != "info" and one["topic"] in _EXPLAINED_BY_LOGS:
                far = [
                    str(it.get("far_device") or "")
                    for kind in ("bgp", "isis", "isis_interface", "interface")
                    for it in facts[one["device"]].get(kind, ())
                    if one["about"] in map(str, it.values())
                ]
                wanted += [one["device"], *far]
        known = {str(one["device_name"]) for one in self.results}
        logged = [one for one in self.results if one["executed_calls"][0]["function"] == "get_logs"]
        read = {device for device, told in facts.items() if told.get("log")} | {one["device_name"] for one in logged}
        names = [name for name in dict.fromkeys(wanted) if name in {*known, *facts} and name not in read]
        # Why a session does not come up may be that there is no way to the other end.
        lost = {(one["device"], one["about"]) for one in findings if one["check"] == "bgp_down"}
        routes = [
            (device, "get_route", {"prefix": one["neighbor_address"], "vrf_name": one.get("network_instance")})
            for device, told in facts.items()
            for one in told.get("bgp", ())
            if (device, one["neighbor_address"]) in lost
        ]
        routes += [
            (device, "get_routing_info", {"protocol": "isis"})
            for device in dict.fromkeys(device for device, _ in lost)
            if "isis" not in _kinds(facts[device])
        ]
        await self._call([*((name, "get_logs", {"minutes": _DAY}) for name in names), *routes])
        return bool(names or routes)

    async def _call(self, wanted: Sequence[tuple[str, str, dict[str, Any]]]) -> None:
        session = current_session()
        infos = await device_tools(session)
        budget = Budget.of(get_settings().oncall_deadline)

        async def one(device: str, tool: str, args: dict[str, Any]) -> dict[str, Any]:
            async with place_to_read():
                made = await call_device(session, infos, device, tool, args, budget, f"around {device}")
            return {"device_name": device, "executed_calls": [made]}

        offered = {info.name for info in infos}
        self.results += await asyncio.gather(*(one(*call) for call in wanted if call[1] in offered))


def _kinds(records: Records) -> set[str]:
    """The kinds of things that were read of a device."""
    return {one["kind"] for one in records.get("presence", ()) if one["state"] != "not_readable"}


def _is_whole(records: Records) -> bool:
    """Whether a device is looked at as a whole, and not only some of what it does."""
    kinds = _kinds(records)
    return "system" in kinds and len(kinds) >= _BROAD


def _beside(records: Records) -> list[tuple[str, dict[str, Any]]]:
    """What is read of a device beside what was asked: what its protocols rest on, and where it was looked at as a
    whole, its labels and its log."""
    kinds, wanted = _kinds(records), list[tuple[str, dict[str, Any]]]()
    if kinds & _PROTOCOLS:
        wanted += [(tool, {}) for kind, tool in _UNDERNEATH.items() if kind not in kinds]
    if len(kinds) >= _BROAD:
        wanted += [(_TOOLS["mpls"], {})] if "mpls" not in kinds else []
        wanted += [("get_logs", {"minutes": _DAY})] if "log" not in kinds else []
    return wanted


def _joined(more: Records, told: Records) -> Records:
    """Records with those of further kinds."""
    known = {(one["kind"], one["name"]) for one in told.get("presence", ())}
    added = [one for one in more.get("presence", ()) if (one["kind"], one["name"]) not in known]
    return {**more, **told, "presence": [*told.get("presence", ()), *added]}


def _neighbors(facts: Facts, roles: Mapping[str, str], speaks_bgp: bool) -> list[str]:
    """The devices that a device names as its neighbours, and the route reflectors, which may know it."""
    named = [
        str(one.get(field))
        for told in facts.values()
        for kind, field in (("link", "neighbor"), ("bgp", "peer_name"), ("isis", "neighbor_name"), ("ldp", "peer_name"))
        for one in told.get(kind, ())
        if one.get(field)
    ]
    reflectors = [name for name, role in roles.items() if role == "RR"] if speaks_bgp else []
    return list(dict.fromkeys([*named, *reflectors]))


def _keep(facts: Facts, findings: Sequence[Finding]) -> None:
    """Keep the state of every device that answered and has no fault."""
    faulty = {one["device"] for one in findings if one["severity"] != "info"}
    for device, records in facts.items():
        if device not in faulty and all(one.get("reachable") for one in records.get("device", ())):
            try:
                keep_good(device, records)
            except OSError as error:
                _log.warning("The good state of %s was not kept: %s", device, error)
