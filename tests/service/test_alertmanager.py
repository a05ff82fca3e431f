"""A real Prometheus rule that fires, a real Alertmanager that tells of it, and what comes of it."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.conftest import free_port, running
from tests.service.conftest import ANN, token
from tests.service.test_reports import Inbox

RULE = """
groups:
  - name: shop
    interval: 1s
    rules:
      - alert: ShopDown
        expr: up{job="shop"} == 0
        labels: {severity: page}
        annotations: {summary: "The shop does not answer"}
"""
PROMETHEUS = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ["{rules}"]
alerting:
  alertmanagers:
    - static_configs: [{{targets: ["{alertmanager}"]}}]
scrape_configs:
  - job_name: shop
    static_configs: [{{targets: ["{shop}"], labels: {{service: checkout}}}}]
"""
ALERTMANAGER = """
route: {{receiver: signalbox, group_by: [alertname, service], group_wait: 1s, group_interval: 2s, repeat_interval: 1h}}
receivers:
  - name: signalbox
    webhook_configs:
      - url: {service}/hooks/alertmanager
        send_resolved: true
        http_config: {{authorization: {{credentials: "{token}"}}}}
"""


class Shop(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(b"shop_open 1\n")

    def log_message(self, *args: Any) -> None:
        pass


def until(found: Callable[[], Any], seconds: float = 60.0) -> Any:
    """What is found, as soon as it is there."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := found():
            return value
        time.sleep(0.2)
    raise TimeoutError("it did not come")


def test_a_rule_that_fires_becomes_a_thread_and_its_end_closes_it(
    start_prometheus: Any, address: str, ann: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if start_prometheus is None or not shutil.which("prometheus-alertmanager"):
        reason = "prometheus and prometheus-alertmanager are not installed: apt-get install both"
        (pytest.fail if os.environ.get("SIGNALBOX_REQUIRE_ALL") == "1" else pytest.skip)(reason)
    inbox = Inbox()
    sink = threading.Thread(target=inbox.server.serve_forever)
    sink.start()
    monkeypatch.setenv("SIGNALBOX_INVESTIGATE_AGENT", "Hello")
    monkeypatch.setenv("SIGNALBOX_REPORT_WEBHOOK", inbox.address)
    monkeypatch.setenv("SIGNALBOX_REPORT_PRIVATE", "1")
    shop, place = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
    (tmp_path / "rules.yml").write_text(RULE)
    (tmp_path / "alertmanager.yml").write_text(ALERTMANAGER.format(service=address, token=token(ANN)))
    command = [
        "prometheus-alertmanager", f"--config.file={tmp_path}/alertmanager.yml", f"--storage.path={tmp_path}/am",
        f"--web.listen-address={place}", "--cluster.listen-address=", "--log.level=error",
    ]  # fmt: skip
    config = PROMETHEUS.format(rules=tmp_path / "rules.yml", alertmanager=place, shop=shop)

    def thread(status: str) -> dict[str, Any] | None:
        found: list[dict[str, Any]] = ann.post("/threads/search", json={"limit": 100}).json()
        return next((one for one in found if one["metadata"].get("status") == status), None)

    try:
        with running(command, f"http://{place}/-/ready"), start_prometheus(config=config):
            fired = until(lambda: thread("firing"))
            assert fired["metadata"]["labels"]["service"] == "checkout"
            until(lambda: [body for _, body in inbox.given if body["status"] == "firing" and body["answer"]])
            host, port = shop.split(":")
            back = ThreadingHTTPServer((host, int(port)), Shop)
            serving = threading.Thread(target=back.serve_forever)
            serving.start()
            try:
                closed = until(lambda: thread("resolved"))
            finally:
                back.shutdown()
                serving.join()
                back.server_close()
            assert closed["thread_id"] == fired["thread_id"]
            assert closed["metadata"]["lasted"]
            told = until(lambda: [body for _, body in inbox.given if body["status"] == "resolved"])
            assert told[0]["text"].startswith("Resolved ")
    finally:
        inbox.server.shutdown()
        sink.join()
        inbox.server.server_close()
