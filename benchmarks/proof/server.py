"""A real Prometheus with the samples of the world, which scrapes types and help texts from a page."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from benchmarks.proof.world import FAMILIES, openmetrics

__all__ = ["is_installed", "serve_world"]

_PROGRAMS = ("prometheus", "promtool")
_PATIENCE = 60
# Only types and help texts are wanted of the page: all samples that a scrape makes are dropped.
_CONFIG = """
global: {{scrape_interval: 2s, scrape_timeout: 2s}}
scrape_configs:
- job_name: page
  static_configs: [{{targets: ['127.0.0.1:{port}']}}]
  metric_relabel_configs: [{{source_labels: [__name__], regex: '.*', action: drop}}]
"""


def is_installed() -> bool:
    """True if Prometheus is there."""
    return all(shutil.which(name) for name in _PROGRAMS)


@contextmanager
def serve_world() -> Iterator[str]:
    """The address of a Prometheus with the world, until the block ends. Raises TimeoutError where it does not start."""
    with tempfile.TemporaryDirectory() as folder, _page() as port:
        path = Path(folder)
        _backfill(path)
        (path / "prometheus.yml").write_text(_CONFIG.format(port=port))
        place = f"127.0.0.1:{_free_port()}"
        command = [
            "prometheus", f"--config.file={path}/prometheus.yml", f"--storage.tsdb.path={path}/data",
            "--storage.tsdb.retention.time=100y", f"--web.listen-address={place}", "--log.level=error",
        ]  # fmt: skip
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait_for(f"http://{place}/api/v1/metadata", next(iter(FAMILIES)))
            yield f"http://{place}"
        finally:
            process.terminate()
            process.wait(timeout=20)


def _backfill(folder: Path) -> None:
    samples = folder / "samples.om"
    with samples.open("w") as file:
        file.writelines(openmetrics())
    command = ["promtool", "tsdb", "create-blocks-from", "openmetrics", "--max-block-duration=384h"]
    subprocess.run([*command, str(samples), str(folder / "data")], check=True, capture_output=True, timeout=120)
    os.remove(samples)


@contextmanager
def _page() -> Iterator[int]:
    """The port of a page with the type and the help text of every metric, as an exporter has them."""
    text = "".join(f"# HELP {name} {told}\n# TYPE {name} {kind}\n" for name, (kind, told) in FAMILIES.items())

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *args: object) -> None:
            """Nothing is logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def _wait_for(address: str, word: str) -> None:
    """Wait until an address answers with this word."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        try:
            with urlopen(address, timeout=5) as answer:
                if word in answer.read().decode():
                    return
        except (URLError, ConnectionError):
            pass
        time.sleep(0.2)
    raise TimeoutError("Prometheus did not become ready")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])
