"""What becomes of a run when another comes, when and where it begins, and who is told of its end: through the public
client of LangGraph's Agent Server, on both carriers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError

from .conftest import ANN, BOB, token


@pytest.fixture(params=["sqlite", "postgresql"])
def carrier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What carries the runs of the service."""
    if request.param == "postgresql":
        monkeypatch.setenv("SIGNALBOX_DATABASE_URL", request.getfixturevalue("postgres").database())
    return str(request.param)


@pytest.fixture
async def client(carrier: str, address: str) -> AsyncIterator[Any]:
    async with get_client(url=address, api_key=token(ANN)) as found:
        yield found


async def under_way(client: Any, name: str = "first") -> tuple[str, str]:
    """A thread with a run that is under way until the file `go` is there."""
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "Slow", input={"name": name})
    async for part in client.runs.join_stream(thread, run["run_id"], stream_mode="custom"):
        if part.event == "custom" and part.data.get("node") == "Wait":
            break
    return thread, run["run_id"]


async def test_a_second_run_is_refused(client: Any, folder: Path) -> None:
    thread, run = await under_way(client)
    with pytest.raises(ConflictError) as refused:
        await client.runs.create(thread, "Hello", input={"name": "x"}, multitask_strategy="reject")
    assert "multitask_strategy" in refused.value.response.json()["suggestion"]
    (folder / "go").touch()
    assert (await client.runs.join(thread, run))["answer"] == "Done: first"


async def test_a_second_run_waits_for_its_turn(client: Any, folder: Path) -> None:
    thread, _ = await under_way(client)
    second = await client.runs.create(thread, "Hello", input={"name": "two"}, multitask_strategy="enqueue")
    third = await client.runs.create(thread, "Hello", input={"name": "three"}, multitask_strategy="enqueue")
    assert (second["status"], third["status"]) == ("pending", "pending")
    assert second["multitask_strategy"] == "enqueue"
    assert (await client.threads.get(thread))["status"] == "busy"
    (folder / "go").touch()
    assert (await client.runs.join(thread, third["run_id"]))["answer"] == "Hello three"
    turns = [message["content"] for message in (await client.threads.get(thread))["values"]["messages"]]
    assert [turn for turn in turns if turn.startswith(("Done", "Hello"))] == ["Done: first", "Hello two", "Hello three"]


async def test_a_pending_run_can_be_cancelled(client: Any, folder: Path) -> None:
    thread, first = await under_way(client)
    second = await client.runs.create(thread, "Hello", input={"name": "two"}, multitask_strategy="enqueue")
    await client.runs.cancel(thread, second["run_id"])
    assert (await client.runs.get(thread, second["run_id"]))["status"] == "interrupted"
    (folder / "go").touch()
    assert (await client.runs.join(thread, first))["answer"] == "Done: first"


async def test_a_second_run_interrupts_the_first(client: Any) -> None:
    thread, first = await under_way(client)
    values = await client.runs.wait(thread, "Hello", input={"name": "two"}, multitask_strategy="interrupt")
    assert values["answer"] == "Hello two"
    assert (await client.runs.get(thread, first))["status"] == "interrupted"


async def test_a_second_run_rolls_the_first_back(client: Any) -> None:
    thread, first = await under_way(client)
    values = await client.runs.wait(thread, "Hello", input={"name": "two"}, multitask_strategy="rollback")
    assert values["answer"] == "Hello two"
    with pytest.raises(NotFoundError):
        await client.runs.get(thread, first)


async def test_a_run_begins_after_some_seconds(client: Any) -> None:
    thread = (await client.threads.create())["thread_id"]
    later = await client.runs.create(thread, "Hello", input={"name": "later"}, after_seconds=2)
    assert later["status"] == "pending"
    assert (await client.runs.wait(thread, "Hello", input={"name": "now"}))["answer"] == "Hello now"
    done = await client.runs.join(thread, later["run_id"])
    assert done["answer"] == "Hello later"
    [found] = [run for run in await client.runs.list(thread) if run["run_id"] == later["run_id"]]
    assert found["status"] == "success"


async def test_new_input_drops_the_question_that_waits(client: Any) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "Review", input={"text": "one"})
    asked = await client.runs.wait(thread, "Review", input={"text": "two"})
    assert asked["__interrupt__"][0]["value"]["message"].endswith("Publish this? two")
    done = await client.runs.wait(thread, "Review", command={"resume": "approve"})
    assert done["answer"].startswith("Published: two")


async def test_a_run_goes_on_from_a_checkpoint(client: Any) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "Review", input={"text": "Hi"})
    first = await client.runs.wait(thread, "Review", command={"resume": "reject"})
    assert first["answer"] == "Sent back: Hi"
    history = await client.threads.get_history(thread, limit=50)
    [before] = [state["checkpoint"] for state in history if state["next"] == ["Approve"]]
    asked = await client.runs.wait(thread, "Review", checkpoint=before)
    assert asked["__interrupt__"][0]["value"]["message"] == "Publish this? Hi"
    assert (await client.runs.wait(thread, "Review", command={"resume": "approve"}))["answer"] == "Published: Hi"
    assert {run["status"] for run in await client.runs.list(thread)} == {"success"}
    with pytest.raises(NotFoundError):
        await client.runs.create(thread, "Review", checkpoint={**before, "checkpoint_id": "nonsense"})


