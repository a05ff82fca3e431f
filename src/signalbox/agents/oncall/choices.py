"""Which calls a model chooses for a step: asked once where the same step is carried out on many devices."""

from __future__ import annotations

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
# With the model itself, so that its id stays its own.
_kept: OrderedDict[tuple[object, ...], tuple[BaseChatModel, AIMessage]] = OrderedDict()


async def choose_calls(model: BaseChatModel, messages: Sequence[BaseMessage], infos: Sequence[ToolInfo]) -> AIMessage:
    """The model's reply with the calls that it wants. No device stands in the question: the same has the same answer.

    Raises what the model raises.
    """
    key = (id(model), *(str(message.content) for message in messages), *(info.name for info in infos))
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key][1]
    reply = await model.bind_tools(model_tools(infos)).ainvoke(list(messages))
    answer = reply if isinstance(reply, AIMessage) else AIMessage("")
    if answer.tool_calls:
        with _lock:
            _kept[key] = (model, answer)
            while len(_kept) > _MOST:
                _kept.popitem(last=False)
    return answer
