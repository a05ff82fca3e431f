"""Which calls a model chooses for a step: asked once, however often and on however many devices the step is done."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage

from signalbox.agents.oncall.tools import model_tools
from signalbox.toolbox.sessions import ToolInfo

__all__ = ["choose_calls"]

_MOST = 256
_lock = Lock()
_kept: OrderedDict[str, tuple[BaseChatModel, AIMessage]] = OrderedDict()


async def choose_calls(model: BaseChatModel, messages: Sequence[BaseMessage], infos: Sequence[ToolInfo]) -> AIMessage:
    """The model's reply with the calls that it wants. No device stands in the question: the same has the same answer.

    Raises what the model raises.
    """
    tools = model_tools(infos)
    key = json.dumps([[str(message.content) for message in messages], tools], sort_keys=True, default=str)
    with _lock:
        kept = _kept.get(key)
        # A model is loaded for each run: the same one is one with the same settings and examples.
        if kept is not None and (kept[0] is model or kept[0] == model):
            _kept.move_to_end(key)
            return kept[1]
    reply = await model.bind_tools(tools).ainvoke(list(messages))
    answer = reply if isinstance(reply, AIMessage) else AIMessage("")
    if answer.tool_calls:
        with _lock:
            _kept[key] = (model, answer)
            while len(_kept) > _MOST:
                _kept.popitem(last=False)
    return answer
