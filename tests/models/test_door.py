"""What comes through the door: replies that were checked, or a typed error; on every provider alike."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from tests.models.provider_server import ProviderServer, Reply

from signalbox.errors import (
    BudgetError,
    LLMAPIError,
    ModelBusyError,
    ModelEmptyError,
    ModelFilteredError,
    ModelMalformedError,
    ModelOutputError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelToolError,
    ModelTruncatedError,
)
from signalbox.models import budgets, count_usage, fills_plans, load_chat_model, open_door, record_prompts
from signalbox.models.usage import Budget

PROVIDERS = ("openai", "anthropic", "google_genai", "ollama")
SCHEMA = {
    "title": "Route",
    "description": "Where a request goes.",
    "type": "object",
    "properties": {
        "to": {"type": "string", "enum": ["north", "south"], "description": "the way"},
        "sure": {"type": "number", "minimum": 0, "maximum": 1},
    },
    "required": ["to"],
}
TOOL = {
    "type": "function",
    "function": {
        "name": "add_note",
        "description": "Keep a note.",
        "parameters": {
            "type": "object",
            "properties": {"text": {"type": "string"}, "kind": {"type": "string", "enum": ["a", "b"]}},
            "required": ["text"],
        },
    },
}
Load = Callable[..., Any]


def given(provider: str, data: Any) -> Reply:
    """An object, as a provider's model gives it: Anthropic's by its tool."""
    return Reply(calls=[("Route", data)]) if provider == "anthropic" else Reply(json.dumps(data))


OBJECT_FAULTS: dict[str, tuple[Callable[[str], Reply], type[ModelOutputError]]] = {
    "malformed": (lambda _: Reply('{"to": "nor'), ModelMalformedError),
    "words": (lambda _: Reply("I would go north."), ModelMalformedError),
    "a list": (lambda _: Reply('["north"]'), ModelMalformedError),
    "wrong type": (lambda one: given(one, {"to": 7}), ModelMalformedError),
    "unknown option": (lambda one: given(one, {"to": "west"}), ModelMalformedError),
    "out of bounds": (lambda one: given(one, {"to": "north", "sure": 7}), ModelMalformedError),
    "nothing of it": (lambda one: given(one, {"answer": 42}), ModelMalformedError),
    "required and null": (lambda one: given(one, {"to": None}), ModelMalformedError),
    "truncated": (lambda _: Reply('{"to": "nor', finish="length"), ModelTruncatedError),
    "empty": (lambda _: Reply(""), ModelEmptyError),
    "refused": (lambda _: Reply("", finish="refusal"), ModelOutputError),
    "filtered": (lambda _: Reply("", finish="filter"), ModelOutputError),
    "an unknown tool": (lambda _: Reply(calls=[("fly", {})]), ModelToolError),
}
TEXT_FAULTS: dict[str, tuple[Reply, type[ModelOutputError]]] = {
    "empty": (Reply(""), ModelEmptyError),
    "blank": (Reply(" \n "), ModelEmptyError),
    "truncated": (Reply("half a sen", finish="length"), ModelTruncatedError),
    "refused": (Reply("", finish="refusal"), ModelOutputError),
    "filtered": (Reply("", finish="filter"), ModelOutputError),
}
CALL_FAULTS: dict[str, Reply] = {
    "an unknown tool": Reply(calls=[("fly", {})]),
    "an argument is missing": Reply(calls=[("add_note", {"kind": "a"})]),
    "a wrong type": Reply(calls=[("add_note", {"text": 5})]),
    "an unknown option": Reply(calls=[("add_note", {"text": "x", "kind": "c"})]),
    "an unknown argument": Reply(calls=[("add_note", {"text": "x", "colour": "red"})]),
    "one of two is wrong": Reply(calls=[("add_note", {"text": "x"}), ("fly", {})]),
}


def assert_told(error: ModelOutputError) -> None:
    """An error of the model that a person can read, without advice for authors of maps."""
    assert error.user_message.startswith(("The model", "The provider"))
    assert error.suggestion
    assert "Failure_Next" not in error.suggestion


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("fault", OBJECT_FAULTS)
async def test_an_object_that_cannot_be_used_is_requested_again_and_then_an_error(
    provider: str, fault: str, door_of: Load, provider_server: ProviderServer
) -> None:
    make, expected = OBJECT_FAULTS[fault]
    model = door_of(provider).with_structured_output(SCHEMA)
    provider_server.say(make(provider), given(provider, {"to": "north", "sure": None}))
    assert await model.ainvoke("which way?") == {"to": "north"}
    assert len(provider_server.bodies) == 2
    assert len(json.dumps(provider_server.bodies[1])) > len(json.dumps(provider_server.bodies[0]))

    provider_server.say(make(provider))
    with pytest.raises(expected) as caught:
        await model.ainvoke("which way?")
    assert len(provider_server.bodies) == 2
    assert_told(caught.value)

    tried = await door_of(provider).with_structured_output(SCHEMA, include_raw=True).ainvoke("which way?")
    assert (tried["parsed"], type(tried["parsing_error"])) == (None, type(caught.value))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("fault", TEXT_FAULTS)
@pytest.mark.parametrize(
    "how", ["ainvoke", "astream", *(pytest.param(one, marks=pytest.mark.bench) for one in ("invoke", "stream"))]
)
async def test_text_that_cannot_be_used_is_never_an_answer(
    provider: str, fault: str, how: str, door_of: Load, provider_server: ProviderServer
) -> None:
    reply, expected = TEXT_FAULTS[fault]
    model = door_of(provider)
    provider_server.say(reply)
    with pytest.raises(expected) as caught:
        await said(model, how)
    assert_told(caught.value)
    assert len(provider_server.bodies) == (1 if reply.text.strip() and "stream" in how else 2)

    if not reply.text.strip():
        provider_server.say(reply, "All is well.")
        assert (await said(model, how)).strip() == "All is well."


async def said(model: Any, how: str) -> str:
    """What the model says, in one of the ways to ask it."""
    if how == "invoke":
        return str(model.invoke("how are you?").text)
    if how == "ainvoke":
        return str((await model.ainvoke("how are you?")).text)
    if how == "stream":
        return "".join(chunk.text for chunk in model.stream("how are you?"))
    return "".join([chunk.text async for chunk in model.astream("how are you?")])


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("fault", CALL_FAULTS)
async def test_a_call_that_cannot_be_made_is_told_to_the_model_and_then_an_error(
    provider: str, fault: str, door_of: Load, provider_server: ProviderServer
) -> None:
    model = door_of(provider).bind_tools([TOOL])
    provider_server.say(CALL_FAULTS[fault], Reply(calls=[("add_note", {"text": "x", "kind": None})]))
    reply = await model.ainvoke("note x")
    assert [(one["name"], one["args"]) for one in reply.tool_calls] == [("add_note", {"text": "x"})]

    provider_server.say(CALL_FAULTS[fault])
    with pytest.raises(ModelToolError) as caught:
        await model.ainvoke("note x")
    assert len(provider_server.bodies) == 2
    assert_told(caught.value)


@pytest.mark.parametrize(
    ("provider", "finish", "expected"),
    [
        ("openai", "filter", ModelFilteredError),
        ("openai", "refusal", ModelRefusedError),
        ("anthropic", "refusal", ModelRefusedError),
        ("google_genai", "filter", ModelFilteredError),
        ("google_genai", "refusal", ModelFilteredError),
    ],
)
def test_a_refusal_is_told_apart_from_a_filter(
    provider: str, finish: str, expected: type[Exception], door_of: Load, provider_server: ProviderServer
) -> None:
    provider_server.say(Reply("", finish=finish))
    with pytest.raises(expected):
        door_of(provider).invoke("hello")
    with pytest.raises(expected):
        door_of(provider).with_structured_output(SCHEMA).invoke("hello")


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("choice", ["any", "add_note"])
def test_a_tool_that_must_be_called_is_called_or_it_is_an_error(
    provider: str, choice: str, door_of: Load, provider_server: ProviderServer
) -> None:
    model = door_of(provider).bind_tools([TOOL], tool_choice=choice)
    provider_server.say("I would rather talk.", Reply(calls=[("add_note", {"text": "x"})]))
    assert model.invoke("note x").tool_calls
    provider_server.say("I would rather talk.")
    with pytest.raises(ModelToolError, match="did not call"):
        model.invoke("note x")


def test_arguments_that_are_not_json_are_told_to_the_model(door_of: Load, provider_server: ProviderServer) -> None:
    provider_server.say(Reply(calls=[("add_note", '{"text": ')]), Reply(calls=[("add_note", {"text": "x"})]))
    assert door_of("openai").bind_tools([TOOL]).invoke("note x").tool_calls[0]["args"] == {"text": "x"}
    roles = [one["role"] for one in provider_server.bodies[-1]["messages"]]
    assert roles == ["user", "assistant", "tool"]


def test_an_object_in_a_fence_is_read(door_of: Load, provider_server: ProviderServer) -> None:
    provider_server.say('```json\n{"to": "south"}\n```')
    assert door_of("openai").with_structured_output(SCHEMA).invoke("which way?") == {"to": "south"}
    assert len(provider_server.bodies) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_web_page_is_not_called_a_reply(provider: str, door_of: Load, provider_server: ProviderServer) -> None:
    provider_server.say(Reply(page="<html>Welcome</html>"))
    with pytest.raises(LLMAPIError) as raised:
        await door_of(provider, max_retries=0).with_structured_output(SCHEMA).ainvoke("hello")
    assert not isinstance(raised.value, ModelOutputError), str(raised.value)


def test_fields_that_nobody_asked_for_are_left_out(door_of: Load, provider_server: ProviderServer) -> None:
    provider_server.say('{"to": "south", "thoughts": "hm"}')
    assert door_of("openai").with_structured_output(SCHEMA).invoke("which way?") == {"to": "south"}


def test_a_reply_cut_off_by_reasoning_gets_more_room(door_of: Load, provider_server: ProviderServer) -> None:
    provider_server.say(Reply("", finish="length"), "Well.")
    assert door_of("openai", max_tokens=100).invoke("hello").text == "Well."
    assert provider_server.bodies[0]["max_tokens"] == 100
    assert provider_server.bodies[1]["max_tokens"] > 4_000


# On the way


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_provider_that_is_busy_is_asked_again(
    provider: str, door_of: Load, provider_server: ProviderServer
) -> None:
    provider_server.say(Reply(status=503), "Here.")
    assert (await door_of(provider).ainvoke("hello")).text == "Here."
    provider_server.say(Reply(status=503), "Here.")
    assert "".join([chunk.text async for chunk in door_of(provider).astream("hello")]) == "Here."


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google_genai"])
def test_retry_after_is_kept_to(
    provider: str, door_of: Load, provider_server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("signalbox.models.sending.time.sleep", waited.append)
    provider_server.say(Reply(status=429, headers={"Retry-After": "7"}), "Here.")
    assert door_of(provider).invoke("hello").text == "Here."
    assert waited == [7.0]

    provider_server.say(Reply(status=429, headers={"Retry-After": "600"}), "Here.")
    with pytest.raises(ModelBusyError, match="limiting the rate") as caught:
        door_of(provider).invoke("hello")
    assert waited == [7.0]
    assert "600 seconds" in caught.value.suggestion


@pytest.mark.parametrize(("status", "times"), [(400, 1), (401, 1), (404, 1), (500, 3), (529, 3)])
def test_only_what_may_pass_is_tried_again(
    status: int, times: int, door_of: Load, provider_server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signalbox.models.sending.time.sleep", lambda _: None)
    provider_server.say(Reply(status=status))
    with pytest.raises(LLMAPIError) as caught:
        door_of("openai").invoke("hello")
    assert len(provider_server.bodies) == times
    assert caught.value.details["status"] == status


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_model_that_takes_too_long_is_named_as_what_is_slow(
    provider: str, door_of: Load, provider_server: ProviderServer
) -> None:
    provider_server.say(Reply("late", delay=1.0))
    model = door_of(provider, timeout=0.2)
    with pytest.raises(ModelTimeoutError, match="model took too long"):
        await model.ainvoke("hello")
    with pytest.raises(ModelTimeoutError, match="model took too long"):
        await asyncio.to_thread(model.invoke, "hello")
    assert len(provider_server.bodies) <= 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_connection_is_kept_within_an_event_loop_and_not_beyond(
    provider: str, door_of: Load, provider_server: ProviderServer
) -> None:
    provider_server.say("Here.")

    async def ask() -> None:
        for _ in range(3):
            assert (await door_of(provider).ainvoke("hello")).text == "Here."

    before = provider_server.connections
    asyncio.run(ask())
    assert provider_server.connections - before == 1
    asyncio.run(ask())
    assert provider_server.connections - before == 2


# Streams


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_text_streams_as_it_comes_and_calls_come_whole(
    provider: str, door_of: Load, provider_server: ProviderServer
) -> None:
    provider_server.say("one two three four")
    texts = [chunk.text async for chunk in door_of(provider).astream("count") if chunk.text]
    assert len(texts) == 4

    provider_server.say(Reply("let me see", calls=[("add_note", {"text": "x"})]))
    whole: Any = None
    async for chunk in door_of(provider).bind_tools([TOOL]).astream("note x"):
        whole = chunk if whole is None else whole + chunk
    assert whole.text.strip() == "let me see"
    assert [(one["name"], one["args"]) for one in whole.tool_calls] == [("add_note", {"text": "x"})]
    assert whole.usage_metadata["input_tokens"] == 11


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_streamed_call_that_is_wrong_is_never_seen(
    provider: str, door_of: Load, provider_server: ProviderServer
) -> None:
    provider_server.say(Reply(calls=[("fly", {})]), Reply(calls=[("add_note", {"text": "x"})]))
    whole: Any = None
    async for chunk in door_of(provider).bind_tools([TOOL]).astream("note x"):
        whole = chunk if whole is None else whole + chunk
    assert [one["name"] for one in whole.tool_calls] == ["add_note"]


async def test_an_object_does_not_stream_to_the_person(door_of: Load, provider_server: ProviderServer) -> None:
    provider_server.say('{"to": "north"}')
    bound = door_of("openai").with_structured_output(SCHEMA).bound
    texts = [chunk.text async for chunk in bound.astream("which way?") if chunk.text]
    assert texts == ['{"to": "north"}']


# Usage and prompts


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_every_request_is_counted(provider: str, door_of: Load, provider_server: ProviderServer) -> None:
    provider_server.say(Reply(""), "Here.")
    with count_usage() as run, count_usage() as step:
        reply = await door_of(provider).ainvoke("hello")
    assert reply.usage_metadata["total_tokens"] == 36
    account = step.account()
    assert run.account() == account
    assert (account["calls"], account["input_tokens"], account["output_tokens"]) == (2, 22, 14)
    assert account["cached_tokens"] == (0 if provider == "ollama" else 6)
    assert account["seconds"] > 0


def test_a_budget_stops_a_run_with_a_clear_error(
    door_of: Load, provider_server: ProviderServer, clean_environment: pytest.MonkeyPatch
) -> None:
    clean_environment.setenv("SIGNALBOX_MODEL_RUN_TOKENS", "30")
    clean_environment.setenv("SIGNALBOX_MODEL_PERSON_TOKENS", "1000")
    provider_server.say("Here.")
    model = door_of("openai")
    with count_usage(*budgets()):
        model.invoke("hello")
        model.invoke("hello")
        with pytest.raises(BudgetError, match="30 tokens that a run may use"):
            model.invoke("hello")
    with count_usage(*budgets()), pytest.raises(BudgetError, match="30 tokens that a run may use"):
        model.invoke("a long story " * 20)
    assert len(provider_server.bodies) == 2
    with count_usage(*budgets(used_today=1000)), pytest.raises(BudgetError, match="1,000 tokens that you may use"):
        model.invoke("hello")


def test_the_offline_model_is_counted_and_costs_no_budget() -> None:
    with count_usage(Budget(1, "run")) as counter:
        load_chat_model("offline").with_structured_output(SCHEMA).invoke("go north")
        load_chat_model("offline").with_structured_output(SCHEMA).invoke("go north")
    assert counter.account()["calls"] == 2
    assert counter.account()["total_tokens"] > 0


def test_what_a_model_was_sent_can_be_seen(door_of: Load, provider_server: ProviderServer) -> None:
    provider_server.say("{}", '{"to": "north"}')
    with record_prompts() as prompts:
        door_of("openai").with_structured_output(SCHEMA).invoke("which way?")
        load_chat_model("offline").with_structured_output(SCHEMA).invoke("go north")
    assert [one.model for one in prompts] == ["some-model", "some-model", "offline"]
    first = prompts[0].as_dict()
    assert first["messages"] == [{"role": "human", "content": "which way?"}]
    assert first["response_format"]["json_schema"]["name"] == "Route"
    assert "could not be used" in json.dumps(prompts[1].as_dict())


# Which way to work


def test_who_fills_plans_is_decided_by_what_a_model_can_do(
    door_of: Load, clean_environment: pytest.MonkeyPatch
) -> None:
    assert fills_plans(load_chat_model("offline"))
    assert not fills_plans(door_of("openai"))
    assert fills_plans(GenericFakeChatModel(messages=iter(())))
    clean_environment.setenv("SIGNALBOX_MODEL_PLANS", "1")
    assert fills_plans(door_of("ollama"))


# Models of one's own


class Own(BaseChatModel):
    """A model that somebody wrote; its tools and objects go its own way."""

    replies: list[Any]

    @property
    def _llm_type(self) -> str:
        return "own"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return RunnableLambda(lambda _: self.replies.pop(0))

    def with_structured_output(self, schema: Any, **kwargs: Any) -> Runnable[Any, Any]:
        return RunnableLambda(lambda _: self.replies.pop(0))

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self.replies.pop(0)))])


def call(name: str, args: dict[str, Any]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": "1"}])


def test_a_model_of_ones_own_goes_through_the_door() -> None:
    assert open_door(Own(replies=["", "Well."])).invoke("hello").text == "Well."
    with pytest.raises(ModelEmptyError):
        open_door(Own(replies=["", " "])).invoke("hello")
    objects = open_door(Own(replies=[{"to": "west"}, {"to": "north"}]))
    assert objects.with_structured_output(SCHEMA).invoke("which way?") == {"to": "north"}
    tools = open_door(Own(replies=[call("fly", {}), call("add_note", {"text": "x"})]))
    assert tools.bind_tools([TOOL]).invoke("note x").tool_calls[0]["name"] == "add_note"


def test_a_providers_class_made_by_oneself_gets_its_providers_edge(
    provider_server: ProviderServer, require_module: Callable[[str], None], clean_environment: pytest.MonkeyPatch
) -> None:
    require_module("langchain_openai")
    from langchain_openai import ChatOpenAI

    clean_environment.setenv("OPENAI_API_KEY", "some-key")
    own = open_door(ChatOpenAI(model="some-model", base_url=f"{provider_server.address}/v1", max_retries=0))
    provider_server.say('{"to": "north", "sure": null}')
    assert own.with_structured_output(SCHEMA).invoke("which way?") == {"to": "north"}
    assert provider_server.bodies[-1]["response_format"]["json_schema"]["strict"] is True
    assert open_door(own) is own


def test_a_door_is_a_chat_model_of_langchains(door_of: Load) -> None:
    model: Any = door_of("openai")
    assert isinstance(model, BaseChatModel)
    assert isinstance(model.bind(stop=["x"]).invoke("hello"), AIMessage | AIMessageChunk)
