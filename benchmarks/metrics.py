"""The metrics agent's time: its own, the search for measures, with the offline model, and from the shell.

Its own is a question answered with 10,000 points, without the time of a model or of a server: the model answers at once
and the server from memory, as bytes that are decoded. All else is what a person gets: reading the words, checking them
against the server's metrics, making and checking PromQL, statistics, models, summary.
"""

from __future__ import annotations

import os
import sys
from asyncio import Runner
from collections.abc import Iterator
from statistics import median
from time import process_time
from typing import Any
from unittest.mock import patch

from benchmarks.measure import Contender, awaiting, calling, child_cpu, race
from benchmarks.report import Row, under

__all__ = ["measure"]

GROUP = "the metrics agent's own time"
POINTS = 10_000
QUESTION = "Show the queue depth of the orders service for the last 7 days"
TARGET = 0.05
SERIES = 5_000
MANY = 1.0
SEARCHED = {5_000: 0.05, 50_000: 0.3}
WORDS = "orders payment cache queue worker mail search image stock cart login session export report invoice".split()
ASKED = "p95 latency of the checkout service yesterday"
READ, COLD = 0.25, 2.0
IMPORTS = """
import atexit, gc
gc.disable()
atexit.register(gc.freeze)
import httpx, langchain_core.language_models, langgraph.graph, numpy, onnxruntime, tokenizers, typer, yaml
"""
"""What a question at the shell needs of other packages, imported as the command line does: no garbage is looked for."""


def measure() -> Iterator[Row]:
    """The node without model and server, the search, a question with the offline model, and one asked at the shell."""
    yield from _own()
    for names, target in SEARCHED.items():
        yield Row(GROUP, f"the measures of a question among {names:,} names", _search(names), target=under(target))
    from signalbox.worlds.metrics import serve

    with serve() as shop:
        what = "a question with the offline model, warm (and the embedded server's time)"
        yield Row(GROUP, what, _warm(shop), target=under(READ))
        asked = [sys.executable, "-m", "signalbox", "ask", "--agent", "metrics", ASKED]
        imports = [sys.executable, "-c", IMPORTS]
        cold = race({"asked": _process(asked, {"PROMETHEUS_URL": shop}), "imports": _process(imports, {})}, rounds=5)
    what = "a question asked at the shell, and importing the packages that it needs"
    yield Row(GROUP, what, cold["asked"], cold["imports"], under(COLD))


def _process(command: list[str], environment: dict[str, str]) -> Contender:
    return lambda times: sum(child_cpu(command, environment) for _ in range(times))


def _search(names: int) -> float:
    from signalbox.agents.metrics.catalogue import describe_metrics
    from signalbox.agents.metrics.live import index_of
    from signalbox.agents.metrics.offers import families_of, list_offers
    from signalbox.agents.metrics.recipes import load_recipes

    known = [f"{WORDS[at % 15]}_{WORDS[at // 15 % 15]}_{at}_seconds" for at in range(names)]
    told = {name: ("gauge", f"How long {name.replace('_', ' ')} took.") for name in known}
    index = index_of(list_offers(families_of(describe_metrics(known, told)), load_recipes()))
    if len(found := index.search(QUESTION).hits) < 30:
        raise AssertionError(f"the search found {len(found)} measures only")
    return race({"search": calling(lambda: index.search(QUESTION))})["search"]


def _warm(shop: str) -> float:
    from signalbox.agents.metrics import GrafanaMetricsClient, metrics_agent

    async def all_of_it() -> float:
        async with GrafanaMetricsClient(shop) as client:
            taken = []
            for _ in range(12):
                started = process_time()
                state: Any = {"user_query": ASKED}
                if (await metrics_agent(state, client=client))["result"] is None:
                    raise AssertionError("the question was not answered")
                taken.append(process_time() - started)
            return median(taken[2:])

    with Runner() as loop:
        return loop.run(all_of_it())


def _own() -> Iterator[Row]:
    from signalbox.agents.metrics import metrics_agent

    client, model = _client(), _InstantModel()

    async def answer() -> None:
        state: Any = {"user_query": QUESTION}
        result = (await metrics_agent(state, client=client, model=model))["result"]  # type: ignore[arg-type]
        if result is None or result.datapoint_count != POINTS:
            raise AssertionError("the agent did not answer with all the points")

    many, ranking = _client(SERIES), _InstantModel(kind="ranking", filters=[], split_by=["instance"], time="")

    async def rank() -> None:
        state: Any = {"user_query": "Which instance has the deepest queue?"}
        result = (await metrics_agent(state, client=many, model=ranking))["result"]  # type: ignore[arg-type]
        if result is None or not result.ranking:
            raise AssertionError("the agent did not rank the series")

    with patch.dict(os.environ, SIGNALBOX_MODEL_PLANS="1"), Runner() as loop:
        found = race({"node": awaiting(answer, loop), "many": awaiting(rank, loop)})
    yield Row(GROUP, f"a question answered with {POINTS:,} points", found["node"], target=under(TARGET))
    yield Row(GROUP, f"a ranking of {SERIES:,} series", found["many"], target=under(MANY))


class _InstantModel:
    """Reads nothing and gives the plan of the question."""

    def __init__(self, **plan: Any) -> None:
        usual = {"measure": "orders_queue_depth", "kind": "curve", "filters": ["orders"], "time": "last 7 days"}
        self.plan = usual | plan

    def with_structured_output(self, _: Any, **__: Any) -> Any:
        return self

    async def ainvoke(self, *_: Any, **__: Any) -> Any:
        return {"raw": None, "parsed": self.plan, "parsing_error": None}


class _Memory:
    """A Prometheus that answers from memory, each time with the same bytes."""

    def __init__(self, count: int = 1) -> None:
        points = ",".join(f'[{1_770_000_000 + 60 * at},"{100 + at % 977 / 7}"]' for at in range(POINTS))
        name = '"__name__":"orders_queue_depth","service":"orders","instance":"orders-%d:9090"'
        series = ",".join("{%s}" % (name % at) for at in range(count))
        labels = ["{}"] if count == 1 else [f'{{"instance":"orders-{at}:9090"}}' for at in range(count)]
        rows = ",".join(f'{{"metric":{one},"value":[1770000000,"{20 + at}"]}}' for at, one in enumerate(labels))
        self.answers = {
            "buildinfo": '{"version":"2.42.0"}',
            "values": '["orders_queue_depth","up"]',
            "labels": '["__name__","service","instance"]',
            "metadata": '{"orders_queue_depth":[{"type":"gauge","help":"Orders that wait.","unit":""}]}',
            "series": f"[{series}]",
            "query": f'{{"resultType":"vector","result":[{rows}]}}',
            "query_range": f'{{"resultType":"matrix","result":[{{"metric":{{}},"values":[{points}]}}]}}',
        }

    async def read(self, path: str, parameters: Any = (), *, row: Any = None) -> Any:
        from pydantic_core import from_json

        answer = self.answers[path.rpartition("/")[2]]
        return from_json(f'{{"status":"success","data":{answer}}}'.encode())

    async def aclose(self) -> None:
        """Nothing is open."""


def _client(series: int = 1) -> Any:
    from signalbox.agents.metrics import GrafanaMetricsClient
    from signalbox.agents.metrics.connection import make_connection

    client: Any = GrafanaMetricsClient("http://localhost:9090")
    client._connection = make_connection("http://localhost:9090", is_prometheus=True)
    client._transport = _Memory(series)
    return client
