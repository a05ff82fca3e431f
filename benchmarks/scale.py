"""What more workers give on PostgreSQL: runs a second and the CPU of a run, sweeps, and open streams.

python -m benchmarks.scale                        # all of it
python -m benchmarks.scale runs --runs 300        # one part: runs, sweep or streams

Everything is measured one after the other on one machine, so that the ratios hold where the figures do not. The
database is part of what is measured: its CPU is told beside that of the workers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from benchmarks.kills import _headers
from benchmarks.service import cpu_seconds, memory
from benchmarks.takeover import PEOPLE, Cluster, cluster

MAP = """GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next
Three,A,echo,item,a,B
Three,B,echo,a,b,C
Three,C,echo,b,c,
"""
BARE = """
import asyncio, sys, time
from procrastinate import App, PsycopgConnector
app = App(connector=PsycopgConnector(conninfo=sys.argv[1], min_size=1, max_size=4))

@app.task(name="nothing")
async def nothing(number):
    pass

async def main():
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        await nothing.batch_defer_async(*({"number": number} for number in range(int(sys.argv[2]))))
        before = time.process_time()
        await app.run_worker_async(wait=False, concurrency=16, delete_jobs="always", install_signal_handlers=False)
        print(time.process_time() - before)

asyncio.run(main())
"""
ALONE = """
import asyncio, os, sys, time, uuid
from signalbox.runs.engine import engine
from signalbox.runs.served import find_served

async def one(places):
    async with places:
        run = await engine().submit(find_served("Three"), "x", state={"item": "x"}, thread_id=str(uuid.uuid4()))
        await engine().wait(run)

async def main():
    places = asyncio.Semaphore(16)
    await one(places)
    before = time.process_time()
    await asyncio.gather(*(one(places) for _ in range(int(sys.argv[1]))))
    print(time.process_time() - before)

