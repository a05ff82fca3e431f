"""`version_check_node`: whether the server answers, and which release it is."""

from __future__ import annotations

from typing import Any

from signalbox.agents.experiments.asking import Calls
from signalbox.agents.experiments.node import at_once, capability_node
from signalbox.agents.experiments.tools import check_upgrade_health

__all__ = ["aversion_check_node", "version_check_node"]


@capability_node("version_check")
async def aversion_check_node(state: dict[str, Any], calls: Calls) -> dict[str, Any]:
    """Ask the server for its health."""
    health = await calls(check_upgrade_health)
    told = f"UpGrade {health.get('version') or ''} is up at {health['address']}.".replace("  ", " ")
    return {"bot_response": told, "told": told, "params": {}, "previous": {"capability": "version_check", "fields": {}}}


version_check_node = at_once(aversion_check_node)
