"""The end of an investigation: next steps are offered as tasks, and written down only after a yes. A reply that asks
for something else is the next request."""

from __future__ import annotations

from typing import Any, Literal

from langgraph.types import Command, interrupt

from signalbox.agents.investigate.present import report_blocks, report_text
from signalbox.agents.investigate.state import InvestigationState, graph_relations
from signalbox.agents.investigate.symptom import is_request, next_request
from signalbox.contract import Agent
from signalbox.contract.installed import list_agents
from signalbox.contract.sources import joined
from signalbox.errors import SignalboxError
from signalbox.maps.context import current_run
from signalbox.toolbox.confirmation import OPTIONS, asked_again, read_reply

__all__ = ["propose", "report"]

_DROPPED = "The next steps of the answer before were not written down as tasks."


async def propose(state: InvestigationState) -> Command[Literal["read_symptom"]]:
    """Show the report, and ask whether its next steps are to be written down; without somebody who can, only report.
    After an alert nobody is there to answer."""
    writer = _writer()
    if writer is None or writer.note is None or state.get("alert"):
        return Command()
    steps = state["conclusion"]["next_steps"]
    listed = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
    question = {
        "kind": "confirm", "message": f"Write the next steps down as tasks?\n\n{listed}", "options": list(OPTIONS),
        "text": report_text(state), "blocks": report_blocks(state), "source": joined(state["sources"]),
        "summary": "Write the next steps down as tasks", "on": "your own list",
    }  # fmt: skip
    reply = interrupt(question)
    while (decision := read_reply(reply)) == "other" and not is_request(reply, graph_relations(state)):
        reply = interrupt(asked_again(question))
    if decision == "other":
        return Command(goto="read_symptom", update={**next_request(state, reply), "noted": _DROPPED})
    if decision == "no":
        return Command(update={"noted": "No task was written down."})
    # The same thread and the same time: a run that is taken up again after a crash writes nothing twice.
    run = current_run.get()
    try:
        return Command(update={"noted": await writer.note(steps, f"{run.thread_id if run else ''} {state['start']}")})
    except SignalboxError as error:
        return Command(update={"noted": f"The tasks were not written down: {error.user_message}"})


def report(state: InvestigationState) -> dict[str, Any]:
    """Nothing is left to do: the state holds the report."""
    return {}


def _writer() -> Agent | None:
    return next((agent for agent in list_agents() if agent.note is not None), None)
