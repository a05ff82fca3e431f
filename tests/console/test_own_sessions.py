"""A session of the page is the person's who began it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from signalbox.console.own_sessions import OwnSessions

ANN, BEN = "ann", "ben"


class AsPerson:
    """The door, as far as the page knows of it: the person stands in the state of a request."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        name = dict(scope["headers"]).get(b"x-person", b"").decode()
        await self.app({**scope, "state": {"person": name}}, receive, send)


@pytest.fixture
def page() -> httpx.AsyncClient:
    async def answer(_: Any) -> PlainTextResponse:
        return PlainTextResponse("served")

    gradio = Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST"])])
    transport = httpx.ASGITransport(AsPerson(OwnSessions(gradio)))
    return httpx.AsyncClient(transport=transport, base_url="http://localhost")


async def test_a_session_is_not_there_for_anybody_else(page: httpx.AsyncClient) -> None:
    async def status(person: str, method: str, path: str, **given: Any) -> int:
        return (await page.request(method, path, headers={"x-person": person}, **given)).status_code

    joined = {"json": {"session_hash": "s1", "data": []}}
    assert await status(ANN, "POST", "/gradio_api/queue/join", **joined) == 200
    for method, path, given in (
        ("POST", "/gradio_api/queue/join", joined),
        ("GET", "/gradio_api/queue/data?session_hash=s1", {}),
        ("GET", "/gradio_api/heartbeat/s1", {}),
    ):
        assert await status(BEN, method, path, **given) == 404
        assert await status(ANN, method, path, **given) == 200


@pytest.mark.parametrize(
    "path", ["/gradio_api/upload", "/upload", "/gradio_api/call/enter", "/gradio_api/call/enter/e1", "/call/enter/e1"]
)
async def test_what_hands_things_to_anybody_is_closed(page: httpx.AsyncClient, path: str) -> None:
    assert (await page.post(path, headers={"x-person": ANN})).status_code == 404
