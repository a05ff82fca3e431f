"""`/metrics`; every query of the dashboard and the alert rules that are delivered is run in a real Prometheus."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from tests.conftest import free_port

from signalbox.errors import LLMAPIError
from signalbox.models import load_chat_model
from signalbox.service.figures import serve_figures
from signalbox.service.tokens import make_token

from .conftest import ANN, token

DEPLOY = Path(__file__).parents[2] / "deploy"


@pytest.fixture
def operator() -> str:
    return make_token(ANN, scopes=["operator"])


def test_what_is_carried_is_for_operators(address: str, ann: httpx.Client, operator: str, folder: Path) -> None:
    ann.post("/runs/wait", json={"assistant_id": "Hello", "input": {"name": "Ann"}})
    (folder / "go").touch()
    ann.post("/runs/wait", json={"assistant_id": "Slow", "input": {"name": "Ann"}})
    for headers in ({}, {"Authorization": f"Bearer {token(ANN)}"}):
        told = httpx.get(f"{address}/metrics", headers=headers).text
        assert "signalbox_requests_total" in told
        assert "signalbox_runs_total" not in told
        assert "signalbox_queue" not in told
    told = httpx.get(f"{address}/metrics", headers={"Authorization": f"Bearer {operator}"}).text
    assert 'signalbox_runs_total{agent="Hello",status="completed"}' in told
    assert 'signalbox_nodes_total{agent="Hello",node="Greet",outcome="ok"}' in told
    assert 'signalbox_tool_calls_total{tool="note",outcome="ok"}' in told
    assert 'signalbox_queue_runs{state="waiting"} 0' in told
    assert "Ann" not in told


def test_on_postgresql_the_queue_is_everybodys(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, operator: str
) -> None:
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", request.getfixturevalue("postgres").database())
    serve = request.getfixturevalue("serve")
    with serve(carries=False) as place:
        headers = {"Authorization": f"Bearer {operator}"}
        for _ in range(3):
            httpx.post(f"{place}/runs", json={"assistant_id": "Hello", "input": {"name": "x"}}, headers=headers)
        told = httpx.get(f"{place}/metrics", headers=headers).text
        assert 'signalbox_queue_runs{state="waiting"} 3' in told
        assert 'signalbox_workers{state="alive"} 0' in told
        assert float(re.search(r"^signalbox_queue_oldest_seconds (\S+)", told, re.M)[1]) >= 0  # type: ignore[index]


def test_a_worker_gives_its_own_figures() -> None:
    port = free_port()
    serve_figures(f"127.0.0.1:{port}")
    assert "signalbox_queue_up 1" in httpx.get(f"http://127.0.0.1:{port}/metrics").text
    assert httpx.get(f"http://127.0.0.1:{port}/other").status_code == 404


@pytest.fixture
def watched(address: str, operator: str, tmp_path: Path, start_prometheus: Any) -> Iterator[str]:
    """A real Prometheus that scrapes the service every second, with what is delivered but for places and times."""
    if start_prometheus is None:
        pytest.skip("Prometheus is not installed: apt-get install prometheus")
    told = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text("utf-8"))
    (tmp_path / "token").write_text(operator)
    told["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    own = told["scrape_configs"][0]
    own["authorization"] = {"credentials_file": str(tmp_path / "token")}
    own["static_configs"] = [{"targets": [address.removeprefix("http://")]}]
    told["rule_files"] = [str(DEPLOY / "prometheus" / "alerts.yml")]
    with start_prometheus(config=yaml.safe_dump(told)) as place:
        yield place


def dashboard_queries() -> list[str]:
    panels = json.loads((DEPLOY / "grafana" / "signalbox.json").read_text("utf-8"))["panels"]
    return [target["expr"] for panel in panels for target in panel.get("targets", [])]


def alert_queries() -> list[str]:
    """What the rules look at, without what they compare it with."""
    groups = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text("utf-8"))["groups"]
    found = [rule["expr"] for group in groups for rule in group["rules"]]
    return [re.sub(r"\s*(==|>)\s*[\d.]+$", "", one) for one in found]


def test_every_query_of_dashboard_and_rules_finds_something_in_a_real_prometheus(
    watched: str, ann: httpx.Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "go").touch()
    monkeypatch.setenv("SIGNALBOX_RATE_LIMIT", "1000000")
    waiting = [one.replace("$__rate_interval", "1m") for one in (*dashboard_queries(), *alert_queries())]
    assert len(waiting) >= 25
    deadline = time.monotonic() + 60
    while waiting and time.monotonic() < deadline:
        _do_something_of_everything(ann, monkeypatch)
        waiting = [query for query in waiting if not _result(watched, query)]
    assert waiting == []
    rules = httpx.get(f"{watched}/api/v1/rules").json()["data"]["groups"][0]["rules"]
    assert {rule["health"] for rule in rules} <= {"ok", "unknown"}


def _do_something_of_everything(ann: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that complete and fail, tools, models that answer and fail, requests that are refused."""
    ann.post("/runs/wait", json={"assistant_id": "Hello", "input": {"name": "x"}})
    ann.post("/runs/wait", json={"assistant_id": "Broken", "input": {"name": "x"}})
    ann.post("/runs/wait", json={"assistant_id": "Slow", "input": {"name": "x"}})
    ann.post(f"/api/{ANN}/chat", json={"message": "break"})
    load_chat_model().invoke("Hi")
    with monkeypatch.context() as other, suppress(LLMAPIError):
        other.setenv("SIGNALBOX_MODEL_API_KEY", "none")
        load_chat_model("openai/tiny", base_url="http://127.0.0.1:1/v1", max_retries=0).invoke("Hi")


def _result(place: str, query: str) -> Any:
    with suppress(httpx.TransportError):
        told = httpx.get(f"{place}/api/v1/query", params={"query": query}).json()
        if told.get("status") == "error" and told["errorType"] == "bad_data":
            pytest.fail(f"{query}: {told['error']}")
        return (told.get("data") or {}).get("result")
    return None
