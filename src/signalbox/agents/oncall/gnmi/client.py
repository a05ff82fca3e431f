"""A gNMI client that reads: one channel held for each device, a deadline for each call, a cap on how many run at once.

Calls are gRPC futures that the event loop awaits: nothing blocks, and who stops waiting cancels the call on the wire.
There is no Set here, and none can be made with it.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import grpc
from pygnmi.spec.v080 import gnmi_pb2, gnmi_pb2_grpc

from signalbox.agents.oncall.gnmi.errors import GnmiError, error_of
from signalbox.agents.oncall.gnmi.inventory import Device
from signalbox.agents.oncall.gnmi.paths import Step, steps_of, to_message
from signalbox.agents.oncall.gnmi.tree import Tree, plant

__all__ = ["GnmiClient"]

DEADLINE = 10.0
MOST_CALLS = 32
MOST_CALLS_OF_A_DEVICE = 6
_LARGEST_ANSWER = 64 << 20
_OPTIONS = (
    ("grpc.max_receive_message_length", _LARGEST_ANSWER),
    # Devices of different trust never share a connection, and one that is back is found at once.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.enable_http_proxy", 0),
)


class GnmiClient:
    """Reads devices. `deadline` is for a device whose inventory entry has no `gnmi_timeout`."""

    def __init__(self, *, deadline: float = DEADLINE, most_calls: int = MOST_CALLS) -> None:
        self._deadline = deadline
        self._most_calls = most_calls
        self._all = asyncio.Semaphore(most_calls)
        self._each: dict[str, asyncio.Semaphore] = {}
        self._timed_out: dict[str, float] = {}
        self._channels: dict[str, tuple[Device, grpc.Channel, Any]] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._encodings: dict[str, int] = {}

    async def get(self, device: Device, *paths: str) -> Tree:
        """What a device has at these paths, as one tree. Raises GnmiError."""
        wanted = [to_message(path, device.nos) for path in paths]
        encoding = self._encodings.get(device.address, gnmi_pb2.JSON_IETF)
        try:
            answer = await self._call(device, "Get", gnmi_pb2.GetRequest(path=wanted, encoding=encoding))
        except GnmiError as error:
            other = await self._encoding(device) if error.error_type == "unsupported" else encoding
            if other == encoding:
                raise
            answer = await self._call(device, "Get", gnmi_pb2.GetRequest(path=wanted, encoding=other))
        return plant(_updates(device.name, answer))

    async def _encoding(self, device: Device) -> int:
        """The kind of JSON that a device writes: asked once, when it first says that it does not do something."""
        if device.address not in self._encodings:
            told = (await self.capabilities(device))["encodings"]
            plain = "json" in told and "json_ietf" not in told
            self._encodings[device.address] = gnmi_pb2.JSON if plain else gnmi_pb2.JSON_IETF
        return self._encodings[device.address]

    async def command(self, device: Device, line: str) -> str:
        """What a command prints, where a platform takes commands over gNMI. The line is one of ours, never a person's.

        Raises GnmiError.
        """
        elements = [gnmi_pb2.PathElem(name=line)]
        for origin in ("", "cli"):
            request = gnmi_pb2.GetRequest(path=[gnmi_pb2.Path(origin=origin, elem=elements)], encoding=gnmi_pb2.ASCII)
            try:
                answer = await self._call(device, "Get", request)
            except GnmiError as error:
                if origin or not error.is_absence:
                    raise
            else:
                return "\n".join(str(value) for _, value in _updates(device.name, answer))
        raise AssertionError("the last origin raises or returns")

    async def capabilities(self, device: Device) -> dict[str, Any]:
        """The version, models and encodings of a device. Raises GnmiError."""
        answer = await self._call(device, "Capabilities", gnmi_pb2.CapabilityRequest())
        return {
            "gnmi_version": answer.gNMI_version,
            "models": [{"name": one.name, "version": one.version} for one in answer.supported_models],
            "encodings": [gnmi_pb2.Encoding.Name(one).lower() for one in answer.supported_encodings],
        }

    async def close(self) -> None:
        """Close every channel; a call after that opens a new one."""
        while self._channels:
            self._channels.popitem()[1][1].close()
        self._all = asyncio.Semaphore(self._most_calls)
        self._each.clear()
        self._opening.clear()

    async def _call(self, device: Device, method: str, request: Any) -> Any:
        """One call, with a deadline from when it is made. A device that hangs costs one deadline, however much is asked
        of it: what waited behind a call that timed out is not tried any more."""
        seconds = device.gnmi_timeout or self._deadline
        each = self._each.setdefault(device.name, asyncio.Semaphore(MOST_CALLS_OF_A_DEVICE))
        asked = monotonic()
        async with each, self._all:
            if self._timed_out.get(device.name, asked) > asked:
                raise error_of(device.name, grpc.StatusCode.DEADLINE_EXCEEDED, "", seconds)
            try:
                async with asyncio.timeout(seconds):
                    return await self._try_again(device, method, request, seconds)
            except TimeoutError:
                found = error_of(device.name, grpc.StatusCode.DEADLINE_EXCEEDED, "", seconds)
            except GnmiError as error:
                found = error
            if found.error_type == "timeout":
                self._timed_out[device.name] = monotonic()
            raise found

    async def _try_again(self, device: Device, method: str, request: Any, seconds: float) -> Any:
        """A channel held while the device restarted its service fails once, and a read may be repeated."""
        try:
            return await self._try(device, method, request, seconds)
        except GnmiError as error:
            if error.error_type != "unavailable":
                raise
        return await self._try(device, method, request, seconds)

    async def _try(self, device: Device, method: str, request: Any, seconds: float) -> Any:
        try:
            stub = await self._stub(device)
            call = getattr(stub, method).future(request, timeout=seconds, metadata=_credentials(device))
            return await _awaited(call)
        except grpc.RpcError as error:
            found = error_of(device.name, error.code(), error.details() or "", seconds)
            if found.error_type in ("tls", "refused"):
                # Neither a replaced certificate nor a device that is back should wait until this channel tries again.
                # It is not closed here: other calls may still be on it.
                self._channels.pop(device.name, None)
            raise found from None

    async def _stub(self, device: Device) -> Any:
        """The held channel of a device; another entry of the inventory under its name gets another."""
        async with self._opening.setdefault(device.name, asyncio.Lock()):
            kept = self._channels.get(device.name)
            if kept is None or kept[0] != device:
                channel = await _open(device)
                if kept:
                    kept[1].close()
                kept = self._channels[device.name] = (device, channel, gnmi_pb2_grpc.gNMIStub(channel))
            return kept[2]


async def _awaited(call: Any) -> Any:
    """The result of a gRPC future; who stops waiting cancels the call."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()

    def settle() -> None:
        if not done.done():
            done.set_result(None)

    def finished(_: Any) -> None:
        with suppress(RuntimeError):  # the loop may be gone before the call is
            loop.call_soon_threadsafe(settle)

    call.add_done_callback(finished)
    try:
        await done
    except asyncio.CancelledError:
        call.cancel()
        raise
    return call.result()


