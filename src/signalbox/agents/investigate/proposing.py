"""The end of an investigation: next steps are offered as tasks, and written down only after a yes."""

from __future__ import annotations

from typing import Any

from signalbox.agents.investigate.present import report_blocks, report_text
from signalbox.agents.investigate.state import InvestigationState
from signalbox.contract import Agent
from signalbox.contract.installed import list_agents
from signalbox.contract.sources import joined
from signalbox.errors import SignalboxError
from signalbox.maps.context import current_run
from signalbox.toolbox.confirmation import confirmed

__all__ = ["propose", "report"]


async def propose(state: InvestigationState) -> dict[str, Any]:
    """Show the report, and ask whether its next steps are to be written down; without somebody who can, only report.
    After an alert nobody is there to answer."""
    writer = _writer()
    if writer is None or writer.note is None or state.get("alert"):
        return {}
    steps = state["conclusion"]["next_steps"]
    listed = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
    is_wanted = confirmed(
        f"Write the next steps down as tasks?\n\n{listed}",
        text=report_text(state),
        blocks=report_blocks(state),
        source=joined(state["sources"]),
        summary="Write the next steps down as tasks",
        on="your own list",
    )
    if not is_wanted:
        return {"noted": "No task was written down."}
    # The same thread and the same time: a run that is taken up again after a crash writes nothing twice.
    run = current_run.get()
    try:
        return {"noted": await writer.note(steps, f"{run.thread_id if run else ''} {state['start']}")}
    except SignalboxError as error:
        return {"noted": f"The tasks were not written down: {error.user_message}"}


def report(state: InvestigationState) -> dict[str, Any]:
    """Nothing is left to do: the state holds the report."""
    return {}


def _writer() -> Agent | None:
    return next((agent for agent in list_agents() if agent.note is not None), None)
