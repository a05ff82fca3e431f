"""The client of the source of metrics: Prometheus's API, through Grafana or plain."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Self
from urllib.parse import quote

from signalbox.agents.metrics.catalogue import MetricInfo, base_unit, describe_metrics
from signalbox.agents.metrics.connection import Connection, make_connection, read_connection
from signalbox.agents.metrics.errors import (
    GrafanaRefusedError,
    GrafanaUnavailableError,
    InvalidQueryError,
)
from signalbox.agents.metrics.promapi import (
    QUERY_ROW,
    SERIES_ROW,
    QueryAnswer,
    read_answer,
    read_label_sets,
    read_metadata,
    read_names,
    selector_of,
)
from signalbox.agents.metrics.sources import (
    Datasource,
    Server,
    choose_datasource,
    find_server,
    list_datasources,
    paths_of,
)
from signalbox.agents.metrics.state import MOST_DAYS, MOST_POINTS, TimeRange, aware
from signalbox.agents.metrics.transport import Limits, Transport
from signalbox.errors import ConfigurationError
from signalbox.settings import now

__all__ = ["GrafanaMetricsClient", "Health"]

_CACHED = timedelta(minutes=5)
_FALL_BACK_ON = {401, 403, 404, 500}
_ZOOM = (
    (timedelta(days=MOST_DAYS), timedelta(days=1)),
    (timedelta(days=1), timedelta(minutes=15)),
    (timedelta(minutes=15), timedelta(seconds=15)),
)


@dataclass(frozen=True)
class Health:
    """What answers, and behind Grafana the datasource that is read."""

    server: Server
    datasource: Datasource | None = None


class GrafanaMetricsClient:
    """Reads metrics from Grafana, Prometheus or VictoriaMetrics; reuse one, and close it at the end.

    Without an address the environment says where, and whatever else is not given (see `connection`); an address
    brings its own credentials. Every method raises GrafanaUnavailableError or one of its kinds where the server
    fails, and nothing is tried twice.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        user: str | None = None,
        password: str | None = None,
        org_id: str | int | None = None,
        datasource: str | None = None,
        limits: Limits | None = None,
        clock: Callable[[], datetime] = now,
    ) -> None:
        given = {"token": token, "user": user, "password": password, "org_id": org_id, "datasource": datasource}
        self._connection = _connection(url, given)
        self._limits = limits or Limits()
        self._transport = Transport(self._connection, self._limits)
        self._clock = clock
        self._health: Health | None = None
        self._path: str | None = None
        self._metrics: tuple[datetime, dict[str, MetricInfo]] | None = None

    def __repr__(self) -> str:
        return f"GrafanaMetricsClient({self._connection.url!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections of the running event loop; the client may be used again."""
        await self._transport.aclose()

    @property
    def url(self) -> str:
        """The address, without credentials."""
        return self._connection.url

    @property
    def system(self) -> str:
        """What is known to answer there: grafana or prometheus."""
        if self._health is not None:
            return self._health.server.kind
        return "prometheus" if self._connection.is_prometheus else "grafana"

    @property
    def limits(self) -> Limits:
        """What a request, and all the requests of one question, may take."""
        return self._limits

    async def health(self) -> Health:
        """Ask anew what answers, and choose the datasource."""
        server = await find_server(self._transport, self._connection)
        source = await self._choose() if server.kind == "grafana" else None
        self._health, self._path = Health(server, source), None
        return self._health

    @property
    def datasource_uid(self) -> str:
        """Which datasource of Grafana is read, once that is known; empty where there is no Grafana."""
        chosen = self._health.datasource if self._health else None
        return chosen.uid if chosen else ""

    async def datasources(self) -> list[Datasource]:
        """Grafana's datasources, of every type; none where there is no Grafana."""
        known = self._health or await self.health()
        return await list_datasources(self._transport) if known.datasource else []

    async def get_available_metrics(self) -> list[str]:
        """The names of all metrics of the last 90 days, in order; five minutes old at most."""
        return list(await self.describe_metrics())

    async def describe_metrics(self) -> Mapping[str, MetricInfo]:
        """The available metrics by name, each with its type and help; five minutes old at most."""
        asked = self._clock()
        if self._metrics and timedelta(0) <= asked - self._metrics[0] < _CACHED:
            return self._metrics[1]
        window = TimeRange(start_time=asked.astimezone(UTC) - timedelta(days=MOST_DAYS), end_time=asked)
        names = await self.label_values("__name__", within=window)
        # A million names take seconds: not on the event loop.
        described = await asyncio.to_thread(describe_metrics, names, await self._metadata())
        self._metrics = (asked, described)
        return described

    async def get_metric_unit(self, metric_name: str) -> str:
        """The unit of the metric's own values, such as `bytes` or `seconds`; empty where it has or shows none."""
        described = await self.describe_metrics()
        return base_unit(described.get(metric_name) or MetricInfo(metric_name, family=metric_name))

    async def label_names(self, match: str | None = None, within: TimeRange | None = None) -> list[str]:
        """The labels that the matching series have, in order."""
        body = await self._ask("labels", _narrowed(match, within))
        return sorted(read_names(body, self.url))

    async def label_values(self, label: str, match: str | None = None, within: TimeRange | None = None) -> list[str]:
        """The values of a label on the matching series, in order."""
        body = await self._ask(f"label/{quote(label, safe='')}/values", _narrowed(match, within))
        return sorted(read_names(body, self.url))

    async def series(self, match: str, within: TimeRange | None = None) -> list[dict[str, str]]:
        """The labels of every matching series; raises TooLargeError where there are too many."""
        body = await self._ask("series", _narrowed(match, within), row=SERIES_ROW)
        # Thousands of series take tens of milliseconds: not on the event loop.
        return await asyncio.to_thread(read_label_sets, body, self.url)

    async def query(self, promql: str, at: datetime | None = None) -> QueryAnswer:
        """The answer at one moment, by default now; raises InvalidQueryError where the server refuses the query."""
        moment = at or self._clock()
        body = await self._ask("query", [("query", promql), ("time", _stamp(moment))], row=QUERY_ROW)
        return await asyncio.to_thread(read_answer, body, self.url)

    async def query_range(self, promql: str, start: datetime, end: datetime, step: timedelta) -> QueryAnswer:
        """The answer over a range of time, a point every step from its start.

        Raises InvalidTimeRangeError, and InvalidQueryError where that is more than 10,000 points a series.
        """
        window = TimeRange(start_time=start, end_time=end)
        _check_points(window, step)
        parameters = [("query", promql), *_bounds(window), ("step", f"{step.total_seconds():.3f}")]
        body = await self._ask("query_range", parameters, row=QUERY_ROW)
        return await asyncio.to_thread(read_answer, body, self.url)

    async def last_seen(self, metric: str, now: datetime | None = None) -> datetime | None:
        """When the metric (a name or a selector) last had a sample in the 90 days before `now`; None if never."""
        selector = metric if "{" in metric else selector_of(metric)
        end = aware(now or self._clock()).astimezone(UTC)
        for span, step in _ZOOM:
            promql = f"count(count_over_time({selector}[{int(step.total_seconds())}s]))"
            # From one step after the start: each point looks back over one step.
            answer = await self.query_range(promql, end - span + step, end, step)
            if not answer.curves:
                return None
            end = _moment(answer.curves[0].stamps[-1])
        exact = await self.query(f"max(timestamp({selector}))", end)
        return _moment(exact.curves[0].values[0]) if exact.curves else end

    async def _metadata(self) -> dict[str, tuple[str, str]]:
        """Types and help, which the server may not offer, or not to this account."""
        try:
            return read_metadata(await self._ask("metadata", []))
        except (InvalidQueryError, GrafanaRefusedError):
            return {}
        except GrafanaUnavailableError as error:
            if error.status not in (400, 404, 405, 501):
                raise
            return {}

    async def _choose(self) -> Datasource:
        wanted = self._connection.datasource
        try:
            return choose_datasource(await list_datasources(self._transport), wanted)
        except GrafanaRefusedError as error:
            # Who may not see the datasources may still be allowed to query the one that was named.
            if error.status != 403 or not wanted:
                raise
            return Datasource(uid=wanted, name=wanted)

    async def _ask(self, what: str, parameters: Sequence[tuple[str, str]], row: re.Pattern[bytes] | None = None) -> Any:
        """Ask Prometheus's API, on the path that is known to work or else on the first that does."""
        paths = [self._path] if self._path is not None else await self._paths()
        for path in paths[:-1]:
            try:
                return await self._ask_on(path, what, parameters, row)
            except GrafanaUnavailableError as error:
                if error.status not in _FALL_BACK_ON:
                    raise
        return await self._ask_on(paths[-1], what, parameters, row)

    async def _ask_on(
        self, path: str, what: str, parameters: Sequence[tuple[str, str]], row: re.Pattern[bytes] | None
    ) -> Any:
        try:
            body = await self._transport.read(f"{path}/api/v1/{what}", parameters, row=row)
        except InvalidQueryError:
            self._path = path
            raise
        except GrafanaUnavailableError as error:
            # Grafana may have been set up anew meanwhile: the next question finds the way again.
            if error.status in _FALL_BACK_ON:
                self._path = None
            raise
        self._path = path
        return body

    async def _paths(self) -> list[str]:
        if self._connection.is_prometheus:
            return [""]
        known = self._health or await self.health()
        return list(paths_of(known.datasource)) if known.datasource else [""]


