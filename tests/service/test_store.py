"""The store, used through the public client of LangGraph's Agent Server: JSON kept for a person alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.errors import UnprocessableEntityError

from .conftest import ANN, BOB, token


@pytest.fixture
async def store(address: str) -> AsyncIterator[Any]:
    async with get_client(url=address, api_key=token(ANN)) as client:
        yield client.store


async def test_an_item_is_put_read_replaced_and_deleted(store: Any) -> None:
    await store.put_item(["notes", "ann"], "first", {"text": "Hi"})
    item = await store.get_item(["notes", "ann"], "first")
    assert (item["namespace"], item["key"], item["value"]) == (["notes", "ann"], "first", {"text": "Hi"})
    await store.put_item(["notes", "ann"], "first", {"text": "Ho"})
    again = await store.get_item(["notes", "ann"], "first")
    assert (again["value"], again["created_at"]) == ({"text": "Ho"}, item["created_at"])
    assert again["updated_at"] > item["updated_at"]
    await store.delete_item(["notes", "ann"], "first")
    assert await store.get_item(["notes", "ann"], "first") is None


async def test_items_are_found_by_prefix_and_fields(store: Any) -> None:
    for number in range(4):
        await store.put_item(["notes", "even" if number % 2 == 0 else "odd"], f"n{number}", {"n": number, "tag": "x"})
    await store.put_item(["notesy"], "other", {"n": 9})

    async def keys(*prefix: str, **options: Any) -> list[str]:
        return [one["key"] for one in (await store.search_items(list(prefix), **options))["items"]]

    assert await keys("notes") == ["n3", "n2", "n1", "n0"]
    assert await keys("notes", "even") == ["n2", "n0"]
    assert await keys("notes", filter={"n": 1, "tag": "x"}) == ["n1"]
    assert await keys("notes", filter={"n": {"$gte": 1, "$lt": 3}}) == ["n2", "n1"]
    assert await keys("notes", filter={"n": {"$gt": "a"}}) == []
    assert await keys("notes", limit=1, offset=1) == ["n2"]
    with pytest.raises(UnprocessableEntityError):
        await keys("notes", query="what was the first note?")


async def test_namespaces_are_listed(store: Any) -> None:
    for namespace in (["a", "b", "c"], ["a", "b", "d"], ["a", "x", "c"], ["z"]):
        await store.put_item(namespace, "k", {})
    assert (await store.list_namespaces())["namespaces"] == [["a", "b", "c"], ["a", "b", "d"], ["a", "x", "c"], ["z"]]
    assert (await store.list_namespaces(prefix=["a"], max_depth=2))["namespaces"] == [["a", "b"], ["a", "x"]]
    assert (await store.list_namespaces(suffix=["c"]))["namespaces"] == [["a", "b", "c"], ["a", "x", "c"]]
    assert (await store.list_namespaces(prefix=["a", "*", "d"]))["namespaces"] == [["a", "b", "d"]]
    assert (await store.list_namespaces(limit=1, offset=3))["namespaces"] == [["z"]]


async def test_an_item_of_a_time_is_gone_after_it(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-03-01T12:00:00Z")
    await store.put_item(["n"], "short", {}, ttl=5)
    await store.put_item(["n"], "long", {})
    assert await store.get_item(["n"], "short")
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-03-01T12:05:01Z")
    assert await store.get_item(["n"], "short") is None
    assert [one["key"] for one in (await store.search_items([]))["items"]] == ["long"]


async def test_nobody_sees_or_changes_an_item_of_another(store: Any, address: str) -> None:
    await store.put_item(["n"], "k", {"of": "Ann"})
    async with get_client(url=address, api_key=token(BOB)) as client:
        other = client.store
        assert await other.get_item(["n"], "k") is None
        assert (await other.search_items([]))["items"] == []
        assert (await other.list_namespaces())["namespaces"] == []
        await other.put_item(["n"], "k", {"of": "Bob"})
        await other.delete_item(["n"], "k")
    assert (await store.get_item(["n"], "k"))["value"] == {"of": "Ann"}


@pytest.mark.parametrize("namespace", [[], [""], ["a", ""], ["a" * 1001]])
async def test_a_namespace_without_labels_is_refused(store: Any, namespace: list[str]) -> None:
    with pytest.raises(UnprocessableEntityError):
        await store.put_item(namespace, "k", {})
