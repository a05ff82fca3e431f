"""Investigations: every agent that can know is asked what it saw, and the likeliest cause is told with evidence."""

from __future__ import annotations

from pathlib import Path

from signalbox.contract import Agent, lazy

__all__ = ["AGENT"]

AGENT = Agent(
    name="investigate",
    about="Why something is slow or failing: what every system saw, on one time line, and the most likely cause",
    routes="why something is slow or failing, or what was wrong with it: its cause, looked for across systems",
    examples=("Why is checkout slow?", "What caused the errors yesterday afternoon?"),
    map=Path(__file__).with_name("map.csv"),
    start=lazy(f"{__name__}.state:start_state"),
    present=lazy(f"{__name__}.present:present"),
    close=lazy(f"{__name__}.examining:close_witnesses"),
    start_alert=lazy(f"{__name__}.state:start_alert"),
    plan=lazy(f"{__name__}.symptom:dry_run"),
    source=lazy(f"{__name__}.examining:source_set"),
    has_system=False,
    is_command=True,
    private=("relations",),
)
