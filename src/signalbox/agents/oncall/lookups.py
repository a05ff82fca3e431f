"""The functions that conditions of checks may call: looking at other records of the same device."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address, ip_interface
from typing import Any

from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.spoken import moment_of
from signalbox.settings import now

__all__ = ["FUNCTIONS", "PATTERNS", "functions_for"]

_DOWN = ("DOWN", "LOWER_LAYER_DOWN", "NOT_PRESENT")
_LONGEST = 2_000


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
        "lost": _lost,
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
        return next((one.get(name) for one in self._network.get(str(device), {}).get(kind, ())), None)

    def elsewhere(self, kind: str, name: str) -> list[Any]:
        """A field of every record of a kind on all other devices; lists are taken apart."""
        own = self._record.get("device")
        found = [one.get(name) for device, told in self._network.items() if device != own for one in told.get(kind, ())]
        return [value for one in found for value in (one if isinstance(one, list) else [one]) if value is not None]

    def namesakes(self, name: str, *shared: str) -> list[Any]:
        """A field of the records of this kind and name on all other devices, of those that share the other fields."""
        mine, key = self._record, self._record.get("name")
        alike = [
            one
            for device, told in self._network.items()
            for one in told.get(self._kind, ())
            if device != mine.get("device") and one.get("name") == key
        ]
        found = [one.get(name) for one in alike if all(one.get(field) == mine.get(field) for field in shared)]
        return [value for one in found for value in (one if isinstance(one, list) else [one]) if value is not None]

    def own(self, kind: str, name: str) -> list[Any]:
        """A field of every record of a kind on this device."""
        return [one.get(name) for one in self._facts.get(kind, ()) if one.get(name) is not None]

    def state_of(self, kind: str) -> Any:
        """What was found of a kind of things on this device: present, not_running, not_configured, …"""
        found = (one for one in self._facts.get("presence", ()) if one["kind"] == kind and not one["name"])
        return next((one["state"] for one in found), None)

    def stopped(self, kind: Any) -> bool:
        """Whether the log of the last day tells that the process of a protocol stopped."""
        for one in self._facts.get("log", ()):
            if one.get("event") == "stopped" and one.get("about") == kind and (_ago(one.get("time")) or 0) < 86400:
                self._cited.append(str(one.get("evidence") or ""))
                return True
        return False

    def state_at(self, device: Any, kind: str) -> Any:
        """What was found of a kind of things on another device."""
        found = (one for one in self._network.get(str(device), {}).get("presence", ()) if one["kind"] == kind)
        return next((one["state"] for one in found), None)

    def identifies(self, addresses: Any) -> bool:
        """Whether one of the addresses is the one by which others know the device; where BGP does not tell, that of its
        only loopback."""
        known = {*self.own("bgp_instance", "router_id"), *self.own("bgp", "local_address")}
        if not known:
            loopbacks = [one for one in self._facts.get("interface", ()) if one.get("loopback") and not one.get("vrf")]
            return len(loopbacks) == 1 and bool(addresses)
        return bool(known & {str(one).partition("/")[0] for one in addresses or ()})

    def announced(self, device: Any, address: Any) -> bool | None:
        """Whether IS-IS runs on the loopback with an address; None where that is not known."""
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
        """Whether hellos were turned down on the circuit for this reason."""
        return bool((self._record.get("hellos_rejected") or {}).get(name))

    def far_logged(self, pattern: str, *words: Any) -> bool:
        """Whether a line of the far end's log of the last day fits the pattern and has every word."""
        told = self._network.get(str(self._record.get("far_device") or ""), {})
        return self._in_log(told.get("log", ()), pattern, words)

    def routed(self, address: Any) -> bool | None:
        """Whether the device has a route to an address; None where it was not looked up."""
        found = (one for one in self._facts.get("presence", ()) if one["kind"] == "route" and one["name"] == address)
        state = next((one["state"] for one in found), None)
        return {"present": True, "not_configured": False, "does_not_exist": False}.get(str(state))

    def others(self, name: str) -> list[Any]:
        """A field of the other records of this kind."""
        return [one.get(name) for one in self._facts.get(self._kind, ()) if one is not self._record]

    def alike(self, name: str, shared: str) -> list[Any]:
        """A field of the other records of this kind that share another field."""
        mine = self._record.get(shared)
        found = [one for one in self._facts.get(self._kind, ()) if one is not self._record and mine is not None]
        return [one.get(name) for one in found if one.get(shared) == mine]

    def logged(self, pattern: str, *words: Any) -> bool:
        """Whether a line of the log of the last day fits the pattern and has every word."""
        return self._in_log(self._facts.get("log", ()), pattern, words)

    def _in_log(self, log: Sequence[Record], pattern: str, words: Sequence[Any]) -> bool:
        if any(not word for word in words):
            return False
        for one in log:
            line, is_recent = str(one.get("text", ""))[:_LONGEST], (_ago(one.get("time")) or 0) < 86400
            fits = is_recent and re.search(pattern, line, re.IGNORECASE) is not None
            if fits and all(_has(line, str(word).casefold()) for word in words):
                self._cited.append(str(one.get("evidence") or ""))
                return True
        return False

    def link_is(self, device: Any, *states: str) -> bool:
        """Whether every link to a device is in one of the states."""
        links = [one for one in self._facts.get("link", ()) if device and one.get("neighbor") == device]
        return bool(links) and all(one.get("state") in states for one in links)

    def answers(self, device: Any) -> bool | None:
        """Whether a neighbouring device answers; None where it is not known."""
        told = [one.get("reachable") for one in self._facts.get("link", ()) if device and one.get("neighbor") == device]
        return None if not told or None in told else any(told)

    def far_end(self, interface: Any, name: str) -> Any:
        """A field of the link at an interface."""
        return next(
            (one.get(name) for one in self._facts.get("link", ()) if one.get("local_interface") == interface), None
        )

    def mtu_differs(self, interface: Any) -> bool:
        """Whether the two ends of the link at an interface have different MTUs."""
        ends = self.far_end(interface, "local_mtu"), self.far_end(interface, "remote_mtu")
        return None not in ends and ends[0] != ends[1]

    def any_mtu_differs(self, names: Any = None) -> bool:
        """Whether a link at one of the interfaces, or at any, has different MTUs at its ends."""
        ports = [one.get("local_interface") for one in self._facts.get("link", ())] if names is None else names
        return any(self.mtu_differs(name) for name in ports or ())

    def port(self, interface: Any, name: str) -> Any:
        """A field of an interface."""
        return self.of("interface", interface, name)

    def of(self, kind: str, called: Any, name: str) -> Any:
        """A field of the record of a kind that is called so on this device."""
        return next((one.get(name) for one in self._facts.get(kind, ()) if one.get("name") == called), None)

    def said(self, pattern: str) -> bool:
        """Whether the last error or the log of either end of a session says so."""
        one = self._record
        errors = (one.get("last_error"), one.get("far_last_error"))
        return (
            any(_matches(text, pattern) for text in errors)
            or self.logged(pattern, one.get("neighbor_address"))
            or self.far_logged(pattern, one.get("far_neighbor_address") or one.get("local_address"))
        )

    def port_with(self, address: Any, name: str) -> Any:
        """A field of the interface whose subnet has an address."""
        try:
            wanted = ip_address(str(address))
        except ValueError:
            return None
        for one in self._facts.get("interface", ()):
            for own in one.get("addresses") or ():
                try:
                    if wanted in ip_interface(str(own)).network:
                        return one.get(name)
                except ValueError:
                    continue
        return None

    def any_port_down(self, names: Any) -> bool:
        """Whether one of the interfaces is down."""
        return any(self.port(name, "oper_state") in _DOWN for name in names or ())

    def any_down(self) -> bool:
        """Whether an interface that should be up, or an adjacency, is down."""
        ports = [
            one
            for one in self._facts.get("interface", ())
            if one.get("admin_state") == "UP" and not one.get("management")
        ]
        adjacent = [one.get("state") for one in self._facts.get("isis", ())]
        lonely = [
            one
            for one in self._facts.get("isis_interface", ())
            if one.get("passive") is False and not one.get("has_adjacency")
        ]
        return (
            any(one.get("oper_state") in _DOWN for one in ports)
            or any(state != "UP" for state in adjacent)
            or bool(lonely)
        )

    def runs_isis(self, interface: Any) -> bool:
        """Whether IS-IS runs on an interface and looks for neighbours there."""
        return any(
            one.get("name") == interface and one.get("passive") is False
            for one in self._facts.get("isis_interface", ())
        )

    def isis_on(self, interface: Any) -> bool:
        """Whether there is an adjacency that is up on an interface."""
        return any(
            one.get("interface") == interface and one.get("state") == "UP" for one in self._facts.get("isis", ())
        )

    def isis_up_with(self, device: Any) -> bool:
        """Whether there is an adjacency that is up with a device."""
        return any(
            device and one.get("who") == device and one.get("state") == "UP" for one in self._facts.get("isis", ())
        )

    def isis_behind(self, names: Any) -> Any:
        """The one device of a link with which there is an adjacency that is up on one of the interfaces."""
        known = {one.get("neighbor") for one in self._facts.get("link", ()) if one.get("known")}
        found = {
            one.get("who")
            for one in self._facts.get("isis", ())
            if one.get("interface") in (names or ()) and one.get("state") == "UP"
        }
        return found.pop() if len(found) == 1 and found <= known else None

    def sessions_down(self) -> int:
        """How many BGP sessions are not established."""
        return sum(one.get("session_state") != "ESTABLISHED" for one in self._facts.get("bgp", ()))

    def system_field(self, name: str) -> Any:
        """A field of the device itself."""
        return next((one.get(name) for one in self._facts.get("system", ())), None)


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


def _lost(before: Any, now_there: Any) -> list[Any]:
    """What was in a list before and is no more."""
    return [] if now_there is None else [one for one in before or () if one not in now_there]


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
