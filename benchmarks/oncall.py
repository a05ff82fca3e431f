"""The gNMI tools: what a call over MCP costs in a held session, and what more devices cost.

The network stands in a process of its own, so that only the reading is measured. Time is what a person waits for, not
CPU time: nearly all of a call is waiting for another process. The whole check from the shell is told in CPU time.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
from asyncio import Runner
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.report import Row, at_least_faster, at_most_times, under

__all__ = ["measure"]

CALLS = "a call of a gNMI tool over MCP"
DEVICES = "a health check of many devices"
SWEEP = "a sweep of 10,000 devices"
FEW, MANY = 20, 200
PARTS = {"RR": 2, "P": 6, "PE": 12}
ISLAND = sum(PARTS.values())
OVERHEAD = 0.003
ROUNDS = 7


def measure() -> Iterator[Row]:
    """The price of MCP, then the price of devices."""
    with _network(FEW) as inventory:
        yield from _calls(inventory)
        with Runner() as loop:
            yield from loop.run(_stdio_cpu(inventory))
    yield from _growth()
    yield from _sweeps()


@contextmanager
def _network(size: int) -> Iterator[Path]:
    """A network of that many devices in a process of its own; gives its inventory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "inventory.json"
        command = [sys.executable, "-m", "benchmarks.oncall", str(size), str(path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE)
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield path
        finally:
            process.terminate()
            process.wait(20)


def _serve(size: int, path: Path) -> None:
    """Islands of twenty routers, so that a device has as much to tell in a large network as in a small one."""
    from signalbox.worlds.network import build_model, open_world

    roles: dict[str, str] = {}
    links: list[tuple[str, str]] = []
    sessions: list[tuple[str, str]] = []
    for island in range(max(1, size // ISLAND)):
        names = [f"{role.lower()}{number}-{island}" for role, count in PARTS.items() for number in range(count)]
        reflectors, core, edge = names[:2], names[2:8], names[8:]
        roles |= dict.fromkeys(reflectors, "RR") | dict.fromkeys(core, "P") | dict.fromkeys(edge, "PE")
        links += [(one, core[(at + 1) % len(core)]) for at, one in enumerate(core)]
        links += [(one, core[at % len(core)]) for at, one in enumerate([*edge, *reflectors])]
        sessions += [(one, reflector) for one in edge for reflector in reflectors]
    with open_world(model=build_model(roles, links, sessions), incident=False) as world:
        path.write_text(json.dumps(world.inventory()), "utf-8")
        print("ready", flush=True)
        sys.stdin.read()


def _calls(inventory: Path) -> Iterator[Row]:
    from signalbox.agents.oncall.server import create_server
    from signalbox.toolbox import ServerEntry, Session

    os.environ["NETWORK_INVENTORY"] = str(inventory)
    command, *arguments = [sys.executable, "-m", "signalbox", "mcp", "gnmi"]

    def stdio() -> Session:
        return Session(ServerEntry("gnmi", command=command, args=tuple(arguments)))

    async def held() -> dict[str, float]:
        server = create_server()
        over_stdio, in_memory = stdio(), Session(ServerEntry("gnmi", transport="memory", server=server))
        try:
            return await _turns(
                {
                    "function": lambda: server.offers["get_devices"].call({}),
                    "stdio": lambda: over_stdio.call("get_devices", {}),
                    "memory": lambda: in_memory.call("get_devices", {}),
                    "stdio health": lambda: over_stdio.call("get_device_health", {"device_name": "pe0-0"}),
                    "memory health": lambda: in_memory.call("get_device_health", {"device_name": "pe0-0"}),
                },
                times=12,
                rounds=15,
            )
        finally:
            await over_stdio.close()
            await in_memory.close()

    async def fresh() -> None:
        session = stdio()
        await session.call("get_devices", {})
        await session.close()

    with Runner() as loop:
        found = loop.run(held())
        started = perf_counter()
        loop.run(fresh())
        new = perf_counter() - started
    overhead, transport = (max(found["stdio"] - found[other], 1e-9) for other in ("function", "memory"))
    yield Row(CALLS, "a call in a held session, less the function called directly", overhead, target=under(OVERHEAD))
    yield Row(CALLS, "of that, what stdio adds to a call in memory", transport)
    yield Row(
        CALLS,
        "a health check over stdio, by one in memory",
        found["stdio health"],
        found["memory health"],
        at_most_times(1.5),
    )
    yield Row(CALLS, "a held session, by a new server for each call", found["stdio"], new, at_least_faster(20))


async def _stdio_cpu(inventory: Path) -> list[Row]:
    """CPU of the server for a call in a held session, beside bare echoes on the same SDK."""
    ours = [sys.executable, "-m", "signalbox", "mcp", "gnmi"]
    echo = [sys.executable, str(Path(__file__).with_name("echo_server.py"))]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as same:
        async with _server(ours) as (client, _):
            json.dump((await client.call_tool("get_devices", {})).structured_content, same)
            same.flush()
        commands = {"ours": ours, "word": echo, "same": [*echo, same.name]}
        found = {
            name: min([await _cpu_of_a_call(name, command) for _ in range(3)]) for name, command in commands.items()
        }
    what = "CPU of the server for get_devices, by a bare echo"
    return [
        Row(CALLS, f"{what} of a word", found["ours"], found["word"], at_most_times(1.3)),
        Row(CALLS, f"{what} of the same answer", found["ours"], found["same"], at_most_times(1.3)),
    ]


@asynccontextmanager
async def _server(command: list[str]) -> AsyncIterator[tuple[Any, int]]:
    """A session with a server of its own, and the id of its process."""
    from mcp import Client, StdioServerParameters

    before = _children()
    async with Client(StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))) as client:
        (process,) = _children() - before
        yield client, process


async def _cpu_of_a_call(name: str, command: list[str], times: int = 600) -> float:
    tool, arguments = ("get_devices", {}) if name == "ours" else ("echo", {"text": "hello"})
    async with _server(command) as (client, process):
        for _ in range(50):
            await client.call_tool(tool, arguments)
        before = _cpu_seconds(process)
        for _ in range(times):
            await client.call_tool(tool, arguments)
        return (_cpu_seconds(process) - before) / times


def _children() -> set[int]:
    return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))


