"""The inventory says what is wrong with it, and never what its passwords are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signalbox.agents.oncall.gnmi.errors import GnmiError
from signalbox.agents.oncall.gnmi.inventory import Inventory, current_inventory, read_inventory
from signalbox.errors import ConfigurationError, redact

ENTRY = {"name": "pe1", "ip_address": "192.0.2.1", "nos": "iosxr"}


def read(folder: Path, content: Any) -> Inventory:
    path = folder / "hosts.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_inventory(path)


def test_tls_that_is_checked_is_what_a_device_gets(tmp_path: Path) -> None:
    device = read(tmp_path, [ENTRY]).find("pe1")
    assert (device.insecure, device.skip_verify, device.port) == (False, False, 57400)


def test_credentials_come_from_the_environment_where_the_inventory_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GNMI_USERNAME", "ops")
    monkeypatch.setenv("GNMI_PASSWORD", "from-the-environment")
    inventory = read(tmp_path, [ENTRY, {**ENTRY, "name": "pe2", "username": "own", "password": "its-own-password"}])
    assert (inventory.find("pe1").username, inventory.find("pe1").password) == ("ops", "from-the-environment")
    assert inventory.find("pe2").password == "its-own-password"


def test_a_password_is_shown_by_nothing(tmp_path: Path) -> None:
    device = read(tmp_path, [{**ENTRY, "username": "ops", "password": "Tr0ub4dor-and-3"}]).find("pe1")
    assert "Tr0ub4dor" not in repr(device)
    assert "Tr0ub4dor" not in redact("login with Tr0ub4dor-and-3 failed")
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, [{**ENTRY, "password": ["Tr0ub4dor-and-3"]}])
    assert "Tr0ub4dor" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "no JSON"),
        ([], "no list of devices"),
        ({"pe1": {}}, "no list of devices"),
        (["pe1"], "Entry 1"),
        ([{"name": "pe1", "nos": "iosxr"}], "ip_address"),
        ([ENTRY, {**ENTRY, "name": "pe2", "port": 0}], "Entry 2 .*port"),
        ([ENTRY, ENTRY], "twice"),
        ([{**ENTRY, "path_cert": "a.pem"}], "belong together"),
        ([{**ENTRY, "gnmi_timeout": -1}], "gnmi_timeout"),
    ],
)
def test_a_wrong_inventory_says_where(tmp_path: Path, content: Any, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        read(tmp_path, content)


def test_an_unknown_device_is_told_with_the_nearest(tmp_path: Path) -> None:
    inventory = read(tmp_path, [{**ENTRY, "name": name} for name in ("xrd-1", "xrd-2", "core-rtr-1")])
    assert inventory.find(" XRD-2 ").name == "xrd-2"
    with pytest.raises(GnmiError, match="nearest are xrd-1") as caught:
        inventory.find("xrd1")
    assert caught.value.error_type == "not_found"


def test_an_inventory_that_was_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "hosts.json"
    monkeypatch.setenv("NETWORK_INVENTORY", str(path))
    with pytest.raises(ConfigurationError, match="cannot be read"):
        current_inventory()
    path.write_text(json.dumps([ENTRY]))
    assert list(current_inventory().devices) == ["pe1"]
    path.write_text(json.dumps([ENTRY, {**ENTRY, "name": "pe2"}]))
    assert list(current_inventory().devices) == ["pe1", "pe2"]
