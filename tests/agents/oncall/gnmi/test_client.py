"""The client tells nine kinds of failure apart, within its deadline, and reads whatever else is there."""

from __future__ import annotations

import ast
import asyncio
import inspect
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from pygnmi.spec.v080 import gnmi_pb2
from tests.agents.oncall.gnmi.targets import certificate, hangs, raw_target, refuses, says, self_signed, target
from tests.conftest import free_port

import signalbox.agents.oncall as room
from signalbox.agents.oncall.gnmi.client import MOST_CALLS_OF_A_DEVICE, GnmiClient
from signalbox.agents.oncall.gnmi.errors import KINDS, GnmiError
from signalbox.agents.oncall.gnmi.inventory import Device
from signalbox.worlds.network import World

INTERFACES = "openconfig-interfaces:interfaces"


@pytest.fixture
async def client() -> AsyncIterator[GnmiClient]:
    made = GnmiClient(deadline=5.0)
    yield made
    await made.close()


def device(port: int, **more: Any) -> Device:
    return Device(**({"name": "r1", "ip_address": "127.0.0.1", "nos": "iosxr", "port": port, "insecure": True} | more))


async def kind_of(client: GnmiClient, asked: Device) -> str:
    with pytest.raises(GnmiError) as caught:
        await client.get(asked, INTERFACES)
    assert caught.value.error_type in KINDS
    assert caught.value.suggestion
    return caught.value.error_type


async def test_nothing_listens(client: GnmiClient) -> None:
    assert await kind_of(client, device(free_port())) == "refused"


async def test_a_device_that_hangs_costs_its_own_deadline(client: GnmiClient) -> None:
    with target(hangs) as port:
        assert await kind_of(client, device(port, gnmi_timeout=0.3)) == "timeout"


async def test_however_much_is_asked_of_a_device_that_hangs_it_costs_one_deadline(client: GnmiClient) -> None:
    """Calls that wait behind those that hang end with them, and do not begin to hang in their turn."""
    taken: list[Any] = []

    def hang(request: Any, context: grpc.ServicerContext) -> Any:
        taken.append(request)
        return hangs(request, context)

    with target(hang) as port:
        asked = device(port, gnmi_timeout=0.5)
        found = await asyncio.gather(*(client.get(asked, INTERFACES) for _ in range(20)), return_exceptions=True)
    assert [one.error_type for one in found if isinstance(one, GnmiError)] == ["timeout"] * 20
    # Those that come to the front in the last moment have no time left.
    assert len(taken) <= 2 * MOST_CALLS_OF_A_DEVICE


async def test_a_device_that_hangs_keeps_nobody_else_waiting(client: GnmiClient) -> None:
    with target(hangs) as slow, target(says(b'{"interface": []}')) as quick:
        stuck = [asyncio.create_task(client.get(device(slow, name=f"s{n}"), INTERFACES)) for n in range(3)]
        assert await client.get(device(quick, name="q"), INTERFACES) == {"interfaces": {"interface": []}}
        assert not any(task.done() for task in stuck)
        for task in stuck:
            task.cancel()
        await asyncio.gather(*stuck, return_exceptions=True)


async def test_who_stops_waiting_cancels_the_call_on_the_wire(client: GnmiClient) -> None:
    taken, gone = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def notice(request: Any, context: grpc.ServicerContext) -> Any:
        context.add_callback(lambda: loop.call_soon_threadsafe(gone.set))
        loop.call_soon_threadsafe(taken.set)
        return hangs(request, context)

    with target(notice) as port:
        task = asyncio.create_task(client.get(device(port), INTERFACES))
        await asyncio.wait_for(taken.wait(), 5)
        task.cancel()
        await asyncio.wait_for(gone.wait(), 5)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, "auth"),
        (grpc.StatusCode.PERMISSION_DENIED, "auth"),
        (grpc.StatusCode.NOT_FOUND, "not_found"),
        (grpc.StatusCode.UNIMPLEMENTED, "unsupported"),
        (grpc.StatusCode.INVALID_ARGUMENT, "unsupported"),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "rate_limited"),
        (grpc.StatusCode.INTERNAL, "unavailable"),
        (grpc.StatusCode.UNKNOWN, "unavailable"),
    ],
)
async def test_what_a_device_says_is_kept_apart(client: GnmiClient, code: grpc.StatusCode, kind: str) -> None:
    with target(refuses(code)) as port:
        assert await kind_of(client, device(port)) == kind


async def test_a_wrong_password_is_told_and_not_shown(client: GnmiClient, world: World) -> None:
    entry = Device(**(world.inventory()[0] | {"password": "not-the-password"}))  # type: ignore[arg-type]
    with pytest.raises(GnmiError) as caught:
        await client.get(entry, INTERFACES)
    assert caught.value.error_type == "auth"
    assert "not-the-password" not in f"{caught.value} {caught.value.details} {caught.value!r}"


@pytest.mark.parametrize("value", [b"{{{", b"\xff\xfe\x00", b"", b'{"interface": ', b"[" * 100_000])
async def test_garbage_in_an_answer_is_a_parse_error(client: GnmiClient, value: bytes) -> None:
    with target(says(value)) as port:
        assert await kind_of(client, device(port)) == "parse"


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n", b"\x00" * 64])
async def test_what_is_no_grpc_is_told_within_the_deadline(client: GnmiClient, greeting: bytes) -> None:
    with raw_target(greeting) as port:
        assert await kind_of(client, device(port)) == "parse"


