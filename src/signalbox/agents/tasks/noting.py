"""Tasks that another agent writes down for a person."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from signalbox.agents.tasks.calling import call_for
from signalbox.toolbox import current_person

__all__ = ["note"]


async def note(things: Sequence[str], key: str) -> str:
    """Add these as tasks of who asks; for the same key once, however often it is called."""
    made = []
    for number, thing in enumerate(things):
        turn = f"{hashlib.sha256(key.encode()).hexdigest()[:40]}:{number}"
        made.append(await call_for(current_person(), "add_task", {"title": thing[:500]}, turn=turn))
    listed = ", ".join(f"#{one['task_id']} {one['title']}" for one in made)
    return f"Added {len(made)} {'task' if len(made) == 1 else 'tasks'}: {listed}."
