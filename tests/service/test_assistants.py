"""Assistants of one's own, made, changed and used through the public client of LangGraph's Agent Server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.errors import ConflictError, NotFoundError, PermissionDeniedError, UnprocessableEntityError

from .conftest import ANN, BOB, token


@pytest.fixture
async def client(address: str) -> AsyncIterator[Any]:
    async with get_client(url=address, api_key=token(ANN)) as found:
        yield found


async def test_an_assistant_has_inputs_that_stand(client: Any) -> None:
    made = await client.assistants.create("Hello", context={"name": "Ann"}, name="Greeter", metadata={"team": "a"})
    assert (made["graph_id"], made["name"], made["version"]) == ("Hello", "Greeter", 1)
    assert await client.assistants.get(made["assistant_id"]) == made
    assert (await client.runs.wait(None, made["assistant_id"], input={}))["answer"] == "Hello Ann"
    assert (await client.runs.wait(None, made["assistant_id"], input={"name": "Eve"}))["answer"] == "Hello Eve"
    assert (await client.runs.wait(None, "Hello", input={}, context={"name": "Cy"}))["answer"] == "Hello Cy"
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, made["assistant_id"], input={})
    assert run["assistant_id"] == made["assistant_id"]


async def test_each_change_is_a_version(client: Any) -> None:
    one = (await client.assistants.create("Hello", config={"configurable": {"name": "Ann"}}, metadata={"a": 1}))[
        "assistant_id"
    ]
    second = await client.assistants.update(one, context={"name": "Bea"}, metadata={"b": 2}, name="Two")
    assert (second["version"], second["metadata"], second["name"]) == (2, {"a": 1, "b": 2}, "Two")
    assert (await client.runs.wait(None, one, input={}))["answer"] == "Hello Bea"
    versions = await client.assistants.get_versions(one)
    assert [(version["version"], version["context"]) for version in versions] == [(2, {"name": "Bea"}), (1, {})]
    assert (await client.assistants.set_latest(one, 1))["version"] == 1
    assert (await client.runs.wait(None, one, input={}))["answer"] == "Hello Ann"
    assert (await client.assistants.update(one, name="Three"))["version"] == 3
    with pytest.raises(NotFoundError):
        await client.assistants.set_latest(one, 9)


async def test_assistants_are_searched_and_deleted(client: Any) -> None:
    made = await client.assistants.create("Hello", name="Greeter", metadata={"team": "a"})
    assert await client.assistants.search(graph_id="Hello", name="greet") == [made]
    assert await client.assistants.search(metadata={"team": "a"}) == [made]
    assert await client.assistants.count(graph_id="Hello") == 2
    page = await client.assistants.search(limit=1, response_format="object", sort_by="name", sort_order="asc")
    assert (page["assistants"][0]["name"], page["next"]) == ("Broken", "1")
    thread = await client.threads.create(metadata={"assistant_id": made["assistant_id"]})
    await client.assistants.delete(made["assistant_id"], delete_threads=True)
    with pytest.raises(NotFoundError):
        await client.assistants.get(made["assistant_id"])
    with pytest.raises(NotFoundError):
        await client.threads.get(thread["thread_id"])


async def test_what_cannot_be_made_is_refused(client: Any) -> None:
    await client.assistants.create("Hello", assistant_id="mine")
    with pytest.raises(ConflictError):
        await client.assistants.create("Hello", assistant_id="mine")
    assert (await client.assistants.create("Hello", assistant_id="mine", if_exists="do_nothing"))["version"] == 1
    with pytest.raises(ConflictError):
        await client.assistants.create("Hello", assistant_id="metrics")
    with pytest.raises(NotFoundError):
        await client.assistants.create("Hallo")
    with pytest.raises(UnprocessableEntityError):
        await client.assistants.create("metrics", context={"model": "gpt"})
    with pytest.raises(PermissionDeniedError):
        await client.assistants.update("metrics", name="Mine")
    with pytest.raises(PermissionDeniedError):
        await client.assistants.delete("Hello")


async def test_an_assistant_is_its_makers_alone(client: Any, address: str) -> None:
    one = (await client.assistants.create("Hello", assistant_id="greeter"))["assistant_id"]
    async with get_client(url=address, api_key=token(BOB)) as other:
        for attempt in (
            other.assistants.get(one),
            other.assistants.update(one, name="x"),
            other.assistants.get_versions(one),
            other.assistants.set_latest(one, 1),
            other.assistants.delete(one),
            other.runs.create(None, one, input={"name": "x"}),
        ):
            with pytest.raises(NotFoundError):
                await attempt
        assert await other.assistants.count(name="Untitled") == 0
        assert (await other.assistants.create("Hello", assistant_id=one, name="Bob's"))["name"] == "Bob's"
    assert (await client.assistants.get(one))["name"] == "Untitled"


async def test_the_graphs_within_a_graph_are_named(client: Any) -> None:
    assert await client.assistants.get_subgraphs("Hello") == {}
    assert set(await client.assistants.get_schemas("Hello")) >= {"graph_id", "input_schema"}
