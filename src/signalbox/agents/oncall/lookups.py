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


def functions_for(record: Record, facts: Mapping[str, Sequence[Record]], kind: str) -> dict[str, Callable[..., Any]]:
    """The functions for a condition on one record of a device."""
    look = _Look(record, facts, kind)
    names = [name for name in dir(look) if not name.startswith("_")]
    return {
        **{name: getattr(look, name) for name in names},
        "abs": _abs,
        "len": _len,
        "most": _most,
        "matches": _matches,
        "ago": _ago,
    }


class _Look:
    """One record among those of its device."""

    def __init__(self, record: Record, facts: Mapping[str, Sequence[Record]], kind: str) -> None:
        self._record, self._facts, self._kind = record, facts, kind

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
        if any(not word for word in words):
            return False
        said = [str(word).casefold() for word in words]
        lines = [
            str(one.get("text", ""))[:_LONGEST]
            for one in self._facts.get("log", ())
            if (_ago(one.get("time")) or 0) < 86400
        ]
        return any(re.search(pattern, line, re.IGNORECASE) and all(_has(line, word) for word in said) for line in lines)

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
        return next((one.get(name) for one in self._facts.get("interface", ()) if one.get("name") == interface), None)

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


def _most(values: Any) -> Any:
    numbers = [value for value in values or () if isinstance(value, int | float)]
    return max(numbers, default=None)


def _abs(value: Any) -> Any:
    return abs(value) if isinstance(value, int | float) else None


def _len(value: Any) -> int | None:
    return None if value is None else len(value)


def _ago(moment: Any) -> float | None:
    """How many seconds ago a moment was."""
    then = moment_of(moment)
    return None if then is None else (now() - then).total_seconds()


FUNCTIONS = tuple(functions_for({}, {}, ""))
"""What conditions may call."""
PATTERNS = {"matches": 1, "logged": 0}
"""At which place a function takes a regular expression."""
