"""The offline model as a LangChain chat model: messages, streaming, structured output, agents, bad input."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, TypedDict
from uuid import uuid4

import pytest
from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.caches import InMemoryCache
from langchain_core.callbacks import BaseCallbackHandler, get_usage_metadata_callback
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel, Field

from signalbox.errors import MissingInputError, UnsupportedError
from signalbox.models.offline import OfflineChatModel

NOW = datetime(2026, 11, 15, 10, 0, tzinfo=UTC)


@pytest.fixture
def model() -> OfflineChatModel:
    return OfflineChatModel(clock=NOW, tz="UTC")


@tool
def water_plant(plant: str, millilitres: int) -> str:
    """Water a plant in the greenhouse.

    Args:
        plant: Name of the plant
        millilitres: How much water in millilitres
    """
    return json.dumps({"plant": plant, "watered": f"{millilitres} ml"})


@tool
def read_moisture(plant: str) -> dict[str, Any]:
    """Read the soil moisture of a plant in the greenhouse."""
    return {"plant": plant, "moisture": 37}


def test_the_same_question_has_the_same_answer_down_to_the_call_ids(model: OfflineChatModel) -> None:
    bound = model.bind_tools([read_moisture])
    first, second = bound.invoke("soil moisture of the fern"), bound.invoke("soil moisture of the fern")
    assert first.tool_calls == second.tool_calls
    assert first.tool_calls[0]["args"] == {"plant": "fern"}


def test_an_answer_says_which_model_gave_it_and_counts_its_words(model: OfflineChatModel) -> None:
    answer = model.invoke("hello there")
    assert answer.response_metadata["model_name"] == "offline"
    assert answer.usage_metadata is not None
    assert answer.usage_metadata["input_tokens"] == 2
    assert answer.usage_metadata["output_tokens"] == len(answer.text.split())
    assert model._llm_type == "offline"


def test_streamed_words_add_up_to_the_whole_answer(model: OfflineChatModel) -> None:
    text = "Summarise: The pump failed at dawn. Nobody was hurt."
    chunks = list(model.stream(text))
    assert "".join(chunk.text for chunk in chunks) == model.invoke(text).text
    assert len([chunk for chunk in chunks if chunk.text]) > 3


async def test_it_answers_and_streams_in_an_event_loop_too(model: OfflineChatModel) -> None:
    bound = model.bind_tools([read_moisture])
    whole = await bound.ainvoke("moisture of the cactus")
    streamed: AIMessageChunk | None = None
    async for chunk in bound.astream("moisture of the cactus"):
        streamed = chunk if streamed is None else streamed + chunk  # type: ignore[assignment]
    assert streamed is not None
    assert streamed.tool_calls == whole.tool_calls


class Heard(BaseCallbackHandler):
    """Notes which runs begin, by name."""

    def __init__(self) -> None:
        self.runs: list[str] = []

    def on_chain_start(self, *_: Any, name: str = "", **__: Any) -> None:
        self.runs.append(name)

    def on_chat_model_start(self, *_: Any, name: str | None = None, **__: Any) -> None:
        self.runs.append(name or "a model")


async def test_whoever_listens_hears_of_every_call(model: OfflineChatModel) -> None:
    heard = Heard()
    await model.ainvoke("hello", {"callbacks": [heard], "run_name": "greeting"})
    OfflineChatModel(callbacks=[heard]).invoke("hello")
    model.with_structured_output(Parcel).invoke("a parcel of 3 kg to the city of Ghent", {"callbacks": [heard]})
    assert heard.runs == ["greeting", "a model", "RunnableSequence", "a model"]


def test_the_words_of_calls_are_counted_for_whoever_asks(model: OfflineChatModel) -> None:
    with get_usage_metadata_callback() as counted:
        model.invoke("hello there")
    assert counted.usage_metadata["offline"]["input_tokens"] == 2


def test_a_message_bears_the_id_of_its_run_whether_anybody_listens_or_not(model: OfflineChatModel) -> None:
    run = uuid4()
    alone, heard = (
        model.invoke("hello", {"run_id": run}),
        model.invoke("hello", {"run_id": run, "callbacks": [Heard()]}),
    )
    assert alone.id == heard.id == f"lc_run--{run}-0"
    assert alone == heard


def test_a_cache_keeps_answers(model: OfflineChatModel) -> None:
    model.cache = InMemoryCache()
    assert model.invoke("hello").id == model.invoke("hello").id


def test_a_batch_is_answered_in_order(model: OfflineChatModel) -> None:
    answers = model.bind_tools([read_moisture]).batch(["read the fern's moisture", "read the moisture of the palm"])
    assert [answer.tool_calls[0]["args"]["plant"] for answer in answers] == ["fern", "palm"]


def test_stop_words_end_the_answer(model: OfflineChatModel) -> None:
    assert model.invoke("Why is the sky blue?", stop=["not"]).text == "I could "


class Parcel(BaseModel):
    """A parcel to be sent."""

    weight_kg: float = Field(description="Weight in kilograms")
    city: str = Field(description="City of the receiver")
    express: bool = Field(default=False, description="Whether it goes by express")


class Shelf(TypedDict):
    """A shelf in the store."""

    colour: str
    boards: int


def test_a_pydantic_schema_is_filled_from_the_sentence(model: OfflineChatModel) -> None:
    parcel = model.with_structured_output(Parcel).invoke("an express parcel of 2.5 kg to Lisbon")
    assert parcel == Parcel(weight_kg=2.5, city="Lisbon", express=True)


def test_a_json_schema_gives_a_dictionary(model: OfflineChatModel) -> None:
    schema = {"title": "Parcel", "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    assert model.with_structured_output(schema).invoke("send it to city Porto") == {"city": "Porto"}


def test_a_typed_dict_gives_a_dictionary(model: OfflineChatModel) -> None:
    assert model.with_structured_output(Shelf).invoke("colour red, boards 4") == {"colour": "red", "boards": 4}


def test_what_the_sentence_does_not_say_is_missing_and_named(model: OfflineChatModel) -> None:
    with pytest.raises(MissingInputError, match="weight_kg"):
        model.with_structured_output(Parcel).invoke("a parcel to Lisbon")


def test_with_include_raw_the_error_is_returned_beside_the_message(model: OfflineChatModel) -> None:
    result = model.with_structured_output(Parcel, include_raw=True).invoke("a parcel to Lisbon")
    assert isinstance(result["raw"], AIMessage)
    assert result["parsed"] is None
    assert isinstance(result["parsing_error"], MissingInputError)


def test_an_agent_calls_its_tool_once_and_tells_the_result(model: OfflineChatModel) -> None:
    agent = create_agent(model, [water_plant, read_moisture], system_prompt="You look after a greenhouse.")
    messages = agent.invoke({"messages": [HumanMessage("water the tomato with 250 millilitres")]})["messages"]
    assert [type(message) for message in messages] == [HumanMessage, AIMessage, ToolMessage, AIMessage]
    assert messages[1].tool_calls[0]["args"] == {"plant": "tomato", "millilitres": 250}
    assert "250 ml" in messages[-1].text


class Moisture(BaseModel):
    """The moisture of a plant."""

    plant: str
    moisture: int


@pytest.mark.parametrize("response_format", [Moisture, ToolStrategy(Moisture)])
def test_an_agent_gives_its_answer_in_the_form_asked_for(model: OfflineChatModel, response_format: Any) -> None:
    agent = create_agent(model, [read_moisture], response_format=response_format)
    result = agent.invoke({"messages": [HumanMessage("what is the soil moisture of the fern?")]})
    assert result["structured_response"] == Moisture(plant="fern", moisture=37)


async def test_an_agent_runs_in_an_event_loop(model: OfflineChatModel) -> None:
    agent = create_agent(model, [read_moisture])
    result = await agent.ainvoke({"messages": [HumanMessage("soil moisture of the orchid")]})
    assert "37" in result["messages"][-1].text


@pytest.mark.parametrize(
    "request_text",
    [
        "",
        "   ",
        "\x00\x01\x02",
        "?!?!",
        "x" * 100_000,
        "water " * 20_000,
        "ما هو الطقس في القاهرة",
        "🌱" * 50,
        "{" * 5_000,
    ],
)
def test_odd_requests_get_an_honest_answer(model: OfflineChatModel, request_text: str) -> None:
    answer = model.bind_tools([read_moisture]).invoke([HumanMessage(request_text)])
    assert answer.text or answer.tool_calls
    assert model.invoke([HumanMessage(request_text)]).text


def test_no_messages_at_all_is_no_request(model: OfflineChatModel) -> None:
    assert "could not find a request" in model.invoke([SystemMessage("Be kind.")]).text


class Branch(BaseModel):
    """A branch with branches."""

    name: str
    branches: list[Branch] = []


def test_a_schema_that_refers_to_itself_can_be_filled(model: OfflineChatModel) -> None:
    assert model.with_structured_output(Branch).invoke("name is oak").name == "oak"


def test_a_tool_without_a_description_or_with_an_odd_name_can_be_called(model: OfflineChatModel) -> None:
    bare = {
        "type": "function",
        "function": {"name": "ns.Fetch-HTTPPage2", "parameters": {"type": "object", "properties": {}}},
    }
    call = model.bind_tools([bare], tool_choice="any").invoke("fetch the http page").tool_calls[0]
    assert (call["name"], call["args"]) == ("ns.Fetch-HTTPPage2", {})


def test_it_finds_one_tool_among_two_hundred(model: OfflineChatModel) -> None:
    things = [f"{first}{second}" for first in "bcdfghjklm" for second in ("an", "el", "ir", "op", "ust")]
    many = [
        {"type": "function", "function": {"name": f"{verb}_{thing}", "description": f"{verb} a {thing}."}}
        for thing in things
        for verb in ("open", "close", "paint", "weigh")
    ]
    call = model.bind_tools([*many, read_moisture]).invoke("read the soil moisture of the palm").tool_calls[0]
    assert (call["name"], call["args"]) == ("read_moisture", {"plant": "palm"})


def test_a_tool_choice_that_is_not_bound_is_an_error_that_says_so(model: OfflineChatModel) -> None:
    with pytest.raises(UnsupportedError, match="paint_wall"):
        model.bind_tools([read_moisture], tool_choice="paint_wall")
