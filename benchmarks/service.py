"""The chat call under load: requests a second and how long they take, with and without the model's time.

python -m benchmarks.service                 # 1, 50 and 500 clients; the model answers at once
python -m benchmarks.service --model listing # it calls list_tasks at once, and then answers with what that gave
python -m benchmarks.service --model offline # with the offline model's time
python -m benchmarks.service --clients --streams 500    # so many streams open at once
python -m benchmarks.service --clients --soak 10000     # whether memory stays flat
python -m benchmarks.service --shares        # also whose code the time is spent in, in samples
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

INSTANT = '''
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

class Instant(BaseChatModel):
    """Answers at once, or calls one tool and answers with what it gave: what is measured is all but the model."""

    calls: str = ""

    @property
    def _llm_type(self):
        return "instant"

    def bind_tools(self, tools, **options):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **options):
        last = messages[-1]
        if last.type == "tool":
            said = AIMessage(last.content)
        elif self.calls:
            said = AIMessage("", tool_calls=[{"name": self.calls, "args": {}, "id": "call", "type": "tool_call"}])
        else:
            said = AIMessage("You have no tasks.")
        return ChatResult(generations=[ChatGeneration(message=said)])

    async def _agenerate(self, messages, stop=None, run_manager=None, **options):
        return self._generate(messages)

async def instant(message_history, user_id, config=None):
    return await _real(message_history, user_id, INSTANT)

async def listing(message_history, user_id, config=None):
    return await _real(message_history, user_id, LISTING)

async def _real(message_history, user_id, model):
    from signalbox.agents.tasks import AgentConfiguration, run_agent
    return await run_agent(message_history, user_id, AgentConfiguration(model=model))

INSTANT, LISTING = Instant(), Instant(calls="list_tasks")
'''
SHARES = """
import collections, json, os, sys, threading, time

PARTS = {
    "Signalbox": ("/signalbox/", "/instant_chat.py"), "LangGraph": ("/langgraph/", "/langchain_core/", "/langsmith/"),
    "SQLAlchemy": ("/sqlalchemy/", "/aiosqlite/", "/asyncpg/", "/psycopg"),
    "the web server": ("/uvicorn/", "/starlette/", "/fastapi/", "/uvloop/", "/httptools/", "/pydantic/"),
}
WAITING = ("/threading.py", "/selectors.py", "/queue.py", "/concurrent/futures/thread.py", "/aiosqlite/core.py")

def part(frame):
    if frame.f_code.co_filename.endswith(WAITING) or frame.f_code is watch.__code__:
        return None
    while frame is not None:
        for name, places in PARTS.items():
            if any(place in frame.f_code.co_filename for place in places):
                return name
        frame = frame.f_back
    return "Python"

def watch():
    seen = collections.Counter()
    for number in range(10**9):
        time.sleep(0.005)
        seen.update(filter(None, map(part, sys._current_frames().values())))
        if number % 100 == 99:
            with open(os.environ["SHARES"] + ".new", "w") as told:
                json.dump(seen, told)
            os.replace(os.environ["SHARES"] + ".new", os.environ["SHARES"])

