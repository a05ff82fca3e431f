"""What `kill -9` leaves of runs that the service accepted: finished once, or waiting; nothing lost, nothing twice.

python -m benchmarks.kills                        # 100 kills on SQLite and 100 on PostgreSQL
python -m benchmarks.kills --kills 20 --seed 7    # fewer, with the random moments of an earlier run

Clients submit runs over HTTP (chains, fan-outs, graphs inside graphs, questions, the tasks agent) while the server is
killed at random moments and started again. Servers are forked from one process that has imported everything, so that
a restart takes milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

__all__ = ["Tally", "kill_servers", "postgres"]

MAPS = """GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Failure_Next,Prompt,Context
Chain,A,write,item,a,B,,,
Chain,B,write,item,b,C,,,
Chain,C,write,item,c,,,,
Fan,Begin,write,item,begun,Left|Right|Middle,,,
Fan,Left,write,item,left,Join,,,
Fan,Right,write,item,right,Join,,,
Fan,Middle,write,item,middle,Join,,,
Fan,Join,write,item,joined,,,,
Sent,Split,write,item,split,func:parts,,,
Sent,Part,write,item|slot,item,Gather,,,
Sent,Gather,write,item,gathered,,,,
Outer,First,write,item,first,Inside,,,
Outer,Inside,graph,item,inside,Last,,,workflow=::Inner
Outer,Last,write,item,last,,,,
Inner,X,write,item,x,Y|Z,,,
Inner,Y,write,item,y,End,,,
Inner,Z,write,item,z,End,,,
Inner,End,write,item,e,,,,
Ask,Draft,write,item,draft,Approve,,,
Ask,Approve,human,item,ok,Publish,Return,Publish {item}?,interaction_type:approval
Ask,Publish,write,item,published,,,,
Ask,Return,echo,item,returned,,,Sent back,
"""
WRITE = '''
"""Writes once for each key, as a system with idempotency keys does, and logs that it was called."""
import json, os, random, time, uuid
from pathlib import Path
from langgraph.config import get_config
from signalbox.runs.owners import current_lease
from signalbox.toolbox.ledger import current_ledger

HERE = Path(__file__).parent.parent

def write(item, slot=""):
    known = get_config()
    place = [part.rpartition(":")[0] for part in known["configurable"]["checkpoint_ns"].split("|")]
    told = {"run": known["configurable"]["thread_id"], "node": " > ".join(place), "slot": slot}
    with current_ledger().call("write", {"item": item, "slot": slot}, place[-1]) as call:
        with open(HERE / "calls", "ab", buffering=0) as calls:
            lease = current_lease()
            by = {"server": int(os.environ["SERVER_NUMBER"]), "lease": lease.owner if lease else ""}
            calls.write((json.dumps({**told, **by}) + "\\n").encode())
        draft = HERE / "drafts" / uuid.uuid4().hex
        draft.write_text(json.dumps(told))
        try:
            os.link(draft, HERE / "writes" / call.key)
        except FileExistsError:
            pass
        call.returned("written")
    time.sleep(random.choice((0, 0, 0.01, 0.05)) + random.uniform(0, float(os.environ.get("WRITE_PAUSE", "0"))))
    return item
'''
PARTS = """
from langgraph.types import Send

def parts(state, *rest):
    return [Send("Part", {"item": state["item"], "slot": str(number)}) for number in range(3)]
"""
SERVER = """
import os, signal, socket, sys
import uvicorn
import signalbox.service.mcp
from signalbox.contract.installed import list_agents
from signalbox.models.offline.encoder import load_encoder
from signalbox.runs import asking, background, checkpoints, history, life
from signalbox.service import create_app
from signalbox.service.logs import set_up_logs

list_agents()
if "tasks" in sys.argv:
    load_encoder()
import langgraph.checkpoint.postgres, psycopg_pool, asyncpg, aiosqlite
import signalbox.agents.tasks.agent, signalbox.agents.tasks.model_node, signalbox.agents.tasks.server
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print("ready", flush=True)
for line in sys.stdin:
    number = line.strip()
    listening = socket.create_server(("127.0.0.1", 0))
    pid = os.fork()
    if pid == 0:
        os.environ["SERVER_NUMBER"] = number
        log = os.open(f"server-{number}.log", os.O_CREAT | os.O_WRONLY)
        os.dup2(log, 1), os.dup2(log, 2), os.close(0)
        set_up_logs()
        uvicorn.Server(uvicorn.Config(create_app(), log_level="warning", log_config=None)).run(sockets=[listening])
        os._exit(0)
    print(pid, listening.getsockname()[1], flush=True)
    listening.close()
