"""Schedules, made and changed through the public client of LangGraph's Agent Server: their runs start by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.errors import NotFoundError, UnprocessableEntityError

from signalbox.runs import list_runs
from signalbox.runs.crons import Cron, new_cron
from signalbox.runs.engine import engine
from signalbox.service import crons
from signalbox.toolbox.person import use_person

from .conftest import ANN, BOB, token
from .test_run_options import carrier

__all__ = ["carrier"]


@pytest.fixture
async def client(carrier: str, address: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    """Ann's client, on the first of March at 12:00:30."""
    at(monkeypatch, "12:00:30")
    async with get_client(url=address, api_key=token(ANN)) as found:
        yield found


def at(monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """Let it be that time."""
    monkeypatch.setenv("SIGNALBOX_NOW", f"2026-03-01T{moment}+00:00")


async def until(found: Callable[[], Any]) -> Any:
    """What is found, as soon as it is there."""
    async with asyncio.timeout(20):
        while not (there := await found()):
            await asyncio.sleep(0.05)
    return there


async def test_a_schedule_starts_a_run_in_its_thread_each_time(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = (await client.threads.create())["thread_id"]
    cron = await client.crons.create_for_thread(thread, "Hello", schedule="*/5 * * * *", input={"name": "Ann"})
    assert (cron["thread_id"], cron["next_run_date"]) == (thread, "2026-03-01T12:05:00+00:00")
    for number, moment in ((1, "12:05:01"), (2, "12:21:00")):
        at(monkeypatch, moment)

        async def ended(number: int = number) -> bool:
            return [run["status"] for run in await client.runs.list(thread)] == ["success"] * number

        await until(ended)
    [found] = await client.crons.search(thread_id=thread)
    assert found["next_run_date"] == "2026-03-01T12:25:00+00:00"
    assert (await client.threads.get(thread))["values"]["answer"] == "Hello Ann"


async def test_a_schedule_without_a_thread_makes_one_each_time(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cron = await client.crons.create("Hello", schedule="30 13 * * *", timezone="Europe/Berlin", input={"name": "you"})
    assert cron["next_run_date"] == "2026-03-01T12:30:00+00:00"
    at(monkeypatch, "12:30:00")
    threads = await until(lambda: client.threads.search(values={"answer": "Hello you"}))
    [run] = await client.runs.list(threads[0]["thread_id"])
    assert run["metadata"]["cron_id"] == cron["cron_id"]


async def test_a_schedule_ends_is_switched_off_and_deleted(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    over = await client.crons.create(
        "Hello", schedule="0 * * * *", input={"name": "x"}, end_time=datetime(2026, 3, 1, 12, 59, tzinfo=UTC)
    )
    assert over["next_run_date"] is None
    endless = await client.crons.update(over["cron_id"], end_time=None)
    assert endless["next_run_date"] == "2026-03-01T13:00:00+00:00"
    off = await client.crons.update(over["cron_id"], enabled=False, schedule="*/2 * * * *")
    assert (off["enabled"], off["next_run_date"]) == (False, None)
    assert await client.crons.count() == 1
    assert await client.crons.search(enabled=True) == []
    await client.crons.delete(over["cron_id"])
    assert await client.crons.search() == []
    with pytest.raises(NotFoundError):
        await client.crons.update(over["cron_id"], enabled=True)


async def test_a_schedule_goes_with_its_thread(client: Any) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.crons.create_for_thread(thread, "Hello", schedule="* * * * *", input={"name": "x"})
    await client.threads.delete(thread)
    assert await client.crons.count() == 0


@pytest.mark.parametrize(
    "wrong",
    [{"schedule": "sometimes"}, {"schedule": "* * * * * *"}, {"schedule": "99 * * * *"}, {"timezone": "Mars/Base"}],
)
async def test_a_schedule_that_says_nothing_is_refused(client: Any, wrong: dict[str, str]) -> None:
    with pytest.raises(UnprocessableEntityError):
        await client.crons.create("Hello", input={"name": "x"}, **{"schedule": "* * * * *", **wrong})


async def test_a_schedule_is_its_makers_alone(client: Any, address: str) -> None:
    cron = (await client.crons.create("Hello", schedule="* * * * *", input={"name": "x"}))["cron_id"]
    thread = (await client.threads.create())["thread_id"]
    async with get_client(url=address, api_key=token(BOB)) as other:
        assert await other.crons.search() == []
        for attempt in (
            other.crons.update(cron, enabled=False),
            other.crons.delete(cron),
            other.crons.create_for_thread(thread, "Hello", schedule="* * * * *", input={"name": "x"}),
        ):
            with pytest.raises(NotFoundError):
                await attempt
    assert await client.crons.count(metadata={}) == 1


@pytest.mark.usefixtures("folder")
async def test_a_run_whose_process_died_before_it_was_stored_starts_a_minute_later(
    carrier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(*given: Any) -> None:
        raise asyncio.CancelledError

    payload = {"assistant_id": "Hello", "input": {"name": "Ann"}}
    with use_person(ANN):
        at(monkeypatch, "12:00:30")
        new_cron(Cron("", "", "Hello", "5 12 * * *", payload=payload))
        for moment, dies, runs in (("12:05:00", True, 0), ("12:05:30", False, 0), ("12:06:01", False, 1)):
            at(monkeypatch, moment)
            with monkeypatch.context() as patch, suppress(asyncio.CancelledError):
                if dies:
                    patch.setattr(crons, "start_run", die)
                await crons.start_due()
            assert len(list_runs()) == runs
        at(monkeypatch, "12:08:00")
        await crons.start_due()
        [run] = list_runs()
        await engine().wait(run) if carrier == "sqlite" else None
