"""The requests that each provider gets, up to the HTTP body, held against the rules that it publishes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Any, Literal

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from pydantic import BaseModel, Field
from tests.models.provider_rules import lint
from tests.models.provider_server import ProviderServer, Reply

from signalbox.agents.experiments import plan as experiments
from signalbox.agents.frontdoor.plan import route_schema
from signalbox.agents.investigate.symptom import SYMPTOM
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import plan_schema as metrics_plan
from signalbox.agents.oncall.assessor import ASSESSMENT
from signalbox.agents.oncall.plan import plan_schema as oncall_plan
from signalbox.agents.tasks.definitions import plan_tools
from signalbox.agents.tasks.tools import task_tools
from signalbox.toolbox import loop_prompt

PROVIDERS = ("openai", "anthropic", "google_genai", "ollama")
MESSAGES = [SystemMessage("You read requests."), HumanMessage("what is up?")]
NAMES = ("one", "two")
Load = Callable[..., Any]


class Stop(BaseModel):
    """A stop of a journey."""

    place: str = Field(max_length=40)
    nights: int | None = Field(default=None, ge=1, le=30)


class Journey(BaseModel):
    """A journey."""

    kind: Literal["work", "fun"] = Field(json_schema_extra={"enumDescriptions": {"work": "paid", "fun": "own money"}})
    stops: list[Stop] = Field(default_factory=list)
    paid_by: dict[str, float] = Field(default_factory=dict)
    rating: Literal[1, 2, 3] | None = None
    first: Stop | None = Field(default=None, description="where it begins")
    when: str = Field(default="today", pattern="^[a-z]+$", examples=["today"])


JOURNEY = {"kind": "work", "stops": [{"place": "Rome"}], "rating": 2}


def schemas() -> Iterator[Any]:
    """Every schema that the shipped rooms ask a model to fill."""
    offers = [Offer.__new__(Offer) for _ in range(2)]
    for number, one in enumerate(offers):
        object.__setattr__(one, "key", f"metric_{number}")
        object.__setattr__(one, "about", f"the measure {number}")
    yield from (route_schema(), route_schema({"said": "a", "answer": "b"}), SYMPTOM, ASSESSMENT)
    yield oncall_plan({"bgp": "BGP sessions", "interfaces": "ports and links"})
    yield metrics_plan(offers, follows=True, scores={"metric_0": 0.4})
    yield from (experiments.kind_schema(has_history=True), experiments.terminology_schema())
    yield from (experiments.list_schema(NAMES), experiments.details_schema(NAMES), experiments.action_schema())
    yield from (experiments.management_schema(NAMES), experiments.create_schema(NAMES, NAMES))
    yield from (experiments.rules_schema(NAMES), experiments.simulation_schema(NAMES, NAMES))
    yield from (experiments.testing_schema(NAMES, NAMES), experiments.user_schema(), experiments.reply_schema())
    yield from (experiments.unsupported_schema(), experiments.confirm_schema(), Journey)
    yield from filter(None, map(experiments.params_schema, ("rename", "schedule", "include", "change_points")))


def tools() -> list[dict[str, Any]]:
    """Every tool that the shipped rooms offer a model in the loop or for a plan, and those of their MCP servers."""
    found = {one["function"]["name"]: one for one in loop_prompt.offered(task_tools())}
    for told in (*plan_tools("choose_task"), *plan_tools("correct_change")):
        found.setdefault(told["function"]["name"], told)
    for point in entry_points(group="signalbox.mcp"):
        for name, offer in point.load()().offers.items():
            told = {"name": name, "description": offer.tool.description, "parameters": offer.tool.input_schema}
            found.setdefault(name, {"type": "function", "function": told})
    return list(found.values())


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_schema_of_the_rooms_keeps_to_the_providers_rules(
    provider: str, door_of: Load, provider_server: ProviderServer
) -> None:
    provider_server.say("{}")
    model = door_of(provider, max_retries=0, max_tokens=500)
    checked = 0
    for schema in schemas():
        model.with_structured_output(schema, include_raw=True).invoke(MESSAGES)
    for body in provider_server.bodies:
        assert lint(provider, body) == []
        checked += 1
    assert checked >= 20


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("choice", [None, "any", "add_task", "none"])
def test_every_tool_of_the_rooms_keeps_to_the_providers_rules(
    provider: str, choice: str | None, door_of: Load, provider_server: ProviderServer
) -> None:
    provider_server.say(Reply(calls=[("add_task", {"title": "x"})]) if choice in ("any", "add_task") else "Done.")
    door_of(provider).bind_tools(tools(), tool_choice=choice).invoke(MESSAGES)
    body = provider_server.bodies[-1]
    assert lint(provider, body) == []
    assert ("add_task" in json.dumps(body)) is not (provider == "ollama" and choice == "none")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_schema_beside_tools_is_one_more_tool(provider: str, door_of: Load, provider_server: ProviderServer) -> None:
    model = door_of(provider).with_structured_output(SYMPTOM, include_raw=True, tools=tools()[:3])
    provider_server.say(Reply(calls=[("Symptom", {"about": "checkout", "when": None})]))
    assert model.invoke(MESSAGES)["parsed"] == {"about": "checkout"}
    assert lint(provider, provider_server.bodies[-1]) == []

    provider_server.say(Reply(calls=[("list_tasks", {})]))
    asked = model.invoke(MESSAGES)
    assert asked["parsed"] is None
    assert [one["name"] for one in asked["raw"].tool_calls] == ["list_tasks"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_conversation_with_calls_goes_back_as_the_provider_wants_it(
    provider: str, door_of: Load, provider_server: ProviderServer
) -> None:
    model = door_of(provider).bind_tools(tools())
    provider_server.say(Reply(calls=[("list_tasks", {"status": None}), ("small_talk", {})]), "You have none.")
    first = model.invoke(MESSAGES)
    results = [ToolMessage("none", tool_call_id=one["id"]) for one in first.tool_calls]
    assert [one["args"] for one in first.tool_calls] == [{}, {}]
    assert model.invoke([*MESSAGES, first, *results]).text == "You have none."
    assert lint(provider, provider_server.bodies[-1]) == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_options_mean_is_told_and_nothing_else_is(
    provider: str, door_of: Load, provider_server: ProviderServer
) -> None:
    provider_server.say(Reply(json.dumps(JOURNEY), calls=[("Journey", JOURNEY)] if provider == "anthropic" else ()))
    found = door_of(provider).with_structured_output(Journey).invoke(MESSAGES)
    assert found == Journey.model_validate(JOURNEY)
    sent = json.dumps(provider_server.bodies[-1], ensure_ascii=False)
    assert "work: paid; fun: own money" in sent
    assert "enumDescriptions" not in sent


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_same_question_is_the_same_bytes(provider: str, door_of: Load, provider_server: ProviderServer) -> None:
    """Also in the second round, which carries ids of calls, and whichever way round the tools are given."""
    sent = []
    for offered in (tools(), tools()[::-1]):
        model = door_of(provider).bind_tools(offered)
        provider_server.say(Reply(calls=[("small_talk", {})]), "Hello.")
        first = model.invoke(MESSAGES)
        model.invoke([*MESSAGES, first, ToolMessage("ok", tool_call_id=first.tool_calls[0]["id"])])
        sent.append([json.dumps(body) for body in provider_server.bodies])
    assert sent[0] == sent[1]


def test_a_limit_has_one_name(door_of: Load, provider_server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> None:
    provider_server.say("ok")
    door_of("openai", max_tokens=50).invoke("hello")
    door_of("openai", max_tokens=50).invoke("hello", max_completion_tokens=60)
    own = [{name: value for name, value in body.items() if "tokens" in name} for body in provider_server.bodies]
    assert own == [{"max_tokens": 50}, {"max_tokens": 60}]

    monkeypatch.setenv("OPENAI_API_KEY", "some-key-of-openai")
    from signalbox.models import load_chat_model

    hosted: Any = load_chat_model("openai/gpt-4o", max_tokens=50)
    payload = hosted.inner._get_request_payload([HumanMessage("hello")])
    assert {name: value for name, value in payload.items() if "tokens" in name} == {"max_completion_tokens": 50}
    reasoning: Any = load_chat_model("openai/o3", max_tokens=50)
    assert reasoning.inner._get_request_payload([HumanMessage("hello")])["max_completion_tokens"] > 4_000


def test_names_that_a_provider_does_not_allow_come_back_as_they_were(
    door_of: Load, provider_server: ProviderServer
) -> None:
    odd = {
        "type": "object",
        "properties": {"rack/unit": {"type": "string"}, "a b": {"type": "integer"}},
        "required": ["rack/unit"],
    }
    tool = {"type": "function", "function": {"name": "dc.move", "description": "Move it.", "parameters": odd}}
    provider_server.say(Reply(calls=[("dc_move", {"rack_unit": "4/2", "a_b": 3})]))
    reply = door_of("anthropic").bind_tools([tool]).invoke(MESSAGES)
    assert lint("anthropic", provider_server.bodies[-1]) == []
    assert (reply.tool_calls[0]["name"], reply.tool_calls[0]["args"]) == ("dc.move", {"rack/unit": "4/2", "a b": 3})


def test_fixed_text_comes_before_what_changes(door_of: Load, provider_server: ProviderServer) -> None:
    examples = [{"text": "the shop is slow", "expected": {"about": "shop"}}]
    provider_server.say('{"about": "x", "when": null}')
    model = door_of("openai", examples=examples).with_structured_output(SYMPTOM)
    model.invoke([*MESSAGES[:1], HumanMessage("a"), AIMessage("b"), *MESSAGES[1:]])
    system = provider_server.bodies[-1]["messages"][0]["content"]
    assert system.startswith("You read requests.")
    assert system.index("the shop is slow") > 0


def test_on_anthropic_only_the_fixed_text_is_marked_for_the_cache(
    door_of: Load, provider_server: ProviderServer
) -> None:
    examples = [{"text": "the shop is slow", "expected": {"about": "shop"}}]
    found = {"about": "x", "when": None}
    provider_server.say(Reply(calls=[(str(SYMPTOM.get("title") or "output"), found)]))
    door_of("anthropic", examples=examples).with_structured_output(SYMPTOM).invoke(MESSAGES)
    body = provider_server.bodies[-1]
    assert lint("anthropic", body) == []
    fixed, *others = body["system"]
    assert fixed == {"type": "text", "text": "You read requests.", "cache_control": {"type": "ephemeral"}}
    assert "the shop is slow" in others[-1]["text"]
    assert not any("cache_control" in one for one in others)
