"""Whom to tell of the end of a run: kept until they were told, so that no restart loses it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from signalbox.runs.gate import owned
from signalbox.settings import now
from signalbox.toolbox.person import current_person

__all__ = ["Webhook", "claim_webhook", "forget_webhook", "keep_webhook", "try_again"]


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address to tell of the end of a run, and how often that was tried in vain."""

    person: str
    run_id: str
    url: str
    attempts: int
    due_at: str


def keep_webhook(run_id: str, url: str) -> None:
    """Have an address told when a run of the person who asks has ended or waits."""
    with owned(current_person()) as held:
        held.delete("webhooks", "run_id = ?", (run_id,))
        held.insert("webhooks", {"run_id": run_id, "url": url, "due_at": now().isoformat()})


def claim_webhook(hook: Webhook, seconds: float) -> bool:
    """Take it up for so long; False where another process has just done so."""
    due = (now() + timedelta(seconds=seconds)).isoformat()
    with owned(hook.person) as held:
        return bool(held.update("webhooks", {"due_at": due}, "run_id = ? AND due_at = ?", (hook.run_id, hook.due_at)))


def try_again(hook: Webhook, seconds: float) -> None:
    """Note a try that was in vain, and when the next is due."""
    changes = {"attempts": hook.attempts + 1, "due_at": (now() + timedelta(seconds=seconds)).isoformat()}
    with owned(hook.person) as held:
        held.update("webhooks", changes, "run_id = ?", (hook.run_id,))


def forget_webhook(hook: Webhook) -> None:
    """It was told, or is given up."""
    with owned(hook.person) as held:
        held.delete("webhooks", "run_id = ?", (hook.run_id,))
