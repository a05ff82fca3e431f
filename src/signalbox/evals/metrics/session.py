"""Where a set about metrics is asked: the server, the clock and the zone, for as long as the set is asked.

Agent and reference queries read the same server: the one whose address, or whose environment variable, the set's header
names as `server`; without one, the embedded shop.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from signalbox.errors import ConfigurationError
from signalbox.evals.load import Case, EvalSet
from signalbox.evals.metrics.outcome import outcome_of
from signalbox.evals.metrics.reference import with_figures
from signalbox.evals.score import Outcome

__all__ = ["AskAgent", "open_session"]

AskAgent = Callable[[str], Mapping[str, Any]]
"""Puts a question to the metrics agent; gives an Answer as plain data."""

_ADDRESSES = ("GRAFANA_URL", "PROMETHEUS_URL")


@contextmanager
def open_session(
    asked: EvalSet, model: str, ask_agent: AskAgent | None = None
) -> Iterator[tuple[EvalSet, Callable[[Case], Outcome]]]:
    """The set with the figures it expects, and what puts one of its cases to the agent."""
    with TemporaryDirectory() as home, _environment(_said(asked, model, home)):
        resolved = asyncio.run(_resolve(asked))
        ask = ask_agent or _ask_metrics

        def ask_case(case: Case) -> Outcome:
            return outcome_of(ask(case.text))

        yield resolved, ask_case


def _ask_metrics(question: str) -> Mapping[str, Any]:
    from signalbox.runs import ask

    return ask("metrics", question).as_dict()


async def _resolve(asked: EvalSet) -> EvalSet:
    from signalbox.agents.metrics import GrafanaMetricsClient

    async with GrafanaMetricsClient(_embedded_address(asked), clock=lambda: asked.now) as client:
        return await with_figures(asked, client)


def _embedded_address(asked: EvalSet) -> str | None:
    """Where the embedded shop is served; None where the environment names a server."""
    if asked.server:
        return None
    from signalbox.runs.embedded import embedded_metrics

    return embedded_metrics()


def _said(asked: EvalSet, model: str, home: str) -> dict[str, str | None]:
    return {
        **dict.fromkeys(_ADDRESSES),
        **_server(asked),
        "SIGNALBOX_NOW": asked.now.isoformat(),
        "SIGNALBOX_TZ": asked.tz.key,
        "SIGNALBOX_MODEL": model,
        "SIGNALBOX_HOME": home,
    }


def _server(asked: EvalSet) -> dict[str, str]:
    """The setting that names the server, if the set is not asked of the embedded shop."""
    if not asked.server:
        return {}
    if "://" in asked.server:
        return {"PROMETHEUS_URL": asked.server}
    address = os.environ.get(asked.server, "").strip()
    if asked.server not in _ADDRESSES or not address:
        raise ConfigurationError(
            f"The set {asked.name} is asked of a server of your own, and {asked.server} has no address of one.",
            suggestion=f"Name {' or '.join(_ADDRESSES)} as its server, and set that to the address.",
        )
    return {asked.server: address}


@contextmanager
def _environment(said: Mapping[str, str | None]) -> Iterator[None]:
    """The environment as it is said here, None for unset, and afterwards as it was."""
    before = {name: os.environ.get(name) for name in said}
    try:
        _set_environment(said)
        yield
    finally:
        _set_environment(before)


def _set_environment(said: Mapping[str, str | None]) -> None:
    for name, value in said.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
