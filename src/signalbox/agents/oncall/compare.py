"""What only shows when several devices are laid side by side: both ends of a link, and addresses used twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ipaddress import ip_interface
from typing import Any

from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.state import Finding

__all__ = ["compare_devices"]

Facts = Mapping[str, Mapping[str, Sequence[Record]]]


def compare_devices(facts: Facts) -> list[Finding]:
    """What the comparison finds: duplicate addresses, router ids and route distinguishers, and VRFs whose route targets
    meet no other."""
    return [*_duplicates(facts), *_same_router_ids(facts), *_same_distinguishers(facts), *_strange_targets(facts)]


def _duplicates(facts: Facts) -> list[Finding]:
    owners: dict[tuple[str, str], dict[str, tuple[str, Record]]] = {}
    for device, records in facts.items():
        for port in records.get("interface", ()):
            for address in port.get("addresses") or ():
                plain = _address(address)
                places = owners.setdefault((str(port.get("vrf") or ""), plain), {}) if plain else {}
                # Within a device a tunnel may borrow the address of a loopback: the owner is named.
                if device not in places or port.get("loopback"):
                    places[device] = (str(port.get("name")), port)
    found = []
    for (vrf, address), places in owners.items():
        if len(places) > 1 and not vrf:
            where = " and ".join(f"{name} of {device}" for device, (name, _) in places.items())
            anycast = all(one.get("loopback") for _, one in places.values())
            told = _finding(
                next(iter(places)),
                "duplicate_address",
                "interface",
                address,
                f"{address} is used twice: {where}",
                f"a duplicate address{', unless it is one for anycast' if anycast else ''}",
                f"Give {address} to one of them only.",
                [one for _, one in places.values()],
            )
            found.append({**told, "severity": "warning"} if anycast else told)
    return found


def _same_router_ids(facts: Facts) -> list[Finding]:
    """One BGP router id on two devices: a route reflector drops the routes of one of them as its own."""
    owners: dict[str, dict[str, Record]] = {}
    for device, records in facts.items():
        for one in records.get("bgp_instance", ()):
            if one.get("router_id") and str(one.get("network_instance")).casefold() == "default":
                owners.setdefault(str(one["router_id"]), {})[device] = one
    return [
        _finding(
            device,
            "duplicate_router_id",
            "bgp",
            router_id,
            f"BGP router id {router_id} is used twice: by {' and by '.join(own)}",
            "a duplicate router id",
            f"Give {device} a router id of its own: which of {' and '.join(own)} should have {router_id}?",
            list(own.values()),
        )
        for router_id, own in owners.items()
        if len(own) > 1
        for device in own
    ]


def _same_distinguishers(facts: Facts) -> list[Finding]:
    """One route distinguisher for two VRFs, or for one VRF on some devices of those that otherwise have their own."""
    owners: dict[str, dict[tuple[str, str], Record]] = {}
    schemes: dict[str, set[str]] = {}
    for device, records in facts.items():
        for one in records.get("vrf", ()):
            if told := one.get("route_distinguisher"):
                owners.setdefault(str(told), {})[device, str(one.get("name"))] = one
                schemes.setdefault(str(one.get("name")), set()).add(str(told))
    return [
        _finding(
            device,
            "duplicate_distinguisher",
            "vrf",
            name,
            f"route distinguisher {told} is used twice: by {' and by '.join(f'{vrf} of {at}' for at, vrf in own)}",
            "a duplicate route distinguisher: the routes of one hide those of the other",
            f"Give VRF {name} on {device} a route distinguisher of its own.",
            list(own.values()),
        )
        for told, own in owners.items()
        if len(own) > 1 and (len({name for _, name in own}) > 1 or any(len(schemes[name]) > 1 for _, name in own))
        for device, name in own
    ]


def _strange_targets(facts: Facts) -> list[Finding]:
    """A VRF whose targets meet none of those that other devices have for the VRF of the same name, while theirs do."""
    by_name: dict[str, dict[str, Record]] = {}
    for device, records in facts.items():
        for one in records.get("vrf", ()):
            if one.get("import_route_targets") and one.get("export_route_targets"):
                by_name.setdefault(str(one.get("name")), {})[device] = one
    found = []
    for name, own in by_name.items():
        for device, one in own.items():
            others = {other: it for other, it in own.items() if other != device}
            for side, verb, far_side, far_verb in _SIDES:
                theirs = {target for it in others.values() for target in it[far_side]}
                met = [it for it in others.values() if theirs & set(it[side])]
                if not others or theirs & set(one[side]) or not (met or len(others) == 1):
                    continue
                told, there, who = ", ".join(one[side]), ", ".join(sorted(theirs)), " and ".join(others)
                text = f"VRF {name} {verb}s {told}, and {who} {far_verb} {there} for it"
                then = f"Compare the route targets of VRF {name} on {device} with those on {who}."
                cause, both = f"a wrong {verb} route target", [one, *others.values()]
                found.append(_finding(device, "vrf_strange_target", "vrf", name, text, cause, then, both))
    return found


_SIDES = (
    ("import_route_targets", "import", "export_route_targets", "export"),
    ("export_route_targets", "export", "import_route_targets", "import"),
)


def _finding(
    device: str, check: str, topic: str, about: str, text: str, cause: str, then: str, records: Sequence[Record]
) -> Finding:
    evidence = [str(one["evidence"]) for one in records if one.get("evidence")]
    return {
        "device": device,
        "check": check,
        "topic": topic,
        "severity": "critical",
        "about": about,
        "text": text,
        "cause": cause,
        "next": then,
        "evidence": list(dict.fromkeys(evidence)),
        "since": None,
    }


def _address(told: Any) -> str:
    try:
        address = ip_interface(str(told)).ip
    except ValueError:
        return ""
    return "" if address.is_link_local or address.is_loopback or address.is_unspecified else str(address)
