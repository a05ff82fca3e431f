"""The network on ports of its own: a target for every device, and an inventory that says where each is."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

import grpc
from pygnmi.spec.v080 import gnmi_pb2_grpc

from signalbox.settings import get_settings, now
from signalbox.worlds.incident import incident_before
from signalbox.worlds.network.conditions import incident_conditions
from signalbox.worlds.network.faults import TEMPERS, Fault, conditions_of, faults_set, parse_fault
from signalbox.worlds.network.history import History
from signalbox.worlds.network.model import Model, build_model
from signalbox.worlds.network.overrides import Override, parse_override, read_wanted
from signalbox.worlds.network.router import Router
from signalbox.worlds.network.target import PASSWORD, USERNAME, Target

__all__ = ["World", "open_world", "serve"]

_WORKERS = 64
_GLANCE = 0.05
_OPTIONS = (("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", 4 << 20))


class World:
    """A network that runs. Faults are switched on and off while it does; those of the setting `SIGNALBOX_WORLD_FAULTS`
    come and go with it."""

    def __init__(self, model: Model | None = None, *, host: str = "127.0.0.1", incident: bool = True) -> None:
        self.model = model or build_model()
        self.host = host
        self.opened = now()
        self._past = incident_conditions(incident_before(self.opened)) if incident else []
        self._since: dict[Fault, datetime] = {}
        self._own: set[Fault] = set()
        self._overrides: list[Override] = []
        self._set: tuple[list[Mapping[str, Any]], list[Override]] = ([], [])
        self._history = History(self.model, self._past, self.opened)
        self._lock = Lock()
        self._workers = ThreadPoolExecutor(_WORKERS, "network-world")
        self._servers: dict[str, grpc.Server] = {}
        self._closed = Event()
        self._watch: Thread | None = None
        self.ports: dict[str, int] = {}

    def start(self, port: int = 0) -> None:
        """Listen: on free ports, or from this one on, one a device. Raises OSError where a port is taken."""
        for number, device in enumerate(self.model.devices):
            self._listen(device, port + number if port else 0)
        self.refresh()

    def stop(self) -> None:
        """Close every port."""
        self._closed.set()
        for stopping in [server.stop(None) for server in self._servers.values()]:
            stopping.wait(5)
        self._servers.clear()
        self._workers.shutdown(wait=False, cancel_futures=True)

    def switch_on(self, *faults: str) -> None:
        """Switch faults on. Raises ConfigurationError with what there is."""
        self._own |= {parse_fault(text, self.model) for text in faults}
        self.refresh()

    def override(self, *overrides: Mapping[str, Any]) -> None:
        """Override what devices tell, until all is switched off. Raises ConfigurationError with what is wrong."""
        self._overrides += [parse_override(one, self.model) for one in overrides]

    def switch_off(self, *faults: str) -> None:
        """Switch faults off, without a name all of them, and all overrides; what they did is forgotten."""
        self._own -= {parse_fault(text, self.model) for text in faults} if faults else set(self._own)
        if not faults:
            self._overrides = []
        self.refresh()

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is switched on."""
        return tuple(self._since)

    def router(self, device: str) -> Router:
        """A device as it is now."""
        self.refresh()
        return Router(self._history, device, now(), [*self._overrides, *self._set[1]])

    def refresh(self) -> None:
        """Have the network follow the faults that are switched on."""
        with self._lock:
            wanted_overrides = read_wanted(get_settings().world_faults)[1]
            if wanted_overrides != self._set[0]:
                self._set = (wanted_overrides, [parse_override(one, self.model) for one in wanted_overrides])
            moment, told = now(), faults_set(self.model)
            wanted = {**{fault: self._since.get(fault, moment) for fault in self._own}, **told}
            if wanted == self._since:
                return
            self._since = dict(sorted(wanted.items(), key=lambda one: str(one[0])))
            caused = [one for fault, seen in self._since.items() for one in conditions_of(fault, seen)]
            self._history = History(self.model, [*self._past, *caused], self.opened)
            self._follow(self._history.at(moment).off)

    def inventory(self) -> list[dict[str, object]]:
        """The devices in gNMIBuddy's format, which says no roles: a device shows its own by what it runs."""
        return [
            {
                "name": device.name,
                "ip_address": self.host,
                "port": self.ports[device.name],
                "nos": "iosxr",
                "username": USERNAME,
                "password": PASSWORD,
                "insecure": True,
            }
            for device in self.model.devices.values()
        ]

    def _follow(self, off: set[str]) -> None:
        """A device that is off listens no more."""
        for device, port in self.ports.items():
            if device in off and device in self._servers:
                self._servers.pop(device).stop(None)
            elif device not in off and device not in self._servers:
                self._listen(device, port)
        if off and not (self._watch and self._watch.is_alive()):
            self._watch = Thread(target=self._wait_for_power, name="network-world-power", daemon=True)
            self._watch.start()

    def _wait_for_power(self) -> None:
        """A device that is off takes no call that could tell it of the setting: somebody has to look."""
        while len(self._servers) < len(self.ports) and not self._closed.wait(_GLANCE):
            self.refresh()

    def _listen(self, device: str, port: int) -> None:
        server = grpc.server(self._workers, options=_OPTIONS)
        target = Target(lambda: self.router(device), lambda: self._temper(device))
        gnmi_pb2_grpc.add_gNMIServicer_to_server(target, server)
        try:
            self.ports[device] = server.add_insecure_port(f"{self.host}:{port}")
        except RuntimeError:
            raise OSError(98, f"port {port} cannot be used") from None
        server.start()
        self._servers[device] = server

    def _temper(self, device: str) -> str:
        self.refresh()
        return next((one.kind for one in self._since if one.device == device and one.kind in TEMPERS), "")


@contextmanager
def open_world(
    faults: Iterable[str] = (),
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    model: Model | None = None,
    incident: bool = True,
) -> Iterator[World]:
    """The network with these faults, on its ports until the block ends."""
    world = World(model, host=host, incident=incident)
    try:
        world.start(port)
        world.switch_on(*faults)
        yield world
    finally:
        world.stop()


@contextmanager
def serve(host: str = "127.0.0.1", port: int = 0, *, faults: Iterable[str] = ()) -> Iterator[str]:
    """Serve the network until the block ends; gives the path of its inventory.

    Port 0 takes free ports, any other is the first of as many as there are devices. Raises OSError where one is taken.
    """
    with (
        open_world(faults, host=host, port=port) as world,
        tempfile.TemporaryDirectory(prefix="signalbox-network-") as folder,
    ):
        path = Path(folder) / "inventory.json"
        path.touch(mode=0o600)
        path.write_text(json.dumps(world.inventory(), indent=1), "utf-8")
        yield str(path)
