"""What else says something of a thing: its far end, the devices of the same role, and the last good state.

`connect` lays the records of several devices side by side. A record gets, where they are known, the fields of the same
thing at its far end (`far_mtu`, `far_state`, … with `far_device` and `far_port`), and of the last good state
(`was_received`, …). `far_read` says whether the far end was read at all, and `far_known` whether it has the thing.

What is not there is a record of kind `missing`: `what` it is, its `name`, and `by` whom it is missed ("far end",
"neighbours", "last good state").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_interface
from typing import Any

from signalbox.agents.oncall.facts import TOPICS, Record
from signalbox.agents.oncall.history import CONFIGURED
from signalbox.agents.oncall.oddities import Device, oddities
from signalbox.agents.oncall.presence import LABELS

__all__ = ["Facts", "connect", "role_by_records"]

Facts = Mapping[str, Mapping[str, Sequence[Record]]]
Good = Mapping[str, Mapping[str, Any]]
Port = tuple[str, str]
_ON_PORTS = ("interface", "isis_interface", "ldp_interface", "mpls_interface", "optic")
_PROTOCOLS = ("bgp", "isis", "ldp")
_LABELS = {
    "bgp": "BGP neighbour",
    "isis_interface": "IS-IS on",
    "ldp": "LDP neighbour",
    "ldp_interface": "LDP on",
    "vrf": "VRF",
}
"""What a thing that is gone is called before its name."""


def connect(
    facts: Facts,
    good: Good | None = None,
    roles: Mapping[str, str] | None = None,
    asked: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The records of all devices, each with what its far end, its peers and its last good state say of it, and for the
    devices that are asked about with what is odd among their values."""
    return _Network(facts, good or {}, roles or {}).connected(list(facts) if asked is None else asked)


def role_by_records(records: Mapping[str, Sequence[Record]]) -> str:
    """The role of a device by what it runs: RR, PE, P or CE; empty where the records do not tell."""
    neighbors = records.get("bgp", ())
    if any(one.get("route_reflector_client") for one in neighbors):
        return "RR"
    if records.get("isis_instance"):
        # Every router may have a VRF for its management.
        has_vpn = any(one.get("import_route_targets") for one in records.get("vrf", ()))
        return "PE" if has_vpn or any(one.get("peer_type") == "EXTERNAL" for one in neighbors) else "P"
    return "CE" if neighbors else ""


