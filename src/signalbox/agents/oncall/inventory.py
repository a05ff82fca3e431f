"""The devices there are, as `get_devices` tells of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["ROLES", "UNREAD", "Device", "key", "parts", "read_devices", "role_of"]

ROLES = {"PE": "provider edge", "P": "core", "RR": "route reflector", "CE": "customer edge"}
UNREAD = "cannot be read"
"""The state of a device of which nothing says the role, because it could not be read."""


@dataclass(frozen=True, slots=True)
class Device:
    """One device of the inventory. `role` is PE, P, RR or CE, or empty where nothing says it: `roles.py` reads it."""

    name: str
    ip_address: str = ""
    nos: str = ""
    role: str = ""
    state: str = ""

    @property
    def about(self) -> str:
        """What the inventory says of the device: role, address, platform and state."""
        return ", ".join(filter(None, (self.role, self.ip_address, self.nos, self.state)))


def read_devices(answer: Any) -> list[Device]:
    """The devices in what `get_devices` gave, in its order, whatever it wraps them in."""
    found: dict[str, Device] = {}
    for entry in _entries(answer):
        name = str(entry.get("name") or entry.get("device_name") or "").strip()
        if name:
            given = str(entry.get("ip_address") or entry.get("address") or "")
            told = role_of(str(entry.get("role") or ""))
            state = str(entry.get("state") or entry.get("status") or "")
            found.setdefault(name, Device(name, given, str(entry.get("nos") or ""), told, state))
    return list(found.values())


def role_of(told: str) -> str:
    """The role as PE, P, RR or CE, from its letters or its words; empty for anything else."""
    plain = re.sub(r"[^a-z]+", " ", told.casefold()).strip()
    words = {role.casefold(): role for role in ROLES} | {said: role for role, said in ROLES.items()}
    return words.get(plain, "")


def _entries(answer: Any) -> Sequence[Mapping[str, Any]]:
    if isinstance(answer, Mapping):
        for key in ("devices", "data", "result"):
            if key in answer:
                return _entries(answer[key])
        return [{"name": name, **value} for name, value in answer.items() if isinstance(value, Mapping)]
    if isinstance(answer, Sequence) and not isinstance(answer, str):
        return [one if isinstance(one, Mapping) else {"name": one} for one in answer]
    return []


def parts(name: str) -> tuple[str, ...]:
    """A name as its runs of letters and of digits, without what stands between: core-rtr-02 is core, rtr, 2."""
    runs = re.findall(r"[^\W\d_]+|\d+", name.casefold())
    return tuple(run.lstrip("0") or "0" if run.isdigit() else run for run in runs)


def key(name: str) -> tuple[str, ...]:
    """What all spellings of a name share: its parts, letters beside letters joined."""
    made: list[str] = []
    for run in parts(name):
        if made and not run.isdigit() and not made[-1].isdigit():
            made[-1] += run
        else:
            made.append(run)
    return tuple(made)
