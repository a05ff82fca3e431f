"""Asking an installed agent: from a sentence to an Answer, with the embedded shop behind it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from signalbox.contract import NodeEvent
from signalbox.errors import ConfigurationError, MissingInputError, NotFoundError, RequestError
from signalbox.runs import aask, aclose, ask, default_agent, find_agent, list_agents, list_installed
from signalbox.runs.embedded import close_worlds, embedded_metrics
from signalbox.runs.threads import add_turn, list_turns

NOW = "2026-03-11T09:30:00Z"
KEYS = [
    "agent", "thread_id", "run_id", "status", "answer", "question", "error", "state", "blocks", "source",
    "not_covered", "evidence", "route", "timings_ms",
]  # fmt: skip


@pytest.fixture(autouse=True)
def frozen(set_clock: Callable[[str], None]) -> None:
    set_clock(NOW)


@pytest.fixture(autouse=True, scope="module")
def no_world_left() -> Iterator[None]:
    yield
    close_worlds()


def test_a_question_is_answered_from_the_embedded_shop_in_the_shared_shape() -> None:
    answer = ask("metrics", "p95 latency of the checkout service yesterday")
    told = json.loads(json.dumps(answer.as_dict()))
    assert list(told) == KEYS
    assert (told["agent"], told["status"], told["error"], told["route"]) == ("metrics", "completed", None, None)
    state = told["state"]
    assert state["user_query"] == "p95 latency of the checkout service yesterday"
    assert state["error"] is None
    assert state["result"]["time_range"]["start_time"].startswith("2026-03-10T00:00:00")
    assert state["result"]["statistics"]["max"] > 2
    assert state["chart"]["data"]


def test_range_and_query_are_always_shown() -> None:
    answer = ask("metrics", "p95 latency of the checkout service yesterday")
    assert answer.answer.startswith(answer.state["result"]["summary"])
    assert "Range: Tue 10 Mar 2026 00:00 to Wed 11 Mar 2026 00:00 (UTC)" in answer.answer
    assert f"`{answer.state['result']['promql']}`" in answer.answer


def test_evidence_and_timings_say_what_was_done() -> None:
    answer = ask("metrics", "CPU usage for the last hour")
    assert answer.evidence[0]["id"] == "E1"
    assert all(call["ok"] for call in answer.evidence)
    assert answer.state["result"]["promql"] in [call["args"].get("promql") for call in answer.evidence]
    assert {"total", "metrics_agent", "visualization_node", "parse", "validate", "execute", "format"} <= set(
        answer.timings_ms
    )


def test_an_agents_error_comes_back_in_the_answer_without_its_details() -> None:
    answer = ask("metrics", "show anomalies in CPU usage")
    assert answer.status == "error"
    assert answer.exit_code == 1
    assert answer.error is not None
    assert answer.error["error_type"] == "unsupported_operation"
    assert "metrics-anomalies" in answer.error["suggestion"]
    assert answer.state["result"] is None
    assert "details" not in answer.state["error"]
    assert answer.error["message"] in answer.answer


def test_the_map_for_anomalies_answers_what_the_agent_does_not() -> None:
    answer = ask("metrics-anomalies", "show anomalies in p95 latency of the checkout service yesterday")
    assert answer.status == "completed"
    (found,) = answer.state["anomalies"]["intervals"]
    assert "2026-03-10T14:0" in found["start"] or "2026-03-10T14:1" in found["start"]
    assert found["text"] in answer.answer


def test_the_map_with_explanations_explains() -> None:
    answer = ask("metrics-explained", "p95 latency of the checkout service yesterday")
    assert answer.state["context"]["earlier"]
    assert answer.answer.startswith(answer.state["explanation"])


def test_an_explained_ranking_has_all_its_places() -> None:
    answer = ask("metrics-explained", "top 3 hosts by CPU usage right now")
    places = [place["labels"]["instance"] for place in answer.state["result"]["ranking"]]
    assert len(places) == 3
    assert all(place in answer.state["explanation"] for place in places)


def test_a_thread_continues_a_conversation() -> None:
    ask("metrics", "p95 latency of the checkout service yesterday", thread_id="night-shift")
    answer = ask("metrics", "and today?", thread_id="night-shift")
    assert answer.thread_id == "night-shift"
    assert answer.status == "completed"
    assert answer.state["parsed_query"]["filters"] == {"service": "checkout"}
    assert answer.state["parsed_query"]["time_range"]["start_time"].startswith("2026-03-11T00:00:00")
    assert [turn.said for turn in list_turns("night-shift")][-1] == "and today?"


def test_a_failed_turn_does_not_take_the_place_of_what_was_asked_before() -> None:
    ask("metrics", "p95 latency of the checkout service yesterday", thread_id="t")
    ask("metrics", "show anomalies in CPU usage", thread_id="t")
    completed = [turn for turn in list_turns("t") if turn.remembered is not None]
    assert completed[-1].said.startswith("p95 latency")


def test_without_a_thread_every_question_stands_alone() -> None:
    first, second = (ask("metrics", "CPU usage for the last hour") for _ in range(2))
    assert first.thread_id != second.thread_id
    assert first.run_id != second.run_id


def test_where_nothing_can_be_kept_a_question_is_answered_and_a_thread_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SIGNALBOX_HOME", str(tmp_path / "file" / "home"))
    assert ask("metrics", "CPU usage for the last hour").status == "completed"
    with pytest.raises(ConfigurationError, match="conversations"):
        ask("metrics", "CPU usage for the last hour", thread_id="t")


def test_what_is_not_installed_is_named() -> None:
    program = "import sys; sys.modules['promql_parser'] = None; from signalbox.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "ask", "q", "--agent", "metrics"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert 'pip install "signalbox-agents[metrics,service]"' in done.stderr


def test_conversations_are_kept_where_nobody_else_looks(own_home: Path) -> None:
    add_turn("t", run_id="r", agent="metrics", said="q", answer="a", remembered=None)
    assert own_home.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 300])
def test_a_thread_cannot_have_every_name(name: str) -> None:
    with pytest.raises(RequestError):
        add_turn(name, run_id="r", agent="metrics", said="q", answer="a", remembered=None)


def test_an_empty_name_does_not_begin_a_thread_that_nobody_can_continue() -> None:
    with pytest.raises(RequestError):
        ask("metrics", "CPU usage for the last hour", thread_id="")


def test_names_and_labels_make_neither_links_nor_tags_nor_ends_of_code_in_the_answer() -> None:
    range_ = {"start_time": "2026-03-11T08:30:00Z", "end_time": NOW}
    result = {
        "metric_name": "up", "datapoint_count": 0, "is_empty": True, "time_range": range_,
        "summary": "[here](http://evil) <img> is highest.", "promql": 'up{job="`x`"}',
    }  # fmt: skip
    text = find_agent("metrics").present({"result": result}).text
    assert text.startswith(r"\[here](http://evil) \<img> is highest.")
    assert text.endswith('Query: `` up{job="`x`"} ``')


def test_an_unknown_agent_is_refused_with_the_nearest_and_all_there_are() -> None:
    with pytest.raises(NotFoundError) as refused:
        ask("metrcs", "CPU usage")
    assert "'metrics'" in refused.value.suggestion
    assert "metrics-anomalies" in refused.value.suggestion


def test_an_empty_question_and_an_endless_one_are_refused() -> None:
    with pytest.raises(MissingInputError):
        ask("metrics", "  ")
    with pytest.raises(RequestError, match="longer"):
        ask("metrics", "CPU usage " * 2_000)


def test_a_long_conversation_does_not_grow_what_is_handed_on() -> None:
    ask("metrics", "p95 latency of the checkout service yesterday", thread_id="long")
    sizes = []
    for question in ("and today?", "and yesterday?", "and today?", "and yesterday?"):
        handed = ask("metrics", question, thread_id="long").state["asked"]
        sizes.append(len(json.dumps(handed)))
    assert sizes[-1] <= sizes[1]
    assert "previous" not in handed


def test_the_agents_that_ship_come_first() -> None:
    packages = [one.package.split()[0] for one in list_installed()]
    assert packages[0] == "signalbox-agents"
    assert {"metrics", "metrics-anomalies", "metrics-explained"} <= {agent.name for agent in list_agents()}
    assert find_agent("metrics_anomalies").name == "metrics-anomalies"


def test_the_default_agent_is_the_one_that_is_set_else_the_front_door(monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_agent().hands_over is not None
    monkeypatch.setenv("SIGNALBOX_DEFAULT_AGENT", "metrics-explained")
    assert default_agent().name == "metrics-explained"


def test_blocks_and_source_say_what_was_found_and_where() -> None:
    answer = ask("metrics", "p95 latency of the checkout service yesterday")
    assert [block["type"] for block in answer.blocks] == ["text", "value", "series", "table", "text"]
    curve = answer.blocks[2]
    assert curve["unit"] == "seconds"
    assert len(curve["series"][0]["points"]) == answer.state["result"]["datapoint_count"]
    assert answer.source is not None
    assert (answer.source["kind"], answer.source["system"]) == ("embedded", "grafana")


def test_an_address_that_is_set_is_a_live_source(monkeypatch: pytest.MonkeyPatch) -> None:
    from signalbox.worlds.metrics import serve

    with serve() as address:
        monkeypatch.setenv("GRAFANA_URL", address)
        answer = ask("metrics", "CPU usage for the last hour")
    where = {"kind": "live", "system": "grafana", "address": address, "datasource": "shop-prometheus"}
    assert answer.source == where


def test_a_dry_run_plans_and_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAFANA_URL", "http://127.0.0.1:1")
    answer = ask("metrics", "CPU usage for the last hour", dry_run=True, thread_id="dry")
    assert (answer.status, answer.evidence) == ("completed", [])
    assert answer.state["plan"]["kind"] == "curve"
    assert answer.state["result"] is None
    assert "Range: " in answer.answer
    assert "rate(node_cpu_seconds_total" in answer.answer
    assert list_turns("dry") == []


@pytest.mark.parametrize(
    ("question", "promql"),
    [
        ("top 5 hosts by memory", "topk(5, sum by (instance) (node_memory_MemTotal_bytes"),
        ("http_requests_total by status today", "sum by (status) (rate(http_requests_total[5m]))"),
        ("which service has the highest error rate", "/ sum by (service) (rate(http_requests_total[5m]))"),
    ],
)
def test_a_dry_run_splits_by_labels_and_not_by_what_is_measured(question: str, promql: str) -> None:
    assert promql in ask("metrics", question, dry_run=True).answer


def test_a_dry_run_of_what_cannot_be_done_says_so() -> None:
    answer = ask("metrics", "show anomalies in CPU usage", dry_run=True)
    assert answer.error is not None
    assert answer.error["error_type"] == "unsupported_operation"
    assert ask("metrics-anomalies", "show anomalies in CPU usage", dry_run=True).status == "completed"


def test_an_address_that_is_set_is_the_one_that_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMETHEUS_URL", "http://127.0.0.1:1")
    answer = ask("metrics", "CPU usage for the last hour")
    assert answer.error is not None
    assert answer.error["error_type"] == "grafana_unavailable"


def test_the_embedded_shop_stands_at_the_frozen_clock(set_clock: Callable[[str], None]) -> None:
    first = embedded_metrics()
    assert embedded_metrics() == first
    set_clock("2025-12-01T08:00:00Z")
    answer = ask("metrics", "requests per second of the gateway over the last hour")
    assert answer.state["result"]["datapoints"][-1]["timestamp"].startswith("2025-12-01T08:00:00")


def test_a_listener_hears_of_every_node() -> None:
    heard: list[NodeEvent] = []
    ask("metrics", "CPU usage for the last hour", listener=heard.append)
    assert [(event.kind, event.node) for event in heard if event.kind == "end"] == [
        ("end", "metrics_agent"),
        ("end", "visualization_node"),
    ]


async def test_questions_side_by_side_keep_their_evidence_apart() -> None:
    questions = ("CPU usage for the last hour", "memory usage for the last hour", "disk usage for the last hour")
    try:
        answers = await asyncio.gather(*(aask("metrics", question) for question in questions))
    finally:
        await aclose()
    for answer in answers:
        sent: list[Any] = [call["args"].get("promql") for call in answer.evidence]
        assert answer.state["result"]["promql"] in sent
        assert len(sent) <= 4


def test_a_thread_remembers_what_no_answer_shows() -> None:
    first = ask("tasks", "add a task: water the plants", thread_id="plants")
    assert first.status == "completed"
    assert not {"talk", "history"} & set(first.as_dict()["state"])
    [turn] = list_turns("plants")
    assert turn.remembered is not None
    assert turn.remembered["history"][0]["content"] == "add a task: water the plants"
