"""OpenAI's Responses, used through OpenAI's public client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from .conftest import ANN, BOB, token


@pytest.fixture
def client(address: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{address}/v1", api_key=token(ANN), max_retries=0) as found:
        yield found


def test_a_response_is_an_answer(client: openai.OpenAI) -> None:
    made = client.responses.create(model="Hello", input="Ann", metadata={"a": "b"}, temperature=0.5)
    assert (made.status, made.output_text, made.model, made.metadata) == ("completed", "Hello Ann", "Hello", {"a": "b"})
    assert made.usage is not None
    found = client.responses.retrieve(made.id)
    assert (found.id, found.output_text, found.previous_response_id) == (made.id, "Hello Ann", None)
    [asked] = client.responses.input_items.list(made.id).data
    assert asked.content[0].text == "Ann"  # type: ignore[union-attr]


def test_a_conversation_goes_on_at_any_of_its_responses(client: openai.OpenAI, address: str) -> None:
    first = client.responses.create(model="Hello", input="one")
    second = client.responses.create(model="Hello", input="two", previous_response_id=first.id)
    assert second.previous_response_id == first.id
    other = client.responses.create(model="Hello", input="three", previous_response_id=first.id)
    threads = [one.model_extra["thread_id"] for one in (first, second, other)]  # type: ignore[index]
    assert threads[0] == threads[1] != threads[2]
    headers = {"Authorization": f"Bearer {token(ANN)}"}
    import httpx

    turns = [
        [turn["said"] for turn in httpx.get(f"{address}/threads/{one}/turns", headers=headers).json()]
        for one in (threads[0], threads[2])
    ]
    assert turns == [["one", "two"], ["one", "three"]]
    assert client.responses.retrieve(first.id).output_text == "Hello one"


def test_who_sends_the_whole_conversation_goes_on_where_it_was_said(client: openai.OpenAI) -> None:
    first = client.responses.create(model="Hello", input="one")
    sent: Any = [
        {"role": "user", "content": "one"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": first.output_text}]},
        {"role": "user", "content": [{"type": "input_text", "text": "two"}]},
    ]
    second = client.responses.create(model="Hello", input=sent)
    assert second.model_extra["thread_id"] == first.model_extra["thread_id"]  # type: ignore[index]


def test_a_question_is_answered_by_the_next_response(client: openai.OpenAI) -> None:
    asked = client.responses.create(model="Review", input="Hi")
    assert asked.output_text == "Publish this? Hi\n\n- approve\n- reject"
    done = client.responses.create(model="Review", input="approve", previous_response_id=asked.id)
    assert (done.output_text, done.id == asked.id) == ("Published: Hi", False)
    assert client.responses.retrieve(asked.id).output_text == asked.output_text
    [said] = client.responses.input_items.list(done.id).data
    assert said.content[0].text == "approve"  # type: ignore[union-attr]


def test_a_response_streams(client: openai.OpenAI) -> None:
    text = "one\n\ntwo\n\nthree"
    with client.responses.stream(model="Hello", input=text) as stream:
        events = list(stream)
        final = stream.get_final_response()
    kinds = [event.type for event in events]
    assert kinds[:4] == [
        "response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
    ]  # fmt: skip
    assert kinds[-4:] == [
        "response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed",
    ]  # fmt: skip
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert (len(deltas), "".join(deltas)) == (3, f"Hello {text}")
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert (final.output_text, final.id) == (f"Hello {text}", events[0].response.id)  # type: ignore[union-attr]


def test_a_response_is_made_in_the_background_and_cancelled(client: openai.OpenAI, folder: Path) -> None:
    one = client.responses.create(model="Slow", input="x", background=True)
    two = client.responses.create(model="Slow", input="y", background=True)
    assert {one.status, two.status} == {"in_progress"}
    assert client.responses.cancel(two.id).status == "cancelled"
    with pytest.raises(openai.UnprocessableEntityError):
        client.responses.delete(one.id)
    (folder / "go").touch()
    next_one = client.responses.create(model="Hello", input="z", previous_response_id=two.id)
    assert next_one.output_text == "Hello z"
    client.responses.delete(two.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(two.id)


def test_a_response_is_ones_own(client: openai.OpenAI, address: str) -> None:
    made = client.responses.create(model="Hello", input="Ann")
    with openai.OpenAI(base_url=f"{address}/v1", api_key=token(BOB), max_retries=0) as other:
        for attempt in (
            lambda: other.responses.retrieve(made.id),
            lambda: other.responses.delete(made.id),
            lambda: other.responses.cancel(made.id),
            lambda: other.responses.input_items.list(made.id),
            lambda: other.responses.create(model="Hello", input="x", previous_response_id=made.id),
        ):
            with pytest.raises(openai.NotFoundError):
                attempt()


@pytest.mark.parametrize(
    "option",
    [{"tools": [{"type": "web_search"}]}, {"conversation": "c"}, {"text": {"format": {"type": "json_object"}}}],
)
def test_an_option_that_would_change_the_answer_is_refused(client: openai.OpenAI, option: dict[str, Any]) -> None:
    with pytest.raises(openai.UnprocessableEntityError):
        client.responses.create(model="Hello", input="x", **option)
