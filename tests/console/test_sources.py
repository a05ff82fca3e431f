"""The line at the foot of the page: each agent says for itself where it reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from signalbox.console.sources import source_line
from signalbox.contract import Agent, Presented
from signalbox.errors import ConfigurationError
from signalbox.runs import list_agents


def agent(source: Any, data: str = "") -> Agent:
    return Agent("stock", "", (), Path("map.csv"), lambda *_: {}, lambda _: Presented(""), source=source, data=data)


def misconfigured() -> dict[str, str]:
    raise ConfigurationError("STOCK_URL is no web address.")


def test_an_agent_of_ones_own_says_where_it_reads_and_what() -> None:
    live = agent(lambda: {"kind": "live", "system": "list", "address": "http://stock/<1>?key=hunter2"}, "goods")
    assert source_line([live]) == "Connected: goods from <code>http://stock/&lt;1&gt;</code>."


def test_what_is_embedded_is_said_to_be_invented_with_what_connects_ones_own() -> None:
    line = source_line([agent(lambda: {"kind": "embedded", "connect": "STOCK_URL"})])
    assert "embedded demonstration, all of it invented: stock." in line
    assert line.endswith("To connect your own, set <code>STOCK_URL</code>.")


def test_beside_a_connected_system_the_demonstration_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    live = agent(lambda: {"kind": "live", "system": "list"}, "goods")
    demo = agent(lambda: {"kind": "embedded", "connect": "STOCK_URL"})
    line = source_line([live, demo])
    assert line.endswith("Not connected: stock. To connect your own, set <code>STOCK_URL</code>.")
    monkeypatch.setenv("SIGNALBOX_DEMO", "1")
    assert "embedded demonstration, all of it invented: stock." in source_line([live, demo])


def test_agents_that_read_the_same_are_told_once() -> None:
    live = [agent(lambda: {"kind": "live", "address": "http://stock"}, "goods") for _ in range(2)]
    assert source_line(live) == "Connected: goods from <code>http://stock</code>."


def test_agents_without_a_source_or_with_a_wrong_one_leave_the_line_to_the_others() -> None:
    good = agent(lambda: {"kind": "live", "system": "list"})
    assert source_line([agent(None), agent(misconfigured), good]) == "Connected: stock from <code>list</code>."
    assert source_line([agent(None)]) == ""


def test_the_installed_agents_are_connected_by_their_own_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("GRAFANA_URL", "PROMETHEUS_URL", "NETWORK_INVENTORY", "UPGRADE_URL"):
        monkeypatch.delenv(name, raising=False)
    unset = source_line(list_agents())
    assert "Connected" not in unset
    assert [name for name in ("PROMETHEUS_URL", "NETWORK_INVENTORY", "UPGRADE_URL") if name not in unset] == []
    monkeypatch.setenv("PROMETHEUS_URL", "http://reader:hunter2@prometheus.example.org:9090")
    monkeypatch.setenv("UPGRADE_URL", "https://upgrade.example.org")
    monkeypatch.setenv("NETWORK_INVENTORY", str(tmp_path / "inventory.json"))
    connected = source_line(list_agents())
    assert "http://prometheus.example.org:9090<" in connected
    assert "https://upgrade.example.org/api<" in connected
    assert "inventory.json<" in connected
    assert "hunter2" not in connected
    assert "demonstration" not in connected
