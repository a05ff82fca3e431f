"""The embedded world answers as Grafana does: health, datasources, Prometheus through them, queries, refusals."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from signalbox.worlds.metrics import Access, create_app, open_shop, serve

OPENED = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
UID = "shop-prometheus"
PATHS = (f"/api/datasources/uid/{UID}/resources", f"/api/datasources/proxy/uid/{UID}", "/api/datasources/proxy/1", "")


@pytest.fixture(scope="module")
def grafana() -> Iterator[httpx.Client]:
    store = open_shop(OPENED, clock=lambda: OPENED)
    with serve(store) as url, httpx.Client(base_url=url) as client:
        yield client


def ds_query(client: httpx.Client, *queries: dict[str, Any], **body: Any) -> httpx.Response:
    filled = [{"refId": "A", "datasource": {"uid": UID, "type": "prometheus"}, **query} for query in queries]
    return client.post("/api/ds/query", json={"queries": filled, "from": "now-1h", "to": "now", **body})


def test_it_is_healthy(grafana: httpx.Client) -> None:
    body = grafana.get("/api/health").json()
    assert body["database"] == "ok"
    assert {"commit", "version"} <= set(body)


def test_it_has_one_default_prometheus_datasource(grafana: httpx.Client) -> None:
    (source,) = grafana.get("/api/datasources").json()
    assert source["type"] == "prometheus"
    assert source["isDefault"] is True
    for path in (f"uid/{source['uid']}", f"name/{source['name']}", str(source["id"])):
        assert grafana.get(f"/api/datasources/{path}").json()["uid"] == source["uid"]
    assert grafana.get(f"/api/datasources/uid/{source['uid']}/health").json()["status"] == "OK"


@pytest.mark.parametrize(
    "path", ["uid/nothing", "name/nothing", "77", "uid/nothing/health", "proxy/uid/nothing/api/v1/query"]
)
def test_an_unknown_datasource_is_not_found(grafana: httpx.Client, path: str) -> None:
    reply = grafana.get(f"/api/datasources/{path}")
    assert reply.status_code == 404
    assert reply.json()["message"] == "Data source not found"
    assert reply.json()["statusCode"] == 404


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_prometheus_answers_on_every_path(grafana: httpx.Client, path: str, method: str) -> None:
    parameters = {"query": "count(up)", "time": str(OPENED.timestamp())}
    where = {"params": parameters} if method == "GET" else {"data": parameters}
    body = grafana.request(method, f"{path}/api/v1/query", **where).json()
    assert body["data"]["result"] == [{"metric": {}, "value": [OPENED.timestamp(), "29"]}]


def test_without_a_time_the_present_is_meant(grafana: httpx.Client) -> None:
    (row,) = grafana.get("/api/v1/query", params={"query": "time()"}).json()["data"]["result"][1:]
    assert float(row) == OPENED.timestamp()


def test_moments_are_read_in_both_notations(grafana: httpx.Client) -> None:
    start, end = OPENED - timedelta(minutes=10), OPENED
    texts = {"start": start.isoformat().replace("+00:00", "Z"), "end": end.isoformat(), "step": "2m30s"}
    numbers = {"start": start.timestamp(), "end": end.timestamp(), "step": 150}
    written = [
        grafana.get("/api/v1/query_range", params={"query": "node_load1", **how}).json() for how in (texts, numbers)
    ]
    assert written[0] == written[1]
    assert len(written[0]["data"]["result"][0]["values"]) == 5


def test_metadata_tells_counters_from_gauges(grafana: httpx.Client) -> None:
    metadata = grafana.get("/api/v1/metadata").json()["data"]
    assert metadata["http_requests_total"][0]["type"] == "counter"
    assert metadata["node_load1"][0]["type"] == "gauge"
    assert metadata["http_request_duration_seconds"][0]["type"] == "histogram"
    assert set(grafana.get("/api/v1/metadata", params={"metric": "node_load1"}).json()["data"]) == {"node_load1"}
    assert len(grafana.get("/api/v1/metadata", params={"limit": 3}).json()["data"]) == 3


def test_label_values_heed_the_range_of_time(grafana: httpx.Client) -> None:
    def names(start: datetime, end: datetime) -> list[str]:
        window = {"start": start.timestamp(), "end": end.timestamp()}
        return grafana.get("/api/v1/label/__name__/values", params=window).json()["data"]

    assert "legacy_batch_duration_seconds" not in names(OPENED - timedelta(hours=1), OPENED)
    assert "legacy_batch_duration_seconds" in names(OPENED - timedelta(days=10), OPENED)


def test_a_range_query_gives_frames(grafana: httpx.Client) -> None:
    reply = ds_query(grafana, {"expr": 'up{job="redis"}', "range": True, "intervalMs": 60_000})
    (frame,) = reply.json()["results"]["A"]["frames"]
    assert [field["type"] for field in frame["schema"]["fields"]] == ["time", "number"]
    assert frame["schema"]["fields"][1]["labels"] == {"__name__": "up", "instance": "cache-1:9121", "job": "redis"}
    stamps, values = frame["data"]["values"]
    assert len(stamps) == len(values) == 61
    assert stamps[-1] == OPENED.timestamp() * 1000


def test_an_instant_query_gives_one_point_a_series(grafana: httpx.Client) -> None:
    reply = ds_query(grafana, {"expr": "node_load1", "instant": True, "legendFormat": "{{instance}}"})
    frames = reply.json()["results"]["A"]["frames"]
    assert [len(frame["data"]["values"][0]) for frame in frames] == [1] * 5
    assert {frame["schema"]["name"] for frame in frames} >= {"web-1:9100"}


def test_variables_of_time_are_filled_in(grafana: httpx.Client) -> None:
    query = {
        "expr": "sum(rate(orders_total[$__rate_interval])) + 0 * ${__range_s}",
        "instant": True,
        "intervalMs": 15_000,
    }
    (frame,) = ds_query(grafana, query).json()["results"]["A"]["frames"]
    assert "[120000ms]" in frame["schema"]["meta"]["executedQueryString"]


def test_what_json_has_no_number_for_is_named(grafana: httpx.Client) -> None:
    (frame,) = ds_query(grafana, {"expr": "vector(0) / 0", "instant": True}).json()["results"]["A"]["frames"]
    assert frame["data"]["values"][1] == [None]
    assert frame["data"]["entities"] == [None, {"NaN": [0]}]


def test_one_bad_query_spoils_only_its_own_result(grafana: httpx.Client) -> None:
    reply = ds_query(grafana, {"expr": "up", "instant": True}, {"refId": "B", "expr": "rate(up)"})
    assert reply.status_code == 400
    results = reply.json()["results"]
    assert results["A"]["status"] == 200
    assert "expected type matrix" in results["B"]["error"]


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"queries": []}', b'{"queries": ["up"]}'])
def test_a_malformed_request_has_no_results(grafana: httpx.Client, content: bytes) -> None:
    reply = grafana.post("/api/ds/query", content=content)
    assert reply.status_code == 400
    assert set(reply.json()) >= {"message", "messageId", "statusCode"}
    assert "results" not in reply.json()


def test_a_wrong_range_of_a_query_is_refused(grafana: httpx.Client) -> None:
    assert ds_query(grafana, {"expr": "up"}, **{"from": "then"}).status_code == 400


def test_a_query_to_another_datasource_is_not_found(grafana: httpx.Client) -> None:
    assert ds_query(grafana, {"expr": "up", "datasource": {"uid": "other"}}).status_code == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [("/api/nothing", 404), ("/api/v1/nothing", 404), ("/api/v1/series", 400), ("/api/v1/label/no-label/values", 400)],
)
def test_what_is_not_there_is_said_so(grafana: httpx.Client, path: str, status: int) -> None:
    assert grafana.get(path).status_code == status


@pytest.mark.parametrize("moment", ["1e300", "NaN", "tomorrow"])
def test_a_moment_that_is_none_is_refused(grafana: httpx.Client, moment: str) -> None:
    reply = grafana.get("/api/v1/query", params={"query": "up", "time": moment})
    assert reply.status_code == 400
    assert reply.json()["errorType"] == "bad_data"


class TestAccess:
    """Grafana with credentials set."""

    access = Access(token="glsa_admin", viewer_token="glsa_viewer", basic=("admin", "secret"))

    async def reply(self, path: str, **options: Any) -> httpx.Response:
        app = create_app(open_shop(OPENED, clock=lambda: OPENED), self.access)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://grafana") as client:
            return await client.get(path, **options)

    @pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic !!!"}])
    async def test_a_stranger_is_unauthorized(self, headers: dict[str, str]) -> None:
        reply = await self.reply("/api/datasources", headers=headers)
        assert reply.status_code == 401
        assert {"message", "messageId", "statusCode"} <= set(reply.json())

    async def test_health_is_open_to_all(self) -> None:
        assert (await self.reply("/api/health")).status_code == 200

    async def test_a_token_and_a_password_are_accepted(self) -> None:
        assert (await self.reply("/api/datasources", headers={"Authorization": "Bearer glsa_admin"})).status_code == 200
        assert (await self.reply("/api/datasources", auth=("admin", "secret"))).status_code == 200
        assert (await self.reply("/api/datasources", auth=("admin", "guess"))).status_code == 401

    async def test_a_viewer_may_query_but_not_list_datasources(self) -> None:
        headers = {"Authorization": "Bearer glsa_viewer"}
        refused = await self.reply("/api/datasources", headers=headers)
        assert refused.status_code == 403
        assert refused.json()["accessErrorId"]
        path = f"/api/datasources/proxy/uid/{UID}/api/v1/query?query=up"
        assert (await self.reply(path, headers=headers)).status_code == 200
