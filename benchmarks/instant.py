"""A LangChain chat model that answers at once: with one call of the tool, and after that in words."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.outputs import ChatGeneration, ChatResult

__all__ = ["ANSWER", "InstantModel"]

ANSWER = "It is sunny in Paris, 21 degrees."


class InstantModel(BaseChatModel):
    """Reads nothing, like the fakes of the rivals."""

    @property
    def _llm_type(self) -> str:
        return "instant"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        """The model itself: it knows its one tool."""
        return self

    def _generate(self, messages: list[BaseMessage], *rest: Any, **options: Any) -> ChatResult:
        if isinstance(messages[-1], ToolMessage):
            message = AIMessage(ANSWER)
        else:
            message = AIMessage("", tool_calls=[tool_call(name="get_weather", args={"city": "Paris"}, id="call_1")])
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(self, messages: list[BaseMessage], *rest: Any, **options: Any) -> ChatResult:
        return self._generate(messages)
