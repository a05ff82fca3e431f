"""Grafana's health, its list of data sources and its proxy, in front of a Prometheus."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.request import Request, urlopen

__all__ = ["serve_grafana"]

_UID = "world"
_BEHIND = re.compile(rf"/api/datasources/(?:proxy/uid/{_UID}|uid/{_UID}/resources)(?P<path>/.*)")
_OWN = {
    "/api/health": {"database": "ok", "version": "11.6.0"},
    "/api/datasources": [
        {"id": 1, "uid": _UID, "name": "World", "type": "prometheus", "access": "proxy", "isDefault": True}
    ],
}


@contextmanager
def serve_grafana(prometheus: str) -> Iterator[str]:
    """The address of a Grafana with this Prometheus as its data source, until the block ends."""

    class Grafana(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

        def _answer(self, body: bytes | None) -> None:
            behind = _BEHIND.fullmatch(self.path)
            if behind is None:
                own = _OWN.get(self.path)
                self._send(200 if own else 404, json.dumps(own or {"message": "Not found"}).encode())
                return
            kind = self.headers.get("Content-Type", "application/x-www-form-urlencoded")
            try:
                with urlopen(Request(prometheus + behind["path"], body, {"Content-Type": kind}), timeout=60) as answer:
                    self._send(answer.status, answer.read())
            except HTTPError as error:
                self._send(error.code, error.read())

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Nothing is logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Grafana)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
