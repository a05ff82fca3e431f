"""What is left of accepted runs when workers on PostgreSQL are killed, hang, and lose their database on the way.

python -m benchmarks.takeover                      # 200 runs, two API processes, three workers
python -m benchmarks.takeover --runs 40 --seed 7   # fewer, with the random moments of an earlier trial

Every process is the program itself. A worker that hangs (SIGSTOP) wakes after others have taken over its runs. Counted
are runs that are not completed, effects that are missing or there twice, and how long each run was in nobody's hands.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from benchmarks.kills import WRITES, _environment, _headers

__all__ = ["Cluster", "Outcome", "cluster", "try_takeover"]

GRAPHS = ("Chain", "Fan", "Sent", "Outer")
CHAT = """
import asyncio, json, os, random, uuid
from dataclasses import dataclass
from pathlib import Path
from signalbox.toolbox.ledger import current_ledger

HERE = Path(__file__).parent

@dataclass
class Reply:
    final_response: str
    status: str = "completed"
    error: str | None = None
    iterations: int = 1
    warning: str | None = None

async def run_agent(message_history, user_id, config=None):
    said = message_history[-1]["content"]
    pause = float(os.environ["WRITE_PAUSE"])
    await asyncio.sleep(random.uniform(0, 2 * pause))
    with current_ledger().call("write", {"item": said}, "chat") as call:
        draft = HERE / "drafts" / uuid.uuid4().hex
        draft.write_text(json.dumps({"run": said, "node": "chat"}))
        try:
            os.link(draft, HERE / "writes" / call.key)
        except FileExistsError:
            pass
        call.returned("written")
    await asyncio.sleep(random.uniform(0, 2 * pause))
    return Reply(f"Answered: {said}")