def _cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _growth() -> Iterator[Row]:
    """What a device costs among few and among many: its reading alone, and the whole check from the shell."""
    with _network(FEW) as few, _network(MANY) as many:
        sizes = {few: FEW, many: MANY}
        with Runner() as loop:
            reading = loop.run(_read_all(sizes))
        whole = {size: _whole_check(inventory) / size for inventory, size in sizes.items()}
    what = f"a device of {MANY}, by a device of {FEW}"
    yield Row(DEVICES, f"read: {what}", reading[MANY], reading[FEW], at_most_times(1.1))
    yield Row(DEVICES, f"the whole check, CPU: {what}", whole[MANY], whole[FEW], at_most_times(1.0))


async def _read_all(sizes: dict[Path, int]) -> dict[int, float]:
    """Seconds for each device, with as many devices at a time as the agent reads."""
    from signalbox.agents.oncall.server import create_server
    from signalbox.settings import get_settings
    from signalbox.toolbox import ServerEntry, Session

    places = asyncio.Semaphore(get_settings().oncall_parallel)
    sessions: list[Session] = []

    async def reader(inventory: Path, size: int) -> Callable[[], Awaitable[Any]]:
        os.environ["NETWORK_INVENTORY"] = str(inventory)
        session = Session(ServerEntry("gnmi", transport="memory", server=create_server))
        sessions.append(session)
        names = [one["name"] for one in (await session.call("get_devices", {}))["devices"]]
        if len(names) != size:
            raise AssertionError(f"there are {len(names)} devices and not {size}")

        async def check(name: str) -> None:
            async with places:
                answer = await session.call("get_device_health", {"device_name": name})
            if answer["status"] != "success":
                raise AssertionError(f"{name}: {answer['error_response'] or answer['metadata']}")

        async def all_of_them() -> None:
            os.environ["NETWORK_INVENTORY"] = str(inventory)  # looked up at each call
            await asyncio.gather(*map(check, names))

        await all_of_them()  # opens the channels
        return all_of_them

    try:
        readers = {str(size): await reader(inventory, size) for inventory, size in sizes.items()}
        found = await _turns(readers, times=1, rounds=5)
        return {int(size): seconds / int(size) for size, seconds in found.items()}
    finally:
        for session in sessions:
            await session.close()