threading.Thread(target=watch, daemon=True).start()
"""
"""What looks every 5 ms at what each thread of the service does, and counts whose code that is."""
ENTRIES = """[signalbox.chat]
instant = instant_chat:instant
listing = instant_chat:listing
"""


@contextmanager
def served(home: Path, model: str, shares: Path | None = None) -> Iterator[tuple[str, str, int]]:
    """The service in a process of its own: its address, a way to make tokens, and its process id."""
    folder = home / "instant"
    (folder / "instant_chat-1.dist-info").mkdir(parents=True, exist_ok=True)
    (folder / "instant_chat.py").write_text(INSTANT + (SHARES if shares else ""))
    info = folder / "instant_chat-1.dist-info"
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: instant-chat\nVersion: 1\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    environment = {
        **os.environ, "SIGNALBOX_HOME": str(home), "SIGNALBOX_RATE_LIMIT": "10000000",
        "PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "SIGNALBOX_CHAT": "tasks" if model == "offline" else model,
        **({"SHARES": str(shares)} if shares else {}),
    }  # fmt: skip
    command = [sys.executable, "-m", "signalbox", "serve", "--port", "0", "--no-page"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stderr is not None
            place = next(found.group() for line in process.stderr if (found := re.search(r"http://[\d.:]+", line)))
            for _ in range(600):
                try:
                    if httpx.get(f"{place}/readyz").status_code == 200:
                        break
                except httpx.TransportError:
                    time.sleep(0.05)
            yield place, str(home), process.pid
        finally:
            process.terminate()
            process.wait(20)


def token(home: str, person: str) -> str:
    """A token of the server that keeps its secret at that home."""
    import jwt

    secret = (Path(home) / "token-secret").read_text().strip()
    return jwt.encode({"sub": person, "exp": int(time.time()) + 3600}, secret, "HS256")


async def load(place: str, home: str, clients: int, requests: int) -> dict[str, float]:
    """Send so many requests from so many clients, each a person with a connection and a conversation of their own.

    `overtaken` is the largest share of the clients that any request saw served which had come after it.

    Bare sockets: a client library with a pool of 500 connections takes more of the two cores than the service does.
    """
    took: list[float] = []
    sent: list[float] = []
    host, _, port = place.removeprefix("http://").rpartition(":")

    async def talk(person: str) -> None:
        reader, writer = await asyncio.open_connection(host, int(port))
        conversation = None
        for _ in range(max(1, requests // clients)):
            started = time.perf_counter()
            body = json.dumps({"message": "what do I have to do?", "conversation_id": conversation}).encode()
            writer.write(_head(person, host, tokens[person], len(body)) + body)
            conversation = json.loads(await _body(reader))["conversation_id"]
            took.append(time.perf_counter() - started)
            sent.append(started)
        writer.close()

    people = [str(uuid.uuid4()) for _ in range(clients)]
    tokens = {person: token(home, person) for person in people}
    started = time.perf_counter()
    await asyncio.gather(*(talk(person) for person in people))
    whole = time.perf_counter() - started
    cuts = statistics.quantiles(took, n=100) if len(took) > 1 else took * 99
    # In the order in which they ended: how many of those before it had come later.
    overtaken = max(sum(other > moment for other in sent[:place]) for place, moment in enumerate(sent)) / clients
    return {
        "per_second": len(took) / whole, "p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "overtaken": overtaken,
    }  # fmt: skip


def _head(person: str, host: str, key: str, length: int) -> bytes:
    head = f"POST /api/{person}/chat HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n".encode()


async def _body(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(head.decode())
    found = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    return await reader.readexactly(int(found[1])) if found else b""


async def first_byte(place: str, home: str) -> float:
    """Seconds until the first byte of a streamed answer, the median of 20."""
    person, took = str(uuid.uuid4()), []
    headers = {"Authorization": f"Bearer {token(home, person)}"}
    async with httpx.AsyncClient(base_url=place, timeout=60, headers=headers) as client:
        for _ in range(20):
            started = time.perf_counter()
            body = {"message": "what do I have to do?", "conversation_id": "new", "stream": True}
            async with client.stream("POST", f"/api/{person}/chat", json=body) as sent:
                async for _ in sent.aiter_bytes():
                    took.append(time.perf_counter() - started)
                    break
    return statistics.median(took)


async def hold_streams(place: str, home: str, streams: int) -> tuple[int, int, float]:
    """Open so many streams at once: how many were open together, how many ended well, and in how many seconds."""
    host, _, port = place.removeprefix("http://").rpartition(":")
    opened = most = ended = 0

    async def listen(person: str) -> None:
        nonlocal opened, most, ended
        reader, writer = await asyncio.open_connection(host, int(port))
        body = json.dumps({"message": "what do I have to do?", "stream": True}).encode()
        writer.write(_head(person, host, token(home, person), len(body)) + body)
        await reader.readuntil(b"\r\n\r\n")
        opened += 1
        most = max(most, opened)
        # Until its last event, whose length is not told before.
        told = await reader.readuntil(b"\r\n0\r\n\r\n")
        ended += b"event: end" in told
        opened -= 1
        writer.close()

    started = time.perf_counter()
    await asyncio.gather(*(listen(str(uuid.uuid4())) for _ in range(streams)))
    return most, ended, time.perf_counter() - started


def cpu_seconds(pid: int) -> float:
    """The CPU time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """The memory that a process holds, in MB."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=["instant", "listing", "offline"], default="instant")
    parser.add_argument("--clients", type=int, nargs="*", default=[1, 50, 500])
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--streams", type=int, default=0, help="hold so many streams at once")
    parser.add_argument("--shares", action="store_true", help="tell whose code the time is spent in")
    parser.add_argument("--soak", type=int, default=0, help="send so many requests, and tell the memory")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        shares = Path(home) / "shares" if options.shares else None
        with served(Path(home), options.model, shares) as (place, kept, pid):
            _measure(options, place, kept, pid)
        if shares is not None:
            seen = json.loads(shares.read_text())
            every = sum(seen.values())
            print("of the time: " + ", ".join(f"{name} {count / every:.0%}" for name, count in sorted(seen.items())))


def _measure(options: argparse.Namespace, place: str, kept: str, pid: int) -> None:
    print(f"ready after {cpu_seconds(pid):.1f} s CPU")
    asyncio.run(load(place, kept, 1, 5))
    print(f"first byte of a stream: {asyncio.run(first_byte(place, kept)) * 1000:.0f} ms")
    for clients in options.clients:
        before, requests = cpu_seconds(pid), max(options.requests, clients)
        figures: dict[str, Any] = asyncio.run(load(place, kept, clients, requests))
        cpu = (cpu_seconds(pid) - before) / requests * 1000
        print(
            f"{clients:>4} clients: {figures['per_second']:7.1f}/s  p50 {figures['p50'] * 1000:7.0f} ms  "
            f"p95 {figures['p95'] * 1000:7.0f} ms  p99 {figures['p99'] * 1000:7.0f} ms  "
            f"CPU {cpu:5.1f} ms a request, p95 {figures['p95'] * 1000 / (cpu * clients):.2f} times what that "
            f"dictates, overtaken by {figures['overtaken']:.0%}  memory {memory(pid):.0f} MB"
        )
    if options.streams:
        most, ended, seconds = asyncio.run(hold_streams(place, kept, options.streams))
        print(f"{options.streams} streams: {most} open at once, {ended} ended well, {seconds:.1f} s")
    for part in range(4 if options.soak else 0):
        asyncio.run(load(place, kept, 50, options.soak // 4))
        print(f"after {options.soak // 4 * (part + 1)} requests: {memory(pid):.0f} MB")


if __name__ == "__main__":
    main()