asyncio.run(main())
"""
SIZES = (1, 2, 4)
DEVICES, STREAMS = 10_000, 1_000
_PATIENCE = 900.0
"""Seconds that streams may take, on a machine that others use as well."""


class Machine:
    """A database, a folder with maps, and the processes that are started on them."""

    def __init__(self, folder: Path, server: Cluster) -> None:
        self.folder, self.server = folder, server

    @contextmanager
    def program(self, *command: str) -> Iterator[subprocess.Popen[Any]]:
        """The program itself in a process of its own, until the block ends."""
        log = self.folder / f"{time.monotonic_ns()}.log"
        with log.open("w") as told:
            process = subprocess.Popen([sys.executable, "-m", "signalbox", *command], stdout=told, stderr=told)
        process.log = log  # type: ignore[attr-defined]
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(40)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)

    @contextmanager
    def workers(self, count: int) -> Iterator[list[int]]:
        """So many workers, once each of them listens and has done what it does at its start."""
        with ExitStack() as stack:
            pids = [stack.enter_context(self.program("worker")).pid for _ in range(count)]
            query = "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - interval '5 seconds'"
            _until(lambda: self.sql(query)[0][0] >= count)
            time.sleep(2)
            yield pids

    @contextmanager
    def apis(self, count: int) -> Iterator[list[tuple[str, int]]]:
        """So many API processes: their addresses and their ids."""
        with ExitStack() as stack:
            made = [
                stack.enter_context(self.program("serve", "--port", "0", "--no-page", "--no-worker"))
                for _ in range(count)
            ]
            yield [(self._place(one.log), one.pid) for one in made]  # type: ignore[attr-defined]

    def _place(self, log: Path) -> str:
        def found() -> str | None:
            place = re.search(r"http://[\d.:]+", log.read_text())
            with suppress(httpx.TransportError):
                if place and httpx.get(f"{place.group()}/readyz").status_code == 200:
                    return place.group()
            return None

        return str(_until(found))

    def sql(self, statement: str) -> list[Any]:
        """Run a statement as the superuser."""
        import psycopg

        with psycopg.connect(self.server.address, autocommit=True) as connection:
            done = connection.execute(statement)  # type: ignore[call-overload]
            return done.fetchall() if done.description else []

    def database_cpu(self) -> float:
        """The CPU seconds that PostgreSQL has used, with its processes that are gone."""
        first = int((self.server.folder / "data/postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        gone = Path(f"/proc/{first}/stat").read_text().rpartition(")")[2].split()[13:15]
        ticks = os.sysconf("SC_CLK_TCK")
        alive = 0.0
        for pid in children:
            with suppress(FileNotFoundError):
                alive += cpu_seconds(int(pid))
        return cpu_seconds(first) + sum(map(int, gone)) / ticks + alive

    def child_cpu(self, program: str, *arguments: str, **environment: str) -> float:
        """The CPU seconds that a small program prints."""
        command = [sys.executable, "-c", program, *arguments]
        told = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **environment})
        return float(told.stdout.split()[-1])


def _until(found: Any, seconds: float = 300.0) -> Any:
    """What is found, as soon as it is there. Raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while not (there := found()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {seconds:.0f} s: {found}")
        time.sleep(0.05)
    return there


def measure_runs(machine: Machine, runs: int) -> None:
    """Runs a second, the CPU of a run, and what of that is the queue's."""
    from signalbox.runs.queue import CARRY, put

    machine.sql("CREATE DATABASE bare")
    address = f"{machine.server.address.rpartition('/')[0]}/bare"
    bare = machine.child_cpu(BARE, address, "2000") / 2000
    alone = machine.child_cpu(ALONE, str(runs), SIGNALBOX_DATABASE_URL="", SIGNALBOX_HOME=str(machine.folder)) / runs
    print(f"a bare no-op of procrastinate: {bare * 1000:.2f} ms of CPU; a run in one process on SQLite: {_ms(alone)}")
    first = 0.0
    for count in SIZES:
        asyncio.run(_submit(runs))
        figures = _carried(machine, count, runs)
        first = first or figures["second"]
        print(
            f"{count} workers: {figures['second']:.1f} runs a second ({figures['second'] / first:.2f} times one), "
            f"{_ms(figures['cpu'])} of a worker and {_ms(figures['database'])} of the database a run; the least busy "
            f"worker did {figures['least']:.0%} of an equal share"
        )
    for _ in range(runs):
        put(CARRY, PEOPLE[0], {"run_id": "none"})
    queue = _carried(machine, 1, runs)["cpu"]
    print(
        f"a job without a run: {_ms(queue)}: {queue / bare:.1f} times a bare no-op, and {queue / figures['cpu']:.0%} "
        "of a run"
    )


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


async def _submit(runs: int) -> None:
    import uuid

    from signalbox.runs.engine import engine
    from signalbox.runs.served import find_served
    from signalbox.toolbox.person import use_person

    for number in range(runs):
        with use_person(PEOPLE[number % len(PEOPLE)]):
            await engine().submit(find_served("Three"), "x", state={"item": "x"}, thread_id=str(uuid.uuid4()))


def _carried(machine: Machine, count: int, jobs: int) -> dict[str, float]:
    """How workers carry the jobs that wait: they start with an empty queue, and are given all jobs at one moment."""
    machine.sql("UPDATE procrastinate_jobs SET queue_name = 'held'")
    with machine.workers(count) as pids:
        before, database = [cpu_seconds(pid) for pid in pids], machine.database_cpu()
        machine.sql("UPDATE procrastinate_jobs SET queue_name = 'signalbox'")
        waits = "SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo'"
        _until(lambda: machine.sql(waits)[0][0] < jobs)
        started = time.monotonic()
        _until(lambda: not machine.sql("SELECT count(*) FROM procrastinate_jobs")[0][0])
        took = time.monotonic() - started
        used = [cpu_seconds(pid) - was for pid, was in zip(pids, before, strict=True)]
        return {
            "second": jobs / took,
            "cpu": sum(used) / jobs,
            "database": (machine.database_cpu() - database) / jobs,
            "least": min(used) / (sum(used) / count),
        }


def measure_sweep(machine: Machine, devices: int) -> None:
    """A sweep of many devices by more and more workers, with one report."""
    entry = {"scripted": {"command": sys.executable, "args": ["-m", "benchmarks.scale", "tools", str(devices)]}}
    os.environ["SIGNALBOX_ONCALL_SERVER"] = json.dumps(entry)
    first = 0.0
    for count in SIZES:
        with machine.workers(count) as pids:
            before, started = [cpu_seconds(pid) for pid in pids], time.monotonic()
            place = machine.folder / f"sweep-{count}.jsonl"
            command = ["oncall", "sweep", "--runs", "16", "--json", "--results", str(place)]
            told = subprocess.run(
                [sys.executable, "-m", "signalbox", *command], check=True, capture_output=True, text=True
            )
            took, report = time.monotonic() - started, json.loads(told.stdout)
            used = [cpu_seconds(pid) - was for pid, was in zip(pids, before, strict=True)]
        if (report["read"], report["statuses"]["ok"]) != (devices, devices - devices // 100):
            raise AssertionError(report["statuses"])
        first = first or took
        print(
            f"{count} workers: {devices:,} devices in {took:.1f} s ({first / took:.2f} times one), "
            f"{sum(used) / devices * 1000:.2f} ms of a worker a device; the least busy did "
            f"{min(used) / (sum(used) / count):.0%} of an equal share"
        )


def serve_tools(devices: int) -> None:
    """A server of tools whose devices are all well but every hundredth, and answer at once."""
    from signalbox.toolbox.serving import ToolServer, offer

    async def get_devices() -> dict[str, Any]:
        return {"devices": [{"name": f"edge-{number}"} for number in range(devices)]}

    async def get_device_health(device_name: str) -> dict[str, Any]:
        status = "warning" if device_name.endswith("00") or device_name == "edge-0" else "ok"
        lights = [{"name": name, "status": status, "value": 1, "text": name} for name in ("cpu", "bgp", "isis")]
        return {"status": "success", "data": {"indicators": lights}, "metadata": {}}

    ToolServer("scripted", [offer(get_devices), offer(get_device_health)]).serve_stdio()


def measure_streams(machine: Machine, streams: int) -> None:
    """Streams that are all open before a worker comes: each is told the whole of its run, ten streams a run."""
    with machine.apis(2) as apis:
        runs = []
        for number in range(streams // 10):
            person, place = PEOPLE[number % len(PEOPLE)], apis[number % 2][0]
            body = {"assistant_id": "Three", "input": {"item": "x"}}
            sent = httpx.post(f"{place}/runs", json=body, headers=_headers(person), timeout=60).json()
            runs.append((person, f"/threads/{sent['thread_id']}/runs/{sent['run_id']}/stream"))
        before = [cpu_seconds(pid) for _, pid in apis]
        held = [memory(pid) for _, pid in apis]
        opened, ended, took = asyncio.run(_listen(machine, [place for place, _ in apis], runs, streams))
        cpu = sum(cpu_seconds(pid) - was for (_, pid), was in zip(apis, before, strict=True)) / streams
        grown = sum(memory(pid) - was for (_, pid), was in zip(apis, held, strict=True)) / streams
    print(
        f"{streams:,} streams over two API processes: {opened:,} open at once, {ended:,} told to their end, the last "
        f"{took:.1f} s after two workers began; {_ms(cpu)} of CPU and {grown * 1000:.0f} kB a stream"
    )


async def _listen(
    machine: Machine, places: list[str], runs: list[tuple[str, str]], streams: int
) -> tuple[int, int, float]:
    opened, ended, all_open = 0, 0, asyncio.Event()

    async def listen(number: int) -> None:
        nonlocal opened, ended
        person, path = runs[number % len(runs)]
        host, _, port = places[number % 2].removeprefix("http://").rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {_headers(person)['Authorization']}\r\n\r\n"
        writer.write(head.encode())
        told = await reader.readuntil(b"\r\n\r\n")
        if not told.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(told.decode())
        opened += 1
        if opened == streams:
            all_open.set()
        whole = await reader.readuntil(b"\r\n0\r\n\r\n")
        ended += b'"c"' in whole
        writer.close()

    listening = [asyncio.create_task(listen(number)) for number in range(streams)]
    opening = asyncio.create_task(all_open.wait())
    await asyncio.wait([opening, *listening], timeout=_PATIENCE, return_when=asyncio.FIRST_COMPLETED)
    if not opening.done():
        raise TimeoutError(f"{opened} streams opened: {[one.exception() for one in listening if one.done()]}")
    before = opened - ended
    with machine.workers(2):
        started = time.monotonic()
        await asyncio.wait_for(asyncio.gather(*listening), _PATIENCE)
        return before, ended, time.monotonic() - started


def main() -> int:
    """Measure and print."""
    from signalbox.runs.tables import upgrade_tables

    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=["runs", "sweep", "streams", []], help="default: all")
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--devices", type=int, default=DEVICES)
    parser.add_argument("--streams", type=int, default=STREAMS)
    options = parser.parse_args()
    with cluster() as server, tempfile.TemporaryDirectory() as temporary:
        if server is None:
            print("PostgreSQL is not installed here: apt-get install postgresql")
            return 0
        folder = Path(temporary)
        (folder / "maps.csv").write_text(MAP)
        os.environ |= {
            "SIGNALBOX_HOME": str(folder / "home"), "SIGNALBOX_MAPS": str(folder / "maps.csv"),
            "SIGNALBOX_DATABASE_URL": server.address, "SIGNALBOX_RATE_LIMIT": "1000000",
            "SIGNALBOX_MODEL": "offline", "LANGSMITH_TRACING": "false", "PYTHONUNBUFFERED": "1",
        }  # fmt: skip
        upgrade_tables()
        machine = Machine(folder, server)
        parts = options.parts or ["runs", "sweep", "streams"]
        if "runs" in parts:
            measure_runs(machine, options.runs)
        if "sweep" in parts:
            measure_sweep(machine, options.devices)
        if "streams" in parts:
            measure_streams(machine, options.streams)
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["tools"]:
        serve_tools(int(sys.argv[2]))
    else:
        sys.exit(main())
