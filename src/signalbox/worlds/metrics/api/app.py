"""The ASGI application."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route

from signalbox.worlds.metrics.api.access import Access, AccessControl
from signalbox.worlds.metrics.api.grafana import grafana_routes
from signalbox.worlds.metrics.store import Store

__all__ = ["create_app"]


def create_app(store: Store, access: Access | None = None) -> Starlette:
    """Grafana's API over a store, with Prometheus's under `/api/v1` as well."""
    return Starlette(
        routes=[
            Route("/-/healthy", _well),
            Route("/-/ready", _well),
            Mount("/api", routes=grafana_routes(store)),
        ],
        middleware=[Middleware(AccessControl, access=access or Access())],
    )


async def _well(request: Request) -> Response:
    return PlainTextResponse("Prometheus Server is Healthy.\n")
