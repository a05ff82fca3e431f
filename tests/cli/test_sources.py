"""A newcomer connects a real Prometheus: no answer mixes it with the demonstration, and each says where it is from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

import pytest

Cli = Callable[..., Any]
NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
NAME = "http_request_latency_seconds"


def latencies() -> Iterator[str]:
    """Four days of two services, of which one was slow yesterday for three quarters of an hour."""
    yield f"# HELP {NAME} Latency of HTTP requests, 95th percentile.\n# TYPE {NAME} gauge\n"
    end = int(NOW.timestamp())
    slow = range(int(NOW.replace(day=10, hour=14, minute=0).timestamp()), end, 60)[:45]
    for service in ("ledger-api", "billing-api"):
        for moment in range(end - 4 * 86_400, end, 60):
            value = 1.4 if service == "ledger-api" and moment in slow else 0.1 + (moment // 60 % 7) / 1000
            yield f'{NAME}{{service="{service}"}} {value} {moment}\n'
    yield "# EOF\n"


@pytest.fixture(scope="module")
def prometheus(start_prometheus: Callable[..., AbstractContextManager[str]] | None) -> Iterator[str | None]:
    if start_prometheus is None:
        yield None
        return
    with start_prometheus(latencies()) as url:
        yield url


@pytest.fixture(autouse=True)
def connected(
    prometheus: str | None, require_part: Callable[[str, bool], None], monkeypatch: pytest.MonkeyPatch
) -> str:
    require_part("prometheus is not installed: apt-get install prometheus", prometheus is not None)
    assert prometheus is not None
    monkeypatch.setenv("SIGNALBOX_NOW", NOW.isoformat())
    monkeypatch.setenv("PROMETHEUS_URL", prometheus.replace("://", "://joe:hunter2@"))
    return prometheus


def test_a_real_latency_is_not_blamed_on_the_demonstration(signalbox: Cli, connected: str) -> None:
    done = signalbox("ask", "why was ledger-api slow yesterday?", "--json")
    assert done.code == 0
    assert done.json["route"]["to"] == "investigate"
    assert done.json["source"] == {"kind": "live", "system": "prometheus", "address": connected}
    assert "ledger-api rose" in done.json["answer"]
    assert "Its cause is not known" in done.json["answer"]
    assert "network devices: not connected (NETWORK_INVENTORY)" in done.json["answer"]
    assert not [word for word in ("hunter2", "flap", "invented", "xrd") if word in done.out]


def test_a_person_sees_where_an_answer_is_from(signalbox: Cli, connected: str) -> None:
    out = signalbox("investigate", "why was ledger-api slow yesterday?").out
    assert out.rstrip().endswith(f"Source: prometheus at {connected}")


@pytest.mark.parametrize(
    ("request_", "setting"), [("check BGP on pe1", "NETWORK_INVENTORY"), ("list my A/B experiments", "UPGRADE_URL")]
)
def test_what_only_a_demonstration_could_answer_names_the_setting(signalbox: Cli, request_: str, setting: str) -> None:
    done = signalbox("ask", request_, "--json")
    assert (done.code, done.json["agent"], done.json["route"]["to"]) == (1, "frontdoor", "unsupported")
    assert done.json["error"]["error_type"] == "not_connected"
    assert setting in done.json["error"]["suggestion"]


def test_the_demonstration_answers_who_names_its_agent_and_says_so(signalbox: Cli) -> None:
    done = signalbox("ask", "check BGP on pe1", "--agent", "oncall")
    assert "Source: the embedded demonstration, all of it invented. NETWORK_INVENTORY connects your own." in done.out


def test_an_error_names_its_source(signalbox: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMETHEUS_URL", "http://joe:hunter2@127.0.0.1:9")
    done = signalbox("ask", "latency of ledger-api", "--agent", "metrics", "--json")
    assert done.json["status"] == "error"
    assert done.json["source"] == {"kind": "live", "system": "prometheus", "address": "http://127.0.0.1:9"}
    assert "Source: prometheus at http://127.0.0.1:9" in signalbox("ask", "latency", "--agent", "metrics").err


def test_doctor_and_the_list_of_agents_say_what_is_connected(signalbox: Cli, connected: str) -> None:
    checks = {check["name"]: check["told"] for check in signalbox("doctor", "--json").json["checks"]}
    assert checks["sources"] == f"live: prometheus at {connected}"
    assert checks["oncall"].startswith("not connected: set NETWORK_INVENTORY.")
    agents = {one["name"]: one for one in signalbox("agents", "--json").json}
    assert [name for name, one in agents.items() if one["set_aside"]] == ["experiments", "oncall"]
    assert agents["metrics"]["source"]["address"] == connected
