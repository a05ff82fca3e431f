"""Which calls a model chooses for a step: asked once a run, on however many devices the step is done."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage

from signalbox.agents.oncall.plans import likely_tools
from signalbox.agents.oncall.tools import model_tools
from signalbox.maps.context import StepBudget, current_run
from signalbox.toolbox.sessions import ToolInfo

__all__ = ["choose_calls"]

_asked: WeakKeyDictionary[StepBudget, dict[str, asyncio.Task[AIMessage]]] = WeakKeyDictionary()
"""The questions of each run that is under way, with their answers."""


async def choose_calls(model: BaseChatModel, messages: Sequence[BaseMessage], infos: Sequence[ToolInfo]) -> AIMessage:
    """The model's reply with the calls that it wants. No device stands in the question, so that devices share it.

    Raises what the model raises, for every device that asks the same.
    """
    run = current_run.get()
    if run is None or run.model is None:
        return await _choose(model, messages, infos)
    told = [[one.type, one.content, getattr(one, "tool_calls", None)] for one in messages]
    key = json.dumps([told, [one.name for one in infos]], sort_keys=True, default=str)
    asked = _asked.setdefault(run.budget, {})
    if key not in asked:
        asked[key] = asyncio.ensure_future(_choose(model, messages, infos))
    return await asked[key]


async def _choose(model: BaseChatModel, messages: Sequence[BaseMessage], infos: Sequence[ToolInfo]) -> AIMessage:
    """The reply: the likeliest tools are offered first, and all of them if it calls none of those."""
    likely = likely_tools(messages[1].text, infos)
    called = {call["name"] for one in messages for call in getattr(one, "tool_calls", ())}
    if called - {one.name for one in likely}:
        return await _reply(model, messages, infos)
    reply = await _reply(model, messages, likely)
    if reply.tool_calls or called or len(likely) == len(infos):
        return reply
    return await _reply(model, messages, infos)


async def _reply(model: BaseChatModel, messages: Sequence[BaseMessage], infos: Sequence[ToolInfo]) -> AIMessage:
    reply = await model.bind_tools(model_tools(infos)).ainvoke(list(messages))
    return reply if isinstance(reply, AIMessage) else AIMessage("")
