"""Options that nothing here obeys are refused by name; what clients send by default passes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from langgraph_sdk import get_client

from signalbox.service.sse import stream

from .conftest import ANN, token

RUN = {"assistant_id": "Hello", "input": {"name": "Ann"}}
REFUSED = {
    "interrupt_before": ["Greet"], "interrupt_after": "*",
    "multitask_strategy": "both", "durability": "exit",
    "config": {"recursion_limit": 3}, "stream_subgraphs": True, "feedback_keys": ["a"],
    "on_completion": "delete", "strict_resume": True, "checkpoint_during": False, "langsmith_tracer": {"a": "b"},
    "stream_mode": ["values", "tasks"], "command": {"goto": "Greet"}, "nonsense": 1,
}  # fmt: skip
DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(REFUSED), "stream_mode": "values", "stream_subgraphs": False, "stream_resumable": False,
    "multitask_strategy": "reject", "interrupt_before": [], "config": {}, "after_seconds": 0, "durability": "async",
    "on_completion": "keep", "if_not_exists": None, "on_disconnect": None,
}  # fmt: skip


@pytest.fixture
async def client(address: str) -> AsyncIterator[Any]:
    async with get_client(url=address, api_key=token(ANN)) as found:
        yield found


def refused(sent: httpx.Response, name: str) -> bool:
    return sent.status_code == 422 and name in sent.json()["detail"] and name in sent.json()["errors"][0]["place"]


@pytest.mark.parametrize("name", REFUSED)
def test_an_option_of_a_run_that_is_not_obeyed_is_refused_by_name(ann: httpx.Client, name: str) -> None:
    ann.post("/threads", json={"thread_id": "t"})
    for route in ("/runs", "/runs/wait", "/runs/stream", "/threads/t/runs", "/threads/t/runs/wait"):
        assert refused(ann.post(route, json={**RUN, name: REFUSED[name]}), name)
    assert ann.get("/threads/t/runs").json() == []


@pytest.mark.parametrize(("route", "body", "told"), [
    ("/runs", {**RUN, "multitask_strategy": "queue"}, "multitask_strategy: input should be 'reject'"),
    ("/runs", {**RUN, "after_seconds": -3}, "after_seconds: input should be greater than or equal to 0"),
    ("/runs", {**RUN, "stream_mode": "tokens"}, "stream_mode: input should be"),
    ("/threads/search", {"limit": "many"}, "limit: input should be a valid integer"),
    (f"/api/{ANN}/chat", {"mesage": "x"}, "mesage"),
])  # fmt: skip
def test_a_wrong_value_is_told_with_its_place(ann: httpx.Client, route: str, body: dict[str, Any], told: str) -> None:
    sent = ann.post(route, json=body).json()
    assert told in f"{sent['detail']} {sent['suggestion']}"


def test_a_context_that_no_node_reads_is_refused(ann: httpx.Client) -> None:
    for option in ({"context": {"nickname": "A"}}, {"config": {"configurable": {"nickname": "A"}}}):
        answer = ann.post("/runs/wait", json={**RUN, **option})
        assert answer.status_code == 422
        assert "nickname" in answer.json()["detail"]


def test_options_at_their_defaults_pass(ann: httpx.Client) -> None:
    sent = ann.post("/runs/wait", json={**RUN, **DEFAULTS})
    assert (sent.status_code, sent.json()["answer"]) == (200, "Hello Ann")


@pytest.mark.parametrize(("route", "option"), [
    ("/threads", {"ttl": 5}), ("/threads", {"supersteps": [{}]}), ("/threads/search", {"select": ["state"]}),
    ("/threads/search", {"sort_by": "name"}), ("/threads/search", {"extract": {"a": "values.b"}}),
    ("/threads/search", {"status": "sleeping"}), ("/threads/t/history", {"metadata": {"a": 1}}),
    ("/assistants/search", {"sort_order": "up"}), ("/assistants/search", {"nonsense": 1}),
    ("/store/items/search", {"query": "what?"}), ("/assistants", {"graph_id": "Hello", "config": {"tags": ["a"]}}),
    (f"/api/{ANN}/chat", {"message": "hi", "model": "other"}),
])  # fmt: skip
def test_options_of_other_bodies_are_refused_as_well(ann: httpx.Client, route: str, option: dict[str, Any]) -> None:
    assert refused(ann.post(route, json=option), list(option)[-1])


def test_a_parameter_that_a_route_does_not_have_is_refused(ann: httpx.Client) -> None:
    ann.post("/threads", json={"thread_id": "t"})
    assert refused(ann.get("/threads/t/runs?order=asc"), "order")
    assert refused(ann.get("/threads/t/state?subgraphs=true"), "subgraphs")
    assert ann.get("/threads/t/state?subgraphs=false").status_code == 200


async def test_the_client_of_agent_server_works_as_it_is(client: Any) -> None:
    thread = (await client.threads.create(metadata={"a": 1}, if_exists="do_nothing"))["thread_id"]
    run = await client.runs.create(thread, "Hello", input={"name": "Ann"})
    assert (await client.runs.join(thread, run["run_id"]))["answer"] == "Hello Ann"
    kinds = [part.event async for part in client.runs.join_stream(thread, run["run_id"])]
    assert "values" in kinds
    assert (await client.threads.search(metadata={"a": 1}, sort_by="updated_at", sort_order="desc"))[0][
        "status"
    ] == "idle"
    assert await client.threads.get_state(thread, subgraphs=False)
    assert await client.threads.update(thread, metadata={"b": 2})
    assert await client.assistants.get_graph("Hello", xray=True)


async def wait_for_status(client: Any, thread: str, wanted: str) -> None:
    deadline = time.monotonic() + 30
    while (found := (await client.runs.list(thread))[0]["status"]) != wanted:
        assert time.monotonic() < deadline, found
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("route", ["stream", "wait"])
async def test_a_run_ends_with_its_client_where_that_is_asked_for(client: Any, address: str, route: str) -> None:
    thread = (await client.threads.create())["thread_id"]
    headers = {"Authorization": f"Bearer {token(ANN)}"}
    body = {"assistant_id": "Slow", "input": {"name": "x"}, "on_disconnect": "cancel"}
    async with httpx.AsyncClient(base_url=address, headers=headers) as other:
        sending = asyncio.create_task(other.post(f"/threads/{thread}/runs/{route}", json=body, timeout=60))
        while not await client.runs.list(thread):
            await asyncio.sleep(0.05)
        sending.cancel()
    await wait_for_status(client, thread, "interrupted")


@pytest.mark.parametrize(("has_left", "told"), [(True, ["left"]), (False, [])])
async def test_a_stream_tells_of_a_client_that_left_before_it_began(has_left: bool, told: list[str]) -> None:
    async def events() -> AsyncIterator[bytes]:
        yield b"event: end\n\n"

    async def receive() -> dict[str, str]:
        await asyncio.sleep(0 if has_left else 60)
        return {"type": "http.disconnect"}

    async def send(_: Any) -> None:
        """Nobody reads it."""

    left: list[str] = []
    response = stream(events(), if_left=lambda: left.append("left"))
    await response({"type": "http", "asgi": {"spec_version": "2.3"}}, receive, send)
    assert left == told


async def test_a_run_goes_on_without_its_client_otherwise(client: Any, folder: Path) -> None:
    thread = (await client.threads.create())["thread_id"]
    async for part in client.runs.stream(thread, "Slow", input={"name": "x"}):
        if part.event == "metadata":
            break
    (folder / "go").touch()
    await wait_for_status(client, thread, "success")


@pytest.mark.parametrize("option", [
    {"n": 2}, {"stop": ["."]}, {"logprobs": True}, {"tools": [{"type": "function", "function": {"name": "f"}}]},
    {"response_format": {"type": "json_object"}}, {"logit_bias": {"1": 2}}, {"store": True},
    {"modalities": ["text", "audio"]}, {"tool_choice": "required"}, {"extra_body": {"top_k": 3}},
])  # fmt: skip
def test_an_option_of_a_completion_that_changes_the_answer_is_refused(address: str, option: dict[str, Any]) -> None:
    said: Any = [{"role": "user", "content": "Ann"}]
    name = next(iter(option.get("extra_body", option)))
    client = openai.OpenAI(base_url=f"{address}/v1", api_key=token(ANN), max_retries=0)
    with client, pytest.raises(openai.UnprocessableEntityError, match=name):
        client.chat.completions.create(model="Hello", messages=said, **option)


def test_options_that_ordinary_clients_always_send_pass(address: str) -> None:
    said: Any = [
        {"role": "system", "content": "You are kind."},
        {"role": "user", "content": [{"type": "text", "text": "Ann"}]},
    ]
    usual: Any = {
        "temperature": 0.7, "top_p": 1, "max_tokens": 500, "user": "me", "presence_penalty": 0, "frequency_penalty": 0,
        "seed": 1, "tool_choice": "auto", "tools": [], "response_format": {"type": "text"}, "n": 1, "stop": None,
        "parallel_tool_calls": True, "metadata": {"a": "b"},
    }  # fmt: skip
    with openai.OpenAI(base_url=f"{address}/v1", api_key=token(ANN), max_retries=0) as client:
        answer = client.chat.completions.create(model="Hello", messages=said, **usual)
        assert answer.choices[0].message.content == "Hello Ann"
        image: Any = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]
        with pytest.raises(openai.UnprocessableEntityError, match="image_url"):
            client.chat.completions.create(model="Hello", messages=image)
