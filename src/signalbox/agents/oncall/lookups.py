"""The functions that conditions of checks may call: looking at other records of the same device."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_interface
from typing import Any

from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.spoken import moment_of
from signalbox.settings import now

__all__ = ["FUNCTIONS", "PATTERNS", "functions_for"]

_DOWN = ("DOWN", "LOWER_LAYER_DOWN", "NOT_PRESENT")
_LONGEST = 2_000
_DAY = 86_400


Facts = Mapping[str, Sequence[Record]]


def functions_for(
    record: Record,
    facts: Facts,
    kind: str,
    network: Mapping[str, Facts] | None = None,
    cited: list[str] | None = None,
) -> dict[str, Callable[..., Any]]:
    """The functions for a condition on one record of a device. `network` are the records of all devices; the evidence
    of what is looked up elsewhere is added to `cited`."""
    look = _Look(record, facts, kind, network or {}, [] if cited is None else cited)
    return {
        **{name: getattr(look, name) for name in _LOOKS},
        "abs": _abs,
        "len": _len,
        "least": lambda values: min(_numbers(values), default=None),
        "most": lambda values: max(_numbers(values), default=None),
        "matches": _matches,
        "ago": _ago,
        "differ": _differ,
        "disjoint": _disjoint,
        "meant_to_be_shut": _meant_to_be_shut,
        "reaches": _reaches,
        "same": _same,
    }


class _Look:
    """One record among those of its device."""

    def __init__(self, record: Record, facts: Facts, kind: str, network: Mapping[str, Facts], cited: list[str]) -> None:
        self._record, self._facts, self._kind, self._network, self._cited = record, facts, kind, network, cited

    def there(self, device: Any, kind: str, name: str) -> Any:
        """A field of the first record of a kind on another device."""
        return _first(self._network.get(str(device), {}).get(kind, ()), name)

    def elsewhere(self, kind: str, name: str) -> list[Any]:
        """A field of every record of a kind on all other devices; lists are taken apart."""
        return _apart(one.get(name) for one in self._on_others(kind))

    def namesakes(self, name: str, *shared: str) -> list[Any]:
        """A field of the records of this kind and name on all other devices, of those that share the other fields."""
        alike = [one for one in self._on_others(self._kind) if self._shares(one, "name", *shared)]
        return _apart(one.get(name) for one in alike)

    def own(self, kind: str, name: str) -> list[Any]:
        """A field of every record of a kind on this device."""
        return [one.get(name) for one in self._facts.get(kind, ()) if one.get(name) is not None]

    def state_of(self, kind: str) -> Any:
        """What was found of a kind of things on this device: present, not_running, not_configured, …"""
        return _first(self._presence(kind, ""), "state")

    def stopped(self, kind: Any) -> bool:
        """True if the log of the last day tells that the process of a protocol stopped."""
        stops = (one for one in self._facts.get("log", ()) if one.get("event") == "stopped")
        return self._cite(one for one in stops if one.get("about") == kind and _is_recent(one))

    def identifies(self, addresses: Any) -> bool:
        """True if one of the addresses is the one by which others know the device; where BGP does not tell, that of its
        only loopback."""
        known = {*self.own("bgp_instance", "router_id"), *self.own("bgp", "local_address")}
        if not known:
            loopbacks = [one for one in self._facts.get("interface", ()) if one.get("loopback") and not one.get("vrf")]
            return len(loopbacks) == 1 and bool(addresses)
        return bool(known & {str(one).partition("/")[0] for one in addresses or ()})

    def announced(self, device: Any, address: Any) -> bool | None:
        """True if IS-IS runs on the loopback with an address; None where that is not known."""
        told = self._network.get(str(device), {})
        circuits = [one.get("name") for one in told.get("isis_interface", ())]
        for port in told.get("interface", ()):
            if port.get("loopback") and _reaches(port.get("addresses"), address) and port.get("addresses"):
                return port.get("name") in circuits if circuits else None
        return None

    def unowned(self) -> list[str]:
        """The addresses that sessions inside the AS run from, and no interface has."""
        own = {str(one).partition("/")[0] for listed in self.own("interface", "addresses") for one in listed}
        inside = [one for one in self._facts.get("bgp", ()) if one.get("peer_type") == "INTERNAL"]
        used = [one.get("local_address") for one in inside]
        if any(one.get("session_state") != "ESTABLISHED" for one in inside):
            # An id that another device has is a duplicate, and no address that was removed here.
            others = self.elsewhere("bgp_instance", "router_id")
            used += [one for one in self.own("bgp_instance", "router_id") if one not in others]
        return [str(one) for one in used if one not in own and re.fullmatch(r"[1-9][\d.]+", str(one))]

    def down_members(self, names: Any) -> list[str]:
        """Which of the interfaces are down."""
        return [name for name in names or () if self.port(name, "oper_state") in _DOWN]

    def rejected_by(self, name: str) -> bool:
        """True if hellos were turned down on the circuit for this reason."""
        return bool((self._record.get("hellos_rejected") or {}).get(name))

    def routed(self, address: Any) -> bool | None:
        """Whether the device has a route to an address; None where it was not looked up."""
        state = _first(self._presence("route", address), "state")
        return {"present": True, "not_configured": False, "does_not_exist": False}.get(str(state))

    def others(self, name: str) -> list[Any]:
        """A field of the other records of this kind."""
        return [one.get(name) for one in self._facts.get(self._kind, ()) if one is not self._record]

    def alike(self, name: str, shared: str) -> list[Any]:
        """A field of the other records of this kind that share another field."""
        others = [one for one in self._facts.get(self._kind, ()) if one is not self._record]
        return [one.get(name) for one in others if self._record.get(shared) is not None and self._shares(one, shared)]

    def logged(self, pattern: str, *words: Any) -> bool:
        """True if a line of the log of the last day fits the pattern and has every word."""
        return self._in_log(self._facts, pattern, words)

    def far_logged(self, pattern: str, *words: Any) -> bool:
        """True if a line of the far end's log of the last day fits the pattern and has every word."""
        return self._in_log(self._network.get(str(self._record.get("far_device") or ""), {}), pattern, words)

    def said(self, pattern: str) -> bool:
        """True if the last error or the log of either end of a session says so."""
        one = self._record
        errors = (one.get("last_error"), one.get("far_last_error"))
        return (
            any(_matches(text, pattern) for text in errors)
            or self.logged(pattern, one.get("neighbor_address"))
            or self.far_logged(pattern, one.get("far_neighbor_address") or one.get("local_address"))
        )

    def link_is(self, device: Any, *states: str) -> bool:
        """True if every link to a device is in one of the states."""
        links = self._to(device)
        return bool(links) and all(one.get("state") in states for one in links)

    def answers(self, device: Any) -> bool | None:
        """Whether a neighbouring device answers; None where it is not known."""
        told = [one.get("reachable") for one in self._to(device)]
        return None if not told or None in told else any(told)

    def far_end(self, interface: Any, name: str) -> Any:
        """A field of the link at an interface."""
        return _first((one for one in self._facts.get("link", ()) if one.get("local_interface") == interface), name)

    def mtu_differs(self, interface: Any) -> bool:
        """True if the two ends of the link at an interface have different MTUs."""
        ends = self.far_end(interface, "local_mtu"), self.far_end(interface, "remote_mtu")
        return None not in ends and ends[0] != ends[1]

    def any_mtu_differs(self, names: Any = None) -> bool:
        """True if a link at one of the interfaces, or at any, has different MTUs at its ends."""
        ports = [one.get("local_interface") for one in self._facts.get("link", ())] if names is None else names
        return any(self.mtu_differs(name) for name in ports or ())

    def port(self, interface: Any, name: str) -> Any:
        """A field of an interface."""
        return self.of("interface", interface, name)

    def of(self, kind: str, called: Any, name: str) -> Any:
        """A field of the record of a kind that is called so on this device."""
        return _first((one for one in self._facts.get(kind, ()) if one.get("name") == called), name)

    def port_with(self, address: Any, name: str) -> Any:
        """A field of the interface whose subnet has an address."""
        try:
            wanted = ip_address(str(address))
        except ValueError:
            return None
        ports = self._facts.get("interface", ())
        return _first((one for one in ports if any(wanted in it for it in _networks(one.get("addresses")))), name)

    def any_down(self) -> bool:
        """True if an interface that should be up, or an adjacency, is down."""
        ports = [one for one in self._facts.get("interface", ()) if one.get("admin_state") == "UP"]
        circuits = [one for one in self._facts.get("isis_interface", ()) if one.get("passive") is False]
        return (
            any(one.get("oper_state") in _DOWN and not one.get("management") for one in ports)
            or any(one.get("state") != "UP" for one in self._facts.get("isis", ()))
            or any(not one.get("has_adjacency") for one in circuits)
        )

    def runs_isis(self, interface: Any) -> bool:
        """True if IS-IS runs on an interface and looks for neighbours there."""
        return self.of("isis_interface", interface, "passive") is False

    def isis_on(self, interface: Any) -> bool:
        """True if there is an adjacency that is up on an interface."""
        return any(one.get("interface") == interface for one in self._adjacent())

    def isis_up_with(self, device: Any) -> bool:
        """True if there is an adjacency that is up with a device."""
        return any(device and one.get("who") == device for one in self._adjacent())

    def isis_behind(self, names: Any) -> Any:
        """The one device of a link with which there is an adjacency that is up on one of the interfaces."""
        known = {one.get("neighbor") for one in self._facts.get("link", ()) if one.get("known")}
        found = {one.get("who") for one in self._adjacent() if one.get("interface") in (names or ())}
        return found.pop() if len(found) == 1 and found <= known else None

    def sessions_down(self) -> int:
        """How many BGP sessions are not established."""
        return sum(one.get("session_state") != "ESTABLISHED" for one in self._facts.get("bgp", ()))

    def system_field(self, name: str) -> Any:
        """A field of the device itself."""
        return _first(self._facts.get("system", ()), name)

    def _on_others(self, kind: str) -> list[Record]:
        own = self._record.get("device")
        return [one for device, told in self._network.items() if device != own for one in told.get(kind, ())]

    def _shares(self, one: Record, *names: str) -> bool:
        return all(one.get(name) == self._record.get(name) for name in names)

    def _presence(self, kind: str, name: Any) -> list[Record]:
        return [one for one in self._facts.get("presence", ()) if one["kind"] == kind and one["name"] == name]

    def _to(self, device: Any) -> list[Record]:
        return [one for one in self._facts.get("link", ()) if device and one.get("neighbor") == device]

    def _adjacent(self) -> list[Record]:
        return [one for one in self._facts.get("isis", ()) if one.get("state") == "UP"]

    def _in_log(self, facts: Facts, pattern: str, words: Sequence[Any]) -> bool:
        if not all(words):
            return False
        recent = ((one, str(one.get("text", ""))[:_LONGEST]) for one in facts.get("log", ()) if _is_recent(one))
        fitting = (one for one, line in recent if _matches(line, pattern) and all(_has(line, str(it)) for it in words))
        return self._cite(fitting)

    def _cite(self, lines: Iterable[Record]) -> bool:
        """True if there is such a line; the first one is cited."""
        found = next(iter(lines), None)
        if found is not None:
            self._cited.append(str(found.get("evidence") or ""))
        return found is not None


