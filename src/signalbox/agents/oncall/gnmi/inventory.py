"""The inventory: a JSON list of devices, with how each is reached.

`name`, `ip_address` and `nos` are required; `username` and `password`, or `path_cert` and `path_key`, say who asks, and
where they are left out `GNMI_USERNAME` and `GNMI_PASSWORD` do. TLS with a checked certificate is what a device gets
that says nothing of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rapidfuzz import process

from signalbox.agents.oncall.gnmi.errors import GnmiError
from signalbox.contract.plugins import entry_points
from signalbox.errors import ConfigurationError, hide

__all__ = ["Device", "Inventory", "current_inventory", "read_inventory", "unchanged_inventory"]

VARIABLE = "NETWORK_INVENTORY"
_PORT = 57400


class Device(BaseModel):
    """One device of the inventory."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    name: str = Field(min_length=1)
    ip_address: str = Field(min_length=1)
    nos: str
    port: int = Field(default=_PORT, gt=0, lt=65536)
    username: str | None = Field(default=None, repr=False)
    password: str | None = Field(default=None, repr=False)
    path_cert: str | None = None
    path_key: str | None = None
    path_root: str | None = None
    override: str | None = None
    skip_verify: bool = False
    gnmi_timeout: float | None = Field(default=None, gt=0)
    insecure: bool = False
    role: str | None = None

    @property
    def address(self) -> str:
        host = f"[{self.ip_address}]" if ":" in self.ip_address else self.ip_address
        return f"{host}:{self.port}"


@dataclass(frozen=True)
class Inventory:
    """The devices by name, in the order of the file. `source` is where they come from."""

    source: str
    devices: Mapping[str, Device] = field(default_factory=dict)

    def find(self, name: str) -> Device:
        """The device of that name, in any case. Raises GnmiError `not_found` that names the nearest."""
        folded = {known.casefold(): device for known, device in self.devices.items()}
        found = self.devices.get(name) or folded.get(name.strip().casefold())
        if found:
            return found
        near = [one for one, score, _ in process.extract(name, list(self.devices), limit=3) if score > 60]
        told = f" The nearest are {', '.join(near)}." if near else ""
        raise GnmiError(
            "not_found",
            f"There is no device '{name}' in the inventory.{told}",
            suggestion="get_devices lists the devices that there are.",
        )


def current_inventory() -> Inventory:
    """The inventory that `NETWORK_INVENTORY` names, else the one an installed package offers by the entry point
    `network` in the group `signalbox.addresses`. Raises ConfigurationError where there is none, or it is wrong."""
    path = os.environ.get(VARIABLE, "").strip()
    if not path:
        path = next((str(address()) for address in _offered()), "")
    if not path:
        raise ConfigurationError("No network inventory is set.", suggestion=f"Set {VARIABLE} to the path of one.")
    return _kept(path)


@cache
def _offered() -> list[Callable[[], Any]]:
    """What installed packages offer. To look for it costs twenty milliseconds, and every call of a tool asks."""
    return [one.load() for one in entry_points(group="signalbox.addresses", name="network")]


_last: tuple[tuple[Any, ...], Inventory] | None = None


def unchanged_inventory() -> Inventory | None:
    """The inventory that `NETWORK_INVENTORY` names, where it was read before and has not changed since: no waiting."""
    path = os.environ.get(VARIABLE, "").strip()
    try:
        return _last[1] if path and _last is not None and _last[0] == _key(path) else None
    except OSError:
        return None


def _kept(path: str) -> Inventory:
    """The inventory of a file, read anew only where the file or the credentials have changed."""
    global _last
    try:
        key = _key(path)
    except OSError as error:
        raise ConfigurationError(
            f"The inventory {path} cannot be read: {error.strerror}.", suggestion=f"Correct {VARIABLE}."
        ) from None
    kept = _last
    if kept is None or kept[0] != key:
        kept = (key, read_inventory(path))
        _last = kept
    return kept[1]


def _key(path: str) -> tuple[Any, ...]:
    state = os.stat(path)
    return (path, state.st_mtime_ns, state.st_size, os.environ.get("GNMI_USERNAME"), os.environ.get("GNMI_PASSWORD"))


def read_inventory(path: str | Path) -> Inventory:
    """The inventory in a file. Raises ConfigurationError that names the entry and what is wrong with it."""
    try:
        entries = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"The inventory {path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise ConfigurationError(f"The inventory {path} is no JSON: {error}.") from None
    if not isinstance(entries, list) or not entries:
        raise ConfigurationError(f"The inventory {path} is no list of devices.", suggestion="See docs/gnmi.md.")
    devices: dict[str, Device] = {}
    for number, entry in enumerate(entries, 1):
        device = _device(entry, f"Entry {number} of the inventory {path}")
        if device.name in devices:
            raise ConfigurationError(f"Entry {number} of the inventory {path}: '{device.name}' is there twice.")
        devices[device.name] = device
    return Inventory(str(path), devices)


def _device(entry: Any, where: str) -> Device:
    if not isinstance(entry, dict):
        raise ConfigurationError(f"{where} is no object.", suggestion="See docs/gnmi.md.")
    given = {name: value for name, value in entry.items() if value is not None and value != ""}
    if not given.get("path_cert"):
        for name in ("username", "password"):
            given.setdefault(name, os.environ.get(f"GNMI_{name.upper()}"))
    try:
        device = Device.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(f"{where}: {place}: {first['msg']}.", suggestion="See docs/gnmi.md.") from None
    if bool(device.path_cert) != bool(device.path_key):
        raise ConfigurationError(f"{where}: path_cert and path_key belong together.")
    if device.password:
        hide(device.password)
    return device