"""
WRITES = {
    "Chain": ("A", "B", "C"),
    "Fan": ("Begin", "Left", "Right", "Middle", "Join"),
    "Sent": ("Split", "Part", "Part", "Part", "Gather"),
    "Outer": ("First", "Inside > X", "Inside > Y", "Inside > Z", "Inside > End", "Last"),
    "Ask": ("Draft", "Publish"),
}
"""What a run of each graph has written when it has ended."""
_CLIENTS = 4
_AGAIN = re.compile(r"([\w >]+?) (?:\(\d+ side by side\) )?was active, and runs again")
_GOES_ON = re.compile(r"Run (\w+) of thread \S+ had been left behind, and goes on\.(.*)")


@dataclass
class Job:
    """A run that was submitted. It is accepted when the server has said so; otherwise it may or may not be there."""

    graph: str
    thread: str
    person: str
    item: str
    run_id: str = ""


@dataclass
class Tally:
    """What came of it all."""

    seed: int
    kills: int = 0
    accepted: int = 0
    finished: int = 0
    waiting: int = 0
    repeated: int = 0
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        """Everything that should not have happened, in words."""
        return [*self.lost, *self.twice, *self.missing, *self.false]

    def row(self, name: str) -> str:
        """A line of the table."""
        counts = (len(one) for one in (self.lost, self.twice, self.missing, self.false))
        figures = (self.kills, self.accepted, self.finished, self.waiting, self.repeated, *counts)
        return f"{name:<12}" + "".join(f"{figure:>10}" for figure in figures) + f"   seed {self.seed}"


HEAD = f"{'database':<12}" + "".join(
    f"{word:>10}" for word in "kills accepted finished waiting repeated lost twice missing false".split()
)


@contextmanager
def postgres() -> Iterator[str | None]:
    """A PostgreSQL of one's own, on a socket; None where it is not installed."""
    found = shutil.which("initdb") or next(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), None)
    if found is None:
        yield None
        return
    programs, folder = Path(found).resolve().parent, Path(tempfile.mkdtemp(prefix="sbpg"))
    as_user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.getuid() == 0 else []
    if as_user:
        shutil.chown(folder, "nobody", "nogroup")

    def run(*command: str) -> None:
        subprocess.run([*as_user, *command], check=True, capture_output=True, cwd="/")

    run(f"{programs}/initdb", "-D", f"{folder}/data", "-U", "postgres", "--auth=trust", "--no-sync")
    options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=300"
    run(f"{programs}/pg_ctl", "-D", f"{folder}/data", "-w", "-o", options, "-l", f"{folder}/log", "start")
    try:
        yield f"postgresql://postgres@/postgres?host={folder}"
    finally:
        run(f"{programs}/pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def kill_servers(
    folder: Path,
    kills: int,
    *,
    seed: int,
    database_url: str = "",
    graphs: tuple[str, ...] = (*WRITES, "tasks"),
    patience: float = 300.0,
) -> Tally:
    """Kill so many servers under load, let the last one finish what was accepted, and count what came of it."""
    with _environment(folder, database_url):
        trial = _Trial(folder, random.Random(seed), graphs)
        tally = Tally(seed)
        with _servers(folder, graphs) as start:
            for number in range(kills):
                trial.until_killed(*start(number))
                tally.kills += 1
            pid, place = start(kills)
            try:
                trial.until_settled(place, patience)
            finally:
                os.kill(pid, signal.SIGKILL)
        trial.count(tally)
    return tally


@contextmanager
def _environment(folder: Path, database_url: str) -> Iterator[None]:
    """A folder with the maps and their code, and the settings of the servers and of who looks at what they left."""
    for name, text in {"maps.csv": MAPS, "agents/write.py": WRITE, "functions/parts.py": PARTS}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for name in ("writes", "drafts"):
        (folder / name).mkdir()
    settings = {
        "SIGNALBOX_HOME": str(folder / "home"), "SIGNALBOX_MAPS": str(folder / "maps.csv"),
        "SIGNALBOX_DATABASE_URL": database_url, "SIGNALBOX_RATE_LIMIT": "1000000", "LANGSMITH_TRACING": "false",
    }  # fmt: skip
    before = dict(os.environ)
    os.environ.update({name: value for name, value in settings.items() if value})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _servers(folder: Path, graphs: tuple[str, ...]) -> Iterator[Any]:
    """What starts a server: it gives its process id and its address."""
    command = [sys.executable, "-c", SERVER, *graphs]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=folder, text=True, start_new_session=True, **pipes) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        try:
            assert parent.stdout.readline() == "ready\n"

            def start(number: int) -> tuple[int, str]:
                parent.stdin.write(f"{number}\n")  # type: ignore[union-attr]
                parent.stdin.flush()  # type: ignore[union-attr]
                pid, port = parent.stdout.readline().split()  # type: ignore[union-attr]
                return int(pid), f"http://127.0.0.1:{port}"

            yield start
        finally:
            with suppress(ProcessLookupError):
                os.killpg(parent.pid, signal.SIGKILL)


