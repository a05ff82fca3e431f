"""What experiments belong to: the names of their contexts and decision points, which may be those of services."""

from __future__ import annotations

from datetime import datetime

from signalbox.agents.experiments.tools import get_all_experiments
from signalbox.contract import Relation
from signalbox.errors import ToolFailedError

__all__ = ["relate"]


async def relate(start: datetime, end: datetime) -> list[Relation]:
    """Return, of every experiment, the names that it works on. Raises SignalboxError."""
    result = await get_all_experiments()
    if not result["success"]:
        raise ToolFailedError(str(result["error"]))
    found = []
    for one in result["data"]:
        experiment = f"experiment:{one['name']}"
        found.append(Relation(experiment, evidence="experiment on UpGrade"))
        found.append(Relation(f"name:{one['context']}", experiment, f"its context {one['context']}"))
        for point in one["decision_points"]:
            found += [
                Relation(f"name:{part}", experiment, f"its decision point {point}")
                for part in dict.fromkeys(point.split(" / "))
                if part
            ]
    return found
