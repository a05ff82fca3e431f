"""The offline model as a LangChain chat model: tools, structured output, streaming; no key and no network."""

from __future__ import annotations

import asyncio
import json
import re
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import datetime, tzinfo
from time import perf_counter
from typing import Any
from uuid import NAMESPACE_OID, uuid5
from zoneinfo import ZoneInfo

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManager, CallbackManagerForLLMRun
from langchain_core.globals import get_llm_cache
from langchain_core.language_models import BaseChatModel, LanguageModelInput, ModelProfile
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableConfig, RunnableSequence
from langchain_core.runnables.config import ensure_config
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_core.utils.utils import LC_ID_PREFIX
from langchain_core.utils.uuid import uuid7
from pydantic import ConfigDict, Field

from signalbox.errors import UnsupportedError
from signalbox.models.figures import note_call
from signalbox.models.offline.conversation import read_conversation, text_of
from signalbox.models.offline.respond import Clock, Reply, respond
from signalbox.models.offline.structured import OutputSchema, parse_reply
from signalbox.models.offline.tools import ToolSet, read_tools
from signalbox.models.recording import keep_prompt
from signalbox.models.usage import add_call

__all__ = ["OfflineChatModel"]

_OPTIONS = frozenset({"tools", "tool_choice", "output", "response_format"})
_CONVERTED: dict[int, tuple[Any, dict[str, Any]]] = {}
# With the conversions themselves, so that their ids stay theirs.
_BOUND: dict[tuple[int, ...], tuple[list[dict[str, Any]], ToolSet]] = {}
_MOST_BOUND = 64


