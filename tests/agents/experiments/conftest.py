"""A seeded UpGrade of the test's own, in memory, that can be told to fail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from signalbox.agents.experiments import clients
from signalbox.agents.experiments.client import Patience, UpgradeClient
from signalbox.agents.experiments.connection import Connection
from signalbox.worlds.experiments import Access, Store, create_app, fill
from signalbox.worlds.experiments.server import serve_app

QUICK = Patience(seconds=5.0, retries=3, first_wait=0.01, longest_wait=0.02)


@dataclass
class Upgrade:
    """A server: what it holds, where it is, which calls it had, and how it fails."""

    store: Store
    url: str = ""
    access: Access = field(default_factory=Access)
    calls: list[str] = field(default_factory=list)
    fault: Callable[[str], str | None] = lambda _: None

    def sent(self, call: str) -> int:
        """How often a call came, e.g. `POST /experiments`."""
        return sum(one == call for one in self.calls)

    def fail_once(self, call: str, how: str) -> None:
        """Let the next such call fail: `before` or `after` it is done, `slow`, or a status."""
        left = [True]

        def fault(made: str) -> str | None:
            if made == call and left:
                left.pop()
                return how
            return None

        self.fault = fault

    def named(self, name: str) -> dict[str, Any]:
        """The experiment of that name, as it is stored."""
        return next(one for one in self.store.experiments.values() if one["name"] == name)


def _failing(upgrade: Upgrade) -> Any:
    app = create_app(upgrade.store, upgrade.access)

    async def answer(send: Any, status: int) -> None:
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"message": "made to fail"}'})

    async def wrapped(scope: Any, receive: Any, send: Any) -> None:
        call = f"{scope['method']} {scope['path'].removeprefix('/api')}"
        upgrade.calls.append(call)
        how = upgrade.fault(call)
        if how == "slow":
            await asyncio.sleep(1)
        if how and how.isdigit():
            await answer(send, int(how))
        elif how == "after":

            async def swallow(_: Any) -> None: ...

            await app(scope, receive, swallow)
            await answer(send, 500)
        else:
            await app(scope, receive, send)

    return wrapped


@cache
def _seeded() -> Store:
    store = Store()
    fill(store)
    return store


@pytest.fixture
async def upgrade(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Upgrade]:
    """The server, which the environment names, and the client that every tool asks."""
    made = Upgrade(deepcopy(_seeded()))
    with serve_app(_failing(made)) as made.url:
        monkeypatch.setenv("UPGRADE_URL", made.url)
        async with UpgradeClient(made.url, patience=QUICK) as client:
            monkeypatch.setattr(clients, "_kept", {Connection(made.url): client})
            yield made
