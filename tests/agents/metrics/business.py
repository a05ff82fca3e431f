"""A business of a test's own in a real Prometheus: its measures minute by minute, and the help texts they have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from signalbox.agents.metrics import GrafanaMetricsClient
from signalbox.agents.metrics.catalogue import MetricInfo
from signalbox.agents.metrics.clients import use_client


def lines(
    told: Mapping[str, str], series: Callable[[int], Mapping[str, float]], end: datetime, minutes: int
) -> Iterator[str]:
    """Every series of the measures, a sample a minute up to the end, as OpenMetrics."""
    start = int(end.timestamp()) - minutes * 60
    for family in told:
        yield f"# TYPE {family.removesuffix('_total')} {_kind(family)}\n"
        for name in [one for one in series(0) if one.startswith(f"{family}{{")]:
            yield from (f"{name} {series(minute)[name]} {start + 60 * minute}\n" for minute in range(minutes + 1))
    yield "# EOF\n"


class Told(GrafanaMetricsClient):
    """A server with the help texts of what it has."""

    def __init__(self, address: str | None, told: Mapping[str, str], end: datetime) -> None:
        super().__init__(address, clock=lambda: end)
        self.told = told

    async def describe_metrics(self) -> Mapping[str, MetricInfo]:
        said = await super().describe_metrics()
        return {
            name: replace(one, type=one.type if one.type == "summary" else _kind(name), help=self.told[name])
            for name, one in said.items()
            if name in self.told
        }


async def ask(client: GrafanaMetricsClient, question: str, model: Any, previous: Any = None) -> Any:
    """The state after a question, read as the model says; `previous` is what was asked before."""
    from signalbox.agents.metrics import metrics_agent

    state: Any = {
        "user_query": question, "parsed_query": None, "result": None, "error": None, "processing_time_ms": 0.0,
        "previous": previous,
    }  # fmt: skip
    with use_client(client):
        return await metrics_agent(state, client=client, model=model)


async def told(asked: Any) -> str:
    """The summary of an answer that was given."""
    state = await asked
    assert state["error"] is None, state["error"]
    return str(state["result"].summary)


def _kind(name: str) -> str:
    return "counter" if name.endswith("_total") else "gauge"
