"""Calling an agent inside the run of another, as a nested run.

Its steps are stored with the outer run, which also asks its questions and passes the answers back. Its use of models is
charged to the outer run, and cancelling that one stops it too.
"""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import replace
from time import perf_counter
from typing import Any

from langgraph.config import get_config
from langgraph.errors import GraphInterrupt

from signalbox.contract import Agent
from signalbox.contract.installed import find_agent
from signalbox.maps import arun_map, open_map
from signalbox.maps.context import Part, RunContext, run_context
from signalbox.maps.map_run import MapRun
from signalbox.maps.writing import use_writing
from signalbox.runs.answers import answer_of, check_question, graph_of, load_model, mark_used
from signalbox.runs.conversation import memory_of, turn_before
from signalbox.runs.sources import answer_source
from signalbox.toolbox.ledger import Call, Ledger, current_ledger, use_ledger
from signalbox.toolbox.person import use_words

__all__ = ["call_agent"]


async def call_agent(name: str, request: str, said: str, label: str) -> Part:
    """The agent's reply to a request that a model wrote.

    A question of the agent pauses the run. Raises NotFoundError, RequestError, and OperatorError if something is not
    set up.
    """
    agent, here, started = find_agent(name), run_context(), perf_counter()
    mark_used(agent)
    run = await asyncio.to_thread(_opened, agent, check_question(request), here)
    run = replace(run, run_id=_run_id(run))
    ledger = _own_ledger(label)
    try:
        # What it writes is no answer yet, so nobody hears it.
        with use_ledger(ledger), use_words(said), use_writing(None):
            result = await arun_map(run)
    except GraphInterrupt as pause:
        raise _asked_by(agent, label, pause) from None
    answer = answer_of(agent, result)
    answer.evidence = ledger.as_list()
    answer.timings_ms["total"] = round((perf_counter() - started) * 1000, 1)
    return Part(answer, memory_of(agent, answer), any(call.is_change for call in ledger.calls))


def _opened(agent: Agent, request: str, here: RunContext) -> MapRun:
    """The run of an agent inside another, with the same thread, conversation and step limit."""
    state = agent.start(request, turn_before(agent, here.thread_id))
    return open_map(
        agent.map, graph=graph_of(agent), state=state, model=here.model or load_model(None, agent),
        thread_id=here.thread_id, budget=here.budget, depth=here.depth + 1, stepwise=here.stepwise, noted=here.noted,
        conversation=here.conversation,
    )  # fmt: skip


def _run_id(run: MapRun) -> str:
    """The nested run when the outer run is resumed."""
    place = get_config()["configurable"].get("checkpoint_ns")
    return uuid.uuid5(uuid.NAMESPACE_OID, place).hex if place else run.run_id


def _own_ledger(label: str) -> Ledger:
    """A separate ledger. Listeners of the outer run's ledger get its calls too, with different ids."""
    listener = current_ledger().listener

    def tell(call: Call, ended: bool) -> None:
        if listener is not None:
            listener(replace(call, id=f"{label}.{call.id}"), ended)

    return Ledger(listener=tell)


def _asked_by(agent: Agent, label: str, pause: GraphInterrupt) -> GraphInterrupt:
    """The pause, with the agent, the call and the system added to its questions."""
    asked: list[Any] = []
    for one in pause.args[0]:
        value: dict[str, Any] = one.value if isinstance(one.value, dict) else {"message": str(one.value)}
        source = answer_source(agent, value.get("source"))
        told = {"agent": agent.name, "part": label, **({"source": source} if source else {})}
        asked.append(replace(one, value={**value, **told}))
    return GraphInterrupt(asked)
