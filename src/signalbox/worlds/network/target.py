"""A gNMI target: Capabilities, Get and Subscribe ONCE of one router. Set is refused."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import grpc
from pygnmi.spec.v080 import gnmi_pb2, gnmi_pb2_grpc

from signalbox.worlds.network.command_line import run_command
from signalbox.worlds.network.lookup import Step, bare, find
from signalbox.worlds.network.openconfig import MODELS, TOPS, tree
from signalbox.worlds.network.router import Router
from signalbox.worlds.network.syslog import log_lines
from signalbox.worlds.network.values import nanoseconds

__all__ = ["PASSWORD", "USERNAME", "Target"]

USERNAME, PASSWORD = "signalbox", "demonstration"
_PATIENCE = 120.0
_READABLE = (gnmi_pb2.JSON, gnmi_pb2.JSON_IETF)


class Target(gnmi_pb2_grpc.gNMIServicer):  # type: ignore[misc]
    """Serves the router that `look` gives, anew for every call. `temper` says how it behaves: well, or `hanging`,
    `garbage` or `lying`."""

    def __init__(self, look: Callable[[], Router], temper: Callable[[], str]) -> None:
        self._look = look
        self._temper = temper

    def Capabilities(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._admit(context)
        return gnmi_pb2.CapabilityResponse(
            supported_models=[
                gnmi_pb2.ModelData(name=name, organization="OpenConfig working group", version=version)
                for name, version in MODELS
            ],
            supported_encodings=[gnmi_pb2.JSON_IETF, gnmi_pb2.JSON, gnmi_pb2.ASCII],
            gNMI_version="0.8.0",
        )

    def Get(self, request: Any, context: grpc.ServicerContext) -> Any:
        router = self._admit(context)
        if request.encoding == gnmi_pb2.ASCII:
            return gnmi_pb2.GetResponse(notification=[_command(router, path, context) for path in request.path])
        if request.encoding not in _READABLE:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "the encodings are JSON_IETF, JSON and, for commands, ASCII")
        found = [
            one
            for path in request.path
            for one in self._read(router, [*request.prefix.elem, *path.elem], request.encoding, context)
        ]
        if not found:
            wanted = next((path.elem[-1].name for path in request.path if path.elem), "/")
            context.abort(grpc.StatusCode.NOT_FOUND, f"Requested element(s) not found: '{bare(wanted)}'")
        return gnmi_pb2.GetResponse(notification=[_notification(router, found)])

    def Set(self, request: Any, context: grpc.ServicerContext) -> Any:
        context.abort(grpc.StatusCode.PERMISSION_DENIED, "this target is read-only")

    def Subscribe(self, requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        router = self._admit(context)
        wanted = next(requests).subscribe
        if wanted.mode != gnmi_pb2.SubscriptionList.ONCE:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "only the mode ONCE is served")
        for subscription in wanted.subscription:
            steps = [*wanted.prefix.elem, *subscription.path.elem]
            found = list(self._read(router, steps, wanted.encoding, context))
            if found:
                yield gnmi_pb2.SubscribeResponse(update=_notification(router, found))
        yield gnmi_pb2.SubscribeResponse(sync_response=True)

    def _admit(self, context: grpc.ServicerContext) -> Router:
        told = dict(context.invocation_metadata())
        if (told.get("username"), told.get("password")) != (USERNAME, PASSWORD):
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "authentication failed")
        if self._temper() == "hanging":
            gone = threading.Event()
            context.add_callback(gone.set)
            gone.wait(_PATIENCE)
        return self._look()

    def _read(self, router: Router, elements: Any, encoding: int, context: grpc.ServicerContext) -> Iterator[Any]:
        steps: list[Step] = [(one.name, dict(one.key)) for one in elements]
        told = tree(router)
        if steps and bare(steps[0][0]) not in {*TOPS, *told}:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"unknown path element '{steps[0][0]}'")
        for path, value in find(told, steps):
            yield _update(path, self._told(value), encoding)

    def _told(self, value: Any) -> bytes:
        if self._temper() == "garbage":
            return b"\x00\xff{{{ not JSON"
        if self._temper() == "lying":
            value = _nonsense(value)
        return json.dumps(value).encode()


def _nonsense(value: Any) -> Any:
    """The same shape where lists are numbers and containers are text: what a broken agent on a router sends."""
    if isinstance(value, dict):
        return {name: _nonsense(one) for name, one in value.items()} if len(value) > 1 else "none"
    return 7 if isinstance(value, list) else ["?"]


def _update(path: list[Step], value: bytes, encoding: int) -> Any:
    elements = [
        gnmi_pb2.PathElem(name=bare(name), key={key: _plain_key(one) for key, one in keys.items()})
        for name, keys in path
    ]
    typed = (
        gnmi_pb2.TypedValue(json_val=value) if encoding == gnmi_pb2.JSON else gnmi_pb2.TypedValue(json_ietf_val=value)
    )
    return gnmi_pb2.Update(path=gnmi_pb2.Path(origin="openconfig", elem=elements), val=typed)


def _plain_key(value: str) -> str:
    """A key as the platform writes it: an identity without its module."""
    return bare(value) if value.startswith("openconfig-") else value


def _notification(router: Router, updates: Iterable[Any]) -> Any:
    """All that was found in one notification, as the platform sends it: clients that read the first alone miss none."""
    return gnmi_pb2.Notification(timestamp=int(nanoseconds(router.clock)), update=updates)


def _command(router: Router, path: Any, context: grpc.ServicerContext) -> Any:
    """What a command line prints."""
    line = "/".join(one.name for one in path.elem)
    try:
        text = run_command(line, log_lines(router))
    except ValueError as error:
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
    update = gnmi_pb2.Update(path=path, val=gnmi_pb2.TypedValue(ascii_val=text))
    return gnmi_pb2.Notification(timestamp=time.time_ns(), update=[update])