def _first(records: Iterable[Record], name: str) -> Any:
    return next((one.get(name) for one in records), None)


def _apart(values: Iterable[Any]) -> list[Any]:
    """The values that are known, lists taken apart."""
    return [value for one in values for value in (one if isinstance(one, list) else [one]) if value is not None]


def _is_recent(line: Record) -> bool:
    return (_ago(line.get("time")) or 0) < _DAY


def _networks(addresses: Any) -> Iterator[IPv4Network | IPv6Network]:
    for one in addresses or ():
        with suppress(ValueError):
            yield ip_interface(str(one)).network


def _has(line: str, word: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(word)}(?![\w]|\.\d)", line, re.IGNORECASE) is not None


def _matches(text: Any, pattern: str) -> bool:
    return text is not None and re.search(pattern, str(text)[:_LONGEST], re.IGNORECASE) is not None


def _numbers(values: Any) -> list[Any]:
    return [value for value in values or () if isinstance(value, int | float)]


def _abs(value: Any) -> Any:
    return abs(value) if isinstance(value, int | float) else None


def _len(value: Any) -> int | None:
    return None if value is None else len(value)


def _differ(one: Any, other: Any) -> bool:
    """Whether two lists that are both known have other things in them."""
    return one is not None and other is not None and set(one) != set(other)


