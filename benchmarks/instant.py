"""A LangChain chat model that answers at once: with one call of the tool, and after that with what the tool said."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.outputs import ChatGeneration, ChatResult

__all__ = ["InstantModel"]


class InstantModel(BaseChatModel):
    """Reads nothing, like the fakes of the rivals."""

    @property
    def _llm_type(self) -> str:
        return "instant"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        """The model itself: it knows its one tool."""
        return self

    def _generate(self, messages: list[BaseMessage], *rest: Any, **options: Any) -> ChatResult:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            message = AIMessage(last.content)
        else:
            message = AIMessage("", tool_calls=[tool_call(name="get_weather", args={"city": "Paris"}, id="call_1")])
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(self, messages: list[BaseMessage], *rest: Any, **options: Any) -> ChatResult:
        return self._generate(messages)
