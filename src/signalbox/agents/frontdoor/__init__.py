"""The front door: reads a request, and sends it to the installed agent whose contract fits."""

from __future__ import annotations

from pathlib import Path

from signalbox.contract import Agent, lazy

__all__ = ["AGENT"]

AGENT = Agent(
    name="frontdoor",
    about="Sends a request to the agent that it is for, and asks where that is not clear",
    examples=("What can you do?",),
    map=Path(__file__).with_name("map.csv"),
    start=lazy(f"{__name__}.entry:start_state"),
    present=lazy(f"{__name__}.present:present"),
    plan=lazy(f"{__name__}.router:dry_run"),
    hands_over=lazy(f"{__name__}.entry:next_agent"),
    is_offered=False,
    remembers=("parts",),
    private=("before", "asked", "replies", "results", "shown", "outcome", "parts"),
)
