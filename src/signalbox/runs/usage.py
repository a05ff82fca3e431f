"""The use of models by a person's runs: one row per execution, kept even if the run is deleted, so that deleting runs
does not reset a budget."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC
from typing import TYPE_CHECKING

from signalbox.errors import ConfigurationError, DatabaseError
from signalbox.runs.gate import owned
from signalbox.settings import get_settings, now, person_zone

if TYPE_CHECKING:
    from signalbox.models.usage import UsageCounter

__all__ = ["Account", "counted", "keep_usage", "start_counting", "usage_of_runs", "used_today"]

Account = dict[str, int | float]
"""calls, seconds, input_tokens, output_tokens, cached_tokens, total_tokens, and cost_usd if all of it is known."""

_COUNTS = ("calls", "seconds", "input_tokens", "output_tokens", "cached_tokens", "total_tokens")
_is_inside: ContextVar[bool] = ContextVar("signalbox_run_is_counted", default=False)
_log = logging.getLogger("signalbox.runs")


def start_counting(person: str, run_id: str) -> UsageCounter:
    """A counter for a run of this person, which may go on after a pause, with the budgets of the settings."""
    from signalbox.models.usage import UsageCounter, budgets

    settings = get_settings()
    by_person = used_today(person) if settings.model_person_tokens else 0
    by_run = _charged(person, "run_id = ?", run_id) if settings.model_run_tokens else 0
    return UsageCounter(settings.model_prices, budgets(by_person, by_run))


@contextmanager
def counted(counter: UsageCounter) -> Iterator[None]:
    """Count the model calls inside the block. Nested runs are charged to the outer one."""
    from signalbox.models.usage import counting

    if _is_inside.get():
        counter.is_part = True
    token = _is_inside.set(True)
    try:
        with counting(counter):
            yield
    finally:
        _is_inside.reset(token)


def used_today(person: str) -> int:
    """How many tokens this person's runs have used since midnight in the person's zone."""
    midnight = now().astimezone(person_zone()).replace(hour=0, minute=0, second=0, microsecond=0)
    return _charged(person, "at >= ?", midnight.astimezone(UTC).isoformat())


def _charged(person: str, where: str, value: str) -> int:
    with owned(person) as held:
        row = held.first("SUM(charged)", "usage", where, (value,))
    return int(row[0] or 0) if row else 0


def keep_usage(person: str, run_id: str, counter: UsageCounter) -> None:
    """Store what a run has used since it was started or resumed. A failure is only logged."""
    account = counter.account()
    row = {
        "run_id": run_id,
        "at": now().astimezone(UTC).isoformat(),
        "charged": 0 if counter.is_part else counter.charged,
        "cost_usd": account.get("cost_usd"),
        **{name: account[name] for name in _COUNTS},
    }
    try:
        with owned(person) as held:
            held.insert("usage", row)
    except (ConfigurationError, DatabaseError) as error:
        _log.warning("What the run used of models was not kept: %s", error.user_message)


def usage_of_runs(person: str, *run_ids: str) -> Account:
    """The total use of these runs of this person."""
    marks = ", ".join("?" * len(run_ids))
    sums = ", ".join(f"SUM({name})" for name in _COUNTS)
    with owned(person) as held:
        row = held.first(f"{sums}, SUM(cost_usd), COUNT(cost_usd), COUNT(*)", "usage", f"run_id IN ({marks})", run_ids)
    assert row is not None
    account: Account = {name: row[at] or 0 for at, name in enumerate(_COUNTS)}
    account["seconds"] = round(account["seconds"], 3)
    cost, known, rows = row[len(_COUNTS) :]
    return {**account, "cost_usd": cost} if rows and known == rows else account
