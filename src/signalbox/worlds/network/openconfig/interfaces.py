"""openconfig-interfaces: every interface with its state, counters and addresses."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from signalbox.worlds.network.router import Port, Router
from signalbox.worlds.network.values import nanoseconds, texts

__all__ = ["interfaces"]

MANAGEMENT = "MgmtEth0/RP0/CPU0/0"


def interfaces(router: Router) -> dict[str, Any]:
    """The list of interfaces, in the order a router shows them."""
    up = router.booted + timedelta(seconds=38)
    found = [_loopback(router, "Loopback0", [f"{router.device.loopback}/32"], up, 7)]
    for site in router.model.sites:
        if site.device == router.name and router.device.role == "PE":
            number = router.model.vrfs[site.vrf].number
            places = [f"{prefix.rsplit('.', 1)[0]}.1/24" for prefix in site.prefixes]
            found.append(_loopback(router, f"Loopback{number}", places, up, number))
    found.append(_management(router, up))
    found += [_ethernet(router, port, index) for index, port in enumerate(router.ports())]
    return {"interface": found}


def _state(name: str, kind: str, mtu: int, changed: datetime, index: int) -> dict[str, Any]:
    return {
        "name": name,
        "type": f"iana-if-type:{kind}",
        "mtu": mtu,
        "loopback-mode": False,
        "enabled": True,
        "ifindex": index,
        "admin-status": "UP",
        "oper-status": "UP",
        "last-change": nanoseconds(changed),
        "logical": kind == "softwareLoopback",
        "management": name == MANAGEMENT,
        "cpu": False,
    }


def _addresses(places: list[str], mtu: int) -> dict[str, Any]:
    listed = []
    for place in places:
        address, _, length = place.partition("/")
        state = {"ip": address, "prefix-length": int(length), "origin": "static"}
        listed.append({"ip": address, "state": state})
    ipv4 = {"addresses": {"address": listed}, "state": {"mtu": mtu, "dhcp-client": False}}
    return {"subinterface": [{"index": 0, "openconfig-if-ip:ipv4": ipv4}]}


def _loopback(router: Router, name: str, places: list[str], up: datetime, index: int) -> dict[str, Any]:
    state = _state(name, "softwareLoopback", 1500, up, index) | {"counters": {"carrier-transitions": "1"}}
    return {"name": name, "state": state, "subinterfaces": _addresses(places, 1500)}


def _management(router: Router, up: datetime) -> dict[str, Any]:
    seconds = int((router.moment - router.booted).total_seconds())
    counters = {
        "carrier-transitions": 1,
        "in-pkts": seconds * 3,
        "in-octets": seconds * 410,
        "in-errors": 0,
        "in-discards": 0,
        "in-fcs-errors": 0,
        "out-pkts": seconds * 3,
        "out-octets": seconds * 655,
        "out-errors": 0,
        "out-discards": 0,
    }
    state = _state(MANAGEMENT, "ethernetCsmacd", 1514, up, 3) | {"counters": texts(counters)}
    return {
        "name": MANAGEMENT,
        "openconfig-if-ethernet:ethernet": _wire(router.device.mac(255), 0, 0),
        "state": state,
        "subinterfaces": _addresses([f"{router.device.management}/24"], 1500),
    }


def _wire(mac: str, oversize: int, crc: int) -> dict[str, Any]:
    counters = {"in-oversize-frames": oversize, "in-maxsize-exceeded": oversize, "in-crc-errors": crc}
    return {
        "state": {
            "auto-negotiate": False,
            "mac-address": mac,
            "duplex-mode": "FULL",
            "port-speed": "openconfig-if-ethernet:SPEED_1GB",
            "counters": texts(counters),
        }
    }


def _ethernet(router: Router, port: Port, index: int) -> dict[str, Any]:
    name = port.end.interface
    counters = {
        "carrier-transitions": port.transitions,
        **{key: value for key, value in port.counters.items() if key != "in-oversize"},
        "in-unknown-protos": 0,
        "out-errors": 0,
        "out-discards": 0,
    }
    state = _state(name, "ethernetCsmacd", port.mtu, port.last_change, 10 + index) | {
        "description": f"to {port.end.peer} {port.end.peer_interface}",
        "enabled": port.admin_up,
        "admin-status": "UP" if port.admin_up else "DOWN",
        "oper-status": "UP" if port.oper_up else "DOWN",
        "counters": texts(counters),
    }
    return {
        "name": name,
        "openconfig-if-ethernet:ethernet": _wire(
            router.device.mac(index), port.counters["in-oversize"], port.counters["in-fcs-errors"]
        ),
        "hold-time": {"state": {"up": 10, "down": 0}},
        "state": state,
        "subinterfaces": _addresses([f"{port.end.address}/31"], port.mtu - 14),
    }
