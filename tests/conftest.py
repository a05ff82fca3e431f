"""What every test gets: a home of its own, an environment without settings or keys, and a way to write maps."""

from __future__ import annotations

import gc
import itertools
import json
import logging
import os
import shutil
import socket
import subprocess
import tempfile
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

REQUIRE_ALL = "SIGNALBOX_REQUIRE_ALL"
_FOREIGN_PREFIXES = (
    "SIGNALBOX_",
    "OPENAI_",
    "ANTHROPIC_",
    "GOOGLE_",
    "GEMINI_",
    "OLLAMA_",
    "LANGSMITH_",
    "LANGCHAIN_",
    "GRAFANA_",
    "PROMETHEUS_",
    "UPGRADE_",
    "GNMI_",
    "NETWORK_INVENTORY",
)
_numbers = itertools.count()
_SELDOM = 50_000
"""How many new objects trigger a garbage collection. The program itself collects more rarely still."""


def pytest_configure() -> None:
    """Collect garbage rarely, as the program does: otherwise it takes a tenth of the time."""
    gc.set_threshold(_SELDOM)


def pytest_collection_finish() -> None:
    """Leave modules and tests out of garbage collection: they stay until the end."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """End with what was skipped and, as each reason says it, how to have it run."""
    skipped = terminalreporter.stats.get("skipped", [])
    if not skipped:
        return
    terminalreporter.section("skipped")
    for reason, times in Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped).most_common():
        terminalreporter.write_line(f"{times} skipped: {reason}")
    terminalreporter.write_line(f"With {REQUIRE_ALL}=1 a part that is missing fails its tests instead.")


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(scope="session")
def certificate(homes: Path) -> Path:
    """One of the certificates that are trusted: to read all of them takes most of a short request."""
    import certifi

    first, end, _ = Path(certifi.where()).read_text("utf-8").partition("-----END CERTIFICATE-----")
    kept = homes / "certificate.pem"
    kept.write_text(f"{first}{end}\n")
    return kept


@pytest.fixture(autouse=True)
def own_home(homes: Path, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `SIGNALBOX_HOME` of the test's own, and no setting or key from outside."""
    for name in list(os.environ):
        if name.startswith(_FOREIGN_PREFIXES) and name != REQUIRE_ALL:
            monkeypatch.delenv(name)
    home = homes / str(next(_numbers))
    monkeypatch.setenv("SIGNALBOX_HOME", str(home))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setattr("signalbox.settings._FILE", home / ".env")
    return home


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """The log as it was: a command that a test runs in this process sets up its own."""
    ours, handlers = logging.getLogger("signalbox"), list(logging.root.handlers)
    level = ours.level
    yield
    ours.setLevel(level)
    logging.root.handlers = handlers


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """What a test calls to say what time it is, by `SIGNALBOX_NOW`."""

    def set_now(moment: str) -> None:
        monkeypatch.setenv("SIGNALBOX_NOW", moment)

    return set_now


@pytest.fixture
def require_part() -> Callable[[str, bool], None]:
    """What a test calls to say that it needs a part of the system which may be missing.

    Without it the test skips with the reason, which ends with the command that installs the part; where every part is
    required, it fails.
    """

    def require(reason: str, present: bool) -> None:
        if present:
            return
        if os.environ.get(REQUIRE_ALL) == "1":
            pytest.fail(reason)
        pytest.skip(reason)

    return require


@pytest.fixture
def write_file(tmp_path: Path) -> Callable[..., Path]:
    """What a test calls to write a file, by default the map `map.csv`, into its own folder."""

    def write(text: str, name: str = "map.csv") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), "utf-8")
        return path

    return write


@pytest.fixture
def run_text(write_file: Callable[..., Path]) -> Callable[..., Any]:
    """What a test calls to run a map given as text."""
    from signalbox.runs import start

    def run(text: str, state: dict[str, Any] | None = None, **options: Any) -> Any:
        return start(write_file(text), state, **options)

    return run


