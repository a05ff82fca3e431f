"""The shop on a port, and a server that answers as badly as a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime

import pytest

from signalbox.worlds.metrics import Access, open_shop, serve

OPENED = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
VARIABLES = (
    "GRAFANA_URL", "GRAFANA_TOKEN", "GRAFANA_USER", "GRAFANA_PASSWORD", "GRAFANA_ORG_ID", "GRAFANA_DATASOURCE",
    "PROMETHEUS_URL",
)  # fmt: skip

NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

Speak = Callable[[str, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture(autouse=True)
def no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="package")
def shop() -> Iterator[str]:
    with serve(open_shop(OPENED, clock=lambda: OPENED)) as url:
        yield url


@pytest.fixture(scope="package")
def guarded_shop() -> Iterator[str]:
    access = Access(token="glsa_admin_token", viewer_token="glsa_viewer_token", basic=("admin", "open-sesame"))
    with serve(open_shop(OPENED, clock=lambda: OPENED), access=access) as url:
        yield url


class Server:
    """Answers each path with the bytes, or by the coroutine, that the test gives it; remembers what was asked."""

    def __init__(self, answers: dict[str, bytes | Speak], otherwise: bytes | Speak) -> None:
        self.answers, self.otherwise = answers, otherwise
        self.asked: list[str] = []
        self.heads: list[str] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            method, target, _ = head.split("\r\n")[0].split(" ")
            self.asked.append(f"{method} {target.split('?')[0]}")
            self.heads.append(head)
            answer = self.answers.get(target.split("?")[0], self.otherwise)
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(target, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


StartServer = Callable[..., Awaitable[tuple[str, Server]]]


@pytest.fixture
async def start_server() -> AsyncIterator[StartServer]:
    """What a test calls to start such a server; it gives the address and the server."""
    async with AsyncExitStack() as stack:

        async def start(
            answers: dict[str, bytes | Speak] | None = None, otherwise: bytes | Speak | None = None
        ) -> tuple[str, Server]:
            server = Server(answers or {}, otherwise or NOT_FOUND)
            listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
            stack.callback(listener.close)
            return f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}", server

        yield start
