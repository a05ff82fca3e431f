"""The one node of agents that give tools and have no map of their own: a model works with these tools in the loop."""

from __future__ import annotations

from typing import Any, TypedDict

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda

from signalbox.contract.installed import find_agent
from signalbox.maps.context import run_context
from signalbox.models import fills_plans, load_chat_model
from signalbox.toolbox.loop import LoopContext, build_loop, run_loop, start_loop
from signalbox.toolbox.loop_outcome import Outcome

__all__ = ["ToolAgentState", "answer"]


class ToolAgentState(TypedDict, total=False):
    """The state of such a run."""

    agent: str
    request: str
    outcome: Outcome
    error: dict[str, str]


async def answer(state: ToolAgentState) -> dict[str, Any]:
    """What a model makes of the request with the agent's tools: the `outcome`, or the model's `error`."""
    agent, run = find_agent(state["agent"]), run_context()
    model = run.model or load_chat_model()
    loop = build_loop(agent.tools() if agent.tools else (), f"You are the agent '{agent.name}': {agent.about}.")
    context = LoopContext(_CallsAnswer(model) if fills_plans(model) else model, streams=run.streams)
    outcome = await run_loop(loop, start_loop(state["request"], run.conversation), context)
    if outcome["error"] and not outcome["results"]:
        return {"error": outcome["error"]}
    return {"outcome": outcome}


class _CallsAnswer:
    """A model that reads a request once: the results of its first calls are the answer."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self._model.bind_tools(tools, **options) | RunnableLambda(_marked)


def _marked(reply: AIMessage) -> AIMessage:
    calls = [{**call, "args": {**call["args"], "answer": True}} for call in reply.tool_calls]
    return reply.model_copy(update={"tool_calls": calls})
