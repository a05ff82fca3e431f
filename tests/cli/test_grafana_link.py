"""A person who connected their own Grafana opens the query of an answer there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from signalbox.worlds.metrics import Access, serve

TOKEN = {"Authorization": "Bearer glsa_1"}


@pytest.fixture
def grafana(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-03-11T09:30:00Z")
    with serve(access=Access(token="glsa_1")) as address:
        monkeypatch.setenv("GRAFANA_URL", address)
        monkeypatch.setenv("GRAFANA_TOKEN", "glsa_1")
        yield address


def test_the_link_of_a_curve_opens_its_query_over_its_time(signalbox: Callable[..., Any], grafana: str) -> None:
    answer = signalbox("ask", "memory used on db-1 between 6 and 8 today", "--agent", "metrics", "--json").json
    assert answer["source"]["kind"] == "live"
    [curve] = [block for block in answer["blocks"] if block["type"] == "series"]
    link = urlsplit(curve["link"])
    given = parse_qs(link.query)
    assert (f"{link.scheme}://{link.netloc}{link.path}", given["schemaVersion"]) == (f"{grafana}/explore", ["1"])

    [pane] = json.loads(given["panes"][0]).values()
    [query] = pane["queries"]
    assert query["expr"] == curve["query"]
    assert (pane["datasource"], query["datasource"]["uid"]) == (answer["source"]["datasource"],) * 2

    shown = httpx.post(f"{grafana}/api/ds/query", json={"queries": [query], **pane["range"]}, headers=TOKEN)
    [frame] = shown.json()["results"]["A"]["frames"]
    moments = frame["data"]["values"][0]
    assert (str(moments[0]), str(moments[-1])) == (pane["range"]["from"], pane["range"]["to"])
