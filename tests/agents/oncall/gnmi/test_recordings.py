"""The parsers read what real XRd routers sent. The captures are not in the repository: without them the tests skip."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.agents.oncall.conftest import plan
from tests.agents.oncall.gnmi.targets import replays, target
from tests.agents.oncall.scripted import ScriptedModel

from signalbox.agents.oncall import AGENT
from signalbox.agents.oncall.gnmi.names import Names
from signalbox.agents.oncall.gnmi.parsers.bgp import parse_bgp
from signalbox.agents.oncall.gnmi.parsers.interfaces import parse_interfaces, summarize_interfaces
from signalbox.agents.oncall.gnmi.parsers.isis import parse_isis
from signalbox.agents.oncall.gnmi.parsers.logs import choose_lines, parse_lines
from signalbox.agents.oncall.gnmi.parsers.mpls import parse_ldp, parse_mpls
from signalbox.agents.oncall.gnmi.parsers.system import parse_system
from signalbox.agents.oncall.gnmi.parsers.vrfs import parse_vrfs
from signalbox.agents.oncall.gnmi.paths import read_path
from signalbox.agents.oncall.gnmi.redaction import clean
from signalbox.agents.oncall.gnmi.tree import Tree, plant
from signalbox.agents.oncall.state import start_state
from signalbox.maps import arun_map

FOLDER = next(
    (found for parent in Path(__file__).parents if (found := parent / "shared" / "recordings" / "xrd").is_dir()), None
)


def updates(name: str) -> list[dict[str, Any]]:
    if FOLDER is None:
        pytest.skip("the captures of XRd are not here: put them beside the repository, in shared/recordings/xrd")
    return list(json.loads((FOLDER / name).read_text("utf-8"))["response"])


def recorded(name: str) -> Tree:
    """A capture, put together as the client does it."""
    return plant((read_path(one["path"])[1], one["val"]) for one in updates(name))


def test_interfaces() -> None:
    interfaces = {one["name"]: one for one in parse_interfaces(recorded("interfaces_open_config.json"))}
    port = interfaces["GigabitEthernet0/0/0/0"]
    assert (port["admin_state"], port["oper_state"], port["mtu"], port["ip_mtu"]) == ("UP", "UP", 1514, 1500)
    assert port["addresses"] == ["100.101.103.101/24"]
    assert port["carrier_transitions"] == 1
    assert port["counters"]["in_octets"] == 200056154
    assert port["last_change"] == "2025-04-08T11:18:50.988Z"
    assert interfaces["Loopback0"]["loopback"]
    assert interfaces["MgmtEth0/RP0/CPU0/0"]["management"]
    assert len(interfaces) == 8
    assert summarize_interfaces(list(interfaces.values()))["admin_up_oper_down"] == []


def test_bgp() -> None:
    bgp = parse_bgp(recorded("bgp_open_config.json"), Names())
    assert bgp is not None
    assert [(one["network_instance"], one["as"], one["total_prefixes"]) for one in bgp["instances"]] == [
        ("DEFAULT", 100, 57),
        ("100", 100, 1),
    ]
    first, second = bgp["neighbors"]
    assert (first["neighbor_address"], first["session_state"], first["peer_as"]) == (
        "100.100.100.107",
        "ESTABLISHED",
        100,
    )
    assert first["prefixes"] == []
    assert second["prefixes"] == [
        {
            "afi_safi": "L3VPN_IPV4_UNICAST",
            "enabled": True,
            "active": True,
            "received_before_policy": 1,
            "prefix_limit": None,
            "received": 1,
            "sent": 1,
            "installed": 0,
            "accepted": 1,
        }
    ]
    assert second["last_established"] == "2025-04-08T11:19:35.797Z"
    assert bgp["summary"] == {"total": 2, "established": 2, "not_established": []}


def test_isis() -> None:
    isis = parse_isis(recorded("isis_open_config.json"), Names())
    assert isis is not None
    assert [(one["interface"], one["level"], one["state"]) for one in isis["adjacencies"]] == [
        ("GigabitEthernet0/0/0/0", 1, "UP"),
        ("GigabitEthernet0/0/0/1", 1, "UP"),
    ]
    assert isis["adjacencies"][0]["system_id"] == "0100.0100.0103"
    assert isis["instances"][0]["net"] == ["49.0100.0100.0100.0101.00"]
    assert isis["summary"]["interfaces_without_adjacency"] == []


def test_mpls() -> None:
    tree = recorded("mpls_open_config.json")
    mpls = parse_mpls(tree, Names(), details=True)
    assert mpls is not None
    assert [one["name"] for one in mpls["interfaces"]] == ["GigabitEthernet0/0/0/0", "GigabitEthernet0/0/0/1"]
    assert mpls["segment_routing"] == {"enabled": True, "srgb": [16000, 18000]}
    assert mpls["rsvp"] == {"errors": 0}
    assert parse_ldp(tree, Names()) is None


def test_vrfs() -> None:
    customer, management = parse_vrfs(recorded("vrf_open_config.json"), Names())
    assert customer["name"] == "100"
    assert customer["import_route_targets"] == customer["export_route_targets"] == ["100:100"]
    assert customer["bgp"] == {"as": 100, "total_prefixes": 1, "total_paths": 1}
    assert customer["route_count"] is None
    assert (management["name"], management["protocols"]) == ("Mgmt", ["STATIC"])


def test_the_password_hash_of_a_user_comes_out_of_nothing() -> None:
    tree = recorded("system_open_config.json")
    system = parse_system(tree)
    assert (system["hostname"], system["software_version"]) == ("xrd-9", "24.2.1")
    assert system["users"] == [{"username": "admin", "role": "root-lr"}]
    assert system["boot_time"] == "2025-05-16T07:51:54.000Z"
    secret = str(next(_values(updates("system_open_config.json"), "password-hashed")))
    assert secret not in json.dumps(system)
    assert secret not in json.dumps(tree)
    assert secret not in clean(f"username admin secret 10 {secret} was seen")


def _values(node: Any, name: str) -> Any:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == name:
                yield value
            yield from _values(value, name)
    elif isinstance(node, list):
        for one in node:
            yield from _values(one, name)


def test_logs() -> None:
    assert updates("mpls_open_config.json")
    assert FOLDER is not None
    # This capture has the quotes of its lines as they are: it is no JSON.
    found = re.search(r'"val": "(.*)"\n', (FOLDER / "logs_cli_ascii.json").read_text("utf-8"))
    assert found is not None
    text = found[1].replace("\\n", "\n")
    read = datetime(2025, 4, 23, 15, 40, tzinfo=UTC)
    lines = parse_lines(text, read)
    assert len(lines) > 90
    assert all(line["time"] and line["mnemonic"] for line in lines)
    assert lines == sorted(lines, key=lambda line: line["time"])
    recent, _ = choose_lines(lines, "ADJCHANGE", read.replace(minute=0, hour=15))
    assert [line["text"].rpartition(" (L1) ")[2] for line in recent] == [
        "Down, Interface state down",
        "Up, New adjacency",
    ]
    assert recent[0]["severity"] == 5
    assert recent[0]["process"] == "isis"


@pytest.mark.parametrize(
    "intent", ["general_device_health_check", "review_pe_device", "troubleshoot_vpn_vrf", "check_mpls_state"]
)
async def test_the_whole_agent_raises_no_alarm_on_them_and_shows_no_secret(
    intent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("vrf", "bgp", "interfaces", "isis", "mpls", "system")
    told = [one for name in names for one in updates(f"{name}_open_config.json")]
    secret = str(next(_values(told, "password-hashed")))
    # As the router has it, secrets and all: what keeps them back is what is tested.
    tree: dict[str, Any] = {}
    for one in told:
        _put(tree, read_path(one["path"])[1], one["val"])
    assert secret in json.dumps(tree)
    monkeypatch.setenv("SIGNALBOX_NOW", "2025-05-25T15:53:00Z")
    with target(replays(tree)) as port:
        device = {"name": "xrd-9", "ip_address": "127.0.0.1", "port": port, "nos": "iosxr"}
        path = tmp_path / "inventory.json"
        path.write_text(json.dumps([device | {"username": "u", "password": "p", "insecure": True}]))
        monkeypatch.setenv("NETWORK_INVENTORY", str(path))
        model = ScriptedModel(plan=plan("xrd-9", intent=intent))
        state = (await arun_map(AGENT.map, start_state("check xrd-9"), graph="oncall", model=model)).values
    # It has no BGP neighbour, so that a review of its role can't call it healthy.
    assert state["verdict"] == ("absent" if intent == "review_pe_device" else "healthy"), state["summary"]
    assert [one for one in state["findings"] if one["severity"] != "info"] == []
    assert secret not in json.dumps(state, default=str)
    shown = AGENT.present(state)
    assert secret not in f"{shown.text}{shown.blocks}"
    assert "{" not in shown.text


def _put(tree: dict[str, Any], steps: list[Any], value: Any) -> None:
    """Lay a value at a path of a tree; entries of lists go by their keys."""
    (name, keys), *rest = steps
    if keys:
        entries = tree.setdefault(name, [])
        entry = next((one for one in entries if keys.items() <= one.items()), None)
        if entry is None:
            entries.append(entry := dict(keys))
    else:
        entry = tree.setdefault(name, {})
    if rest:
        _put(entry, rest, value)
    else:
        # Some captures repeat the last name of their path inside the value.
        entry.update(value.get(name, value) if set(value) == {name} else value)