def _connection(url: str | None, given: dict[str, Any]) -> Connection:
    found = make_connection(url, **given) if url else read_connection(**given)
    if found is None:
        raise ConfigurationError(
            "No address of a metrics server is set.",
            suggestion="Set GRAFANA_URL to the address of Grafana, or PROMETHEUS_URL to that of Prometheus.",
        )
    return found


def _check_points(window: TimeRange, step: timedelta) -> None:
    if step < timedelta(milliseconds=1):
        raise InvalidQueryError("The step of a range query is at least a millisecond.")
    points = (window.end_time.astimezone(UTC) - window.start_time.astimezone(UTC)) // step + 1
    if points > MOST_POINTS:
        raise InvalidQueryError(
            f"That would be {points:,} points a series; at most {MOST_POINTS:,} are answered.",
            suggestion="Ask for a shorter range of time, or for fewer points.",
        )


def _narrowed(match: str | None, within: TimeRange | None) -> list[tuple[str, str]]:
    matched = [("match[]", match)] if match else []
    return [*matched, *(_bounds(within) if within else [])]


def _bounds(window: TimeRange) -> list[tuple[str, str]]:
    return [("start", _stamp(window.start_time)), ("end", _stamp(window.end_time))]


def _stamp(moment: datetime) -> str:
    return f"{aware(moment).timestamp():.3f}"


def _moment(stamp: float) -> datetime:
    return datetime.fromtimestamp(stamp, UTC)
