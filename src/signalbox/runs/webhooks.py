"""Webhooks to call when a run ends, stored until delivered, so that no restart loses one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from signalbox.runs.gate import owned
from signalbox.settings import now
from signalbox.toolbox.person import current_person

__all__ = ["Webhook", "claim_webhook", "forget_webhook", "keep_webhook", "try_again"]


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address to notify of the end of a run, and the number of failed attempts."""

    person: str
    run_id: str
    url: str
    attempts: int
    due_at: str


def keep_webhook(run_id: str, url: str) -> None:
    """Store an address to notify when a run of the current person ends or pauses."""
    with owned(current_person()) as held:
        held.delete("webhooks", "run_id = ?", (run_id,))
        held.insert("webhooks", {"run_id": run_id, "url": url, "due_at": now().isoformat()})


def claim_webhook(hook: Webhook, seconds: float) -> bool:
    """Claim it for some time; False if another process has just done so."""
    due = (now() + timedelta(seconds=seconds)).isoformat()
    with owned(hook.person) as held:
        return bool(held.update("webhooks", {"due_at": due}, "run_id = ? AND due_at = ?", (hook.run_id, hook.due_at)))


def try_again(hook: Webhook, seconds: float) -> None:
    """Store a failed attempt, and when the next one is due."""
    changes = {"attempts": hook.attempts + 1, "due_at": (now() + timedelta(seconds=seconds)).isoformat()}
    with owned(hook.person) as held:
        held.update("webhooks", changes, "run_id = ?", (hook.run_id,))


def forget_webhook(hook: Webhook) -> None:
    """Delete it: it was delivered or given up."""
    with owned(hook.person) as held:
        held.delete("webhooks", "run_id = ?", (hook.run_id,))
