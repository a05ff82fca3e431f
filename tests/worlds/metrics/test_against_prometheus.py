"""The evaluator gives what a real Prometheus gives, on the same samples, over HTTP."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from signalbox.worlds.metrics import Store, open_shop, serve
from signalbox.worlds.metrics.labels import Matcher
from signalbox.worlds.metrics.openmetrics import openmetrics_lines

OPENED = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
FIRST, LAST = datetime(2026, 3, 10, 13, 0, tzinfo=UTC), datetime(2026, 3, 10, 15, 0, tzinfo=UTC)
MOMENTS = (FIRST + timedelta(minutes=31, seconds=7), datetime(2026, 3, 10, 14, 33, tzinfo=UTC))
GAP_FIRST, GAP_LAST = datetime(2026, 3, 8, 9, 15, tzinfo=UTC), datetime(2026, 3, 8, 10, 15, tzinfo=UTC)
CACHE = '{instance="cache-1:9100"}'
GAP_QUERIES = (
    f"up{CACHE}",
    f"node_load1{CACHE}",
    f"timestamp(node_load1{CACHE})",
    f"absent(node_load1{CACHE})",
    f"count_over_time(node_load1{CACHE}[10m])",
    f"rate(node_disk_written_bytes_total{CACHE}[5m])",
    f"increase(node_disk_written_bytes_total{CACHE}[30m])",
)
QUERIES = [
    line
    for line in (Path(__file__).parent / "queries.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def store_of(first: datetime, last: datetime) -> Store:
    """The shop, cut to the window that the real Prometheus is given."""
    store = open_shop(OPENED, clock=lambda: last)
    store.starts = milliseconds(first)
    return store


@pytest.fixture(scope="module")
def embedded() -> Iterator[httpx.Client]:
    with serve(store_of(FIRST, LAST)) as url, httpx.Client(base_url=url) as client:
        yield client


@pytest.fixture(scope="module")
def embedded_gap() -> Iterator[httpx.Client]:
    with serve(store_of(GAP_FIRST, GAP_LAST)) as url, httpx.Client(base_url=url) as client:
        yield client


@pytest.fixture(scope="module")
def prometheus(start_prometheus: Callable[..., AbstractContextManager[str]] | None) -> Iterator[httpx.Client | None]:
    """A real Prometheus that holds the samples of both windows; None where it is not installed."""
    if start_prometheus is None:
        yield None
        return
    everything = samples(store_of(FIRST, LAST), [], FIRST, LAST)
    cache = [Matcher("instance", "=", "cache-1:9100")]
    gap = samples(store_of(GAP_FIRST, GAP_LAST), cache, GAP_FIRST, GAP_LAST)
    with start_prometheus(everything, gap) as url, httpx.Client(base_url=url) as client:
        yield client


def samples(store: Store, matchers: list[Matcher], first: datetime, last: datetime) -> Iterator[str]:
    return openmetrics_lines(store, store.select(matchers), milliseconds(first), milliseconds(last))


@pytest.fixture
def oracle(prometheus: httpx.Client | None, require_part: Callable[[str, bool], None]) -> httpx.Client:
    require_part("prometheus and promtool are not installed: apt-get install prometheus", prometheus is not None)
    assert prometheus is not None
    return prometheus


def ask(client: httpx.Client, path: str, **parameters: Any) -> tuple[int, Any]:
    reply = client.get(f"/api/v1/{path}", params=parameters)
    return reply.status_code, reply.json()


def rows_of(data: dict[str, Any]) -> dict[tuple[Any, ...], list[tuple[float, float]]]:
    """The points of each series by its labels."""
    if data["resultType"] in ("scalar", "string"):
        return {(): [(data["result"][0], float(data["result"][1]))]}
    return {
        tuple(sorted(row["metric"].items())): [
            (stamp, float(value)) for stamp, value in row.get("values", [row.get("value")])
        ]
        for row in data["result"]
    }


def same(ours: float, theirs: float) -> bool:
    return (math.isnan(ours) and math.isnan(theirs)) or math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)


def assert_same_answer(ours: tuple[int, Any], theirs: tuple[int, Any], query: str) -> None:
    assert ours[0] == theirs[0], f"{query}: {ours} but Prometheus says {theirs}"
    if theirs[0] != 200:
        assert ours[1]["errorType"] == theirs[1]["errorType"], query
        return
    assert ours[1]["data"]["resultType"] == theirs[1]["data"]["resultType"]
    mine, real = rows_of(ours[1]["data"]), rows_of(theirs[1]["data"])
    assert set(mine) == set(real), query
    for labels, points in real.items():
        assert [stamp for stamp, _ in mine[labels]] == [stamp for stamp, _ in points], (query, labels)
        wrong = [(a, b) for a, b in zip(mine[labels], points, strict=True) if not same(a[1], b[1])]
        assert not wrong, (query, labels, wrong[:3])


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_gives_what_prometheus_gives(query: str, embedded: httpx.Client, oracle: httpx.Client) -> None:
    for moment in MOMENTS:
        parameters = {"query": query, "time": moment.timestamp()}
        assert_same_answer(ask(embedded, "query", **parameters), ask(oracle, "query", **parameters), query)
    window = {"start": MOMENTS[0].timestamp(), "end": LAST.timestamp(), "step": "97s"}
    ours = ask(embedded, "query_range", query=query, **window)
    assert_same_answer(ours, ask(oracle, "query_range", query=query, **window), query)


@pytest.mark.parametrize("query", GAP_QUERIES)
def test_a_silent_target_fades_as_it_does_in_prometheus(
    query: str, embedded_gap: httpx.Client, oracle: httpx.Client
) -> None:
    chosen = {"start": GAP_FIRST.timestamp() + 600, "end": GAP_LAST.timestamp(), "step": "10s"}
    ours = ask(embedded_gap, "query_range", query=query, **chosen)
    assert_same_answer(ours, ask(oracle, "query_range", query=query, **chosen), query)


@pytest.mark.parametrize("path", ["labels", "label/service/values", "label/__name__/values"])
@pytest.mark.parametrize("selector", [None, "http_requests_total", '{job="node"}'])
def test_names_and_values_are_those_of_prometheus(
    path: str, selector: str | None, embedded: httpx.Client, oracle: httpx.Client
) -> None:
    parameters: dict[str, Any] = {"start": FIRST.timestamp(), "end": LAST.timestamp()}
    if selector:
        parameters["match[]"] = selector
    assert ask(embedded, path, **parameters) == ask(oracle, path, **parameters)


@pytest.mark.parametrize("selector", ["orders_total", '{service="payment",__name__=~"payment.*"}', "nothing"])
def test_series_are_those_of_prometheus(selector: str, embedded: httpx.Client, oracle: httpx.Client) -> None:
    parameters = {"match[]": selector, "start": FIRST.timestamp(), "end": LAST.timestamp()}
    ours, theirs = ask(embedded, "series", **parameters), ask(oracle, "series", **parameters)
    assert ours[0] == theirs[0]
    assert sorted(ours[1]["data"], key=str) == sorted(
        (dict(sorted(labels.items())) for labels in theirs[1]["data"]), key=str
    )


@pytest.mark.parametrize(
    "parameters",
    [
        {"query": "up", "start": 0, "end": 11_001, "step": 1},
        {"query": "up", "start": 10, "end": 5, "step": 1},
        {"query": "up", "start": 0, "end": 5, "step": 0},
        {"query": "up", "start": "soon", "end": 5, "step": 1},
        {"query": "up", "start": 0, "end": 5, "step": "often"},
        {"query": "up[5m]", "start": 0, "end": 5, "step": 1},
        {"query": '"text"', "start": 0, "end": 5, "step": 1},
        {"query": "", "start": 0, "end": 5, "step": 1},
    ],
)
def test_a_wrong_range_is_refused_in_the_words_of_prometheus(
    parameters: dict[str, Any], embedded: httpx.Client, oracle: httpx.Client
) -> None:
    ours, theirs = ask(embedded, "query_range", **parameters), ask(oracle, "query_range", **parameters)
    assert ours[0] == theirs[0] == 400
    assert ours[1]["errorType"] == theirs[1]["errorType"]
    if "parse error" not in theirs[1]["error"]:
        assert ours[1]["error"] == theirs[1]["error"]


@pytest.mark.parametrize("query", ["up[2m]", "node_load1[5m:1m]", "up[1m] offset 10m", '"text"'])
def test_raw_samples_are_those_of_prometheus(query: str, embedded: httpx.Client, oracle: httpx.Client) -> None:
    parameters = {"query": query, "time": LAST.timestamp()}
    ours, theirs = ask(embedded, "query", **parameters), ask(oracle, "query", **parameters)
    if query == '"text"':
        assert ours == theirs
    else:
        assert_same_answer(ours, theirs, query)


@pytest.mark.parametrize("query", ["sort(node_load1)", "sort_desc(orders_queue_depth)", "topk(3, node_load1)"])
def test_what_is_sorted_comes_in_the_order_of_prometheus(
    query: str, embedded: httpx.Client, oracle: httpx.Client
) -> None:
    parameters = {"query": query, "time": MOMENTS[0].timestamp()}
    ours, theirs = ask(embedded, "query", **parameters), ask(oracle, "query", **parameters)
    assert [row["value"] for row in ours[1]["data"]["result"]] == [row["value"] for row in theirs[1]["data"]["result"]]
