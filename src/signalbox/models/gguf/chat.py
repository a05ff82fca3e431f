"""`GgufChatModel`: a LangChain chat model over a GGUF file in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.chat_models import agenerate_from_stream, generate_from_stream
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from pydantic import ConfigDict, Field, PrivateAttr

from signalbox.models.asked import openai_tool, read_choice
from signalbox.models.gguf.calls import call_schema, describe_tools
from signalbox.models.gguf.chunks import message_chunks
from signalbox.models.gguf.engine import Engine, EngineOptions, open_engine, require_runtime
from signalbox.models.gguf.file import GgufFile, read_gguf
from signalbox.models.gguf.prompt import prompt_messages

__all__ = ["GgufChatModel"]

_DEFAULT_MAX_TOKENS = 1024
_NO_NAME = (None, "auto", "any", "required")


class GgufChatModel(BaseChatModel):
    """A model file, run through `xllamacpp`. The file is checked at once and loaded at the first request.

    Models over the same file and options share one engine, and their runs take turns at it. A `response_format` is
    held to by a grammar. Raises ConfigurationError or MissingExtraError when made, LLMAPIError when it cannot answer.
    """

    model_config = ConfigDict(extra="forbid")

    path: str
    max_tokens: int | None = Field(default=None, gt=0)
    temperature: float = Field(default=0.0, ge=0)
    timeout: float = Field(default=60.0, gt=0)
    seed: int | None = None
    top_p: float | None = Field(default=None, gt=0, le=1)
    n_ctx: int | None = Field(default=None, gt=0)
    n_threads: int | None = Field(default=None, gt=0)
    n_gpu_layers: int | None = None
    chat_template: str | None = None

    _file: GgufFile = PrivateAttr()

    def model_post_init(self, context: Any) -> None:
        """Fails now instead of in the middle of a run."""
        super().model_post_init(context)
        require_runtime()
        self._file = read_gguf(self.path)

    @property
    def _llm_type(self) -> str:
        return "gguf"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {
            "model_name": self._file.path.stem,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }

    @property
    def _engine(self) -> Engine:
        options = EngineOptions(self.n_ctx, self.n_threads, self.n_gpu_layers, self.chat_template)
        # The file is looked at anew: it may have been replaced or removed since.
        return open_engine(read_gguf(self._file.path), options)

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | dict[str, Any] | bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with tools; a `tool_choice` that demands a call is held to by a grammar."""
        converted = [openai_tool(tool) for tool in tools]
        return self.bind(tools=converted, tool_choice=read_choice(tool_choice, converted), **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return generate_from_stream(self._stream(messages, stop, run_manager, **kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        # By way of the stream, so that cancelling the task stops the model at its next token.
        return await agenerate_from_stream(self._astream(messages, stop, run_manager, **kwargs))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        tools = _offered_tools(kwargs)
        request = self._request(messages, tools, stop, kwargs)
        chunks = self._engine.stream(request, kwargs.get("timeout", self.timeout))
        names = [tool["function"]["name"] for tool in tools]
        for message in message_chunks(chunks, names, self._file.path.stem):
            yield ChatGenerationChunk(message=message)

    def _request(
        self,
        messages: list[BaseMessage],
        tools: list[dict[str, Any]],
        stop: list[str] | None,
        kwargs: dict[str, Any],
    ) -> dict[str, Any]:
        knows_tools = "tools" in self.chat_template if self.chat_template else self._file.knows_tools
        forced = kwargs.get("tool_choice") not in (None, "auto", "none")
        response_format, notes = kwargs.get("response_format"), []
        if tools and (forced or not knows_tools):
            notes.append(describe_tools(tools, forced=forced))
        if tools and forced:
            response_format = {
                "type": "json_schema",
                "json_schema": {"name": "call", "schema": call_schema(tools)},
            }
        native_tools = tools if knows_tools and not forced else None
        optional = {"stop": stop, "response_format": response_format, "tools": native_tools}
        return {
            "messages": prompt_messages(messages, notes, knows_tools=knows_tools),
            "stream": True,
            "stream_options": {"include_usage": True},
            **self._sampling(kwargs),
            **{name: value for name, value in optional.items() if value},
        }

    def _sampling(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        values = {
            name: kwargs.get(name, getattr(self, name)) for name in ("max_tokens", "temperature", "seed", "top_p")
        }
        values["max_tokens"] = values["max_tokens"] or _DEFAULT_MAX_TOKENS
        return {name: value for name, value in values.items() if value is not None}


def _offered_tools(kwargs: dict[str, Any]) -> list[dict[str, Any]]:
    """The tools that may be called: all, none, or the one that the caller named."""
    tools, choice = list(kwargs.get("tools") or ()), kwargs.get("tool_choice")
    if choice == "none":
        return []
    return tools if choice in _NO_NAME else [t for t in tools if t["function"]["name"] == choice]
