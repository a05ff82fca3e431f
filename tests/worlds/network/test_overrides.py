"""What devices tell can be overridden at any path, in the words of gNMI's Set, and lines put into their logs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import ConfigurationError
from signalbox.worlds.network import World
from signalbox.worlds.network.lookup import find
from signalbox.worlds.network.openconfig import tree
from signalbox.worlds.network.overrides import read_wanted
from signalbox.worlds.network.syslog import log_lines

PORT = "interfaces/interface[name=GigabitEthernet0/0/0/0]"
BGP = "network-instances/network-instance[name=DEFAULT]/protocols/protocol[identifier=BGP]"


@pytest.fixture
def world(set_clock: Callable[[str], None]) -> World:
    set_clock("2026-03-11T09:30:00+00:00")
    return World()


def told(world: World, device: str, *steps: Any) -> list[Any]:
    path = [one if isinstance(one, tuple) else (one, {}) for one in steps]
    return [value for _, value in find(tree(world.router(device)), path)]


def test_a_leaf_is_replaced_on_one_device_alone(world: World) -> None:
    world.override({"device": "pe1", "replace": {f"{PORT}/state/mtu": 1400}})
    port = ("interface", {"name": "GigabitEthernet0/0/0/0"})
    assert told(world, "pe1", "interfaces", port, "state", "mtu") == [1400]
    assert told(world, "pe2", "interfaces", port, "state", "mtu") != [1400]


def test_an_update_keeps_what_it_does_not_name_and_a_replacement_does_not(world: World) -> None:
    world.override({"device": "pe1", "update": {f"{PORT}/state": {"mtu": 1400}}})
    port = ("interface", {"name": "GigabitEthernet0/0/0/0"})
    (state,) = told(world, "pe1", "interfaces", port, "state")
    assert (state["mtu"], state["oper-status"]) == (1400, "UP")
    world.override({"device": "pe1", "replace": {f"{PORT}/state": {"mtu": 1300}}})
    assert told(world, "pe1", "interfaces", port, "state") == [{"mtu": 1300}]


def test_a_list_entry_is_deleted_by_its_keys_whatever_the_prefix_of_its_module(world: World) -> None:
    world.override({"device": "pe1", "delete": [BGP]})
    names = told(world, "pe1", "network-instances", ("network-instance", {"name": "DEFAULT"}), "protocols", "protocol")
    assert [one["identifier"].rpartition(":")[2] for one in names] == ["ISIS"]


def test_what_is_not_there_is_made(world: World) -> None:
    path = "acl/interfaces/interface[id=Gi0]/ingress-acl-sets/ingress-acl-set[set-name=X][type=ACL_IPV4]/state/set-name"
    world.override({"device": "pe1", "replace": {path: "X"}})
    assert told(world, "pe1", "acl", "interfaces", "interface", "ingress-acl-sets", "ingress-acl-set", "state") == [
        {"set-name": "X"}
    ]


def test_the_whole_tree_is_deleted(world: World) -> None:
    world.override({"device": "pe1", "delete": ["/"]})
    assert tree(world.router("pe1")) == {}


def test_a_moment_is_written_as_so_long_ago(world: World) -> None:
    world.override({"device": "pe1", "replace": {f"{PORT}/state/last-change": "ago:60"}})
    (moment,) = told(
        world, "pe1", "interfaces", ("interface", {"name": "GigabitEthernet0/0/0/0"}), "state", "last-change"
    )
    assert moment == "1773221340000000000"


def test_lines_are_put_into_the_log_in_their_order(world: World) -> None:
    lines = ["first", {"ago": 30, "text": "second"}, {"raw": "2026/03/11 09:29:59 ISIS: [AB-CD] third"}]
    world.override({"device": "pe1", "log": lines})
    last = log_lines(world.router("pe1"))[-3:]
    assert last[0].endswith("09:25:00.000 UTC: first ")
    assert last[1].endswith("09:29:30.000 UTC: second ")
    assert last[2].startswith("2026/03/11")


def test_overrides_come_with_the_setting_and_go_with_switching_off(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = ["high_cpu:pe2", {"device": "pe1", "delete": ["lldp"]}]
    monkeypatch.setenv("SIGNALBOX_WORLD_FAULTS", json.dumps(wanted))
    assert "lldp" not in tree(world.router("pe1"))
    assert [str(one) for one in world.faults] == ["high_cpu:pe2"]
    monkeypatch.delenv("SIGNALBOX_WORLD_FAULTS")
    assert "lldp" in tree(world.router("pe1"))
    world.override({"device": "pe1", "delete": ["lldp"]})
    world.switch_off()
    assert "lldp" in tree(world.router("pe1"))


def test_the_file_of_the_setting_may_change_while_the_network_runs(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "faults.json"
    path.write_text("[]")
    monkeypatch.setenv("SIGNALBOX_WORLD_FAULTS", f"@{path}")
    assert "lldp" in tree(world.router("pe1"))
    path.write_text(json.dumps([{"device": "pe1", "delete": ["lldp"]}]))
    assert "lldp" not in tree(world.router("pe1"))


@pytest.mark.parametrize(
    "wrong", [{"device": "nobody"}, {"device": "pe1", "set": {}}, {"delete": ["lldp"]}], ids=["device", "key", "none"]
)
def test_an_override_that_is_none_is_refused_with_what_there_is(world: World, wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError) as refused:
        world.override(wrong)
    assert refused.value.suggestion


def test_a_setting_that_is_no_json_names_itself() -> None:
    with pytest.raises(ConfigurationError, match="SIGNALBOX_WORLD_FAULTS"):
        read_wanted("[{")