def _credentials(device: Device) -> tuple[tuple[str, str], ...]:
    given = (("username", device.username), ("password", device.password))
    return tuple((name, value) for name, value in given if value)


async def _open(device: Device) -> grpc.Channel:
    if device.insecure:
        return grpc.insecure_channel(device.address, options=_OPTIONS)
    name = device.override
    if device.skip_verify:
        offered, found = await asyncio.to_thread(_offered_certificate, device)
        name = name or found
    roots = offered if device.skip_verify else _file(device, device.path_root)
    credentials = grpc.ssl_channel_credentials(roots, _file(device, device.path_key), _file(device, device.path_cert))
    options = (*_OPTIONS, *((("grpc.ssl_target_name_override", name),) if name else ()))
    return grpc.secure_channel(device.address, credentials, options=options)


def _file(device: Device, path: str | None) -> bytes | None:
    if path is None:
        return None
    try:
        return Path(path).expanduser().read_bytes()
    except OSError as error:
        raise GnmiError(
            "tls",
            f"The file {path} of {device.name} cannot be read: {error.strerror}.",
            suggestion="Correct the inventory.",
        ) from None


def _offered_certificate(device: Device) -> tuple[bytes, str]:
    """The certificate that a device offers, taken as it is because its inventory entry says so, and the name in it."""
    from cryptography import x509

    try:
        text = ssl.get_server_certificate((device.ip_address, device.port), timeout=5.0)
    except ConnectionRefusedError:
        raise error_of(device.name, grpc.StatusCode.UNAVAILABLE, "connection refused", 5.0) from None
    except TimeoutError:
        raise error_of(device.name, grpc.StatusCode.DEADLINE_EXCEEDED, "", 5.0) from None
    except (OSError, ValueError):
        raise error_of(device.name, grpc.StatusCode.UNAVAILABLE, "ssl handshake failed", 5.0) from None
    certificate = x509.load_pem_x509_certificate(text.encode())
    with suppress(x509.ExtensionNotFound):
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        for name in names.get_values_for_type(x509.DNSName):
            return text.encode(), name
    common = certificate.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
    return text.encode(), str(common[0].value) if common else device.ip_address


def _updates(device: str, answer: Any) -> Iterable[tuple[list[Step], Any]]:
    """Every update of every notification."""
    for notification in answer.notification:
        for update in notification.update:
            yield steps_of(notification.prefix, update.path), _value(device, update.val)


def _value(device: str, typed: Any) -> Any:
    kind = typed.WhichOneof("value")
    if kind is None:
        return None
    value = getattr(typed, kind)
    if kind in ("json_ietf_val", "json_val"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            raise GnmiError("parse", f"{device} answers with something that is no JSON.") from None
    if kind == "leaflist_val":
        return [_value(device, one) for one in value.element]
    if kind == "decimal_val":
        return value.digits / 10**value.precision
    if kind in ("bytes_val", "proto_bytes", "any_val"):
        raise GnmiError("unsupported", f"{device} answers in an encoding that was not asked for.")
    return value
