"""The door: a LangChain chat model around the provider's own, through which every request to a model passes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool
from pydantic import ConfigDict, Field

from signalbox.errors import ModelOutputError
from signalbox.models.asked import Asked, Output, openai_tool, read_choice, read_output, read_tools
from signalbox.models.edges import EDGES
from signalbox.models.examples import Example, examples_text, fitting_examples
from signalbox.models.exchange import REASONING_ROOM, Question, Wait, exchange
from signalbox.models.failures import explain_model_error
from signalbox.models.sending import Release, asend, can_stream, send

__all__ = ["Door"]

_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


class Door(BaseChatModel):
    """A provider's chat model that takes requests in our terms and answers in them, or with a typed error.

    `invoke`, `stream`, `bind_tools` and `with_structured_output` work alike for every provider. Raises LLMAPIError
    where the provider fails, ModelOutputError (of its kinds) where two replies cannot be used, BudgetError.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    inner: Any = Field(exclude=True)
    edge: str = "other"
    max_tokens: int | None = Field(default=None, gt=0)
    timeout: float | None = Field(default=None, gt=0)
    max_retries: int = Field(default=2, ge=0)
    taught: tuple[Example, ...] = Field(default=(), exclude=True, repr=False)
    """The closest of these precede a request with a schema or tools."""

    def model_post_init(self, context: Any) -> None:
        """Takes over the profile of the provider's class, and sets its limit."""
        super().model_post_init(context)
        self.profile = self.inner.profile
        self.inner = self._limited(self.max_tokens)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)  # type: ignore[misc]
        except AttributeError:
            inner = self.__dict__.get("inner")
            if inner is None or name.startswith("_"):
                raise
        return getattr(inner, name)

    @property
    def _llm_type(self) -> str:
        return str(self.inner._llm_type)

    @property
    def _identifying_params(self) -> Mapping[str, Any]:
        return self.inner._identifying_params  # type: ignore[no-any-return]

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
        return self.inner._get_ls_params(stop=stop, **kwargs)

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | dict[str, Any] | bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with tools: functions, `BaseTool`s, pydantic classes, OpenAI's dictionaries, the provider's own.

        `tool_choice` is none, auto, any, required, a tool's name, or OpenAI's dictionary with one.
        """
        kwargs.pop("strict", None)
        converted = [openai_tool(tool) for tool in tools]
        choice = read_choice(tool_choice, converted)
        return self.bind(tools=converted, **({"tool_choice": choice} if choice != "auto" else {}), **kwargs)

    def with_structured_output(
        self,
        schema: dict[str, Any] | type,
        *,
        include_raw: bool = False,
        tools: Sequence[Any] = (),
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, Any]:
        """A runnable that returns an object of the schema: an instance of a pydantic class, otherwise a dict.

        With `tools` the model may call those first: with `include_raw`, `parsed` is then None and `raw` has the calls.
        """
        kwargs.pop("method", None), kwargs.pop("strict", None)
        output = read_output(schema)
        bound = self.bind_tools(tools, **kwargs) if tools else self.bind(**kwargs)
        # LangGraph streams what models write to the person, unless it is tagged: an object is not for reading.
        unstreamed = bound.bind(output=output).with_config(tags=["nostream"])
        return _Structured(unstreamed, output, include_raw=include_raw)

    def _question(self, messages: list[BaseMessage], options: dict[str, Any]) -> Question:
        limits = [options.pop(name) for name in _LIMITS if name in options]
        limit = limits[0] if limits else self.max_tokens
        given, choice, output = (options.pop(name, None) for name in ("tools", "tool_choice", "output"))
        response_format = options.pop("response_format", None)
        if output is None and isinstance(response_format, dict) and "json_schema" in response_format:
            output = read_output(response_format["json_schema"])
        tools, own_tools = read_tools(given or ())
        asked = Asked(tools, own_tools, read_choice(choice, given or ()), output, options)
        fields = [field.name for field in asked.output.shape.fields.values()] if asked.output else []
        taught = fitting_examples(self.taught, fields, [one.name for one in asked.tools])
        return Question(
            model=self._limited(limit) if limits else self.inner,
            name=self.model_label,
            edge=EDGES[self.edge],
            messages=messages,
            asked=asked,
            limit=limit,
            max_retries=self.max_retries,
            may_be_cut=bool(limits),
            examples=examples_text(messages, taught) if taught else "",
        )

    @property
    def model_label(self) -> str:
        """The provider's name for the model."""
        names = (getattr(self.inner, name, None) for name in ("model_name", "model", "path"))
        return str(next((one for one in names if one), self._llm_type))

    def _limited(self, limit: int | None) -> Any:
        """The provider's model with the longest reply it may give; one that reasons needs room for that as well."""
        if limit is None:
            return self.inner
        edge = EDGES[self.edge]
        room = REASONING_ROOM if edge.reasons(self.inner) else 0
        most = (self.inner.profile or {}).get("max_output_tokens") or limit + room
        return self.inner.model_copy(update=edge.limit(min(limit + room, max(most, limit)), self.inner))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        steps = exchange(self._question(messages, kwargs))
        outcome: Any = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return ChatResult(generations=[ChatGeneration(message=end.value)])
            outcome = send(step, stop)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        steps = exchange(self._question(messages, kwargs))
        outcome: Any = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return ChatResult(generations=[ChatGeneration(message=end.value)])
            outcome = await asend(step, stop, self.timeout)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        question = self._question(messages, kwargs)
        steps, release = exchange(question), Release(is_free=question.asked.output is None)
        outcome: Any = None
        is_again = False
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                yield release.rest(end.value)
                return
            release.begin()
            if isinstance(step, Wait) or is_again or not can_stream(step.model, in_loop=False):
                outcome = send(step, stop)
                continue
            try:
                for chunk in step.model._stream(step.messages, stop, **step.options):
                    if release.lets_pass(chunk):
                        yield chunk
                outcome = release.received()
                # Requested again, it comes whole: a stream of OpenAI's class loses that the model refused.
                is_again = True
            except Exception as error:
                outcome = error
            if isinstance(outcome, Exception) and release.shown:
                raise explain_model_error(outcome)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        question = self._question(messages, kwargs)
        steps, release = exchange(question), Release(is_free=question.asked.output is None)
        outcome: Any = None
        is_again = False
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                yield release.rest(end.value)
                return
            release.begin()
            if isinstance(step, Wait) or is_again or not can_stream(step.model, in_loop=True):
                outcome = await asend(step, stop, self.timeout)
                continue
            try:
                async for chunk in step.model._astream(step.messages, stop, **step.options):
                    if release.lets_pass(chunk):
                        yield chunk
                outcome = release.received()
                # Requested again, it comes whole: a stream of OpenAI's class loses that the model refused.
                is_again = True
            except Exception as error:
                outcome = error
            if isinstance(outcome, Exception) and release.shown:
                raise explain_model_error(outcome)


class _Structured(Runnable[LanguageModelInput, Any]):
    """The model's reply as the requested object."""

    def __init__(self, bound: Runnable[LanguageModelInput, AIMessage], output: Output, *, include_raw: bool) -> None:
        self.bound = bound
        self.output = output
        self.include_raw = include_raw

    def invoke(self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        try:
            reply = self.bound.invoke(input, config, **kwargs)
        except ModelOutputError as error:
            return self._failed(error)
        return self._given(reply)

    async def ainvoke(self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        try:
            reply = await self.bound.ainvoke(input, config, **kwargs)
        except ModelOutputError as error:
            return self._failed(error)
        return self._given(reply)

    def _given(self, reply: AIMessage) -> Any:
        parsed = reply.additional_kwargs.get("parsed")
        if parsed is not None and self.output.model is not None:
            parsed = self.output.model.model_validate(parsed)
        return {"raw": reply, "parsed": parsed, "parsing_error": None} if self.include_raw else parsed

    def _failed(self, error: ModelOutputError) -> dict[str, Any]:
        if not self.include_raw:
            raise error
        return {"raw": error.reply or AIMessage(""), "parsed": None, "parsing_error": error}
