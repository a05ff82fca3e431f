"""Every agent as a model, used through the public client of OpenAI."""

from __future__ import annotations

from collections.abc import Iterator

import openai
import pytest

from .conftest import ANN, BOB, token


@pytest.fixture
def client(address: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{address}/v1", api_key=token(ANN), max_retries=0) as found:
        yield found


def said(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user" if place % 2 == 0 else "assistant", "content": text} for place, text in enumerate(texts)]


def test_the_models_are_the_agents_and_maps(client: openai.OpenAI) -> None:
    assert {"Hello", "Review", "metrics"} <= {model.id for model in client.models.list()}
    assert client.models.retrieve("Hello").id == "Hello"


def test_an_agent_answers(client: openai.OpenAI) -> None:
    answer = client.chat.completions.create(model="Hello", messages=said("Ann"))
    assert (answer.choices[0].message.content, answer.choices[0].finish_reason) == ("Hello Ann", "stop")


def test_an_agent_answers_in_pieces(client: openai.OpenAI) -> None:
    pieces = list(client.chat.completions.create(model="Hello", messages=said("Ann"), stream=True))
    assert "".join(piece.choices[0].delta.content or "" for piece in pieces) == "Hello Ann"
    assert pieces[0].choices[0].delta.role == "assistant"
    assert pieces[-1].choices[0].finish_reason == "stop"


def test_who_asks_for_the_usage_gets_it_at_the_end(client: openai.OpenAI) -> None:
    options = {"include_usage": True}
    pieces = list(
        client.chat.completions.create(model="Hello", messages=said("Ann"), stream=True, stream_options=options)
    )
    assert (pieces[-1].choices, pieces[-1].usage is not None) == ([], True)


def test_the_usage_is_what_the_models_of_both_runs_used(client: openai.OpenAI) -> None:
    asked = said("what tasks do I have?")
    whole = client.chat.completions.create(model="frontdoor", messages=asked).usage
    alone = client.chat.completions.create(model="tasks", messages=asked).usage
    assert whole is not None
    assert alone is not None
    assert whole.prompt_tokens > alone.prompt_tokens > 0
    assert whole.total_tokens == whole.prompt_tokens + whole.completion_tokens
    options = {"include_usage": True}
    pieces = list(
        client.chat.completions.create(model="frontdoor", messages=asked, stream=True, stream_options=options)
    )
    assert pieces[-1].usage is not None
    assert pieces[-1].usage.prompt_tokens > alone.prompt_tokens


def test_a_question_is_answered_by_the_next_message(client: openai.OpenAI) -> None:
    asked = client.chat.completions.create(model="Review", messages=said("Hi")).choices[0].message.content
    assert asked == "Publish this? Hi\n\n- approve\n- reject"
    answer = client.chat.completions.create(model="Review", messages=said("Hi", asked, "approve"))
    assert answer.choices[0].message.content == "Published: Hi"


def test_the_conversation_of_another_person_is_not_gone_on_with(client: openai.OpenAI, address: str) -> None:
    asked = client.chat.completions.create(model="Review", messages=said("Hi")).choices[0].message.content
    with openai.OpenAI(base_url=f"{address}/v1", api_key=token(BOB), max_retries=0) as other:
        answer = other.chat.completions.create(model="Review", messages=said("Hi", asked, "approve"))
    assert answer.choices[0].message.content.startswith("Publish this? approve")
    mine = client.chat.completions.create(model="Review", messages=said("Hi", asked, "approve"))
    assert mine.choices[0].message.content == "Published: Hi"


def test_errors_are_those_of_the_client(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="There is no assistant 'Helo'"):
        client.chat.completions.create(model="Helo", messages=said("Ann"))
    with pytest.raises(openai.UnprocessableEntityError, match="not the user's"):
        client.chat.completions.create(model="Hello", messages=[{"role": "assistant", "content": "x"}])
    with pytest.raises(openai.AuthenticationError):
        client.with_options(api_key="wrong").models.list()
