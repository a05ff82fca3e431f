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
    """The findings of the comparison: duplicate addresses, and adjacencies that one end has and the other has not."""
    return [*_duplicates(facts), *_one_sided(facts)]


def _duplicates(facts: Facts) -> list[Finding]:
    owners: dict[tuple[str, str], list[tuple[str, str, Record]]] = {}
    for device, records in facts.items():
        for port in records.get("interface", ()):
            for address in port.get("addresses") or ():
                plain = _address(address)
                if plain:
                    owners.setdefault((str(port.get("vrf") or ""), plain), []).append(
                        (device, str(port.get("name")), port)
                    )
    found = []
    for (vrf, address), places in owners.items():
        if len({(device, name) for device, name, _ in places}) > 1 and not (
            vrf and len({device for device, *_ in places}) > 1
        ):
            where = " and ".join(f"{name} of {device}" for device, name, _ in places)
            found.append(
                _finding(
                    places[0][0],
                    "duplicate_address",
                    "interface",
                    address,
                    f"{address} is used twice: {where}",
                    "a duplicate address",
                    f"Give {address} to one of them only.",
                    [one for *_, one in places],
                )
            )
    return found


def _one_sided(facts: Facts) -> list[Finding]:
    found = []
    for device, records in facts.items():
        for one in records.get("isis", ()):
            other = str(one.get("who"))
            if one.get("state") != "UP" or other not in facts or "isis_interface" not in facts[other]:
                continue
            if not any(
                back.get("who") == device and back.get("state") == "UP" for back in facts[other].get("isis", ())
            ):
                place = one.get("interface")
                text = f"one-sided IS-IS adjacency: {device} has one with {other} on {place}, {other} has none back"
                found.append(
                    _finding(
                        other,
                        "isis_one_sided",
                        "isis",
                        device,
                        text,
                        "only one direction works: MTU, filter or authentication",
                        f"Compare both ends of the link between {device} and {other}.",
                        [one],
                    )
                )
    return found


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
