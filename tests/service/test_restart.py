"""What `kill -9` of the server leaves: answered messages are there, once; runs are finished; questions still wait.

And what SIGTERM leaves: nothing to do, or runs that the next process finishes.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from signalbox.runs.records import get_run

from .conftest import ANN, events_of, token

PROGRAM = "import sys; sys.argv[0] = 'signalbox'; from signalbox.cli import main; main()"


@contextmanager
def server(folder: Path) -> Iterator[tuple[httpx.Client, subprocess.Popen[str]]]:
    """The program itself, in a process of its own, and Ann's client of it."""
    command = [sys.executable, "-c", PROGRAM, "serve", "--port", "0", "--no-page"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        try:
            assert process.stderr is not None
            place = next(found.group() for line in process.stderr if (found := re.search(r"http://[\d.:]+", line)))
            headers = {"Authorization": f"Bearer {token(ANN)}"}
            limits = httpx.Limits(max_connections=200)
            with httpx.Client(base_url=place, headers=headers, timeout=30, limits=limits) as client:
                _wait_until_ready(client)
                yield client, process
        finally:
            process.kill()


def _wait_until_ready(client: httpx.Client) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if client.get("/readyz").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise TimeoutError("the server did not become ready")


@pytest.fixture(autouse=True)
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_RATE_LIMIT", "1000000")


@pytest.mark.bench
def test_every_answered_message_is_there_and_none_twice(folder: Path) -> None:
    with server(folder) as (client, process):
        answered: dict[str, Any] = {}

        def send(number: int) -> None:
            headers = {"Idempotency-Key": f"key-{number}"}
            try:
                sent = client.post(f"/api/{ANN}/chat", json={"message": f"thing {number}"}, headers=headers)
            except httpx.TransportError:
                return
            if sent.status_code == 200:
                answered[f"thing {number}"] = sent.json()
            if len(answered) == 40:
                os.kill(process.pid, signal.SIGKILL)

        with ThreadPoolExecutor(16) as pool:
            list(pool.map(send, range(100)))
    assert 40 <= len(answered) < 100
    with server(folder) as (client, _):
        talks = client.get(f"/api/{ANN}/conversations", params={"limit": 200}).json()
        kept = [client.get(f"/api/{ANN}/conversations/{talk['id']}").json()["messages"] for talk in talks]
        said = [messages[0]["content"] for messages in kept]
        assert len(set(said)) == len(said)
        assert set(answered) <= set(said)
        for messages in kept:
            assert [one["role"] for one in messages] == ["user", "assistant"]
            if messages[0]["content"] in answered:
                assert messages[1]["content"] == answered[messages[0]["content"]]["response"]
        for number in range(100):
            headers = {"Idempotency-Key": f"key-{number}"}
            sent = client.post(f"/api/{ANN}/chat", json={"message": f"thing {number}"}, headers=headers)
            assert sent.status_code in (200, 409)
            if f"thing {number}" in answered:
                assert sent.json() == answered[f"thing {number}"]
    done = (folder / "added").read_text().splitlines()
    assert len(set(done)) == len(done)


@pytest.mark.bench
def test_a_run_is_finished_and_a_question_still_waits_after_a_restart(folder: Path) -> None:
    with server(folder) as (client, process):
        asked = client.post("/threads", json={}).json()["thread_id"]
        client.post(f"/threads/{asked}/runs/wait", json={"assistant_id": "Review", "input": {"text": "Hi"}})
        thread = client.post("/threads", json={}).json()["thread_id"]
        run = client.post(f"/threads/{thread}/runs", json={"assistant_id": "Slow", "input": {"name": "x"}}).json()
        place = f"/threads/{thread}/runs/{run['run_id']}"
        while not (folder / "log").exists() or '"Wait"' not in (text := _so_far(client, f"{place}/stream")):
            pass
        seen = events_of(text)
        os.kill(process.pid, signal.SIGKILL)
    (folder / "go").touch()
    with server(folder) as (client, _):
        assert client.get(f"{place}/join").json()["answer"] == "Done: x"
        rest = client.get(f"{place}/stream", headers={"Last-Event-ID": seen[-1][0]}, params={"stream_mode": "custom"})
        nodes = [(data["node"], data["kind"]) for _, kind, data in events_of(rest.text) if data.get("type") == "node"]
        assert nodes == [("Wait", "start"), ("Wait", "end"), ("Tell", "start"), ("Tell", "end")]
        state = client.get(f"/threads/{asked}/state").json()
        assert state["interrupts"][0]["value"]["message"] == "Publish this? Hi"
        body = {"assistant_id": "Review", "command": {"resume": "approve"}}
        assert client.post(f"/threads/{asked}/runs/wait", json=body).json()["answer"] == "Published: Hi"
    assert len((folder / "log").read_text().splitlines()) == 1


def _so_far(client: httpx.Client, place: str) -> str:
    """What a stream tells until nothing more comes for a moment."""
    text = ""
    try:
        with client.stream("GET", place, params={"stream_mode": "custom"}, timeout=0.5) as sent:
            for piece in sent.iter_text():
                text += piece
    except httpx.ReadTimeout:
        pass
    return text


def test_a_step_that_runs_again_writes_under_the_same_key(folder: Path) -> None:
    (folder / "agents" / "note.py").write_text(
        (folder / "agents" / "note.py").read_text().replace(
            "    return name", "    die = Path(__file__).parent.parent / 'die'\n    if die.exists():\n"
            "        die.unlink()\n        import os\n        os.kill(os.getpid(), 9)\n    return name",
        )
    )  # fmt: skip
    (folder / "die").touch()
    (folder / "go").touch()
    with server(folder) as (client, process):
        body = {"assistant_id": "Slow", "input": {"name": "x"}, "if_not_exists": "create"}
        with pytest.raises(httpx.TransportError):
            client.post("/threads/t/runs/wait", json=body)
        process.wait(10)
    with server(folder) as (client, _):
        run = client.get("/threads/t/runs").json()[0]["run_id"]
        assert client.get(f"/threads/t/runs/{run}/join").json()["answer"] == "Done: x"
    first, second = (folder / "log").read_text().splitlines()
    assert first == second


@pytest.mark.parametrize("drain", ["60", "0"], ids=["in time", "too late"])
def test_a_service_that_is_told_to_stop_finishes_its_runs_or_leaves_them_to_others(
    folder: Path, serve: Callable[..., Any], postgres: Any, monkeypatch: pytest.MonkeyPatch, drain: str
) -> None:
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", postgres.database())
    monkeypatch.setenv("SIGNALBOX_DRAIN_SECONDS", drain)
    with server(folder) as (client, process):
        body = {"assistant_id": "Slow", "input": {"name": "x"}, "if_not_exists": "create"}
        run = client.post("/threads/t/runs", json=body).json()["run_id"]
        while not (folder / "log").exists():
            time.sleep(0.02)
        process.terminate()
        _wait_until_closed(client)
        if drain != "0":
            (folder / "go").touch()
        process.wait(90)
    record = get_run(run, ANN)
    assert record is not None
    assert record.status == ("completed" if drain != "0" else "interrupted")
    (folder / "go").touch()
    with serve() as place, httpx.Client(base_url=place, headers=client.headers, timeout=60) as other:
        assert other.get(f"/threads/t/runs/{run}/join").json()["answer"] == "Done: x"
    assert len((folder / "log").read_text().splitlines()) == 1


def _wait_until_closed(client: httpx.Client) -> None:
    """Until nobody is let in any more."""
    while True:
        try:
            httpx.get(f"{client.base_url}/healthz")
            time.sleep(0.02)
        except httpx.TransportError:
            return
