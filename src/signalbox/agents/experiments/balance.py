"""Whether an experiment divides those who come to it as its weights say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.outcome import Done


async def test_balance(
    client: UpgradeClient,
    raw: Mapping[str, Any],
    num_users: int,
    num_groups: int | None,
    seed: str,
    on_live: bool,
    progress: Callable[[int, int], None] | None,
) -> Done:
    raise NotImplementedError
