"""`signalbox doctor`: what is installed, what is set, and what is wrong here."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from signalbox.agents.metrics import GrafanaMetricsClient, Health

__all__ = ["doctor"]

_PARTS = (
    ("langgraph", "", "maps"),
    ("langchain_openai", "openai", "OpenAI and OpenAI-compatible models"),
    ("langchain_anthropic", "anthropic", "Anthropic models"),
    ("langchain_google_genai", "google", "Google models"),
    ("langchain_ollama", "ollama", "Ollama models"),
    ("xllamacpp", "local", "a model file of one's own"),
    ("httpx", "metrics", "the metrics agent"),
    ("uvicorn", "service", "the embedded metrics world"),
    ("plotly", "charts", "charts as files"),
    ("gradio", "console", "the web page"),
)
_PATIENCE = 5.0
_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY")


@dataclass(frozen=True, slots=True)
class _Check:
    name: str
    ok: bool
    told: str
    needed: bool = True


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Say what is installed and set here, and what is wrong. Exit 1 if something needed is wrong."""
    from signalbox.cli.output import print_json, show

    checks = list(_examine())
    failed = any(check.needed and not check.ok for check in checks)
    if as_json:
        print_json({"ok": not failed, "checks": [asdict(check) for check in checks]})
    else:
        for check in checks:
            mark = "ok  " if check.ok else ("FAIL" if check.needed else "-   ")
            show(f"{mark} {check.name}: {check.told}")
    raise typer.Exit(1 if failed else 0)


def _examine() -> Iterator[_Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield _Check("Python", sys.version_info >= (3, 11), version)
    for module, extra, what in _PARTS:
        there = importlib.util.find_spec(module) is not None
        missing = f'not installed; pip install "signalbox-agents[{extra}]"' if extra else "not installed"
        yield _Check(what, there, "installed" if there else missing, needed=not extra)
    yield from _examine_settings()
    yield _examine_metrics()
    for key in _KEYS:
        yield _Check(key, key in os.environ, "set" if key in os.environ else "not set", needed=False)


def _examine_metrics() -> _Check:
    """Where metrics are read, and whether that answers; an address that is set is needed."""
    from signalbox.errors import SignalboxError

    try:
        from signalbox.agents.metrics import GrafanaMetricsClient, Limits, read_connection

        if read_connection() is None:
            return _Check("metrics", True, "no GRAFANA_URL or PROMETHEUS_URL is set: the embedded shop is asked", False)
        client = GrafanaMetricsClient(limits=Limits(seconds=_PATIENCE))
        health = asyncio.run(_ask(client))
    except ImportError:
        return _Check("metrics", False, 'not installed; pip install "signalbox-agents[metrics]"', needed=False)
    except SignalboxError as error:
        return _Check("metrics", False, f"{error.user_message} {error.suggestion}".strip())
    server = f"{health.server.kind} {health.server.version}".strip()
    source = f", datasource {health.datasource.name}" if health.datasource else ""
    return _Check("metrics", True, f"{client.url} answers: {server}{source}")


async def _ask(client: GrafanaMetricsClient) -> Health:
    async with client:
        return await client.health()


def _examine_settings() -> Iterator[_Check]:
    from signalbox.errors import SignalboxError
    from signalbox.settings import get_settings, home_file

    try:
        settings = get_settings()
    except SignalboxError as error:
        yield _Check("settings", False, f"{error.user_message} {error.suggestion}")
        return
    yield _Check("settings", True, f"model {settings.model}, zone {settings.tz}")
    try:
        home_file(f".doctor-{os.getpid()}").unlink()
        yield _Check("home", True, str(settings.home))
    except SignalboxError as error:
        yield _Check("home", False, f"{error.user_message} {error.suggestion}")