class _Trial:
    """The clients of the servers, and what they know."""

    def __init__(self, folder: Path, chance: random.Random, graphs: tuple[str, ...]) -> None:
        self.folder, self.chance, self.graphs = folder, chance, graphs
        self.jobs: list[Job] = []
        self.lock = threading.Lock()

    def until_killed(self, pid: int, place: str) -> None:
        """Submit runs and answer questions until the server is killed: after a while, or right after it has said that
        it has accepted a run."""
        moment = self.chance.choice((self.chance.uniform(0.05, 1.5), self.chance.uniform(0.0, 0.3)))
        right_after = self.chance.random() < 0.4
        accepted, over = threading.Event(), threading.Event()
        plans = [[self._job() for _ in range(3)] for _ in range(_CLIENTS)]
        with ThreadPoolExecutor(_CLIENTS) as pool:
            clients = [pool.submit(self._client, place, jobs, accepted, over) for jobs in plans]
            accepted.wait(30)
            time.sleep(moment / 20 if right_after else moment)
            os.kill(pid, signal.SIGKILL)
            over.set()
            for client in clients:
                client.result()

    def _job(self) -> Job:
        number = self.chance.getrandbits(64)
        graph = self.chance.choice(self.graphs)
        # A person of its own for each run of the tasks agent: whatever is on the list is from that run.
        person = str(uuid.UUID(int=number)) if graph == "tasks" else str(uuid.UUID(int=10))
        return Job(graph, f"thread-{number:016x}", person, f"item {number % 10_000}")

    def _client(self, place: str, jobs: list[Job], accepted: threading.Event, over: threading.Event) -> None:
        with httpx.Client(base_url=place, timeout=30) as client, suppress(httpx.TransportError):
            for job in jobs:
                if over.is_set():
                    return
                with self.lock:
                    self.jobs.append(job)
                given: Any = f"Add a task: buy {job.item}" if job.graph == "tasks" else {"item": job.item}
                body = {"assistant_id": job.graph, "input": given, "if_not_exists": "create"}
                sent = client.post(f"/threads/{job.thread}/runs", json=body, headers=_headers(job.person))
                assert sent.status_code == 200, sent.text
                job.run_id = sent.json()["run_id"]
                accepted.set()
                self._answer_some(client)

    def _answer_some(self, client: httpx.Client) -> None:
        """Approve what a run asks, if it asks already."""
        with self.lock:
            asked = [job for job in self.jobs if job.graph == "Ask" and job.run_id][-3:-1]
        for job in asked:
            body = {"assistant_id": "Ask", "command": {"resume": "approve"}}
            client.post(f"/threads/{job.thread}/runs", json=body, headers=_headers(job.person))

    def until_settled(self, place: str, patience: float) -> None:
        """Wait until no run that was accepted is under way or left behind."""
        deadline = time.monotonic() + patience
        with httpx.Client(base_url=place, timeout=30) as client:
            client.get("/healthz")
        while time.monotonic() < deadline:
            if not any(run.standing in ("running", "interrupted") for run in _runs().values()):
                return
            time.sleep(0.2)

    def count(self, tally: Tally) -> None:
        """Hold what the runs left against what they should have."""
        kept = _runs()
        writes = [json.loads(path.read_text()) for path in (self.folder / "writes").iterdir()]
        calls = [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]
        written: dict[str, Counter[str]] = defaultdict(Counter)
        for line in writes:
            written[line["run"]][line["node"]] += 1
        for job in self.jobs:
            run = kept.get(job.run_id)
            if job.run_id:
                tally.accepted += 1
            if run is None or run.standing not in ("completed", "waiting"):
                if job.run_id:
                    told = (run.standing, run.result.get("error")) if run else "not there"
                    tally.lost.append(f"{job.graph} {job.run_id} is lost: {told}")
                continue
            is_done = run.standing == "completed"
            tally.finished += is_done
            tally.waiting += not is_done
            if job.graph == "tasks":
                self._count_tasks(job, run, tally)
                continue
            for node in set(WRITES[job.graph]):
                wanted, found = WRITES[job.graph].count(node), written[job.run_id][node]
                if found > wanted:
                    tally.twice.append(f"{job.graph} {job.run_id}: {node} wrote {found} times")
                if is_done and found < wanted:
                    tally.missing.append(f"{job.graph} {job.run_id}: {node} wrote {found} times of {wanted}")
        self._count_statements(calls, kept, tally)

    def _count_tasks(self, job: Job, run: Any, tally: Tally) -> None:
        from signalbox.storage import Store, TaskFilter, close_stores

        async def titles() -> list[str]:
            try:
                return [one.title for one in (await Store(job.person).tasks.list(TaskFilter())).tasks]
            finally:
                await close_stores()

        found = asyncio.run(titles())
        if len(found) > 1:
            tally.twice.append(f"tasks {job.run_id}: {found}")
        elif not found:
            tally.missing.append(f"tasks {job.run_id}: {run.result.get('answer', {}).get('answer')}")
        elif run.standing == "waiting":
            tally.false.append(f"tasks {job.run_id} asks: {run.questions[0].get('message')}")

    def _count_statements(self, calls: list[dict[str, Any]], kept: dict[str, Any], tally: Tally) -> None:
        """A step that was called again was named as one that runs again, each time; and what a server named, it or a
        later one called again."""
        called: dict[tuple[str, str, str], list[int]] = defaultdict(list)
        for line in calls:
            called[line["run"], line["node"], line["slot"]].append(line["server"])
        for (run_id, node, _), servers in called.items():
            again, said = len(servers) - 1, sum(node in _named(told) for told in kept[run_id].warnings)
            tally.repeated += again
            if again > said:
                tally.false.append(f"{run_id}: {node} ran on the servers {servers}, and that was said {said} times")
        for log in self.folder.glob("server-*.log"):
            server = int(log.stem.removeprefix("server-"))
            for run_id, told in _GOES_ON.findall(log.read_text(errors="replace")):
                if kept[run_id].standing != "completed":
                    continue
                for node in _named(told):
                    ran = [one for key, some in called.items() if key[:2] == (run_id, node) for one in some]
                    if ran and max(ran) < server:
                        tally.false.append(f"{run_id}: {node} was said to run again on {server}, and did not")
        self._count_told(kept, tally)

    def _count_told(self, kept: dict[str, Any], tally: Tally) -> None:
        from signalbox.runs.events import list_events

        for job in self.jobs:
            if job.graph == "tasks" or job.run_id not in kept:
                continue
            told = list_events(job.run_id, person=job.person)
            ended = Counter(one.data["node"] for one in told if one.kind == "node" and one.data["kind"] == "end")
            for node, times in ended.items():
                if times > max(WRITES[job.graph].count(node), 1):
                    tally.false.append(f"{job.run_id}: {node} was told to have ended {times} times")
            if kept[job.run_id].standing == "completed" and not any(one.kind == "answer" for one in told):
                tally.missing.append(f"{job.run_id}: completed, and no answer was told")


