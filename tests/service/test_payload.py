"""What no database keeps and no client reads back is refused at the door, and rows from before still are shown."""

from __future__ import annotations

import json

import httpx
import pytest

from .conftest import ANN

DEEP = b'{"metadata": ' + b'{"a":' * 400 + b"1" + b"}" * 400 + b"}"
BODIES = {
    "half a character": (b'{"metadata": {"a": ["x", "\\ud800"]}}', "body.metadata.a.1"),
    "the other half": (b'{"metadata": {"a": "\\udc00\\ud800"}}', "body.metadata.a"),
    "half a character in a name": (b'{"metadata": {"\\udfff": 1}}', "body.metadata"),
    "a NUL": (b'{"metadata": {"a": "x\\u0000y"}}', "body.metadata.a"),
    "a NUL in a name": (b'{"metadata": {"\\u0000": 1}}', "body.metadata"),
    "deep": (DEEP, "body.metadata.a"),
    "deeper than Python goes": (b"[" * 100_000, "body"),
    "NaN": (b'{"metadata": {"a": NaN}}', "body.metadata.a"),
    "infinite": (b'{"metadata": {"a": -Infinity}}', "body.metadata.a"),
    "infinite by its exponent": (b'{"metadata": {"a": 1e400}}', "body.metadata.a"),
    "a huge number": (b'{"metadata": {"a": 9223372036854775808}}', "body.metadata.a"),
    "a number of 5000 digits": (b'{"metadata": ' + b"9" * 5000 + b"}", "body"),
    "not UTF-8": (b'{"metadata": {"a": "\xff"}}', "body"),
    "UTF-16": ('{"metadata": {}}'.encode("utf-16"), "body"),
    "no JSON": (b'{"metadata": ', "body"),
}
ROUTES = [
    "/threads", "/threads/search", "/threads/x/history", "/threads/x/runs", "/threads/x/runs/wait",
    "/threads/x/runs/stream", "/runs", "/runs/wait", "/runs/stream", "/assistants/search", "/v1/chat/completions",
    "/hooks/alertmanager", f"/api/{ANN}/chat", "/mcp",
]  # fmt: skip


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_that_cannot_be_kept_is_refused_with_its_place(ann: httpx.Client, kind: str) -> None:
    body, place = BODIES[kind]
    for route in ROUTES:
        sent = ann.post(route, content=body, headers={"Content-Type": "application/json"})
        assert sent.status_code == 422, route
        assert sent.json()["errors"][0]["place"].startswith(place)
        assert place in sent.json()["detail"]
    assert ann.post("/threads/search", json={}).json() == []


def test_characters_beyond_the_basic_plane_and_long_lists_pass(ann: httpx.Client) -> None:
    metadata = {
        "a": "😀 é \n",
        "b": [[0]] * 500,
        "c": 2**63 - 1,
        "d": -1.5e300,
        "deep": json.loads("[" * 90 + "]" * 90),
    }
    content = json.dumps({"metadata": metadata})
    made = ann.post("/threads", content=content, headers={"Content-Type": "application/json"})
    assert (made.status_code, made.json()["metadata"]) == (200, metadata)


def test_a_nul_in_a_path_or_a_query_is_refused(ann: httpx.Client) -> None:
    assert ann.get("/threads/a%00b").status_code == 422
    assert ann.get("/threads/x/runs?status=a%00b").status_code == 422
    assert ann.get("/threads/%ed%a0%80").status_code == 404


def test_threads_from_before_these_rules_are_still_found(ann: httpx.Client) -> None:
    from signalbox.runs.database import database

    ann.post("/threads", json={"thread_id": "old"})
    ann.post("/threads", json={"thread_id": "older"})
    for thread, metadata in (("old", '{"a": "\\ud800", "n": NaN, "\\udfff": 1}'), ("older", DEEP[13:-1].decode())):
        with database().transaction() as connection:
            connection.execute("UPDATE threads SET metadata = ? WHERE thread_id = ?", (metadata, thread))
    found = {one["thread_id"]: one["metadata"] for one in ann.post("/threads/search", json={}).json()}
    assert found["old"] == {"a": "\N{REPLACEMENT CHARACTER}", "n": None, "\N{REPLACEMENT CHARACTER}": 1}
    assert set(found["older"]) == {"a"}
    assert ann.get("/threads/old").status_code == ann.get("/threads/old/state").status_code == 200
