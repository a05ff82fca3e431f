"""Which device is wired to which, as the inventory and the devices' own interfaces, LLDP and IS-IS tell."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from signalbox.agents.oncall.inventory import read_devices
from signalbox.agents.oncall.roles import with_roles
from signalbox.agents.oncall.tools import call_plain, current_session
from signalbox.contract import Relation

__all__ = ["relate"]

_MOST_PROFILED = 50
_TOPOLOGY = "device topology (interfaces and LLDP)"


async def relate(start: datetime, end: datetime) -> list[Relation]:
    """Return the devices with their roles and addresses, and the wires between them. Raises SignalboxError."""
    session = current_session()
    devices = read_devices(await call_plain(session, "get_devices"))
    if len(devices) <= _MOST_PROFILED:
        devices = await with_roles(session, devices)
    # Where several devices have one address, such as behind a jump host, it names none of them.
    shared = Counter(one.ip_address for one in devices)
    found = [Relation(f"machine:{one.name}", evidence="inventory", role=one.role or "device") for one in devices]
    found += [
        Relation(f"machine:{one.name}", f"machine:{one.ip_address}", "inventory", is_same=True)
        for one in devices
        if one.ip_address and shared[one.ip_address] == 1
    ]
    told = await call_plain(session, "get_network_topology_api")
    for link in ((told or {}).get("data") or {}).get("links") or ():
        if link.get("a") and link.get("b"):
            found.append(Relation(f"machine:{link['a']}", f"machine:{link['b']}", _TOPOLOGY, is_wire=True))
    return found