def _runs() -> dict[str, Any]:
    """Everybody's runs, by their ids."""
    from signalbox.runs.gate import everybodys
    from signalbox.runs.records import get_run

    with everybodys() as connection:
        found = connection.execute("SELECT run_id, user_id FROM runs").fetchall()
    return {run_id: get_run(run_id, person) for run_id, person in found}


def _named(told: str) -> list[str]:
    """The steps that a statement says run again."""
    return [name.strip() for name in _AGAIN.findall(told)]


def _headers(person: str) -> dict[str, str]:
    from signalbox.service.tokens import make_token

    return {"Authorization": f"Bearer {make_token(person)}"}


def main() -> int:
    """Kill, count and print. Exit 1 where something is lost, twice, missing or false."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="on each database (default: 100)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10_000))
    parser.add_argument("--only", choices=("SQLite", "PostgreSQL"))
    options = parser.parse_args()
    print(HEAD)
    faults: list[str] = []
    with postgres() as address:
        for name, url in {"SQLite": "", "PostgreSQL": address}.items():
            if options.only not in (None, name):
                continue
            if url is None:
                print(f"{name:<12} is not installed here: apt-get install postgresql")
                continue
            with tempfile.TemporaryDirectory() as folder:
                tally = kill_servers(Path(folder), options.kills, seed=options.seed, database_url=url)
            print(tally.row(name), flush=True)
            faults += tally.faults
    for fault in faults:
        print(fault, file=sys.stderr)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
