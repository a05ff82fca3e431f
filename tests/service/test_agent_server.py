"""Threads and runs, used through the public client of LangGraph's Agent Server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.errors import ConflictError, NotFoundError

from .conftest import ANN, BOB, token


@pytest.fixture
async def client(address: str) -> AsyncIterator[Any]:
    async with get_client(url=address, api_key=token(ANN)) as found:
        yield found


async def test_assistants_are_the_agents_and_maps(client: Any) -> None:
    names = {one["graph_id"]: one for one in await client.assistants.search(limit=100)}
    assert {"Review", "Hello", "metrics"} <= set(names)
    by_id = await client.assistants.get(names["Review"]["assistant_id"])
    assert by_id["name"] == "Review"
    graph = await client.assistants.get_graph("Review")
    assert {"Approve", "Publish", "Return"} <= {node["id"] for node in graph["nodes"]}
    assert ("__start__", "Approve") in {(edge["source"], edge["target"]) for edge in graph["edges"]}
    with pytest.raises(NotFoundError):
        await client.assistants.get("Revew")


async def test_a_run_is_waited_for(client: Any) -> None:
    thread = await client.threads.create(metadata={"subject": "greeting"})
    values = await client.runs.wait(thread["thread_id"], "Hello", input={"name": "Ann"})
    assert (values["answer"], values["status"]) == ("Hello Ann", "completed")
    found = await client.threads.get(thread["thread_id"])
    assert (found["status"], found["metadata"], found["values"]["answer"]) == (
        "idle", {"subject": "greeting"}, "Hello Ann",
    )  # fmt: skip
    runs = await client.runs.list(thread["thread_id"])
    assert [run["status"] for run in runs] == ["success"]


async def test_a_run_needs_no_thread(client: Any) -> None:
    values = await client.runs.wait(None, "Hello", input={"messages": [{"role": "user", "content": "you"}]})
    assert values["answer"] == "Hello you"


async def test_a_question_is_an_interrupt_that_a_command_resumes(client: Any) -> None:
    thread = (await client.threads.create())["thread_id"]
    asked = await client.runs.wait(thread, "Review", input={"text": "Hi"})
    [interrupt] = asked["__interrupt__"]
    assert interrupt["value"]["message"] == "Publish this? Hi"
    state = await client.threads.get_state(thread)
    assert (state["next"], state["interrupts"][0]["id"]) == (["Approve"], interrupt["id"])
    assert (await client.threads.get(thread))["status"] == "interrupted"
    done = await client.runs.wait(thread, "Review", command={"resume": {interrupt["id"]: "approve"}})
    assert done["answer"] == "Published: Hi"
    assert (await client.threads.get(thread))["status"] == "idle"


async def test_the_history_holds_the_state_at_every_checkpoint(client: Any) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "Review", input={"text": "Hi"})
    await client.runs.wait(thread, "Review", command={"resume": "reject"})
    history = await client.threads.get_history(thread, limit=50)
    assert history[0]["values"]["answer"] == "Sent back: Hi"
    assert [state["next"] for state in history][-2:] == [["Approve"], ["__start__"]]
    before = await client.threads.get_history(thread, before=history[0]["checkpoint"], limit=1)
    assert before[0] == history[1]
    one = await client.threads.get_state(thread, checkpoint_id=history[1]["checkpoint"]["checkpoint_id"])
    assert one == history[1]


async def test_a_stream_tells_what_happens(client: Any) -> None:
    thread = (await client.threads.create())["thread_id"]
    modes = ["values", "updates", "custom", "messages-tuple"]
    parts = [part async for part in client.runs.stream(thread, "Hello", input={"name": "Ann"}, stream_mode=modes)]
    kinds = [part.event for part in parts]
    assert kinds[0] == "metadata"
    assert kinds[-1] == "end"
    assert {"custom", "updates", "messages", "values"} <= set(kinds)
    assert next(part.data for part in parts if part.event == "updates") == {"Greet": "Hello Ann"}
    assert next(part.data for part in parts if part.event == "values")["answer"] == "Hello Ann"
    asked = [part async for part in client.runs.stream(thread, "Review", input={"text": "Hi"})]
    assert asked[-2].data["__interrupt__"][0]["value"]["options"] == ["approve", "reject"]
    resumed = [part async for part in client.runs.stream(thread, "Review", command={"resume": "approve"})]
    assert [part.data["answer"] for part in resumed if part.event == "values"] == ["Published: Hi"]


async def test_a_text_comes_in_its_paragraphs(client: Any) -> None:
    text, modes = "one\n\ntwo\n\nthree", ["messages-tuple", "messages"]
    parts = [part async for part in client.runs.stream(None, "Hello", input={"name": text}, stream_mode=modes)]
    pieces = [part.data[0]["content"] for part in parts if part.event == "messages"]
    assert (len(pieces), "".join(pieces)) == (3, f"Hello {text}")
    grown = [part.data[0]["content"] for part in parts if part.event.startswith("messages/")]
    assert grown == ["Hello one\n\n", "Hello one\n\ntwo\n\n", f"Hello {text}", f"Hello {text}"]
    assert len({part.data[0]["id"] for part in parts if part.event.startswith("messages")}) == 1


async def test_a_background_run_is_polled_joined_and_streamed(client: Any, folder: Path) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "Slow", input={"name": "x"})
    assert run["status"] == "running"
    assert (await client.runs.get(thread, run["run_id"]))["status"] == "running"
    (folder / "go").touch()
    assert (await client.runs.join(thread, run["run_id"]))["answer"] == "Done: x"
    assert (await client.runs.get(thread, run["run_id"]))["status"] == "success"
    parts = [part async for part in client.runs.join_stream(thread, run["run_id"], stream_mode=["values", "custom"])]
    assert [part.data["type"] for part in parts if part.event == "custom"].count("tool_result") == 1


async def test_a_run_is_cancelled(client: Any) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "Slow", input={"name": "x"})
    await client.runs.cancel(thread, run["run_id"], wait=True)
    assert (await client.runs.get(thread, run["run_id"]))["status"] == "interrupted"
    values = await client.runs.join(thread, run["run_id"])
    assert values["__error__"]["error"] == "cancelled"
    assert (await client.runs.wait(thread, "Hello", input={"name": "Ann"}))["answer"] == "Hello Ann"


async def test_a_deleted_thread_is_gone_with_its_runs(client: Any) -> None:
    thread = (await client.threads.create(thread_id="mine"))["thread_id"]
    run = await client.runs.create(thread, "Slow", input={"name": "x"})
    await client.threads.delete(thread)
    with pytest.raises(NotFoundError):
        await client.threads.get(thread)
    with pytest.raises(NotFoundError):
        await client.runs.get(thread, run["run_id"])
    await client.threads.create(thread_id="mine")
    with pytest.raises(ConflictError):
        await client.threads.create(thread_id="mine")


async def test_nothing_of_another_person_is_there(client: Any, address: str, folder: Path) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = (await client.runs.create(thread, "Slow", input={"name": "x"}))["run_id"]
    await asyncio.sleep(0)
    checkpoint = {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": "x", "checkpoint_map": {}}
    async with get_client(url=address, api_key=token(BOB)) as other:

        async def listened() -> None:
            async for _ in other.runs.join_stream(thread, run):
                pass

        attempts = [
            other.threads.get(thread),
            other.threads.update(thread, metadata={"a": 1}),
            other.threads.get_state(thread),
            other.threads.get_state(thread, checkpoint=checkpoint),
            other.threads.get_state(thread, checkpoint_id="x"),
            other.threads.get_history(thread),
            other.threads.delete(thread),
            other.runs.list(thread),
            other.runs.get(thread, run),
            other.runs.cancel(thread, run),
            other.runs.join(thread, run),
            other.runs.delete(thread, run),
            other.runs.create(thread, "Hello", input={"name": "x"}),
            other.runs.create(thread, "Hello", input={"name": "x"}, if_not_exists="create"),
            other.runs.wait(thread, "Hello", command={"resume": 1}),
            listened(),
        ]
        for attempt in attempts:
            with pytest.raises(httpx.HTTPStatusError) as refused:
                await attempt
            assert refused.value.response.status_code == 404
        assert await other.threads.search() == []
    (folder / "go").touch()
    assert (await client.runs.join(thread, run))["answer"] == "Done: x"