def _whole_check(inventory: Path) -> float:
    """CPU seconds of a person's question about every device, asked at the shell."""
    command = [sys.executable, "-m", "signalbox", "ask", "--agent", "oncall", "check the health of every device"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "NETWORK_INVENTORY": str(inventory), "SIGNALBOX_HOME": home}
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _sweeps() -> Iterator[Row]:
    """What a sweep costs beside plain asyncio over the same calls of scripted tools, and how both grow."""
    few, many = 2_000, 10_000
    with Runner() as loop:
        found = loop.run(_sweep_times(few, many))
    most = {size: found[f"memory {size}"] for size in (few, many)}
    yield Row(SWEEP, "by plain asyncio over the same calls", found["sweep"], found["plain"], at_most_times(2))
    yield Row(SWEEP, f"a device of {many:,}, by a device of {few:,}", found["many"], found["few"], at_most_times(1.2))
    yield Row(SWEEP, f"most memory with {many:,} devices, by {few:,}", most[many], most[few], at_most_times(1.2))


async def _sweep_times(few: int, many: int) -> dict[str, float]:
    """Seconds of a sweep and of the same calls alone, seconds for each device, and the most bytes in use."""
    import tracemalloc

    from signalbox.agents.oncall.sweep import SweepReport, sweep
    from signalbox.settings import get_settings
    from signalbox.toolbox import ServerEntry, Session

    session = Session(ServerEntry("scripted", transport="memory", server=_scripted))
    places = asyncio.Semaphore(get_settings().oncall_parallel)
    names = [f"edge-{number}" for number in range(many)]

    async def one(name: str) -> None:
        async with places:
            await session.call("get_device_health", {"device_name": name})

    async def plain() -> None:
        await asyncio.gather(*map(one, names))

    async def swept(size: int) -> None:
        with tempfile.TemporaryFile("w") as written:
            report = SweepReport(size)
            chosen = islice(names, size)
            await sweep(session, chosen, report, lambda result: print(result.line(), file=written))
            if report.statuses["ok"] != size - size // 100:
                raise AssertionError(f"{report.statuses} of {size} devices")

    try:
        contenders: dict[str, Callable[[], Awaitable[Any]]] = {
            "plain": plain,
            "sweep": lambda: swept(many),
            "few": lambda: swept(few),
        }
        found = await _turns(contenders, times=1, rounds=3)
        found |= {"many": found["sweep"] / many, "few": found["few"] / few}
        for size in (few, many):
            tracemalloc.start()
            await swept(size)
            found[f"memory {size}"] = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return found
    finally:
        await session.close()


def _scripted() -> Any:
    """A server whose devices are all well but every hundredth, and answer at once."""
    from signalbox.toolbox.serving import ToolServer, offer

    async def get_device_health(device_name: str) -> dict[str, Any]:
        bad = device_name.endswith("00") or device_name == "edge-0"
        names = ("cpu", "memory", "clock", "uptime", "interfaces", "bgp", "isis", "ldp", "vpn", "alarms")
        lights = [{"name": name, "status": "warning" if bad else "ok", "value": 1, "text": name} for name in names]
        return {"status": "success", "data": {"indicators": lights}, "metadata": {}}

    return ToolServer("scripted", [offer(get_device_health)])


async def _turns(
    contenders: dict[str, Callable[[], Awaitable[Any]]], times: int, rounds: int = ROUNDS
) -> dict[str, float]:
    """The seconds of one run of each: the median of its quietest round, since what else the machine does only adds.

    They take turns, so that a slow minute slows all of them.
    """
    found: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            found[name].append(median([await _seconds(work) for _ in range(times)]))
    return {name: min(medians) for name, medians in found.items()}


async def _seconds(work: Callable[[], Awaitable[Any]]) -> float:
    started = perf_counter()
    await work()
    return perf_counter() - started


if __name__ == "__main__":
    _serve(int(sys.argv[1]), Path(sys.argv[2]))
