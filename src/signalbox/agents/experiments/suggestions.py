"""Requests to begin with, about experiments on the connected UpGrade."""

from __future__ import annotations

from signalbox.agents.experiments.clients import current_client

__all__ = ["suggest"]

_MOST = 2


async def suggest() -> list[str]:
    """Questions about the first experiments. Raises UpgradeError."""
    found = [one["name"] for one in await current_client().names()][:_MOST]
    return [*(f"Tell me about {name}" for name in found), "List all experiments"]
