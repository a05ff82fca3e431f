"""The metrics agent's own time: a question answered with 10,000 points, without the time of a model or of a server.

The model answers at once and the server from memory, as bytes that are decoded. All else is what a person gets: reading
the words, checking them against the server's metrics, making and checking PromQL, statistics, models, summary.
"""

from __future__ import annotations

from asyncio import Runner
from collections.abc import Iterator
from typing import Any

from benchmarks.measure import awaiting, race
from benchmarks.report import Row, under

__all__ = ["measure"]

GROUP = "the metrics agent's own time"
POINTS = 10_000
QUESTION = "Show the queue depth of the orders service for the last 7 days"
TARGET = 0.05


def measure() -> Iterator[Row]:
    """The whole node, and the result by itself."""
    from signalbox.agents.metrics import metrics_agent

    client, model = _client(), _InstantModel()

    async def answer() -> None:
        state: Any = {"user_query": QUESTION}
        result = (await metrics_agent(state, client=client, model=model))["result"]  # type: ignore[arg-type]
        if result is None or result.datapoint_count != POINTS:
            raise AssertionError("the agent did not answer with all the points")

    with Runner() as loop:
        found = race({"node": awaiting(answer, loop)})
    yield Row(GROUP, f"a question answered with {POINTS:,} points", found["node"], target=under(TARGET))


class _InstantModel:
    """Reads nothing and gives the plan of the question."""

    def with_structured_output(self, _: Any, **__: Any) -> Any:
        return self

    async def ainvoke(self, *_: Any, **__: Any) -> Any:
        plan = {"measure": "orders_queue_depth", "kind": "curve", "filters": ["orders"], "time": "last 7 days"}
        return {"raw": None, "parsed": plan, "parsing_error": None}


class _Memory:
    """A Prometheus that answers from memory, each time with the same bytes."""

    def __init__(self) -> None:
        points = ",".join(f'[{1_770_000_000 + 60 * at},"{100 + at % 977 / 7}"]' for at in range(POINTS))
        series = '{"__name__":"orders_queue_depth","service":"orders","instance":"orders-1:9090"}'
        self.answers = {
            "buildinfo": '{"version":"2.42.0"}',
            "values": '["orders_queue_depth","up"]',
            "labels": '["__name__","service","instance"]',
            "metadata": '{"orders_queue_depth":[{"type":"gauge","help":"Orders that wait.","unit":""}]}',
            "series": f"[{series}]",
            "query": '{"resultType":"vector","result":[{"metric":{},"value":[1770000000,"20"]}]}',
            "query_range": f'{{"resultType":"matrix","result":[{{"metric":{{}},"values":[{points}]}}]}}',
        }

    async def read(self, path: str, parameters: Any = (), *, row: Any = None) -> Any:
        from pydantic_core import from_json

        answer = self.answers[path.rpartition("/")[2]]
        return from_json(f'{{"status":"success","data":{answer}}}'.encode())

    async def aclose(self) -> None:
        """Nothing is open."""


def _client() -> Any:
    from signalbox.agents.metrics import GrafanaMetricsClient
    from signalbox.agents.metrics.connection import make_connection

    client: Any = GrafanaMetricsClient("http://localhost:9090")
    client._connection = make_connection("http://localhost:9090", is_prometheus=True)
    client._transport = _Memory()
    return client