class _Network:
    """Devices side by side: who owns which address, and which port is wired to which."""

    def __init__(self, facts: Facts, good: Good, roles: Mapping[str, str]) -> None:
        self.facts = {
            device: {kind: list(map(dict, one)) for kind, one in told.items()} for device, told in facts.items()
        }
        self.good = good
        self.roles = {device: roles.get(device) or role_by_records(told) for device, told in self.facts.items()}
        self.alike: dict[str, list[str]] = {}
        """The devices of each role."""
        for device in self.facts:
            # What a device runs makes its role; only a role that was told says what it should run.
            self.alike.setdefault(roles.get(device, ""), []).append(device)
        self.alike.pop("", None)
        self.owners = {
            str(address).partition("/")[0]: device
            for device, told in self.facts.items()
            for one in told.get("interface", ())
            for address in one.get("addresses") or ()
        }
        self.speakers = {
            str(one["neighbor_address"]): one["peer_name"]
            for told in self.facts.values()
            for one in told.get("bgp", ())
            if one.get("peer_name")
        }
        """The devices by the addresses that others have sessions with."""
        self.wires = self._wired()
        self.links: dict[str, list[tuple[str, str, str]]] = {}
        """The wires of each device: its port, the other device, and the port there."""
        for (device, port), (other, far) in self.wires.items():
            self.links.setdefault(device, []).append((port, other, far))
        self.towards: dict[str, dict[str, Record]] = {}
        """The sessions that others have towards each device, by the other device."""
        for other, told in self.facts.items():
            for one in told.get("bgp", ()):
                for name in {self.owners.get(str(one.get("neighbor_address"))), one.get("peer_name")} - {None, other}:
                    self.towards.setdefault(str(name), {}).setdefault(other, one)

    def connected(self, asked: Sequence[str]) -> dict[str, Any]:
        for device, told in self.facts.items():
            self._name_ports(device, told)
        for device, told in self.facts.items():
            told["missing"] = [*self._missing(device)]
            self._expect(device, told)
        twins = [
            (one, self._twin(device, kind, one))
            for device, told in self.facts.items()
            for kind, listed in told.items()
            for one in listed
        ]
        for one, twin in twins:
            one.update(twin)
        self._compare_values(asked)
        for device, told in self.facts.items():
            told["unread"] = [*self._unread(device, told)]
            self._name_holders(device, told)
            self._remember(device, told)
        return self.facts

    # Who is where

    def _wired(self) -> dict[Port, Port]:
        """Which port of which device is at the other end of each port: by links that were read, else by subnets."""
        wires: dict[Port, Port] = {}
        for device, told in self.facts.items():
            for link in told.get("link", ()):
                if link.get("neighbor") and link.get("remote_interface"):
                    here, there = (device, str(link["local_interface"])), (link["neighbor"], link["remote_interface"])
                    wires.setdefault(here, there)
                    wires.setdefault(there, here)
        shared: dict[IPv4Network | IPv6Network, list[Port]] = {}
        for device in self.facts:
            for port, network in self._networks(device):
                shared.setdefault(network, []).append((device, port))
        for ends in shared.values():
            for here in ends:
                other = next((one for one in ends if one[0] != here[0]), None)
                if other is not None:
                    wires.setdefault(here, other)
        return wires

    def _networks(self, device: str) -> Iterator[tuple[str, IPv4Network | IPv6Network]]:
        for one in self.facts[device].get("interface", ()):
            for address in one.get("addresses") or ():
                try:
                    network = ip_interface(str(address)).network
                except ValueError:
                    continue
                if 1 < network.num_addresses <= 256 and not one.get("loopback") and not one.get("management"):
                    yield str(one.get("name")), network

    def _name_ports(self, device: str, told: Mapping[str, list[Record]]) -> None:
        """Put on each circuit what its port and its process say."""
        ports = {one.get("name"): one for one in told.get("interface", ())}
        process = next(iter(told.get("isis_instance", ())), {})
        for one in told.get("isis_interface", ()):
            own = {name: process.get(name) for name in ("areas", "level_capability", "net")}
            one.update({name: value for name, value in own.items() if one.get(name) is None})
            one["authentication"] = one.get("authentication") or process.get("authentication")
        circuits = {one.get("name"): one for one in told.get("isis_interface", ())}
        for kind in ("isis_interface", "ldp_interface"):
            for one in told.get(kind, ()):
                port = ports.get(one.get("name"), {})
                names = ("mtu", "oper_state", "admin_state", "addresses", "loopback", "description")
                one.update({name: port.get(name) for name in names if one.get(name) is None})
                one["subnet"] = _subnet(port)
        for one in told.get("isis", ()):
            circuit = circuits.get(one.get("interface"), {})
            one.update({name: value for name, value in circuit.items() if name not in one})
        for one in told.get("interface", ()):
            one["subnet"] = _subnet(one)

    def _name_holders(self, device: str, told: Mapping[str, list[Record]]) -> None:
        """Put on each route to a single address which other device has that address."""
        for route in told.get("route", ()):
            address, _, length = str(route.get("prefix")).partition("/")
            holder = self.owners.get(address) or self.speakers.get(address)
            if length in ("", "32", "128") and holder != device:
                route["holder"] = holder

    # Values of any model

    def _compare_values(self, asked: Sequence[str]) -> None:
        """What is odd among the values of a device is a record, and stands on the port or neighbour that it is of."""
        devices = [
            Device(
                device,
                self.roles.get(device, ""),
                one["values"],
                self._ports(told),
                self._ends(device),
                one["evidence"],
            )
            for device, told in self.facts.items()
            for one in told.get("values", ())
        ]
        for odd in oddities(devices, asked):
            told = self.facts[odd["device"]]
            told.setdefault("odd", []).append(odd)
            for kind in ("interface", "isis_interface", "isis", "ldp_interface", "bgp"):
                for one in told.get(kind, ()):
                    if odd["name"] in (one.get("name"), one.get("interface"), one.get("neighbor_address")):
                        one.setdefault("oddity", odd["cause"])

    def _ports(self, told: Mapping[str, Sequence[Record]]) -> list[str]:
        return [str(one["name"]) for kind in ("interface", "isis_interface") for one in told.get(kind, ())]

    def _ends(self, device: str) -> dict[str, tuple[str, str]]:
        """The far ends of the ports and of the BGP neighbours of a device."""
        ends = {port: (other, far) for port, other, far in self.links.get(device, ())}
        for one in self.facts[device].get("bgp", ()):
            if one.get("far_known"):
                ends[str(one["neighbor_address"])] = (one["far_device"], str(one["far_neighbor_address"]))
        return ends

    # Far ends

    def _twin(self, device: str, kind: str, one: Record) -> Record:
        """What the far end says of the same thing, by names that begin with far_."""
        other, port, found = self._far(device, kind, one)
        if not other:
            return {}
        read = self._was_read(other, kind)
        twin = {f"far_{name}": value for name, value in (found or {}).items()}
        state = self._state(other, kind)
        if kind == "bgp":
            twin |= self._routes(device, other, one)
        return {
            **twin,
            "far_device": other,
            "far_port": port,
            "far_read": read,
            "far_known": found is not None,
            "far_presence": state,
        }

    def _far(self, device: str, kind: str, one: Record) -> tuple[str, str, Record | None]:
        if kind in _ON_PORTS:
            other, port = self.wires.get((device, str(one.get("name"))), ("", ""))
            listed = self.facts.get(other, {}).get(kind, ())
            return other, port, next((it for it in listed if it.get("name") == port), None)
        if kind == "isis":
            other, port = self.wires.get((device, str(one.get("interface"))), ("", ""))
            told = self.facts.get(other, {})
            back = next((it for it in told.get("isis", ()) if it.get("interface") == port), None)
            circuit = next((it for it in told.get("isis_interface", ()) if it.get("name") == port), None)
            return other, port, back or circuit
        if kind == "ldp":
            other = str(self.owners.get(str(one.get("lsr_id"))) or one.get("peer_name") or "")
            listed = self.facts.get(other, {}).get("ldp", ())
            return other, "", next((it for it in listed if self._labels_with(it, device)), None)
        if kind == "bgp":
            other = str(self.owners.get(str(one.get("neighbor_address"))) or one.get("peer_name") or "")
            found = [it for it in self.facts.get(other, {}).get("bgp", ()) if self._speaks_to(it, device)]
            local = one.get("local_address")
            return other, "", next((it for it in found if it.get("neighbor_address") == local), next(iter(found), None))
        return "", "", None

    def _routes(self, device: str, other: str, one: Record) -> Record:
        """Whether either end has routes that it does not announce, and what the far end is."""
        role = self.roles.get(other)
        own, sent, received = self._held(device), one.get("sent") or 0, one.get("received") or 0
        far = self._held(other) if other in self.facts else None
        return {
            "far_others": None if far is None else max(far - sent, 0),
            "has_nothing_else": own is not None and own <= received and self.roles.get(device) != "CE",
            "is_customer": one.get("peer_type") == "EXTERNAL" and self.roles.get(device) not in ("CE", ""),
            "far_reflects": role == "RR" if role else None,
        }

    def _held(self, device: str) -> int | None:
        """How many prefixes a device has in BGP, in its own table and in its VRFs; None where it does not tell."""
        listed = self.facts[device].get("bgp_instance", ())
        counts = [count for one in listed if (count := one.get("total_prefixes")) is not None]
        return sum(counts) if listed and len(counts) == len(listed) else None

    def _speaks_to(self, neighbor: Record, device: str) -> bool:
        return device in (self.owners.get(str(neighbor.get("neighbor_address"))), neighbor.get("peer_name"))

    def _labels_with(self, neighbor: Record, device: str) -> bool:
        return device in (self.owners.get(str(neighbor.get("lsr_id"))), neighbor.get("peer_name"))

    def _was_read(self, device: str, kind: str) -> bool:
        return self._state(device, kind) in ("present", "not_configured", "not_running")

    def _state(self, device: str, kind: str) -> str | None:
        """What was found of a kind of things on a device."""
        topic = kind.removesuffix("_interface").removesuffix("_instance")
        told = self.facts.get(device, {}).get("presence", ())
        return next((one["state"] for one in told if one["kind"] == topic and one["name"] == ""), None)

    def _unread(self, device: str, told: Mapping[str, Sequence[Record]]) -> Iterator[Record]:
        """What is up here, and whose far end could not be read: it may be up at one end only."""
        for kind, name, state, up in (
            ("isis", "interface", "state", "UP"),
            ("ldp", "lsr_id", "session_state", "OPERATIONAL"),
        ):
            for one in told.get(kind, ()):
                far = str(one.get("far_device") or "")
                listed = self.facts.get(far, {}).get("presence", ())
                failed = next((it for it in listed if it["kind"] == kind and it["state"] == "not_readable"), None)
                if one.get(state) == up and failed is not None:
                    yield {
                        "device": device,
                        "what": kind,
                        "name": one.get(name),
                        "topic": kind,
                        "why": failed["why"] or "it did not answer",
                        "far_device": far,
                        "evidence": one.get("evidence", ""),
                    }

    # What is missing

    def _missing(self, device: str) -> Iterator[Record]:
        yield from self._missed_neighbors(device)
        yield from self._missed_circuits(device, "isis")
        yield from self._missed_circuits(device, "ldp")
        yield from self._missed_circuits(device, "mpls")
        yield from self._missed_labels(device)

    def _missed_neighbors(self, device: str) -> Iterator[Record]:
        """The BGP neighbours that have a session towards this device, which has none towards them."""
        if not self._is_there(device, "bgp"):
            return
        own = self.facts[device].get("bgp", ())
        for other, one in self.towards.get(device, {}).items():
            if not any(self._speaks_to(it, other) for it in own):
                yield self._missed(device, "bgp", other, "far end", other, one) | {
                    "state": one.get("session_state"),
                    "address": one.get("local_address"),
                }

    def _missed_circuits(self, device: str, protocol: str) -> Iterator[Record]:
        """The ports whose far end runs a protocol that does not run here."""
        if not self._is_there(device, protocol):
            return
        kind = f"{protocol}_interface"
        own = {str(one.get("name")) for one in self.facts[device].get(kind, ())}
        if not own:
            return
        for port, other, far in self.links.get(device, ()):
            if port in own:
                continue
            listed = self.facts.get(other, {}).get(kind, ())
            there = next((one for one in listed if one.get("name") == far and not one.get("passive")), None)
            if there is not None and there.get("enabled") is not False:
                yield self._missed(device, protocol, port, "far end", other, there) | {"far_port": far}

    def _missed_labels(self, device: str) -> Iterator[Record]:
        """The neighbours with which IS-IS is up and LDP is not, though both run LDP."""
        told = self.facts[device]
        if not self._is_there(device, "ldp") or not told.get("ldp"):
            return
        labelled = {one.get("peer_name") or self.owners.get(str(one.get("lsr_id"))) for one in told.get("ldp", ())}
        circuits = {str(one.get("name")) for one in told.get("ldp_interface", ())}
        for one in told.get("isis", ()):
            port = str(one.get("interface"))
            other, far = self.wires.get((device, port), (str(one.get("who") or ""), ""))
            if one.get("state") != "UP" or other in labelled or port in circuits or not self._speaks_labels(other):
                continue
            if not any(it["what"] == "ldp" and it["name"] == port for it in told.get("missing", ())):
                yield self._missed(device, "ldp", port, "neighbours", other, one) | {"far_port": far}

    def _speaks_labels(self, device: str) -> bool:
        """Whether a device runs LDP, or should."""
        return self._is_there(device, "ldp") or self._expected(device, "ldp") != ""

    def _missed(self, device: str, what: str, name: str, by: str, other: str, one: Record) -> Record:
        return {
            "device": device,
            "what": what,
            "name": name,
            "by": by,
            "far_device": other,
            "evidence": one.get("evidence", ""),
        }

    def _is_there(self, device: str, kind: str) -> bool:
        return self._state(device, kind) == "present"

    def _expect(self, device: str, told: Mapping[str, list[Record]]) -> None:
        """A protocol that is not there and should be is not running, rather than not configured."""
        for one in told.get("presence", ()):
            one.update({"label": LABELS[one["kind"]], "topic": one["kind"]} if one["kind"] in _PROTOCOLS else {})
            if one["kind"] in (*_PROTOCOLS, "mpls", "vrf") and one["state"] == "not_configured" and one["name"] == "":
                why = self._expected(device, one["kind"])
                if why:
                    one.update(state="not_running", why=why)
                    one["text"] = f"{one['text'].replace(' is not configured on ', ' is not running on ')}: {why}"

    def _expected(self, device: str, kind: str) -> str:
        """Why a protocol should run on a device; empty where nothing says so, or it was not read."""
        if device not in self.facts or self._is_there(device, kind):
            return ""
        if _stopped(self.facts.get(device, {}).get("log", ()), kind):
            return "its log tells that the process stopped"
        if self.good.get(device, {}).get(kind, {}).get("records"):
            return "it ran in the last good state"
        told = self.facts[device]
        if kind == "ldp" and "isis" in told and not any(one.get("state") == "UP" for one in told["isis"]):
            return ""  # nobody is there to hear
        if kind == "bgp":
            for other in self.towards.get(device, {}):
                return f"{other} has a session towards it"
        if kind == "isis":
            for _, other, far in self.links.get(device, ()):
                circuits = self.facts.get(other, {}).get("isis_interface", ())
                if any(one.get("name") == far and not one.get("passive") for one in circuits):
                    return f"{other} runs IS-IS on its end of the link"
        peers = [name for name in self.alike.get(self.roles.get(device) or "", ()) if name != device]
        have = [name for name in peers if self._is_there(name, kind)]
        if have and not any(self._was_read(name, kind) and name not in have for name in peers):
            return f"{' and '.join(have[:3])} of the same role {'have' if len(have) > 1 else 'has'} it"
        if (
            kind == "ldp"
            and self.roles.get(device) == "PE"
            and any(self._is_there(other, "ldp") for _, other, _ in self.links.get(device, ()))
        ):
            return "its neighbour runs LDP, and a PE needs labels"
        return ""

    # The last good state

    def _remember(self, device: str, told: dict[str, list[Record]]) -> None:
        for kind, kept in self.good.get(device, {}).items():
            if kind not in told and (kind.endswith("_interface") or not self._was_read(device, kind)):
                continue
            if any(one["kind"] == kind and one["name"] for one in told.get("presence", ())):
                continue  # only some were asked for, by their names
            records = dict(kept["records"])
            for one in told.get(kind, ()):
                was = records.pop(str(one.get(kept["key"])), None)
                if was is not None:
                    one.update({f"was_{name}": value for name, value in was.items()})
                    one["was_at"] = kept["at"]
                    told.setdefault("changed", []).extend(_changes(device, kind, one, was, kept["key"]))
            if kind in told or self._is_there(device, kind):
                for name, was in records.items():
                    told["missing"].append(
                        {
                            "device": device,
                            "what": kind,
                            "topic": TOPICS.get(kind, kind),
                            "label": _LABELS.get(kind, kind),
                            "name": name,
                            "by": "last good state",
                            "was_at": kept["at"],
                            "evidence": "",
                            **{f"was_{key}": value for key, value in was.items()},
                        }
                    )


def _changes(device: str, kind: str, one: Record, was: Mapping[str, Any], key: str) -> Iterator[Record]:
    """What is configured otherwise than in the last good state, each as a record."""
    if kind == "isis_interface" and one.get("oper_state") not in ("UP", None):
        return  # routers tell the defaults of a circuit whose port is down
    for name in CONFIGURED.get(kind, ()):
        now_is, before = one.get(name), was.get(name)
        if before not in (None, []) and now_is is not None and now_is != before:
            yield {
                "device": device,
                "what": kind,
                "name": one.get(key),
                "topic": TOPICS.get(kind, kind),
                "field": name,
                "text": f"{name.replace('_', ' ')} is {_plain(now_is)}, and was {_plain(before)}",
                "was_at": one["was_at"],
                "evidence": one.get("evidence", ""),
            }


def _plain(value: Any) -> str:
    return (", ".join(map(str, value)) or "none") if isinstance(value, list) else str(value)


def _subnet(port: Record) -> str | None:
    for address in port.get("addresses") or ():
        try:
            return str(ip_interface(str(address)).network)
        except ValueError:
            continue
    return None


def _stopped(log: Sequence[Record], kind: str) -> bool:
    return any(one.get("event") == "stopped" and one.get("about") == kind for one in log)
