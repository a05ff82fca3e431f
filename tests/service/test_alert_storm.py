"""Twenty groups of alerts at once: every investigation ends, and says which sources it did not read."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from tests.service.conftest import ANN, token
from tests.service.test_hooks import notice

pytestmark = pytest.mark.bench
SERVICES = ("checkout", "payment", "orders", "users", "gateway")


def test_all_end_with_every_source_read_or_told(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-11-18T15:00:00+00:00")
    monkeypatch.setenv("SIGNALBOX_RATE_LIMIT", "10000")

    def group(number: int) -> dict[str, Any]:
        labels = {"alertname": f"Slow{number}", "service": SERVICES[number % 5], "severity": "page"}
        told = notice(since="2026-11-17T14:12:00Z", groupKey=f"g{number}", groupLabels=labels, commonLabels=labels)
        return {**told, "alerts": [{**told["alerts"][0], "labels": labels, "fingerprint": f"f{number}"}]}

    headers = {"Authorization": f"Bearer {token(ANN)}"}
    with serve() as address, httpx.Client(base_url=address, headers=headers, timeout=600) as client:
        began = time.monotonic()
        with ThreadPoolExecutor(20) as pool:
            told = [*pool.map(lambda number: client.post("/hooks/alertmanager", json=group(number)).json(), range(20))]
            ends = [*pool.map(lambda one: client.get(f"/threads/{one['thread_id']}/runs/{one['run_id']}/join").json(),
                              told)]  # fmt: skip
        print(f"20 groups ended after {time.monotonic() - began:.0f} s")
    for end in ends:
        state = end["state"]
        print(state["conclusion"]["sureness"], "|", state["unread"], "|", state["conclusion"]["verdict"][:160])
        assert end["status"] == "completed"
        assert all(one in end["answer"] for one in state["unread"])
    hurt = [end for number, end in enumerate(ends) if SERVICES[number % 5] in ("checkout", "payment")]
    assert all("core-rtr-1" in end["answer"] or end["state"]["unread"] for end in hurt)
