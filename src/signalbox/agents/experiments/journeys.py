"""One user's way through an experiment, tried out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.outcome import Done


async def simulate(
    client: UpgradeClient,
    raw: Mapping[str, Any],
    user_id: str,
    groups: Mapping[str, Sequence[str]] | None,
    working_groups: Mapping[str, str] | None,
    visits: int,
    status: str,
    on_live: bool,
) -> Done:
    raise NotImplementedError
