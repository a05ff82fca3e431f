"""gNMI targets that behave badly, each over real gRPC or a real socket."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pygnmi.spec.v080 import gnmi_pb2, gnmi_pb2_grpc

from signalbox.agents.oncall.gnmi.paths import steps_of
from signalbox.worlds.network.lookup import find

Answer = Callable[[Any, grpc.ServicerContext], Any]


class _Servicer(gnmi_pb2_grpc.gNMIServicer):  # type: ignore[misc]
    def __init__(self, answer: Answer, capabilities: Any) -> None:
        self._answer = answer
        self._capabilities = capabilities

    def Capabilities(self, request: Any, context: grpc.ServicerContext) -> Any:
        return self._capabilities

    def Get(self, request: Any, context: grpc.ServicerContext) -> Any:
        return self._answer(request, context)


@contextmanager
def target(
    answer: Answer, credentials: grpc.ServerCredentials | None = None, capabilities: Any = None
) -> Iterator[int]:
    """A target that answers every Get so; gives its port."""
    server = grpc.server(ThreadPoolExecutor(8))
    gnmi_pb2_grpc.add_gNMIServicer_to_server(_Servicer(answer, capabilities or gnmi_pb2.CapabilityResponse()), server)
    place = "127.0.0.1:0"
    port = server.add_secure_port(place, credentials) if credentials else server.add_insecure_port(place)
    server.start()
    try:
        yield port
    finally:
        server.stop(None).wait(5)


@contextmanager
def raw_target(greeting: bytes) -> Iterator[int]:
    """Something that listens and is no gRPC: it says this to everybody, and nothing more."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        held: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                held.append(connection)
                connection.sendall(greeting)

        threading.Thread(target=accept, daemon=True).start()
        yield int(listener.getsockname()[1])
        listener.shutdown(socket.SHUT_RDWR)
        for one in held:
            one.close()


def says(value: bytes) -> Answer:
    """A target whose answer is this JSON."""
    update = gnmi_pb2.Update(
        path=gnmi_pb2.Path(elem=[gnmi_pb2.PathElem(name="interfaces")]), val=gnmi_pb2.TypedValue(json_ietf_val=value)
    )
    return lambda *_: gnmi_pb2.GetResponse(notification=[gnmi_pb2.Notification(update=[update])])


def replays(tree: Mapping[str, Any]) -> Answer:
    """A target that has this tree, and no log."""

    def answer(request: Any, context: grpc.ServicerContext) -> Any:
        asked = [] if request.encoding == gnmi_pb2.ASCII else request.path
        found = [one for path in asked for one in find(tree, steps_of(request.prefix, path))]
        if not found:
            context.abort(grpc.StatusCode.NOT_FOUND, "the requested path has no data")
        return gnmi_pb2.GetResponse(notification=[_notification(*one) for one in found])

    return answer


def _notification(path: Any, value: Any) -> Any:
    elements = [gnmi_pb2.PathElem(name=name.rpartition(":")[2], key=dict(keys)) for name, keys in path]
    typed = gnmi_pb2.TypedValue(json_ietf_val=json.dumps(value).encode())
    return gnmi_pb2.Notification(update=[gnmi_pb2.Update(path=gnmi_pb2.Path(elem=elements), val=typed)])


def refuses(code: grpc.StatusCode, words: str = "no") -> Answer:
    """A target that gives every call up with this code."""
    return lambda _, context: context.abort(code, words)


def hangs(_: Any, context: grpc.ServicerContext) -> Any:
    """A target that takes every call and never answers."""
    gone = threading.Event()
    context.add_callback(gone.set)
    gone.wait(60)
    return gnmi_pb2.GetResponse()


def self_signed(name: str = "router.example.net") -> tuple[bytes, grpc.ServerCredentials]:
    """A certificate of that name that only itself vouches for, and a server's credentials with it."""
    pem, private = certificate(name)
    return pem, grpc.ssl_server_credentials([(private, pem)])


def certificate(name: str) -> tuple[bytes, bytes]:
    """A certificate of that name that only itself vouches for, and its private key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    today = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = made.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return pem, private
