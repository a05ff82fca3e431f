"""Live or embedded: what is used, what is set aside, and what an answer shows of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.contract import Agent, Presented
from signalbox.contract import installed as installed_module
from signalbox.contract.answer import notes_of
from signalbox.contract.installed import InstalledAgent, list_agents
from signalbox.contract.sources import is_set_aside, joined, kind_in_use, set_aside, source_of
from signalbox.errors import ConfigurationError

LIVE = {"kind": "live", "system": "prometheus", "address": "http://p:9090"}
DEMO = {"kind": "embedded", "system": "gnmi", "address": "", "connect": "NETWORK_INVENTORY"}


def agent(name: str, source: Any, **given: Any) -> Agent:
    return Agent(name, "", (), Path("map.csv"), lambda *_: {}, lambda _: Presented(""), source=source, **given)


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def put(*agents: Agent) -> None:
        found = tuple(InstalledAgent(one.name, "test", one) for one in agents)
        monkeypatch.setattr(installed_module, "_installed", lambda: found)

    return put


def test_without_a_connection_the_demonstrations_are_used(install: Callable[..., None]) -> None:
    install(agent("a", lambda: DEMO), agent("b", lambda: DEMO))
    assert (kind_in_use(), set_aside()) == ("embedded", [])


def test_one_real_system_sets_the_demonstrations_aside(
    install: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    install(agent("a", lambda: LIVE), agent("b", lambda: DEMO), agent("c", None))
    assert kind_in_use() == "live"
    assert [is_set_aside(one) for one in list_agents()] == [False, True, False]
    monkeypatch.setenv("SIGNALBOX_DEMO", "1")
    assert (kind_in_use(), set_aside()) == ("embedded", [])


def test_a_persons_own_things_are_neither(install: Callable[..., None]) -> None:
    install(agent("tasks", lambda: LIVE, has_system=False), agent("b", lambda: DEMO))
    assert (kind_in_use(), set_aside()) == ("embedded", [])


def test_a_connection_that_is_set_wrongly_does_not_bring_the_demonstrations_back(install: Callable[..., None]) -> None:
    def wrong() -> dict[str, str]:
        raise ConfigurationError("GRAFANA_URL is no web address.")

    install(agent("a", wrong), agent("b", lambda: DEMO))
    assert [one.name for one in set_aside()] == ["b"]


def test_an_agent_whose_source_breaks_breaks_only_itself(install: Callable[..., None]) -> None:
    install(agent("a", lambda: 1 / 0), agent("b", lambda: DEMO))
    assert source_of(list_agents()[0]) is None
    assert kind_in_use() == "embedded"


@pytest.mark.parametrize(
    ("setting", "value", "aside"),
    [
        ("PROMETHEUS_URL", "http://p:9090", ["experiments", "oncall"]),
        ("GRAFANA_URL", "http://g:3000", ["experiments", "oncall"]),
        ("GRAFANA_URL", "no address", ["experiments", "oncall"]),
        ("NETWORK_INVENTORY", "/etc/inventory.json", ["experiments", "metrics"]),
        ("SIGNALBOX_ONCALL_SERVER", '{"gNMIBuddy": {"url": "http://b:1/mcp"}}', ["experiments", "metrics"]),
        ("UPGRADE_URL", "https://u/api", ["metrics", "oncall"]),
    ],
)
def test_each_setting_that_connects_a_system_sets_the_others_aside(
    monkeypatch: pytest.MonkeyPatch, setting: str, value: str, aside: list[str]
) -> None:
    assert set_aside() == []
    monkeypatch.setenv(setting, value)
    assert [one.name for one in set_aside()] == aside


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("PROMETHEUS_URL", "http://ann:hunter2@p:9090/?token=hunter2"),
        ("UPGRADE_URL", "https://ann:hunter2@u/api?token=hunter2"),
        ("SIGNALBOX_ONCALL_SERVER", '{"gNMIBuddy": {"url": "http://ann:hunter2@b:1/mcp?token=hunter2"}}'),
        ("SIGNALBOX_ONCALL_SERVER", '{"gNMIBuddy": {"command": "buddy", "args": ["--password", "hunter2"]}}'),
    ],
)
def test_no_address_shows_credentials(monkeypatch: pytest.MonkeyPatch, setting: str, value: str) -> None:
    monkeypatch.setenv(setting, value)
    told = [source_of(one) for one in list_agents()]
    assert any(one["kind"] == "live" and one["address"] for one in told if one)
    assert "hunter2" not in str(told)


def test_several_sources_are_named_each_with_its_address() -> None:
    other = {"kind": "live", "system": "gnmi", "address": "/etc/inventory.json"}
    told = joined([LIVE, other, LIVE])
    assert told is not None
    assert (told["kind"], told["parts"]) == ("live", [LIVE, other])
    assert notes_of((), told) == ["Source: prometheus at http://p:9090; gnmi at /etc/inventory.json"]
    demo = joined([DEMO, {**DEMO, "system": "grafana", "address": "http://127.0.0.1:1", "connect": "GRAFANA_URL"}])
    assert notes_of((), demo) == [
        "Source: the embedded demonstration, all of it invented (gnmi, grafana). "
        "NETWORK_INVENTORY, GRAFANA_URL connect your own."
    ]
    assert joined([]) is None