async def test_a_state_is_updated_and_the_run_goes_on_from_it(client: Any) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "Review", input={"text": "Hi"})
    written = await client.threads.update_state(thread, {"text": "Ho"})
    state = await client.threads.get_state(thread, checkpoint_id=written["checkpoint"]["checkpoint_id"])
    assert (state["values"]["text"], state["next"]) == ("Ho", ["Approve"])
    asked = await client.runs.wait(thread, "Review", input=None)
    assert asked["__interrupt__"][0]["value"]["message"] == "Publish this? Ho"
    with pytest.raises(UnprocessableEntityError):
        await client.threads.update_state(thread, {"text": "x"}, as_node="Nowhere")
    await client.threads.update_state(thread, {"approved": True}, as_node="Approve")
    assert (await client.runs.wait(thread, "Review", input=None))["answer"].endswith(": Ho")


async def test_a_thread_is_copied_with_what_it_holds(client: Any, address: str) -> None:
    thread = (await client.threads.create(metadata={"subject": "a"}))["thread_id"]
    await client.runs.wait(thread, "Hello", input={"name": "Ann"})
    await client.runs.wait(thread, "Review", input={"text": "Hi"})
    copy = await client.threads.copy(thread)
    assert copy["thread_id"] != thread
    assert (copy["metadata"], copy["status"]) == ({"subject": "a"}, "interrupted")
    assert len(copy["values"]["messages"]) == 4
    assert len(await client.threads.get_history(copy["thread_id"])) == len(await client.threads.get_history(thread))
    done = await client.runs.wait(copy["thread_id"], "Review", command={"resume": "approve"})
    assert (done["answer"], done["thread_id"]) == ("Published: Hi", copy["thread_id"])
    assert (await client.threads.get(thread))["status"] == "interrupted"
    async with get_client(url=address, api_key=token(BOB)) as other:
        with pytest.raises(NotFoundError):
            await other.threads.copy(thread)
        with pytest.raises(NotFoundError):
            await other.threads.update_state(thread, {"text": "x"})


async def test_runs_are_started_in_a_batch_or_not_at_all(client: Any) -> None:
    runs = await client.runs.create_batch(
        [{"assistant_id": "Hello", "input": {"name": name}} for name in ("one", "two")]
    )
    answers = [(await client.runs.join(run["thread_id"], run["run_id"]))["answer"] for run in runs]
    assert answers == ["Hello one", "Hello two"]
    before = await client.threads.count()
    with pytest.raises(NotFoundError):
        await client.runs.create_batch(
            [{"assistant_id": "Hello", "input": {"name": "x"}}, {"assistant_id": "Hallo", "input": {"name": "x"}}]
        )
    assert await client.threads.count() == before


async def test_several_runs_are_cancelled_at_once(client: Any, address: str) -> None:
    (one, first), (two, second) = await under_way(client), await under_way(client)
    async with get_client(url=address, api_key=token(BOB)) as other:
        await other.runs.cancel_many(status="all")
        with pytest.raises(NotFoundError):
            await other.runs.cancel_many(thread_id=one, run_ids=[first])
    assert (await client.runs.get(one, first))["status"] == "running"
    await client.runs.cancel_many(status="all")
    assert {(await client.runs.get(*run))["status"] for run in ((one, first), (two, second))} == {"interrupted"}


@pytest.fixture
async def hook(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    """Somebody who takes webhooks, refuses the first of them, and lists what came."""
    came: asyncio.Queue[Any] = asyncio.Queue()
    statuses: Iterator[int] = iter([503])

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(next(line for line in head.lower().splitlines() if "content-length" in line).split(":")[1])
        body = json.loads(await reader.readexactly(length))
        code = next(statuses, 204)
        writer.write(f"HTTP/1.1 {code} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()
        await came.put((code, head.splitlines()[0], body))

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    monkeypatch.setenv("SIGNALBOX_WEBHOOK_HOSTS", f"127.0.0.1:{port},*.example.org")
    monkeypatch.setattr("signalbox.service.webhooks._PAUSES", (0.0,))
    async with server:
        yield f"http://127.0.0.1:{port}/ended?key=s3cret", came


async def test_a_webhook_is_told_of_the_end_of_a_run(client: Any, hook: Any, folder: Path) -> None:
    url, came = hook
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "Slow", input={"name": "x"}, webhook=url)
    assert came.empty()
    (folder / "go").touch()
    code, line, refused = await asyncio.wait_for(came.get(), 20)
    assert (code, line.split()[:2]) == (503, ["POST", "/ended?key=s3cret"])
    code, _, body = await asyncio.wait_for(came.get(), 20)
    assert (code, body["run_id"], body["status"], body["values"]["answer"]) == (
        204, run["run_id"], "success", "Done: x",
    )  # fmt: skip
    assert refused["run_id"] == run["run_id"]


@pytest.mark.parametrize("url", [
    "http://127.0.0.1/", "http://169.254.169.254/latest", "https://example.org/", "https://x.example.org.evil.test/",
    "https://user:pass@x.example.org/", "file:///etc/passwd", "ftp://x.example.org/", "nonsense",
    "https://x.example.org:8443/",
])  # fmt: skip
async def test_a_webhook_goes_only_to_hosts_that_the_operator_lists(
    address: str, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("SIGNALBOX_WEBHOOK_HOSTS", "*.example.org,127.0.0.1:8080")
    headers = {"Authorization": f"Bearer {token(ANN)}"}
    body = {"assistant_id": "Hello", "input": {"name": "x"}, "webhook": url}
    async with httpx.AsyncClient(base_url=address, headers=headers) as sending:
        for route in ("/runs", "/runs/wait", "/runs/batch", "/runs/crons"):
            told: Any = [body] if route == "/runs/batch" else {**body, "schedule": "* * * * *"}
            if route in ("/runs", "/runs/wait"):
                told = body
            refused = await sending.post(route, json=told)
            assert refused.status_code == 422
            assert "ebhook" in refused.json()["detail"]
        assert (await sending.post("/threads/count", json={})).json() == 0