async def test_a_certificate_that_nobody_vouches_for_is_refused_by_default(client: GnmiClient) -> None:
    _, credentials = self_signed()
    with target(says(b"{}"), credentials) as port:
        assert await kind_of(client, device(port, insecure=False)) == "tls"


async def test_a_certificate_of_another_name_is_refused(client: GnmiClient, tmp_path: Path) -> None:
    pem, credentials = self_signed("router.example.net")
    (tmp_path / "root.pem").write_bytes(pem)
    with target(says(b"{}"), credentials) as port:
        trusted = {"insecure": False, "path_root": str(tmp_path / "root.pem")}
        assert await kind_of(client, device(port, **trusted)) == "tls"
        named = device(port, **trusted, override="router.example.net")
        assert await client.get(named, INTERFACES) == {"interfaces": {}}


async def test_tls_is_checked_no_further_only_where_the_inventory_says_so(client: GnmiClient) -> None:
    _, credentials = self_signed()
    with target(says(b"{}"), credentials) as port:
        assert await client.get(device(port, insecure=False, skip_verify=True), INTERFACES) == {"interfaces": {}}


async def test_plain_text_where_tls_is_expected_is_a_tls_error(client: GnmiClient) -> None:
    with target(says(b"{}")) as port:
        assert await kind_of(client, device(port, insecure=False)) == "tls"
        assert await kind_of(client, device(port, insecure=False, skip_verify=True)) == "tls"


async def test_a_client_certificate_opens_a_device_that_asks_for_one(client: GnmiClient, tmp_path: Path) -> None:
    server_pem, server_key = certificate("router.example.net")
    own_pem, own_key = certificate("collector.example.net")
    files = {"path_root": server_pem, "path_cert": own_pem, "path_key": own_key}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    wants_one = grpc.ssl_server_credentials([(server_key, server_pem)], own_pem, require_client_auth=True)
    more = {"insecure": False, "override": "router.example.net", "path_root": str(tmp_path / "path_root")}
    with target(says(b"{}"), wants_one) as port:
        assert await kind_of(client, device(port, **more)) in ("tls", "unavailable")
        own = {name: str(tmp_path / name) for name in ("path_cert", "path_key")}
        assert await client.get(device(port, name="r2", **more, **own), INTERFACES) == {"interfaces": {}}


async def test_a_root_that_is_not_there_is_named(client: GnmiClient) -> None:
    with pytest.raises(GnmiError, match="/nowhere/root"):
        await client.get(device(1, insecure=False, path_root="/nowhere/root.pem"), INTERFACES)


async def test_all_notifications_of_an_answer_are_read(client: GnmiClient) -> None:
    def answer(*_: Any) -> Any:
        def one(name: str) -> Any:
            steps = [gnmi_pb2.PathElem(name="interfaces"), gnmi_pb2.PathElem(name="interface", key={"name": name})]
            value = gnmi_pb2.TypedValue(json_ietf_val=b'{"state": {"mtu": 9000}}')
            return gnmi_pb2.Notification(update=[gnmi_pb2.Update(path=gnmi_pb2.Path(elem=steps), val=value)])

        return gnmi_pb2.GetResponse(notification=[one("a"), one("b"), one("c")])

    with target(answer) as port:
        tree = await client.get(device(port), INTERFACES)
    assert [one["name"] for one in tree["interfaces"]["interface"]] == ["a", "b", "c"]


async def test_one_channel_serves_every_call_and_survives_a_restart_of_the_device(client: GnmiClient) -> None:
    peers: list[str] = []

    def answer(_: Any, context: grpc.ServicerContext) -> Any:
        peers.append(context.peer())
        return says(b"{}")(_, context)

    with target(answer) as port:
        asked = device(port)
        for _ in range(5):
            await client.get(asked, INTERFACES)
    assert len(set(peers)) == 1
    assert await kind_of(client, asked) == "refused"


async def test_a_device_that_writes_only_plain_json_is_read(client: GnmiClient) -> None:
    asked: list[int] = []

    def answer(request: Any, context: grpc.ServicerContext) -> Any:
        asked.append(request.encoding)
        if request.encoding != gnmi_pb2.JSON:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "encoding")
        return says(b"{}")(request, context)

    told = gnmi_pb2.CapabilityResponse(supported_encodings=[gnmi_pb2.JSON], gNMI_version="0.7.0")
    with target(answer, capabilities=told) as port:
        for _ in range(2):
            assert await client.get(device(port), INTERFACES) == {"interfaces": {}}
    assert asked == [gnmi_pb2.JSON_IETF, gnmi_pb2.JSON, gnmi_pb2.JSON]


async def test_a_device_that_moved_is_read_where_it_is_now(client: GnmiClient) -> None:
    with (
        target(says(b'{"interface": [{"name": "old"}]}')) as old,
        target(says(b'{"interface": [{"name": "new"}]}')) as new,
    ):
        for port, name in ((old, "old"), (new, "new"), (old, "old")):
            tree = await client.get(device(port), INTERFACES)
            assert tree["interfaces"]["interface"][0]["name"] == name


def test_there_is_no_set_in_the_code() -> None:
    """Nothing in the room names the call that writes."""
    folder = Path(inspect.getfile(room)).parent if room.__file__ else Path(next(iter(room.__path__)))
    named = [
        f"{path.name}:{node.lineno}"
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.Attribute) and node.attr in ("Set", "SetRequest"))
        or (isinstance(node, ast.Constant) and node.value in ("Set", "SetRequest"))
    ]
    assert named == []