class OfflineChatModel(BaseChatModel):
    """A deterministic chat model that fills schemas, chooses tools and phrases results, by a small learned reader.

    `clock` and `tz` fix the present moment and the person's zone; by default the settings decide. Token counts
    are counts of words. A request it cannot serve is answered with that; it makes nothing up.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    clock: Callable[[], datetime] | datetime | None = Field(default=None, exclude=True)
    tz: tzinfo | str | None = Field(default=None, exclude=True)
    examples: tuple[Any, ...] = Field(default=(), exclude=True)
    """Requests with what they mean (`signalbox.models.examples`), which teach options and tools."""
    model_name: str = "offline"
    profile: ModelProfile | None = Field(
        default_factory=lambda: ModelProfile(tool_calling=True, structured_output=True), exclude=True
    )

    @property
    def _llm_type(self) -> str:
        return "offline"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | dict[str, Any] | bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with tools: functions, `BaseTool`s, pydantic classes or OpenAI's dictionaries.

        `tool_choice` is none, auto, any, required, a tool's name, or OpenAI's dictionary with one.
        """
        kwargs.pop("strict", None)
        bound = _tool_set(tools)
        choice = _choice_name(tool_choice, bound)
        return self.bind(tools=bound, **({"tool_choice": choice} if choice else {}), **kwargs)

    def with_structured_output(
        self, schema: dict[str, Any] | type, *, include_raw: bool = False, **kwargs: Any
    ) -> Runnable[LanguageModelInput, Any]:
        """Fills the schema from the last message of the person.

        Raises `MissingInputError` where something required is not said; with `include_raw` the error is returned.
        """
        kwargs.pop("method", None), kwargs.pop("strict", None), kwargs.pop("tools", None)
        if kwargs:
            raise UnsupportedError(f"The offline model does not know these options: {', '.join(sorted(kwargs))}.")
        output = OutputSchema.of(schema)
        parsing = _Parsing(output, include_raw=include_raw)
        return _Structured(first=self.bind(output=output), last=parsing, name="RunnableSequence")

    def _reply(self, messages: list[BaseMessage], options: dict[str, Any]) -> AIMessage:
        started = perf_counter()
        conversation = read_conversation(messages)
        output = options.get("output")
        if output is None and options.get("response_format"):
            output = OutputSchema.of_response_format(options["response_format"])
        shown = {"tools": list(options.get("tools") or ()), "schema": output.schema if output else None}
        keep_prompt(self.model_name, messages, {name: value for name, value in shown.items() if value})
        reply = respond(
            conversation,
            read_tools(options.get("tools") or ()),
            options.get("tool_choice"),
            output,
            self._clock(),
            self.examples,
        )
        message = self._message(reply, messages, options.get("stop"))
        seconds = perf_counter() - started
        add_call(message, seconds, charged=False)
        note_call(self.model_name, seconds, reply=message)
        return message

    def _clock(self) -> Clock:
        clock = self.clock
        zone = ZoneInfo(self.tz) if isinstance(self.tz, str) else self.tz
        return Clock(clock() if callable(clock) else clock, zone)

    def _message(self, reply: Reply, messages: list[BaseMessage], stop: list[str] | None) -> AIMessage:
        calls = [
            tool_call(name=name, args=args, id=_call_id(len(messages), at, name, args))
            for at, (name, args) in enumerate(reply.calls)
        ]
        text = _cut_at(reply.text, stop)
        spoken = text if not calls else json.dumps([call["args"] for call in calls], default=str)
        said = sum(len(text_of(message.content).split()) for message in messages)
        answered = len(spoken.split())
        extra: dict[str, Any] = {"refusal": reply.refusal} if reply.refusal else {}
        if reply.guesses:
            extra["guesses"] = [
                {"name": one.tool, "args": one.args, "missing": list(one.missing), "confidence": one.sure}
                for one in reply.guesses
            ]
        if reply.data is not None:
            extra = {"parsed": reply.data, "missing": reply.missing, "confidence": reply.sure}
        return AIMessage(
            content=text,
            tool_calls=calls,
            additional_kwargs=extra,
            response_metadata={
                "model_name": self.model_name,
                "model_provider": "signalbox",
                "finish_reason": "tool_calls" if calls else "stop",
            },
            usage_metadata=UsageMetadata(input_tokens=said, output_tokens=answered, total_tokens=said + answered),
        )

    def invoke(
        self,
        input: LanguageModelInput,  # noqa: A002
        config: RunnableConfig | None = None,
        *,
        stop: list[str] | None = None,
        **kwargs: Any,
    ) -> AIMessage:
        """The model's answer; where nobody listens and nothing is kept, without LangChain's detours."""
        answer = self._answer_unheard(input, config, stop, kwargs)
        return super().invoke(input, config, stop=stop, **kwargs) if answer is None else answer

    async def ainvoke(
        self,
        input: LanguageModelInput,  # noqa: A002
        config: RunnableConfig | None = None,
        *,
        stop: list[str] | None = None,
        **kwargs: Any,
    ) -> AIMessage:
        """As `invoke`, in a thread: reading takes too long for an event loop."""
        answer = await asyncio.to_thread(self._answer_unheard, input, config, stop, kwargs)
        return await super().ainvoke(input, config, stop=stop, **kwargs) if answer is None else answer

    def _answer_unheard(
        self,
        question: LanguageModelInput,
        config: RunnableConfig | None,
        stop: list[str] | None,
        kwargs: dict[str, Any],
    ) -> AIMessage | None:
        """What LangChain's `invoke` comes to where no callback, cache or limiter has a part; None elsewhere."""
        if not self._is_plain() or not kwargs.keys() <= _OPTIONS:
            return None
        settled = ensure_config(config)
        if CallbackManager.configure(settled.get("callbacks"), self.callbacks, self.verbose).handlers:
            return None
        messages = self._convert_input(question).to_messages()
        if not all(isinstance(message.content, str) for message in messages):
            return None
        message = self._reply(messages, kwargs | {"stop": stop})
        message.id = f"{LC_ID_PREFIX}-{settled.get('run_id') or uuid7()}-0"
        return message

    def _is_plain(self) -> bool:
        """True if the model keeps no answers, waits for no limiter, gives its messages as they are and is no other."""
        kept = self.cache is not False and (self.cache is not None or get_llm_cache() is not None)
        other = type(self) is not OfflineChatModel or self.output_version or self.rate_limiter
        return not kept and not other

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        message = self._reply(messages, kwargs | {"stop": stop})
        return ChatResult(generations=[ChatGeneration(message=message)], llm_output={"model_name": self.model_name})

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await asyncio.to_thread(self._generate, messages, stop, None, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _chunks(self._reply(messages, kwargs | {"stop": stop})):
            if run_manager:
                run_manager.on_llm_new_token(text_of(chunk.message.content), chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        message = await asyncio.to_thread(self._reply, messages, kwargs | {"stop": stop})
        for chunk in _chunks(message):
            if run_manager:
                await run_manager.on_llm_new_token(text_of(chunk.message.content), chunk=chunk)
            yield chunk


class _Structured(RunnableSequence[LanguageModelInput, Any]):
    """The model and the parsing of its reply; where nobody listens, without LangChain's account of each step."""

    def invoke(self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        own = ensure_config(config)
        if CallbackManager.configure(own.get("callbacks")).handlers:
            return super().invoke(input, config, **kwargs)
        # The id of the run is that of the whole, not of the model's part in it.
        own.pop("run_id", None)
        return self.last.invoke(self.first.invoke(input, own, **kwargs), own)

    async def ainvoke(self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        own = ensure_config(config)
        if CallbackManager.configure(own.get("callbacks")).handlers:
            return await super().ainvoke(input, config, **kwargs)
        own.pop("run_id", None)
        return await self.last.ainvoke(await self.first.ainvoke(input, own, **kwargs), own)


class _Parsing(Runnable[AIMessage, Any]):
    """A reply as what the schema describes. LangChain's own lambda looks a function's signature up at every call."""

    def __init__(self, output: OutputSchema, *, include_raw: bool) -> None:
        self.output = output
        self.include_raw = include_raw

    def invoke(self, input: AIMessage, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        return parse_reply(input, self.output, include_raw=self.include_raw)

    async def ainvoke(self, input: AIMessage, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        return self.invoke(input, config)


def _openai_tool(tool: Any) -> dict[str, Any]:
    """A tool in OpenAI's form; the conversion of an object that lives on is kept."""
    if isinstance(tool, dict):
        return tool if isinstance(tool.get("function"), dict) else convert_to_openai_tool(tool)
    kept = _CONVERTED.get(id(tool))
    if kept is not None and kept[0]() is tool:
        return kept[1]
    converted = convert_to_openai_tool(tool)
    key = id(tool)
    try:
        reference = weakref.ref(tool, lambda _: _CONVERTED.pop(key, None))
    except TypeError:
        return converted
    _CONVERTED[key] = (reference, converted)
    return converted


def _tool_set(tools: Sequence[Any]) -> ToolSet:
    """The tools with their cards. An agent binds the same ones for every call: these are known by their conversions."""
    converted = [_openai_tool(tool) for tool in tools]
    if any(isinstance(tool, dict) for tool in tools):
        return read_tools(converted)
    key = tuple(map(id, converted))
    kept = _BOUND.get(key)
    if kept is None:
        if len(_BOUND) >= _MOST_BOUND:
            _BOUND.clear()
        kept = _BOUND[key] = (converted, read_tools(converted))
    return kept[1]


def _choice_name(tool_choice: str | dict[str, Any] | bool | None, tools: ToolSet) -> str | None:
    """`none`, `any`, or the name of the tool that must be called; None for `auto`."""
    if isinstance(tool_choice, dict):
        function = tool_choice.get("function")
        tool_choice = (function if isinstance(function, dict) else tool_choice).get("name") or tool_choice.get("type")
    if tool_choice in (None, False, "auto", ""):
        return None
    if tool_choice in (True, "any", "required"):
        return "any"
    if tool_choice == "none" or tool_choice in tools.by_name:
        return str(tool_choice)
    raise UnsupportedError(
        f"tool_choice names the tool '{tool_choice}', which is not bound.",
        suggestion=f"Use one of: {', '.join(list(tools.by_name)[:20])}.",
    )


def _call_id(length: int, at: int, name: str, args: dict[str, Any]) -> str:
    """The same conversation gets the same ids; no two calls of a conversation share one."""
    return (
        f"call_{uuid5(NAMESPACE_OID, f'{length}:{at}:{name}:{json.dumps(args, sort_keys=True, default=str)}').hex[:24]}"
    )


def _cut_at(text: str, stop: list[str] | None) -> str:
    places = [place for word in stop or () if word and (place := text.find(word)) >= 0]
    return text[: min(places)] if places else text


def _chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    """The message word by word; calls, counts and metadata come with the last chunk."""
    for piece in re.findall(r"\s*\S+\s*?(?=\s|$)|\s+", text_of(message.content)):
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    calls = [
        tool_call_chunk(name=call["name"], args=json.dumps(call["args"], default=str), id=call["id"], index=at)
        for at, call in enumerate(message.tool_calls)
    ]
    yield ChatGenerationChunk(
        message=AIMessageChunk(
            content="",
            tool_call_chunks=calls,
            additional_kwargs=message.additional_kwargs,
            response_metadata=message.response_metadata,
            usage_metadata=message.usage_metadata,
            chunk_position="last",
        )
    )
