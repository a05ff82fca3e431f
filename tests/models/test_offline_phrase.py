"""Phrasing: what comes back is said again faithfully, and nothing is made up."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from signalbox.models.offline import OfflineChatModel


@pytest.fixture
def model() -> OfflineChatModel:
    return OfflineChatModel()


def told(model: OfflineChatModel, *results: Any) -> str:
    """The answer after tools have given these results."""
    calls = [{"name": f"get_part_{at}", "args": {}, "id": f"c{at}"} for at in range(len(results))]
    messages = [
        HumanMessage("how is the mill?"),
        AIMessage("", tool_calls=calls),
        *(ToolMessage(result, tool_call_id=f"c{at}") for at, result in enumerate(results)),
    ]
    return model.invoke(messages).text


def figures(text: str) -> set[str]:
    return set(re.findall(r"\d+(?:\.\d+)?", text))


@pytest.mark.parametrize(
    "data",
    [
        {"mill": "north", "output": 12.5, "unit": "t/h", "running": True},
        [{"name": "gear 7", "wear": 0.31}, {"name": "gear 9", "wear": 0.78, "next": None}],
        {"mill": "south", "alarms": [{"id": 4, "text": "hot"}, {"id": 6, "text": "loud"}], "count": 2},
        {"shift": {"lead": "A", "hours": [6, 14]}},
    ],
)
def test_every_figure_in_the_answer_stands_in_the_data(model: OfflineChatModel, data: Any) -> None:
    text = json.dumps(data)
    answer = told(model, text)
    assert figures(answer)
    assert figures(answer) <= figures(text)


def test_a_list_becomes_bullets_with_the_names_in_it(model: OfflineChatModel) -> None:
    answer = told(model, json.dumps([{"id": 1, "title": "Oil the gears"}, {"id": 2, "title": "Sweep the floor"}]))
    lines = answer.splitlines()
    assert [line[:2] for line in lines] == ["- ", "- "]
    assert "Oil the gears" in lines[0]


def test_a_long_list_is_cut_and_says_how_many_more_there_are(model: OfflineChatModel) -> None:
    answer = told(model, json.dumps([{"title": f"sack {at}"} for at in range(25)]))
    assert answer.splitlines()[-1] == "- … and 15 more"


def test_plain_text_is_passed_on(model: OfflineChatModel) -> None:
    assert told(model, "The mill has been standing still since noon.") == "The mill has been standing still since noon."


def test_nothing_found_is_said(model: OfflineChatModel) -> None:
    assert told(model, "[]") == "Nothing was found."


def test_several_results_stand_under_the_names_of_their_tools(model: OfflineChatModel) -> None:
    answer = told(model, '{"oil": "low"}', "warm")
    assert answer.index("Get part 0") < answer.index("oil: low") < answer.index("Get part 1") < answer.index("warm")


def test_data_in_a_prompt_is_restated(model: OfflineChatModel) -> None:
    answer = model.invoke('Explain this to the user: {"sacks": 40, "grain": "rye"}').text
    assert answer == "sacks: 40, grain: rye"


def test_a_summary_is_made_of_the_texts_own_sentences(model: OfflineChatModel) -> None:
    text = (
        "The north mill stopped at 04:10. A bearing of the main shaft ran hot. The crew replaced the bearing. "
        "The canteen served soup. The mill was running again at 06:30."
    )
    answer = model.invoke(f"Summarise the following report:\n\n{text}").text
    assert 0 < len(answer) < len(text)
    assert all(sentence in text for sentence in re.split(r"(?<=[.])\s", answer))


def test_a_question_is_answered_from_the_context_given(model: OfflineChatModel) -> None:
    context = "The weir is 3 m high. The wheel was built in 1871. The miller keeps geese."
    prompt = f"Context: {context}\nQuestion: when was the wheel built?"
    assert model.invoke(prompt).text == "The wheel was built in 1871."


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I was charged twice on my credit card", "billing"),
        ("the app crashes when I open it", "technical"),
        ("where is my parcel, it should have arrived yesterday", "delivery"),
    ],
)
def test_a_classification_answers_with_one_of_the_categories(model: OfflineChatModel, text: str, category: str) -> None:
    prompt = "Classify the message into one of: billing, technical, delivery. Respond with only the category."
    assert model.invoke(f"{prompt}\nMessage: {text}").text == category


def test_a_choice_of_nodes_goes_by_their_descriptions(model: OfflineChatModel) -> None:
    system = "Choose the next node. Available nodes:\n- bake: make bread and cakes\n- grind: turn grain into flour"
    assert model.invoke([SystemMessage(system), HumanMessage("we need rye flour")]).text == "grind"


@pytest.mark.parametrize(
    ("request_text", "answer"), [("the flour is too coarse", "grind"), ("who sings this song", "none")]
)
def test_none_is_the_answer_where_it_is_allowed_and_nothing_is_near(
    model: OfflineChatModel, request_text: str, answer: str
) -> None:
    system = (
        "Choose the one option that fits. Reply with only its name, or with none if no option fits.\n\n"
        "Options:\n- bake: make bread and cakes\n- grind: turn grain into flour"
    )
    assert model.invoke([SystemMessage(system), HumanMessage(request_text)]).text == answer


def test_the_sentiment_of_a_text_is_told(model: OfflineChatModel) -> None:
    prompt = "Classify the sentiment as positive, negative or neutral.\nText: {}"
    assert model.invoke(prompt.format("I love this bread, it is wonderful")).text == "positive"
    assert model.invoke(prompt.format("The bread was awful and the service slow")).text == "negative"


@pytest.mark.parametrize(
    "prompt", ["Who painted the Night Watch?", "Write a poem about millstones.", "Why is the sky blue?"]
)
def test_what_it_cannot_know_it_says(model: OfflineChatModel, prompt: str) -> None:
    answer = model.invoke(prompt).text
    assert "could not answer that offline" in answer
    assert "SIGNALBOX_MODEL" in answer
