from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import entry_points
from typing import Any

import pytest

from signalbox.agents.metrics import DataPoint, GrafanaMetricsClient, MetricsQueryResult, QueryError, use_client
from signalbox.agents.metrics.evaluation import JUDGE
from signalbox.errors import ConfigurationError

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
MEMORY = "node_memory_MemTotal_bytes"
GIB = 2.0**30


async def expected(shop: str, **wanted: Any) -> dict[str, Any]:
    JUDGE.check(wanted)
    async with GrafanaMetricsClient(shop, clock=lambda: NOW) as client:
        with use_client(client):
            return await JUDGE.expect(wanted, NOW, UTC)


def completed(kind: str, **fields: Any) -> Mapping[str, Any]:
    span = {"start_time": "2026-03-11T08:30:00+00:00", "end_time": "2026-03-11T09:30:00+00:00"}
    base: dict[str, Any] = {"metric_name": MEMORY, "time_range": span, "datapoint_count": 0, "is_empty": True}
    result = MetricsQueryResult.model_validate({**base, "kind": kind, **fields})
    return {"status": "completed", "state": {"result": result.model_dump(mode="json"), "error": None}}


def right(answer: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return JUDGE.is_right(JUDGE.outcome(answer), wanted)


def test_the_judge_is_offered_to_whoever_measures_agents() -> None:
    (offered,) = {one.value: one for one in entry_points(group="signalbox.judges", name="metrics")}.values()
    assert offered.load() is JUDGE


async def test_an_answer_is_right_by_the_figures_that_the_server_gives(shop: str) -> None:
    wanted = await expected(shop, kind="value", promql=f'sum({MEMORY}{{instance="db-1:9100"}})')
    assert right(completed("value", value=64 * GIB), wanted)
    assert not right(completed("value", value=16 * GIB), wanted)


async def test_the_length_of_the_range_stands_in_for_range(shop: str) -> None:
    query = {"promql": f"max(count_over_time({MEMORY}[$range]))", "from": "-2h", "against": {"from": "-1h"}}
    figures = (await expected(shop, kind="comparison", **query))["figures"]
    assert figures["a"] == 2 * figures["b"]
    assert figures["change"] == 1.0


async def test_the_incident_of_the_day_before_is_an_extreme(shop: str) -> None:
    query = {"promql": 'sum(orders_queue_depth{instance="orders-1:8080"})', "from": "-2d", "tolerance": 0.2}
    wanted = await expected(shop, kind="extreme", extreme="highest", **query)
    ((start, end),) = wanted["figures"]["at"]
    assert "2026-03-10T14:0" <= start <= end < "2026-03-10T15:00"


async def test_curves_are_judged_by_their_mean(shop: str) -> None:
    query = {"promql": f'sum({MEMORY}{{instance="web-1:9100"}})', "from": "-1h"}
    wanted = await expected(shop, kind="series", **query)
    point = DataPoint.model_validate({"timestamp": "2026-03-11T09:00:00+00:00", "value": 16 * GIB})
    fields = {"datapoints": [point], "datapoint_count": 1, "is_empty": False}
    assert right(completed("series", **fields), wanted)
    assert not right(completed("value", value=16 * GIB, **fields), wanted)


async def test_things_beyond_a_bound_are_told_from_those_that_are_not(shop: str) -> None:
    wanted = await expected(shop, kind="threshold", promql=f"{MEMORY} / 2 ^ 30 > 60")
    assert wanted["figures"]["offenders"] == [{"instance": "db-1:9100"}]
    assert len(wanted["figures"]["others"]) == 4
    assert right(completed("ranking", ranking=[{"labels": {"instance": "db-1:9100"}, "value": 64.0}]), wanted)
    assert not right(completed("ranking", ranking=[{"labels": {"instance": "web-1:9100"}, "value": 64.0}]), wanted)
    nothing = await expected(shop, kind="threshold", promql=f"{MEMORY} / 2 ^ 30 > 100", none=True)
    assert right(completed("value", value=64.0, threshold=100.0, summary="No.", is_empty=False), nothing)
    with pytest.raises(ValueError, match="1 series where none is meant"):
        await expected(shop, kind="threshold", promql=f"{MEMORY} / 2 ^ 30 > 60", none=True)


async def test_a_thing_is_in_one_state_of_several(shop: str) -> None:
    wanted = await expected(shop, kind="down", promql=f'count by (instance) ({MEMORY}{{instance=~"db.*"}}) == 1')
    assert wanted["figures"] == {"offenders": [{}], "others": []}


def test_words_of_the_query_are_not_yet_said() -> None:
    answer = {**completed("value", value=1.0), "answer": 'It is 1.\n\nRange: now  \nQuery: `x{version="4.2"}`'}
    assert not right(answer, {"kind": "says", "words": ["4.2"]})


async def test_a_refusal_is_judged_by_its_type(shop: str) -> None:
    error = QueryError(error_type="metric_not_found", message="There is none.").model_dump(mode="json")
    refused = {"status": "error", "state": {"result": None, "error": error}}
    assert right(refused, await expected(shop, error="metric_not_found"))


@pytest.mark.parametrize(("promql", "reason"), [("sum(tides_total)", "gives nothing"), (MEMORY, "5 series")])
async def test_a_reference_that_gives_no_figure_is_refused(shop: str, promql: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        await expected(shop, kind="value", promql=promql)


def test_a_set_for_a_server_of_ones_own_needs_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="PROMETHEUS_URL"):
        JUDGE.settings("PROMETHEUS_URL")
    monkeypatch.setenv("PROMETHEUS_URL", "http://127.0.0.1:9")
    said = {"GRAFANA_URL": None, "PROMETHEUS_URL": "http://127.0.0.1:9"}
    assert JUDGE.settings("PROMETHEUS_URL") == JUDGE.settings("http://127.0.0.1:9") == said


def test_the_embedded_world_is_asked_whatever_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAFANA_URL", "http://127.0.0.1:9")
    assert JUDGE.settings("") == {"GRAFANA_URL": None, "PROMETHEUS_URL": None}
