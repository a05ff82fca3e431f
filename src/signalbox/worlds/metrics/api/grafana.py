"""Grafana's own HTTP API: health, the one datasource, and queries through it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from signalbox.worlds.grid import INTERVAL_MS
from signalbox.worlds.metrics.api.frames import answer_queries
from signalbox.worlds.metrics.api.prometheus import PROMETHEUS_VERSION, prometheus_routes
from signalbox.worlds.metrics.api.replies import grafana_error
from signalbox.worlds.metrics.promql import PromQLError
from signalbox.worlds.metrics.store import Store

__all__ = ["DATASOURCE", "GRAFANA_VERSION", "grafana_routes"]

GRAFANA_VERSION = "11.6.0"
DATASOURCE: Mapping[str, Any] = {
    "id": 1,
    "uid": "shop-prometheus",
    "orgId": 1,
    "name": "Shop",
    "type": "prometheus",
    "typeName": "Prometheus",
    "typeLogoUrl": "public/app/plugins/datasource/prometheus/img/prometheus_logo.svg",
    "access": "proxy",
    "url": "http://localhost:9090",
    "user": "",
    "database": "",
    "basicAuth": False,
    "isDefault": True,
    "jsonData": {
        "httpMethod": "POST",
        "prometheusType": "Prometheus",
        "prometheusVersion": PROMETHEUS_VERSION,
        "timeInterval": f"{INTERVAL_MS // 1000}s",
    },
    "readOnly": True,
}

_FRONTEND: Mapping[str, Any] = {
    "buildInfo": {"version": GRAFANA_VERSION, "commit": "embedded", "edition": "Open Source"},
    "defaultDatasource": DATASOURCE["name"],
    "datasources": {DATASOURCE["name"]: dict(DATASOURCE)},
}


def grafana_routes(store: Store) -> list[BaseRoute]:
    """The routes below `/api`, the datasource's Prometheus among them."""
    uid = DATASOURCE["uid"]
    prometheus = prometheus_routes(store)
    return [
        Route("/health", _fixed({"commit": "embedded", "database": "ok", "version": GRAFANA_VERSION})),
        Route("/org", _fixed({"id": 1, "name": "Main Org."})),
        Route(
            "/user",
            _fixed({"id": 1, "login": "admin", "email": "", "name": "", "orgId": 1, "isGrafanaAdmin": True}),
        ),
        Route("/search", _fixed([])),
        Route("/frontend/settings", _fixed(_FRONTEND)),
        Route("/datasources", _fixed([dict(DATASOURCE)])),
        Route("/datasources/uid/{uid}", _datasource("uid")),
        Route("/datasources/name/{name}", _datasource("name")),
        Route("/datasources/{id:int}", _datasource("id")),
        Route("/datasources/uid/{uid}/health", _datasource_health),
        Mount(f"/datasources/uid/{uid}/resources/api/v1", routes=prometheus),
        Mount(f"/datasources/proxy/uid/{uid}/api/v1", routes=prometheus),
        Mount(f"/datasources/proxy/{DATASOURCE['id']}/api/v1", routes=prometheus),
        Route("/datasources/uid/{uid}/resources/{rest:path}", _no_datasource, methods=["GET", "POST"]),
        Route("/datasources/proxy/uid/{uid}/{rest:path}", _no_datasource, methods=["GET", "POST"]),
        Route("/ds/query", _query_endpoint(store), methods=["POST"]),
        Mount("/v1", routes=prometheus),
        Route("/{rest:path}", _not_found, methods=["GET", "POST", "PUT", "PATCH", "DELETE"]),
    ]


def _fixed(body: Any) -> Any:
    async def endpoint(request: Request) -> Response:
        return JSONResponse(body)

    return endpoint


def _datasource(key: str) -> Any:
    async def endpoint(request: Request) -> Response:
        if request.path_params[key] != DATASOURCE[key]:
            return await _no_datasource(request)
        return JSONResponse({**DATASOURCE, "withCredentials": False, "secureJsonFields": {}, "version": 1})

    return endpoint


async def _datasource_health(request: Request) -> Response:
    if request.path_params["uid"] != DATASOURCE["uid"]:
        return await _no_datasource(request)
    return JSONResponse({"message": "Successfully queried the Prometheus API.", "status": "OK"})


async def _no_datasource(request: Request) -> Response:
    return grafana_error(404, "Data source not found", "datasources.notFound")


async def _not_found(request: Request) -> Response:
    return grafana_error(404, "Not found", "notFound")


def _query_endpoint(store: Store) -> Any:
    async def endpoint(request: Request) -> Response:
        try:
            body = await request.json()
        except (json.JSONDecodeError, UnicodeDecodeError):
            return grafana_error(400, "bad request data", "request.malformed")
        queries = body.get("queries") if isinstance(body, dict) else None
        if not isinstance(queries, list) or not queries or not all(isinstance(one, dict) for one in queries):
            return grafana_error(400, "No queries found in query", "query.noQueries")
        if not all(_is_ours(one.get("datasource")) for one in queries):
            return await _no_datasource(request)
        try:
            results = await run_in_threadpool(answer_queries, store, body)
        except PromQLError as error:
            return grafana_error(400, error.user_message, "query.invalidRange")
        failed = any("error" in result for result in results.values())
        return JSONResponse({"results": results}, status_code=400 if failed else 200)

    return endpoint


def _is_ours(datasource: object) -> bool:
    """Whether a query names our datasource, by uid or by leaving it to the default."""
    uid = datasource.get("uid") if isinstance(datasource, dict) else datasource
    return uid in (None, "", DATASOURCE["uid"], DATASOURCE["name"])
