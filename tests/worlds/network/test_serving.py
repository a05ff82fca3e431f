"""The network speaks gNMI: the client that engineers use reads it, and nothing writes to it."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import grpc
import pytest
from pygnmi.client import gNMIclient, gNMIException

from signalbox.worlds.network import World, open_world, serve
from signalbox.worlds.network.command_line import run_command


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with open_world() as opened:
        yield opened


def client(world: World, device: str, **more: Any) -> gNMIclient:
    entry = next(one for one in world.inventory() if one["name"] == device)
    target = (entry["ip_address"], entry["port"])
    return gNMIclient(
        **({"target": target, "username": entry["username"], "password": entry["password"], "insecure": True} | more)
    )


def test_pygnmi_reads_capabilities_and_every_model(world: World) -> None:
    with client(world, "xrd-1") as session:
        told = session.capabilities()
        assert told["gnmi_version"] == "0.8.0"
        assert "json_ietf" in told["supported_encodings"]
        for model in told["supported_models"]:
            root = {"openconfig-network-instance": "network-instances", "openconfig-platform": "components"}.get(
                model["name"], model["name"].removeprefix("openconfig-")
            )
            assert session.get(path=[f"{model['name']}:{root}"], encoding="json_ietf")["notification"]


def test_pygnmi_reads_everything_that_paths_match_in_one_notification(world: World) -> None:
    instances = "openconfig-network-instance:network-instances/network-instance[name=*]"
    with client(world, "xrd-2") as session:
        answer = session.get(path=[f"{instances}/state/name", f"{instances}/protocols/protocol/bgp/global/state/as"])
    (notification,) = answer["notification"]
    updates = notification["update"]
    assert [one["val"] for one in updates[:4]] == ["DEFAULT", "CUST-A", "SHOP", "Mgmt"]
    assert "network-instance[name=DEFAULT]/protocols/protocol[identifier=BGP]" in updates[4]["path"]


def test_pygnmi_reads_one_entry_by_its_key(world: World) -> None:
    with client(world, "core-rtr-1") as session:
        answer = session.get(path=["openconfig-interfaces:interfaces/interface[name=Loopback0]/state/oper-status"])
    assert [update["val"] for one in answer["notification"] for update in one["update"]] == ["UP"]


# pygnmi reads in a thread of its own, which it does not end before it closes the channel under it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_pygnmi_subscribes_once(world: World) -> None:
    wanted = {
        "subscription": [{"path": "openconfig-system:system/state", "mode": "target_defined"}],
        "mode": "once",
        "encoding": "json_ietf",
    }
    with client(world, "pe1") as session:
        answers = list(session.subscribe2(subscribe=wanted))
    assert answers[0]["update"]["update"][0]["val"]["hostname"] == "pe1"
    assert answers[-1] == {"sync_response": True}


def test_pygnmi_reads_the_log_as_a_command(world: World) -> None:
    with client(world, "pe1") as session:
        answer = session.get(path=["show logging"], encoding="ascii")
        assert "%ROUTING-ISIS" in answer["notification"][0]["update"][0]["val"]
        with pytest.raises(gNMIException, match="invalid command"):
            session.get(path=["show running-config"], encoding="ascii")


def test_a_log_is_filtered_as_on_the_command_line() -> None:
    log = ["a-3-UPDOWN : one", "b-6-INFO : two", "c-5-BGP : three, logged", "d-5-BGP : four | five"]

    def shown(line: str) -> list[str]:
        return run_command(line, log).splitlines()[2:]

    assert shown("show logging ") == log
    assert shown("show logging | utility egrep '(-[1-5]-|ISIS)' | utility egrep -v logged ") == [log[0], log[3]]
    assert shown("show logging | include 'four | five'") == [log[3]]
    assert shown("show logging | utility egrep -i bgp") == log[2:]
    assert shown("show logging | exclude BGP") == log[:2]
    for wrong in ("show version", "show logging | utility wc", "show logging | include '", "show logging | include ("):
        with pytest.raises(ValueError, match="invalid"):
            run_command(wrong, log)


def test_nothing_can_be_set(world: World) -> None:
    with client(world, "pe1") as session, pytest.raises(gNMIException, match="read-only"):
        session.set(update=[("openconfig-system:system/config", {"hostname": "mine"})])


def test_a_wrong_password_gets_nothing(world: World) -> None:
    with pytest.raises(gNMIException, match="authentication failed"), client(world, "pe1", password="guess") as session:
        session.get(path=["openconfig-interfaces:interfaces"])


def test_an_unknown_path_and_an_empty_one_are_told_apart(world: World) -> None:
    with client(world, "xrd-7") as session:
        with pytest.raises(gNMIException, match="unknown path element 'acl'"):
            session.get(path=["openconfig-acl:acl"])
        with pytest.raises(gNMIException, match=r"Requested element\(s\) not found: 'mpls'"):
            session.get(path=["openconfig-network-instance:network-instances/network-instance[name=DEFAULT]/mpls"])


def test_a_device_that_is_off_listens_no_more_and_comes_back(world: World) -> None:
    def answers(patience: float = 20.0) -> bool:
        port = world.ports["xrd-6"]
        with grpc.insecure_channel(f"127.0.0.1:{port}", options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
            try:
                grpc.channel_ready_future(channel).result(timeout=patience)
            except grpc.FutureTimeoutError:
                return False
            return True

    assert answers()
    world.switch_on("unreachable:xrd-6")
    assert not answers(patience=1.0)
    world.switch_off()
    assert answers()


def test_serving_gives_the_path_of_an_inventory_that_only_its_owner_can_read() -> None:
    with serve() as address:
        entries = json.loads(Path(address).read_text())
        assert Path(address).stat().st_mode & 0o077 == 0
        assert len(entries) == 12
        known = {"name", "ip_address", "nos", "port", "username", "password", "insecure"}
        assert all(set(entry) == known for entry in entries), "gNMIBuddy rejects an inventory with any other field"
    assert not Path(address).exists()


def _free_in_a_row(count: int) -> int:
    """The first of so many free ports, below those that the system hands out."""
    for first in range(20_000, 32_000, count):
        with ExitStack() as held:
            try:
                for port in range(first, first + count):
                    held.enter_context(closing(socket.socket())).bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    raise AssertionError("there are no free ports in a row")


def test_ports_are_counted_from_the_one_that_is_given() -> None:
    first = _free_in_a_row(12)
    with serve(port=first) as address:
        assert [entry["port"] for entry in json.loads(Path(address).read_text())] == list(range(first, first + 12))
        with pytest.raises(OSError, match=f"port {first} cannot be used"), serve(port=first):
            pass


def test_the_world_is_known_by_its_name(set_clock: Callable[[str], None]) -> None:
    from importlib.metadata import entry_points

    (one,) = entry_points(group="signalbox.worlds", name="network")
    assert one.load() is serve
