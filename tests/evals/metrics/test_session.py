from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from signalbox.agents.metrics.state import DataPoint, MetricsQueryResult, QueryError
from signalbox.errors import ConfigurationError, RequestError
from signalbox.evals.load import Case, EvalSet, read_set
from signalbox.evals.metrics.session import open_session
from signalbox.evals.score import is_right

HEADER = "skill: metrics\nnow: 2026-05-06T15:00:00+00:00\ntz: UTC\n"
MEMORY = "node_memory_MemTotal_bytes"
GIB = 2.0**30

Answer = Mapping[str, Any]


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], EvalSet]:
    def write(body: str) -> EvalSet:
        path = tmp_path / "shop.yaml"
        path.write_text(body, encoding="utf-8")
        return read_set(path)

    return write


def completed(kind: str, **fields: Any) -> Answer:
    span = {"start_time": "2026-05-06T14:00:00+00:00", "end_time": "2026-05-06T15:00:00+00:00"}
    base: dict[str, Any] = {"metric_name": MEMORY, "time_range": span, "datapoint_count": 0, "is_empty": True}
    result = MetricsQueryResult.model_validate({**base, "kind": kind, **fields})
    return {"status": "completed", "state": {"result": result.model_dump(mode="json"), "error": None}}


def judged(asked: EvalSet, *answers: Answer) -> list[bool]:
    left = iter(answers)
    with open_session(asked, "offline", lambda _: next(left)) as (resolved, ask):
        return [is_right(ask(case), case, resolved) for case in resolved.cases]


def test_an_answer_is_right_by_the_figures_that_the_server_gives(written: Callable[[str], EvalSet]) -> None:
    case = f"""cases: [{{text: how large, kind: value, promql: 'sum({MEMORY}{{instance="db-1:9100"}})'}}]\n"""
    asked = written(HEADER + case)
    assert judged(asked, completed("value", value=64 * GIB)) == [True]
    assert judged(asked, completed("value", value=16 * GIB)) == [False]


def test_any_of_several_readings_is_right(written: Callable[[str], EvalSet]) -> None:
    either = f"[{{kind: value, promql: 'min({MEMORY})'}}, {{kind: value, promql: 'max({MEMORY})'}}]"
    asked = written(f"{HEADER}cases: [{{text: memory, any_of: {either}}}]\n")
    assert judged(asked, completed("value", value=16 * GIB)) == [True]
    assert judged(asked, completed("value", value=64 * GIB)) == [True]
    assert judged(asked, completed("value", value=32 * GIB)) == [False]


def test_the_length_of_the_range_stands_in_for_range(written: Callable[[str], EvalSet]) -> None:
    query = f"max(count_over_time({MEMORY}[$range]))"
    cases = f"cases: [{{text: samples, kind: comparison, promql: '{query}', from: -2h, against: {{from: -1h}}}}]\n"
    with open_session(written(HEADER + cases), "offline", lambda _: {}) as (resolved, _):
        figures = resolved.cases[0].alternatives[0]["figures"]
    assert figures["a"] == 2 * figures["b"]
    assert figures["change"] == 1.0


def test_the_incident_of_the_day_before_is_an_extreme(written: Callable[[str], EvalSet]) -> None:
    query = 'sum(orders_queue_depth{instance="orders-1:8080"})'
    case = f"text: when, kind: extreme, extreme: highest, promql: '{query}', from: -2d, tolerance: 0.2"
    with open_session(written(f"{HEADER}cases: [{{{case}}}]\n"), "offline", lambda _: {}) as (resolved, _):
        ((start, end),) = resolved.cases[0].alternatives[0]["figures"]["at"]
    assert "2026-05-05T14:0" <= start <= end < "2026-05-05T15:00"


def test_curves_are_judged_by_their_mean(written: Callable[[str], EvalSet]) -> None:
    query = f'sum({MEMORY}{{instance="web-1:9100"}})'
    asked = written(f"{HEADER}cases: [{{text: show, kind: series, promql: '{query}', from: -1h}}]\n")
    point = DataPoint.model_validate({"timestamp": "2026-05-06T14:30:00+00:00", "value": 16 * GIB})
    fields = {"datapoints": [point], "datapoint_count": 1, "is_empty": False}
    assert judged(asked, completed("series", **fields)) == [True]
    assert judged(asked, completed("value", value=16 * GIB, **fields)) == [False]


def test_a_refusal_is_judged_by_its_type(written: Callable[[str], EvalSet]) -> None:
    error = QueryError(error_type="metric_not_found", message="There is none.").model_dump(mode="json")
    refused = {"status": "error", "state": {"result": None, "error": error}}
    asked = written(HEADER + "cases: [{text: tides, error: metric_not_found}]\n")
    assert judged(asked, refused) == [True]


def test_the_agent_is_asked_at_the_moment_and_in_the_zone_of_the_set(written: Callable[[str], EvalSet]) -> None:
    seen: dict[str, str | None] = {}

    def look(_: str) -> Answer:
        seen.update({name: os.environ.get(name) for name in ("SIGNALBOX_NOW", "SIGNALBOX_TZ", "SIGNALBOX_MODEL")})
        return {}

    header = HEADER.replace("tz: UTC", "tz: Asia/Tokyo")
    with open_session(written(header + "cases: [{text: hm, error: parsing_error}]\n"), "a/b", look) as (asked, ask):
        ask(asked.cases[0])
    assert seen == {
        "SIGNALBOX_NOW": "2026-05-07T00:00:00+09:00",
        "SIGNALBOX_TZ": "Asia/Tokyo",
        "SIGNALBOX_MODEL": "a/b",
    }
    assert "SIGNALBOX_NOW" not in os.environ


def test_a_set_for_a_server_of_ones_own_needs_its_address(
    written: Callable[[str], EvalSet], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = written(HEADER + "server: PROMETHEUS_URL\ncases: [{text: hm, error: parsing_error}]\n")
    with pytest.raises(ConfigurationError, match="PROMETHEUS_URL"), open_session(asked, "offline"):
        pass
    monkeypatch.setenv("PROMETHEUS_URL", "http://127.0.0.1:9")
    seen: list[str | None] = []

    def look(_: str) -> Answer:
        seen.append(os.environ.get("PROMETHEUS_URL"))
        return {}

    with open_session(asked, "offline", look) as (resolved, ask):
        ask(Case(1, resolved.cases[0].messages, ()))
    assert seen == ["http://127.0.0.1:9"]


@pytest.mark.parametrize(
    ("promql", "reason"),
    [("sum(tides_total)", "gives nothing"), (MEMORY, "5 series")],
)
def test_a_reference_that_gives_no_figure_is_named(written: Callable[[str], EvalSet], promql: str, reason: str) -> None:
    asked = written(f"{HEADER}cases: [{{text: how high, kind: value, promql: '{promql}'}}]\n")
    with pytest.raises(RequestError, match=reason) as caught, open_session(asked, "offline"):
        pass
    assert "case 1 ('how high')" in str(caught.value)
