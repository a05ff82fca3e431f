"""The lab over gNMI: a target for each router, which answers from what the router itself says (`vtysh … json`).

It tells what a plain device tells: no last notifications, no authentication, no list of LDP's interfaces. A daemon that
is dead says nothing, and then the model has nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import Any

import grpc
from pygnmi.spec.v080 import gnmi_pb2, gnmi_pb2_grpc
from tests.agents.oncall.routers.lab import ROUTERS, Lab

from signalbox.worlds.network.lookup import find

__all__ = ["serve_lab"]

Tree = dict[str, Any]
_FAMILIES = {"ipv4Unicast": "IPV4_UNICAST", "ipv4Vpn": "L3VPN_IPV4_UNICAST"}


class _Router:
    """What one router says of itself."""

    def __init__(self, lab: Lab, name: str) -> None:
        self.lab, self.name = lab, name
        self._kept: dict[str, tuple[float, int, Tree]] = {}
        self._lock = Lock()

    def say(self, command: str) -> Any:
        try:
            return json.loads(self.lab.vtysh(self.name, f"{command} json"))
        except ValueError:
            return {}

    def tree(self, top: str) -> Tree:
        """One part of the model; what was read in the last two seconds is not read again, unless the lab changed."""
        built = {"interfaces": self._interfaces, "system": self._system, "network-instances": self._instances}
        with self._lock:
            at, changes, kept = self._kept.get(top, (0.0, 0, {}))
            if top in built and (time.monotonic() - at > 2 or changes != self.lab.changes):
                changes, kept = self.lab.changes, {top: built[top]()}
                self._kept[top] = (time.monotonic(), changes, kept)
            return kept

    def log(self) -> str:
        path = self.lab.folder / self.name / "frr.log"
        return path.read_text() if path.exists() else ""

    def _interfaces(self) -> Tree:
        found = []
        for name, one in self.say("show interface").items():
            state = {
                "name": name,
                "type": "iana-if-type:" + ("softwareLoopback" if name == "lo" else "ethernetCsmacd"),
                "mtu": one.get("mtu"),
                "admin-status": one.get("administrativeStatus", "down").upper(),
                "oper-status": one.get("operationalStatus", "down").upper(),
                "counters": {"carrier-transitions": str(one.get("linkUps", 0) + one.get("linkDowns", 0))},
            }
            places = [told["address"] for told in one.get("ipAddresses", []) if "." in told["address"]]
            listed = []
            for place in places:
                ip, _, length = place.partition("/")
                if not ip.startswith("127."):
                    listed.append({"ip": ip, "state": {"ip": ip, "prefix-length": int(length or 32)}})
            ipv4 = {"addresses": {"address": listed}}
            sub = {"index": 0, "openconfig-if-ip:ipv4": ipv4}
            found.append({"name": name, "state": state, "subinterfaces": {"subinterface": [sub]}})
        return {"interface": found}

    def _system(self) -> Tree:
        booted = (self.lab.folder / self.name / "zebra.pid").stat().st_mtime_ns
        clock = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
        return {"state": {"hostname": self.name, "boot-time": str(booted), "current-datetime": clock}}

    def _instances(self) -> Tree:
        one: Tree = {"name": "DEFAULT", "state": {"name": "DEFAULT", "type": "DEFAULT_INSTANCE"}}
        protocols = [("BGP", "bgp", self._bgp()), ("ISIS", "isis", self._isis())]
        one["protocols"] = {
            "protocol": [{"identifier": kind, "name": "default", name: told} for kind, name, told in protocols if told]
        }
        if mpls := self._mpls():
            one["mpls"] = mpls
        return {"network-instance": [one]}

    def _bgp(self) -> Tree:
        summary, neighbors = self.say("show bgp summary"), self.say("show bgp neighbors")
        families = {_FAMILIES[name]: told for name, told in summary.items() if name in _FAMILIES}
        if not families:
            return {}
        first, total = next(iter(families.values())), sum(told.get("ribCount", 0) for told in families.values())
        state = {"as": first["as"], "router-id": first["routerId"], "total-prefixes": total}
        listed = [self._neighbor(address, told, families) for address, told in neighbors.items() if "bgpState" in told]
        return {"global": {"state": state}, "neighbors": {"neighbor": listed}}

    def _neighbor(self, address: str, told: Tree, families: dict[str, Tree]) -> Tree:
        state = {
            "neighbor-address": address,
            "peer-as": told["remoteAs"],
            "local-as": told["localAs"],
            "peer-type": "INTERNAL" if told.get("nbrInternalLink") else "EXTERNAL",
            "enabled": not told.get("adminShutDown", False),
            "session-state": told["bgpState"].upper(),
            "established-transitions": told.get("connectionsEstablished", 0),
        }
        if "bgpTimerUpEstablishedEpoch" in told:
            state["last-established"] = told["bgpTimerUpEstablishedEpoch"] * 10**9
        rows, flags = [], []
        for name, one in families.items():
            peer = one.get("peers", {}).get(address)
            if peer:
                prefixes = {"received": peer.get("pfxRcd", 0), "sent": peer.get("pfxSnt", 0)}
                rows.append({"afi-safi-name": name, "state": {"afi-safi-name": name, "prefixes": prefixes}})
        for one in told.get("addressFamilyInfo", {}).values():
            flags.append(bool(one.get("routeReflectorClient")))
        found: Tree = {"neighbor-address": address, "state": state, "afi-safis": {"afi-safi": rows}}
        if "hostLocal" in told:
            found["transport"] = {"state": {"local-address": told["hostLocal"]}}
        if any(flags):
            found["route-reflector"] = {"state": {"route-reflector-client": True}}
        return found

    def _isis(self) -> Tree:
        areas = self.say("show isis summary").get("areas", [])
        if not areas:
            return {}
        circuits = {}
        for area in self.say("show isis interface detail").get("areas", []):
            for one in (told.get("interface", {}) for told in area.get("circuits", [])):
                if one.get("name"):
                    levels = one.get("levels", [])
                    circuits[one["name"]] = {
                        "interface-id": one["name"],
                        "state": {
                            "interface-id": one["name"],
                            "enabled": True,
                            "passive": one.get("is-passive") == "passive",
                            "circuit-type": "POINT_TO_POINT" if one.get("type") == "p2p" else "BROADCAST",
                        },
                        "levels": {"level": [_level(level) for level in levels]},
                    }
        for area in self.say("show isis neighbor detail").get("areas", []):
            for told in area.get("circuits", []):
                one = told.get("interface", {})
                circuit = circuits.get(one.get("name") if isinstance(one, dict) else one)
                if circuit and told.get("adj") and isinstance(one, dict):
                    v4 = one.get("ipv4-address", {})
                    state = {
                        "system-id": told["adj"],
                        "adjacency-state": str(one.get("state", "")).upper(),
                        "neighbor-ipv4-address": v4.get("ipv4") if isinstance(v4, dict) else None,
                    }
                    entry = {"system-id": told["adj"], "state": state}
                    for level in circuit["levels"]["level"][:1]:
                        level.setdefault("adjacencies", {"adjacency": []})["adjacency"].append(entry)
        return {
            "global": {"state": {"net": [areas[0].get("net")]}},
            "interfaces": {"interface": list(circuits.values())},
        }

    def _mpls(self) -> Tree:
        heard = self.say("show mpls ldp discovery").get("adjacencies", [])
        neighbors = self.say("show mpls ldp neighbor").get("neighbors", [])
        if not heard and not neighbors:
            return {}
        listed = [
            {"lsr-id": one["neighborId"], "state": {"lsr-id": one["neighborId"], "session-state": one["state"]}}
            for one in neighbors
        ]
        return {"signaling-protocols": {"ldp": {"neighbors": {"neighbor": listed}}}}


def _level(told: Tree) -> Tree:
    number = 1 if told.get("level") == "L1" else 2
    family = {"afi-name": "IPV4", "safi-name": "UNICAST", "state": {"metric": told.get("metric")}}
    return {"level-number": number, "state": {"level-number": number, "enabled": True}, "afi-safi": {"af": [family]}}


class _Target(gnmi_pb2_grpc.gNMIServicer):  # type: ignore[misc]
    """Get, and nothing else."""

    def __init__(self, router: _Router) -> None:
        self.router = router

    def Get(self, request: Any, context: grpc.ServicerContext) -> Any:
        updates = [one for path in request.path for one in self._updates(path, request.encoding)]
        if not updates:
            context.abort(grpc.StatusCode.NOT_FOUND, "Requested element(s) not found")
        return gnmi_pb2.GetResponse(notification=[gnmi_pb2.Notification(timestamp=time.time_ns(), update=updates)])

    def _updates(self, path: Any, encoding: int) -> Iterator[Any]:
        if encoding == gnmi_pb2.ASCII:
            yield gnmi_pb2.Update(path=path, val=gnmi_pb2.TypedValue(ascii_val=self.router.log()))
            return
        steps = [(one.name, dict(one.key)) for one in path.elem]
        for place, value in find(self.router.tree(steps[0][0]), steps):
            elements = [gnmi_pb2.PathElem(name=name.rpartition(":")[2], key=dict(keys)) for name, keys in place]
            told = gnmi_pb2.TypedValue(json_ietf_val=json.dumps(value).encode())
            yield gnmi_pb2.Update(path=gnmi_pb2.Path(elem=elements), val=told)


@contextmanager
def serve_lab(lab: Lab) -> Iterator[list[dict[str, Any]]]:
    """Targets for the routers on free ports; gives their inventory, until the block ends."""
    servers, inventory = [], []
    for name in ROUTERS:
        server = grpc.server(ThreadPoolExecutor(4))
        gnmi_pb2_grpc.add_gNMIServicer_to_server(_Target(_Router(lab, name)), server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        servers.append(server)
        inventory.append(
            {
                "name": name,
                "ip_address": "127.0.0.1",
                "port": port,
                "nos": "frr",
                "username": "x",
                "password": "x",
                "insecure": True,
            }
        )
    try:
        yield inventory
    finally:
        for server in servers:
            server.stop(None)