@dataclass(frozen=True)
class Cluster:
    """A running PostgreSQL. `role` may not pass row-level security."""

    bin: Path
    port: int
    role: str = "signalbox"

    def database(self) -> str:
        """The address of a new, empty database."""
        name = f"test_{os.getpid()}_{next(_numbers)}"
        self.sql(f"CREATE DATABASE {name} OWNER {self.role}")
        return f"postgresql://{self.role}@127.0.0.1:{self.port}/{name}"

    def sql(self, *statements: str, database: str = "postgres") -> str:
        """Run statements as the superuser; what they print."""
        told = [argument for one in statements for argument in ("-c", one)]
        address = f"postgresql://postgres@127.0.0.1:{self.port}/{database}"
        done = subprocess.run(
            [self.bin / "psql", "-qAt", address, *told], capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout

    def load(self, file: Path, address: str) -> None:
        """Run a file of statements in a database, as the role that owns it."""
        command = [self.bin / "psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", file, address]
        subprocess.run(command, check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL of the tests' own, started once; skips where it is not installed."""
    found = shutil.which("initdb") or next(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), None)
    if found is None:
        if os.environ.get(REQUIRE_ALL) == "1":
            pytest.fail("PostgreSQL is not installed: apt-get install postgresql")
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="signalbox-pg-"))
    # PostgreSQL refuses to run as root.
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if as_user:
        shutil.chown(folder, "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    bin_folder, data = Path(found).resolve().parent, folder / "data"
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    control = [*as_user, bin_folder / "pg_ctl", "-D", data, "-w", "-l", folder / "log"]
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "cwd": folder, "timeout": 120}
    subprocess.run([*as_user, found, "-D", data, "-A", "trust", "-U", "postgres", "-N"], **quiet)  # type: ignore[call-overload]
    subprocess.run([*control, "-o", options, "start"], **quiet)  # type: ignore[call-overload]
    try:
        cluster = Cluster(bin_folder, port)
        cluster.sql(f"CREATE ROLE {cluster.role} LOGIN")
        yield cluster
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **quiet)  # type: ignore[call-overload]
        shutil.rmtree(folder, ignore_errors=True)


StartPrometheus = Callable[..., AbstractContextManager[str]]


@pytest.fixture(scope="session")
def start_prometheus(tmp_path_factory: pytest.TempPathFactory) -> StartPrometheus | None:
    """What a fixture calls to have a real Prometheus with these samples and scrapes; None where it is not installed.

    `samples` are texts in the OpenMetrics format, each of lines; the address is what the block gets.
    """
    if not all(shutil.which(name) for name in ("prometheus", "promtool")):
        return None

    @contextmanager
    def start(*samples: Iterable[str], config: str = "{}") -> Iterator[str]:
        folder = tmp_path_factory.mktemp("prometheus")
        for lines in samples:
            _backfill(folder, lines)
        (folder / "prometheus.yml").write_text(config + "\n")
        place = f"127.0.0.1:{free_port()}"
        command = [
            "prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
            "--storage.tsdb.retention.time=100y", f"--web.listen-address={place}", "--log.level=error",
        ]  # fmt: skip
        with running(command, f"http://{place}/-/ready"):
            yield f"http://{place}"

    return start


def _backfill(folder: Path, lines: Iterable[str]) -> None:
    text = folder / "samples.om"
    with text.open("w") as file:
        file.writelines(lines)
    command = ["promtool", "tsdb", "create-blocks-from", "openmetrics", str(text), str(folder / "data")]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@contextmanager
def running(command: list[str], ready: str) -> Iterator[None]:
    """A server, from when the address `ready` answers until the block ends."""
    import httpx

    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and process.poll() is None:
            try:
                if httpx.get(ready).status_code == 200:
                    break
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        else:
            raise TimeoutError(f"{command[0]} did not become ready")
        yield
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def node_exporter() -> Iterator[str | None]:
    """Where a real node exporter answers (`host:port`); None where it is not installed."""
    if not shutil.which("prometheus-node-exporter"):
        yield None
        return
    place = f"127.0.0.1:{free_port()}"
    with running(["prometheus-node-exporter", f"--web.listen-address={place}"], f"http://{place}/metrics"):
        yield place


class WritingModel(ThreadingHTTPServer):
    """A server with OpenAI's protocol. Its model writes in two parts, and waits between them until it may go on; what
    it is not told to write down it answers at once, with a thought."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Completions)
        self.may_go_on = threading.Event()
        self.address = f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Completions(BaseHTTPRequestHandler):
    server: WritingModel

    def do_POST(self) -> None:
        """A chat completion, streamed."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"][-1]["content"]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        if not asked.startswith("Write"):
            self._send("a thought that nobody has to see", "stop")
            return
        self._send("The first part, **in bold**.\n\n")
        self.server.may_go_on.wait(60)
        self._send("The second part.", "stop")

    def _send(self, text: str, finish: str | None = None) -> None:
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode() + (b"data: [DONE]\n\n" if finish else b""))
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def writing_model() -> Iterator[WritingModel]:
    """A model that streams, behind a real connection."""
    server = WritingModel()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()