def _disjoint(one: Any, other: Any) -> bool:
    """Whether two lists that are both known share nothing."""
    return bool(one) and bool(other) and not set(one) & set(other)


def _same(one: Any, other: Any) -> list[Any]:
    """What two lists share."""
    return sorted(set(one or ()) & set(other or ()))


def _meant_to_be_shut(description: Any) -> bool:
    """Whether a description says that the thing is not to be used now."""
    return _matches(
        description,
        "decom|decommission|planned|maintenance|reserved|spare|unused|not in use|shut (on purpose|down by)|disabled by",
    )


def _reaches(addresses: Any, address: Any) -> bool:
    """Whether an address is in the subnet of one of the addresses."""
    try:
        return any(ip_address(str(address)) in ip_interface(str(one)).network for one in addresses or ())
    except ValueError:
        return True


def _ago(moment: Any) -> float | None:
    """How many seconds ago a moment was."""
    then = moment_of(moment)
    return None if then is None else (now() - then).total_seconds()


_LOOKS = tuple(name for name in vars(_Look) if not name.startswith("_"))
FUNCTIONS = tuple(functions_for({}, {}, ""))
"""What conditions may call."""
PATTERNS = {"matches": 1, "logged": 0, "far_logged": 0}
"""At which place a function takes a regular expression."""