"""
PEOPLE = [str(uuid.UUID(int=number)) for number in range(20, 25)]
LIMIT = 30.0
"""Seconds after which a run must be in the hands of another worker."""


class Cluster:
    """A PostgreSQL of one's own on a loopback port, which can be restarted."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder, self.programs = folder, programs
        self._as = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.getuid() == 0 else []
        if self._as:
            shutil.chown(folder, "nobody", "nogroup")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._run("initdb", "-U", "postgres", "--auth=trust", "--no-sync")
        self.address = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start it."""
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200"
        self._run("pg_ctl", "-w", "-o", options, "-l", f"{self.folder}/log", "start")

    def stop(self) -> None:
        """Stop it, whoever is connected."""
        self._run("pg_ctl", "-m", "immediate", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as, str(self.programs / program), "-D", f"{self.folder}/data", *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", timeout=60)


@contextmanager
def cluster() -> Iterator[Cluster | None]:
    """A PostgreSQL that runs; None where it is not installed."""
    found = shutil.which("initdb") or next(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), None)
    if found is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="sbpg"))
    made = Cluster(folder, Path(found).resolve().parent)
    made.start()
    try:
        yield made
    finally:
        with suppress(subprocess.CalledProcessError):
            made.stop()
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Outcome:
    """What came of a trial."""

    seed: int
    accepted: int = 0
    turns: int = 0
    completed: int = 0
    killed: int = 0
    hung: int = 0
    restarts: int = 0
    taken_over: int = 0
    slowest: float = 0.0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    def row(self) -> str:
        """The outcome in a line."""
        return (
            f"{self.accepted} runs and {self.turns} turns accepted, {self.completed} runs completed in "
            f"{self.seconds:.0f} s; {self.killed} workers "
            f"killed, {self.hung} hung, {self.restarts} restarts of the database; {self.taken_over} takeovers, the "
            f"slowest after {self.slowest:.1f} s; {len(self.faults)} faults; seed {self.seed}"
        )


def try_takeover(
    folder: Path, server: Cluster, *, runs: int, seed: int, apis: int = 2, workers: int = 3, blows: int = 10,
    pause: float = 1.0, patience: float = 300.0, restarts: bool = True,
) -> Outcome:  # fmt: skip
    """Submit runs, deal so many blows to the workers and, where it `restarts`, one to the database in the middle, and
    count what is left."""
    started = time.monotonic()
    with _environment(folder, server.address):
        os.environ |= {"WRITE_PAUSE": str(pause), "SIGNALBOX_MODEL": "offline"}
        os.environ |= {
            "SIGNALBOX_CHAT": "takeover",
            "PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        }
        _offer_chat(folder)
        trial = _Trial(folder, server, random.Random(seed), Outcome(seed))
        try:
            trial.start(apis, workers)
            trial.submit(runs, blows, restarts)
            trial.until_settled(patience)
            trial.count()
        finally:
            trial.stop()
    trial.outcome.seconds = time.monotonic() - started
    return trial.outcome


def _offer_chat(folder: Path) -> None:
    info = folder / "takeover_chat-1.dist-info"
    info.mkdir()
    (folder / "takeover_chat.py").write_text(CHAT)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: takeover-chat\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[signalbox.chat]\ntakeover = takeover_chat:run_agent\n")


@dataclass
class _Worker:
    number: int
    process: subprocess.Popen[Any]
    wakes_at: float = 0.0


class _Trial:
    def __init__(self, folder: Path, server: Cluster, chance: random.Random, outcome: Outcome) -> None:
        self.folder, self.server, self.chance, self.outcome = folder, server, chance, outcome
        self.places: list[str] = []
        self.apis: list[subprocess.Popen[Any]] = []
        self.workers: list[_Worker] = []
        self.jobs: dict[str, tuple[str, str]] = {}
        self.orphans: dict[str, tuple[str, float]] = {}
        self.watched_at = 0.0
        self.over = threading.Event()
        self.pool = ThreadPoolExecutor(16)
        self.turns: list[Future[str]] = []

    # Processes

    def start(self, apis: int, workers: int) -> None:
        for number in range(apis):
            process = self._program(f"api-{number}", "serve", "--port", "0", "--no-page", "--no-worker")
            self.apis.append(process)
        for _ in range(workers):
            self._add_worker()
        for number in range(apis):
            self.places.append(self._place(f"api-{number}"))

    def _program(self, name: str, *command: str) -> subprocess.Popen[Any]:
        environment = {**os.environ, "SERVER_NUMBER": name.rpartition("-")[2], "PYTHONUNBUFFERED": "1"}
        with (self.folder / f"{name}.log").open("w") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "signalbox", *command], stderr=log, stdout=log, env=environment, cwd=self.folder
            )

    def _place(self, name: str) -> str:
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            found = re.search(r"http://[\d.:]+", (self.folder / f"{name}.log").read_text())
            with suppress(httpx.TransportError):
                if found and httpx.get(f"{found.group()}/readyz").status_code == 200:
                    return found.group()
            time.sleep(0.1)
        raise TimeoutError(f"{name} did not start: {(self.folder / f'{name}.log').read_text()[-2000:]}")

    def _add_worker(self) -> None:
        number = 100 + self.outcome.killed + len(self.workers)
        self.workers.append(_Worker(number, self._program(f"worker-{number}", "worker", "--runs", "8")))

    def stop(self) -> None:
        """End every process that was started, and only those."""
        self.over.set()
        self.pool.shutdown(cancel_futures=True)
        for process in [*self.apis, *(worker.process for worker in self.workers)]:
            if process.poll() is None:
                process.kill()
            process.wait(20)

    # Load and blows

    def submit(self, runs: int, blows: int, restarts: bool) -> None:
        moments = sorted(self.chance.sample(range(1, runs), min(blows, runs - 1)))
        for number in range(runs):
            self._submit_one(number)
            if number % 5 == 0:
                self.turns.append(self.pool.submit(self._say, self.chance.choice(PEOPLE), f"message {number}"))
            if number in moments:
                self._blow()
            if restarts and number == runs // 2:
                self._restart_database()
            self._watch()

    def _submit_one(self, number: int) -> None:
        graph, person = self.chance.choice(GRAPHS), self.chance.choice(PEOPLE)
        thread = f"thread-{number:04}-{self.chance.getrandbits(32):08x}"
        body = {"assistant_id": graph, "input": {"item": f"item {number}"}, "if_not_exists": "create"}
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            place = self.chance.choice(self.places)
            with suppress(httpx.TransportError):
                with httpx.Client(base_url=place, headers=_headers(person), timeout=30) as client:
                    sent = client.post(f"/threads/{thread}/runs", json=body)
                    if sent.status_code in (404, 409, 500, 503):  # its answer was lost, or the database is away
                        known = client.get(f"/threads/{thread}/runs")
                        sent = known if known.status_code == 200 and known.json() else sent
                if sent.status_code == 200:
                    told = sent.json()
                    self.jobs[(told[0] if isinstance(told, list) else told)["run_id"]] = (graph, person)
                    self.outcome.accepted += 1
                    return
            time.sleep(0.2)
        self.outcome.faults.append(f"{thread} was not accepted within a minute")

    def _say(self, person: str, message: str) -> str:
        """Say something in the chat under one key until it is answered; what is wrong with that, if anything."""
        headers = {**_headers(person), "Idempotency-Key": message}
        body, deadline = {"message": message, "conversation_id": "new"}, time.monotonic() + 240
        told = "no answer"
        while time.monotonic() < deadline and not self.over.is_set():
            with suppress(httpx.TransportError):
                place = self.places[len(told) % len(self.places)]
                sent = httpx.post(f"{place}/api/{person}/chat", json=body, headers=headers, timeout=120)
                if sent.status_code == 200:
                    return "" if sent.json()["response"] == f"Answered: {message}" else sent.text
                told = f"{sent.status_code} {sent.text}"
            time.sleep(0.5)
        return f"{message}: {told}"

    def _blow(self) -> None:
        """Kill or stop a worker that is at something, and start another in place of one that was killed."""
        awake = [worker for worker in self.workers if not worker.wakes_at and worker.process.poll() is None]
        worker = self.chance.choice(awake) if awake else None
        if worker is None or (len(awake) == 1 and self.chance.random() < 0.5):
            return
        self._note_orphans(worker)
        if self.chance.random() < 0.5:
            worker.process.kill()
            worker.process.wait(20)
            self.workers.remove(worker)
            self.outcome.killed += 1
            self._add_worker()
        else:
            os.kill(worker.process.pid, signal.SIGSTOP)
            worker.wakes_at = time.monotonic() + self.chance.uniform(16, 26)
            self.outcome.hung += 1

    def _restart_database(self) -> None:
        self.server.stop()
        time.sleep(self.chance.uniform(0.5, 2.0))
        self.server.start()
        self.outcome.restarts += 1

    # What happens meanwhile

    def _owners(self) -> dict[str, tuple[str, str]]:
        """How each run stands, and whose it is."""
        import psycopg

        with psycopg.connect(self.server.address) as connection:
            return {row[0]: (row[1], row[2]) for row in connection.execute("SELECT run_id, status, owner FROM runs")}

    def _note_orphans(self, worker: _Worker) -> None:
        leases = {one["lease"] for one in self._calls() if one["server"] == worker.number}
        ids = {lease.rpartition("-")[2] for lease in leases}
        for run_id, (status, owner) in self._owners().items():
            if status == "running" and owner.rpartition("-")[2] in ids and run_id not in self.orphans:
                self.orphans[run_id] = (owner, time.monotonic())

    def _watch(self) -> None:
        """Wake workers whose time has come, and note which runs were taken over, and when."""
        for worker in self.workers:
            if worker.wakes_at and time.monotonic() >= worker.wakes_at:
                os.kill(worker.process.pid, signal.SIGCONT)
                worker.wakes_at = 0.0
        if time.monotonic() < self.watched_at + 0.25 or not self.orphans:
            return
        self.watched_at = time.monotonic()
        standing = self._owners()
        for run_id, (owner, since) in list(self.orphans.items()):
            status, now = standing.get(run_id, ("", ""))
            if status != "interrupted" and (status, now) != ("running", owner):
                took = time.monotonic() - since
                self.outcome.taken_over += 1
                self.outcome.slowest = max(self.outcome.slowest, took)
                del self.orphans[run_id]
                if took > LIMIT:
                    self.outcome.faults.append(f"{run_id} was taken over after {took:.1f} s")

    def until_settled(self, patience: float) -> None:
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            self._watch()
            is_awake = not any(worker.wakes_at for worker in self.workers)
            if (
                is_awake
                and all(turn.done() for turn in self.turns)
                and not any(status in ("pending", "running", "interrupted") for status, _ in self._owners().values())
            ):
                return
            time.sleep(0.25)

    # What is left

    def _calls(self) -> list[dict[str, Any]]:
        file = self.folder / "calls"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def count(self) -> None:
        from signalbox.runs.events import list_events
        from signalbox.runs.records import get_run

        written: dict[str, Counter[str]] = defaultdict(Counter)
        for path in (self.folder / "writes").iterdir():
            line = json.loads(path.read_text())
            written[line["run"]][line["node"]] += 1
        for turn in self.turns:
            fault = turn.result() if turn.done() else "a turn is not over"
            self.outcome.turns += 1
            self.outcome.faults += [fault] if fault else []
        for number in range(0, len(self.jobs), 5):
            if (found := written[f"message {number}"]["chat"]) != 1:
                self.outcome.faults.append(f"message {number} has {found} effects instead of 1")
        for run_id, (graph, person) in self.jobs.items():
            run = get_run(run_id, person)
            if run is None or run.status != "completed":
                self.outcome.faults.append(f"{graph} {run_id} is {run.status if run else 'not there'}")
                continue
            self.outcome.completed += 1
            for node in set(WRITES[graph]):
                wanted, found = WRITES[graph].count(node), written[run_id][node]
                if wanted != found:
                    self.outcome.faults.append(f"{graph} {run_id}: {node} has {found} effects instead of {wanted}")
            told = list_events(run_id, person=person)
            ended = Counter(one.data["node"] for one in told if one.kind == "node" and one.data["kind"] == "end")
            for node, times in ended.items():
                if times > max(sum(place.rpartition(" > ")[2] == node for place in WRITES[graph]), 1):
                    self.outcome.faults.append(f"{graph} {run_id}: {node} was told to have ended {times} times")
            if sum(one.kind == "answer" for one in told) != 1:
                self.outcome.faults.append(f"{graph} {run_id} has not one answer")


def main() -> int:
    """Try, and print what came of it. Exit 1 where something is lost, missing, twice or late."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.takeover", description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--blows", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10_000))
    parser.add_argument("--keep", type=Path, help="a folder for the logs, which stays")
    options = parser.parse_args()
    with cluster() as server, tempfile.TemporaryDirectory() as temporary:
        if server is None:
            print("PostgreSQL is not installed here: apt-get install postgresql")
            return 0
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        outcome = try_takeover(folder, server, runs=options.runs, seed=options.seed, blows=options.blows)
    print(outcome.row())
    for fault in outcome.faults:
        print(fault, file=sys.stderr)
    return int(bool(outcome.faults))


if __name__ == "__main__":
    sys.exit(main())
