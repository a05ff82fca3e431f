"""`signalbox doctor`: what is installed, how it is configured, and what is wrong."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

__all__ = ["doctor"]

_PARTS = (
    ("langgraph", "", "maps"),
    ("langchain_openai", "openai", "OpenAI and OpenAI-compatible models"),
    ("langchain_anthropic", "anthropic", "Anthropic models"),
    ("langchain_google_genai", "google", "Google models"),
    ("langchain_ollama", "ollama", "Ollama models"),
    ("xllamacpp", "local", "your own model file"),
    ("uvicorn", "service", "the embedded worlds"),
    ("plotly", "charts", "charts as files"),
    ("plotly", "console", "curves on the web page"),
)
_LONG_WAIT = 60.0
_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY")


@dataclass(frozen=True, slots=True)
class _Check:
    name: str
    ok: bool
    told: str
    needed: bool = True


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Show what is installed, how it is configured, and what is wrong. Exits with 1 if anything required fails."""
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
    yield from _examine_database()
    yield from _examine_sources()
    yield from _examine_agents()
    for key in _KEYS:
        yield _Check(key, key in os.environ, "set" if key in os.environ else "not set", needed=False)


def _examine_database() -> Iterator[_Check]:
    """Check the database and its tables; on PostgreSQL also the queue, workers and connections."""
    from signalbox.errors import SignalboxError
    from signalbox.runs.tables import list_tables

    try:
        found = list_tables()
    except SignalboxError as error:
        yield _Check("database", False, f"{error.user_message} {error.details or ''} {error.suggestion}".strip())
        return
    yield _Check("database", True, found[0].place if found[0].place == found[1].place else found[0].place + " …")
    for one in found:
        # A missing database is created on first use.
        yield _Check(f"tables of {one.name}", one.is_current or not one.version, one.told)
    if _is_postgres() and all(one.is_current for one in found):
        yield from _examine_queue()


def _is_postgres() -> bool:
    from signalbox.settings import get_settings

    return get_settings().database_url.startswith("postgres")


def _examine_queue() -> Iterator[_Check]:
    from signalbox.runs.queue import standing
    from signalbox.runs.tables import connections

    queue, server = standing(), connections()
    waiting = f"{queue.waiting} waiting, the oldest for {queue.oldest_seconds:.0f} s" if queue.waiting else "0 waiting"
    is_slow = queue.waiting and queue.oldest_seconds > _LONG_WAIT
    yield _Check("queue", not is_slow, f"{waiting}; {queue.under_way} active, {queue.later} scheduled for later")
    silent = f", {queue.silent} without a heartbeat" if queue.silent else ""
    missing = "none: start signalbox serve or signalbox worker"
    yield _Check("workers", queue.workers > 0, f"{queue.workers}{silent}" if queue.workers else missing + silent)
    is_free = server.used < 0.9 * server.most
    yield _Check("connections", is_free, f"{server.used} of {server.most} PostgreSQL connections used")


def _examine_sources() -> Iterator[_Check]:
    """Check whether answers come from real systems or from the embedded demonstrations (never both)."""
    from signalbox.contract.sources import joined, kind_in_use, kind_of, places, source_of
    from signalbox.errors import SignalboxError
    from signalbox.runs import list_agents

    try:
        kind = kind_in_use()
    except SignalboxError as error:
        yield _Check("sources", False, error.user_message)
        return
    found = joined([source for agent in list_agents() if kind_of(agent) == kind and (source := source_of(agent))])
    where = places(found) if found and kind == "live" else "the embedded demonstrations; all their data is invented"
    yield _Check("sources", True, f"{kind}: {where}")


def _examine_agents() -> Iterator[_Check]:
    """Check that each agent can be used and its live system responds; checks shared by agents run once."""
    from signalbox.contract.sources import source_of
    from signalbox.errors import MissingExtraError, SignalboxError, redact
    from signalbox.runs import list_installed

    made: set[object] = set()
    aside = _set_aside()
    for one in list_installed():
        if one.agent is None:
            yield _Check(f"{one.name} ({one.package})", False, one.error)
            continue
        check = one.agent.check
        if check is None or check in made:
            continue
        made.add(check)
        if one.name in aside:
            connect = (source_of(one.agent) or {}).get("connect", "its setting")
            told = f"not connected: set {connect}. To use its demonstration: --agent {one.name} or SIGNALBOX_DEMO=1"
            yield _Check(one.name, False, told, needed=False)
            continue
        try:
            yield _Check(one.name, True, asyncio.run(_checked(check)))
        except SignalboxError as error:
            told = f"{error.user_message} {error.suggestion}".strip()
            yield _Check(one.name, False, told, needed=not isinstance(error, MissingExtraError))
        except Exception as error:
            yield _Check(one.name, False, redact(f"its check failed: {type(error).__name__}: {error}"))


def _set_aside() -> set[str]:
    from signalbox.contract.sources import set_aside
    from signalbox.errors import SignalboxError

    try:
        return {agent.name for agent in set_aside()}
    except SignalboxError:
        return set()


async def _checked(check: Callable[[], Awaitable[str]]) -> str:
    return await check()


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
