"""Whether an experiment keeps its promises over its phases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.outcome import Done


async def test_consistency(
    client: UpgradeClient, raw: Mapping[str, Any], on_live: bool, progress: Callable[[int, int], None] | None
) -> Done:
    raise NotImplementedError
