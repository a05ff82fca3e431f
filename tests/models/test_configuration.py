"""Which model a run uses, and what its calls cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END, START, StateGraph

from signalbox.errors import ConfigurationError
from signalbox.models import Configuration
from signalbox.models.usage import UsageCounter, usage_of

pytestmark = pytest.mark.usefixtures("clean_environment")


class State(TypedDict, total=False):
    seen: Configuration


@dataclass
class Context:
    model: str = "openai/from-an-object"
    temperature: float | None = None


def seen_in_a_run(context: Any = None, schema: Any = None, **configurable: Any) -> Configuration:
    """The configuration that a node sees in a real graph."""

    def look(state: State) -> State:
        return {"seen": Configuration.from_context()}

    graph = StateGraph(State, context_schema=schema)
    graph.add_node("look", look)
    graph.add_edge(START, "look")
    graph.add_edge("look", END)
    result = graph.compile().invoke({}, {"configurable": configurable}, context=context)
    return Configuration.model_validate(result["seen"])


def test_outside_a_graph_the_settings_alone_count(clean_environment: pytest.MonkeyPatch) -> None:
    clean_environment.setenv("SIGNALBOX_MODEL", "openai/some-model")
    clean_environment.setenv("SIGNALBOX_MODEL_BASE_URL", "http://localhost:8080/v1")
    clean_environment.setenv("SIGNALBOX_MODEL_MAX_TOKENS", "321")
    found = Configuration.from_context()
    assert (found.model, found.base_url, found.max_tokens) == (
        "openai/some-model",
        "http://localhost:8080/v1",
        321,
    )


def test_the_default_is_the_offline_model() -> None:
    assert Configuration.from_context().model == "offline"


def test_a_context_that_is_a_dict_wins_over_the_settings(clean_environment: pytest.MonkeyPatch) -> None:
    clean_environment.setenv("SIGNALBOX_MODEL_TIMEOUT", "9")
    found = seen_in_a_run({"model": "ollama/llama3", "temperature": 0.7}, dict)
    assert (found.model, found.temperature, found.timeout) == ("ollama/llama3", 0.7, 9.0)


def test_a_context_that_is_an_object_wins_over_the_settings(clean_environment: pytest.MonkeyPatch) -> None:
    clean_environment.setenv("SIGNALBOX_MODEL_TEMPERATURE", "0.4")
    found = seen_in_a_run(Context(), Context)
    assert (found.model, found.temperature) == ("openai/from-an-object", 0.4)


def test_configurable_counts_where_the_context_says_nothing() -> None:
    found = seen_in_a_run({"temperature": 0.2}, dict, model="ollama/llama3", temperature=0.9)
    assert (found.model, found.temperature) == ("ollama/llama3", 0.2)


def test_configurable_cannot_send_requests_to_another_address() -> None:
    assert seen_in_a_run(model="openai/some-model", base_url="http://elsewhere.test").base_url is None


def test_the_address_in_the_settings_does_not_follow_a_model_of_another_provider(
    clean_environment: pytest.MonkeyPatch,
) -> None:
    clean_environment.setenv("SIGNALBOX_MODEL", "openai/local-model")
    clean_environment.setenv("SIGNALBOX_MODEL_BASE_URL", "http://localhost:8080/v1")
    assert seen_in_a_run({"model": "anthropic/some-model"}, dict).base_url is None


def test_a_wrong_value_in_the_context_is_named() -> None:
    with pytest.raises(ConfigurationError, match="'temperature' in the run's context"):
        seen_in_a_run({"temperature": "hot"}, dict)


def test_a_configuration_loads_the_model_it_means(clean_environment: pytest.MonkeyPatch, require_module: Any) -> None:
    require_module("langchain_ollama")
    model: Any = Configuration(model="ollama/llama3", base_url="http://localhost:9", max_tokens=12).load()
    assert (model.model, model.base_url, model.num_predict) == ("llama3", "http://localhost:9", 12)


# Usage


def answer(inputs: int, outputs: int, **metadata: Any) -> AIMessage:
    return AIMessage(
        "x",
        usage_metadata={"input_tokens": inputs, "output_tokens": outputs, "total_tokens": inputs + outputs},
        response_metadata=metadata,
    )


def test_usage_is_summed_over_the_messages_that_carry_it() -> None:
    found = usage_of([HumanMessage("q"), answer(10, 5), AIMessage("without counts"), answer(1, 2)])
    assert found == {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}


def test_the_providers_own_cost_is_kept() -> None:
    assert usage_of(answer(10, 5, token_usage={"cost": 0.25})).get("cost_usd") == 0.25


def test_prices_that_the_operator_supplies_give_a_cost() -> None:
    prices = {"some-model": {"input": 2.0, "output": 10.0}}
    found = usage_of(answer(1_000_000, 100_000, model_name="some-model"), prices)
    assert found.get("cost_usd") == pytest.approx(3.0)


def test_a_cost_that_is_known_in_part_is_not_given() -> None:
    assert "cost_usd" not in usage_of([answer(1, 1, token_usage={"cost": 0.25}), answer(1, 1)])


async def test_a_counter_sums_the_calls_of_a_run() -> None:
    counter = UsageCounter()
    model = GenericFakeChatModel(messages=iter([answer(10, 5), answer(1, 2)]))
    model.invoke("a", {"callbacks": [counter]})
    await model.ainvoke("b", {"callbacks": [counter]})
    assert counter.calls == 2
    assert counter.usage == {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
