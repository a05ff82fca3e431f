"""Prometheus's HTTP API over a store."""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from signalbox.worlds.metrics.api.parameters import Parameters, duration_ms, read_parameters
from signalbox.worlds.metrics.api.replies import prometheus_data, prometheus_error, prometheus_result
from signalbox.worlds.metrics.labels import label_of
from signalbox.worlds.metrics.promql import PromQLError, parse_selector, query_instant, query_range
from signalbox.worlds.metrics.promql.failures import badly_asked, unsupported
from signalbox.worlds.metrics.series import Series
from signalbox.worlds.metrics.store import Store

__all__ = ["PROMETHEUS_VERSION", "prometheus_routes"]

PROMETHEUS_VERSION = "2.42.0"
"""The Prometheus that the evaluator is held against."""

_LABEL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_BUILD = {
    "version": PROMETHEUS_VERSION,
    "revision": "embedded",
    "branch": "signalbox",
    "buildUser": "",
    "buildDate": "",
    "goVersion": "",
}

Answer = Callable[[Store, Parameters, Request], Response]


def prometheus_routes(store: Store) -> list[Route]:
    """The routes below `/api/v1`."""
    answers: dict[str, Answer] = {
        "/query": _query,
        "/query_range": _query_range,
        "/series": _series,
        "/labels": _labels,
        "/label/{name}/values": _label_values,
        "/metadata": _metadata,
        "/status/buildinfo": lambda *_: prometheus_data(_BUILD),
        "/rules": lambda *_: prometheus_data({"groups": []}),
        "/alerts": lambda *_: prometheus_data({"alerts": []}),
    }
    routes = [Route(path, _endpoint(store, answer), methods=["GET", "POST"]) for path, answer in answers.items()]
    return [*routes, Route("/{rest:path}", _unknown, methods=["GET", "POST", "PUT", "DELETE"])]


def _endpoint(store: Store, answer: Answer) -> Callable[[Request], object]:
    async def endpoint(request: Request) -> Response:
        parameters = await read_parameters(request)
        try:
            return await run_in_threadpool(answer, store, parameters, request)
        except PromQLError as error:
            return prometheus_error(error)

    return endpoint


async def _unknown(request: Request) -> Response:
    return Response("404 page not found\n", status_code=404, media_type="text/plain")


def _query(store: Store, parameters: Parameters, _: Request) -> Response:
    at = parameters.moment("time", store.ends)
    return prometheus_result(query_instant(store, parameters.get("query"), at))


def _query_range(store: Store, parameters: Parameters, _: Request) -> Response:
    start, end = (_required_moment(parameters, name) for name in ("start", "end"))
    step = duration_ms(parameters.get("step"), "step")
    return prometheus_result(query_range(store, parameters.get("query"), start, end, step))


def _required_moment(parameters: Parameters, name: str) -> int:
    if not parameters.get(name):
        raise badly_asked(f'invalid parameter "{name}": cannot parse "" to a valid timestamp')
    return parameters.moment(name, 0)


def _series(store: Store, parameters: Parameters, _: Request) -> JSONResponse:
    if not parameters.all("match[]"):
        raise badly_asked("no match[] parameter provided")
    return prometheus_data([dict(one.labels) for one in _matched(store, parameters)])


def _labels(store: Store, parameters: Parameters, _: Request) -> JSONResponse:
    return prometheus_data(sorted({name for one in _matched(store, parameters) for name, _ in one.labels}))


def _label_values(store: Store, parameters: Parameters, request: Request) -> JSONResponse:
    name = request.path_params["name"]
    if not _LABEL_NAME.fullmatch(name):
        raise badly_asked(f'invalid label name: "{name}"')
    values = {label_of(one.labels, name) for one in _matched(store, parameters)}
    return prometheus_data(sorted(values - {""}))


def _matched(store: Store, parameters: Parameters) -> list[Series]:
    """The series that satisfy any of the selectors and have a sample between start and end."""
    low, high = parameters.moment("start", store.starts), parameters.moment("end", store.ends)
    selectors = [parse_selector(text) for text in parameters.all("match[]")] or [[]]
    try:
        found = {id(one): one for selector in selectors for one in store.select(selector)}
    except re.error as error:
        raise unsupported(f"this regular expression ({error})") from None
    return sorted(store.with_samples(found.values(), low, high), key=lambda one: one.labels)


def _metadata(store: Store, parameters: Parameters, _: Request) -> JSONResponse:
    wanted, limit = parameters.get("metric"), parameters.get("limit")
    chosen = {
        name: [{"type": words.type, "help": words.help, "unit": ""}]
        for name, words in sorted(store.metadata.items())
        if wanted in ("", name)
    }
    if limit and not limit.lstrip("-").isdigit():
        raise badly_asked("limit must be a number")
    most = int(limit) if limit and int(limit) >= 0 else len(chosen)
    return prometheus_data(dict(list(chosen.items())[:most]))
