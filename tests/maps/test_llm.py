"""Nodes that speak to a chat model: what is sent, what is remembered, what a failure does."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from signalbox.errors import LLMAPIError
from signalbox.maps import MapResult, read_map_text, run_map
from signalbox.models import load_chat_model

Run = Callable[..., MapResult]
HEADER = "GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Edge,Context\n"


class Recording(BaseChatModel):
    """A chat model that answers with a number and keeps what it was sent."""

    sent: list[list[tuple[str, str]]] = []  # noqa: RUF012

    @property
    def _llm_type(self) -> str:
        return "recording"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.sent.append([(message.type, str(message.content)) for message in messages])
        return ChatResult(generations=[ChatGeneration(message=AIMessage(f"answer {len(self.sent)}"))])


class Broken(Recording):
    """A chat model whose provider is down."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        raise LLMAPIError()


@pytest.fixture
def model() -> Recording:
    return Recording(sent=[])


def test_the_prompt_is_sent_on_the_first_call(run_text: Run, model: Recording) -> None:
    result = run_text(HEADER + "G,A,llm,Write a poem,,poem,,\n", model=model)
    assert model.sent == [[("human", "Write a poem")]]
    assert (result.state["poem"], result.output) == ("answer 1", "answer 1")


def test_a_prompt_with_fields_is_sent_filled_in(run_text: Run, model: Recording) -> None:
    run_text(HEADER + "G,A,llm,Write about {topic} now,topic,poem,,\n", {"topic": "rain"}, model=model)
    assert model.sent == [[("human", "Write about rain now")]]


def test_a_prompt_without_fields_is_the_instruction_for_the_inputs(run_text: Run, model: Recording) -> None:
    run_text(HEADER + "G,A,llm,You are brief.,question,answer,,\n", {"question": "Why?"}, model=model)
    assert model.sent == [[("system", "You are brief."), ("human", "Why?")]]


def test_several_inputs_are_sent_by_name(run_text: Run, model: Recording) -> None:
    run_text(HEADER + "G,A,llm,You are brief.,a|b|c,answer,,\n", {"a": 1, "b": 2}, model=model)
    assert model.sent == [[("system", "You are brief."), ("human", "a: 1\nb: 2")]]


def test_each_run_sends_its_own(run_text: Run, model: Recording) -> None:
    for word in ("one", "two"):
        run_text(HEADER + "G,A,llm,Say {word},word,answer,,\n", {"word": word}, model=model)
    assert model.sent == [[("human", "Say one")], [("human", "Say two")]]


MEMORY = HEADER + "G,A,llm,Be kind.,question,answer,,{context}\n"


def test_memory_is_kept_in_the_state_and_sent_the_next_time(run_text: Run, model: Recording) -> None:
    text = MEMORY.format(context="memory_key:history")
    first = run_text(text, {"question": "Hi"}, model=model)
    assert first.state["history"] == [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "answer 1"},
    ]
    second = run_text(text, {"question": "And?", "history": first.state["history"]}, model=model)
    assert model.sent[1] == [("system", "Be kind."), ("human", "Hi"), ("ai", "answer 1"), ("human", "And?")]
    assert len(second.state["history"]) == 4
    assert second.state["answer"] == "answer 2"


def test_memory_among_the_inputs_is_not_sent_twice(run_text: Run, model: Recording) -> None:
    text = HEADER + "G,A,llm,Be kind.,question|history,answer,,memory_key:history\n"
    history = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    run_text(text, {"question": "And?", "history": history}, model=model)
    assert model.sent == [[("system", "Be kind."), ("human", "Hi"), ("ai", "Hello"), ("human", "And?")]]


def test_memory_is_no_longer_than_it_may_be(run_text: Run, model: Recording) -> None:
    text = MEMORY.format(context='"memory_key:history, max_memory_messages:2"')
    history = [{"role": "user", "content": str(i)} for i in range(6)]
    result = run_text(text, {"question": "And?", "history": history}, model=model)
    assert result.state["history"] == [
        {"role": "user", "content": "And?"},
        {"role": "assistant", "content": "answer 1"},
    ]
    assert len(model.sent[0]) <= 4


def test_the_memory_given_is_not_changed_in_place(run_text: Run, model: Recording) -> None:
    history: list[Any] = []
    run_text(MEMORY.format(context="memory_key:history"), {"question": "Hi", "history": history}, model=model)
    assert history == []


def test_two_nodes_share_a_memory(run_text: Run, model: Recording) -> None:
    text = HEADER + "G,A,llm,One,q,a,B,memory_key:m\nG,B,llm,Two,q,b,,memory_key:m\n"
    result = run_text(text, {"q": "x"}, model=model)
    assert model.sent[1] == [("system", "Two"), ("human", "x"), ("ai", "answer 1"), ("human", "x")]
    assert len(result.state["m"]) == 4


def test_a_failure_of_the_model_is_a_failure_of_the_node(run_text: Run) -> None:
    text = (
        "GraphName,Node,AgentType,Prompt,Success_Next,Failure_Next\n"
        "G,A,llm,Hi,Good,Bad\nG,Good,echo,,,\nG,Bad,echo,,,\n"
    )
    result = run_text(text, model=Broken(sent=[]))
    assert [node.node_name for node in result.summary.node_executions] == ["A", "Bad"]
    assert "trouble connecting" in result.state["errors"][0]


def test_a_failure_of_the_model_without_a_failure_branch_is_an_error_of_the_run(run_text: Run) -> None:
    result = run_text(HEADER + "G,A,llm,Hi,,x,,\n", model=Broken(sent=[]))
    assert (result.status, result.exit_code) == ("error", 1)
    assert "x" not in result.state


@pytest.mark.parametrize(
    ("kind", "provider"),
    [
        ("openai", "openai"),
        ("gpt", "openai"),
        ("ChatGPT", "openai"),
        ("claude", "anthropic"),
        ("gemini", "google_genai"),
    ],
)
def test_a_provider_without_a_key_here_leaves_the_answer_to_the_default_model_and_says_so(
    kind: str, provider: str
) -> None:
    text = HEADER + f'G,A,{kind},Hello!,,x,,"{{""model"": ""some-model""}}"\n'
    (graph,) = read_map_text(text).graphs.values()
    result = run_map(graph)
    assert "I could not answer that offline" in result.state["errors"][0]
    (warning,) = result.summary.warnings
    assert f"{provider}/some-model" in warning
    assert "'offline' answered instead" in warning


def test_a_node_that_names_no_provider_uses_the_default_without_a_warning() -> None:
    (graph,) = read_map_text(HEADER + "G,A,llm,Hello!,,x,,\n").graphs.values()
    result = run_map(graph)
    assert "I could not answer that offline" in result.state["errors"][0]
    assert result.summary.warnings == []


def test_the_model_lent_to_the_run_comes_before_the_nodes_own(run_text: Run, model: Recording) -> None:
    text = HEADER + "G,A,openai,Say hello,,x,,{model: some-model}\n"
    result = run_text(text, model=model)
    assert (result.state["x"], result.summary.warnings) == ("answer 1", [])


def test_a_summary_may_be_written_by_the_model(run_text: Run, model: Recording) -> None:
    result = run_text(HEADER + "G,A,summary,Be short,a|b,s,,llm:openai\n", {"a": 1, "b": 2}, model=model)
    assert model.sent == [[("system", "Be short"), ("human", "a: 1\n\nb: 2")]]
    assert result.state["s"] == "answer 1"


async def test_an_event_loop_is_not_needed_by_the_model(model: Recording) -> None:
    from signalbox.maps import arun_map

    (graph,) = read_map_text(HEADER + "G,A,llm,Hi,,x,,\n").graphs.values()
    assert (await arun_map(graph, model=model)).state["x"] == "answer 1"


@pytest.mark.parametrize(
    ("asks", "speaks", "field"),
    [
        ('"{""memory_key"": ""talk"", ""max_memory_messages"": 2}"', "", "talk"),
        ('"{""memory"": {""type"": ""buffer"", ""memory_key"": ""talk""}}"', "", "talk"),
        ("", '"memory:{""type"": ""buffer_window"", ""k"": 1}"', "conversation_memory"),
        ("", "", "memory"),
    ],
)
def test_a_memory_that_one_row_names_is_kept_by_the_rows_that_list_it(
    run_text: Run, model: Recording, asks: str, speaks: str, field: str
) -> None:
    text = HEADER + f"G,Ask,echo,,word,said,Speak,{asks}\nG,Speak,llm,Say {{said}},said|{field},reply,,{speaks}\n"
    first = run_text(text, {"word": "one"}, model=model)
    run_text(text, {"word": "two", field: first.state[field]}, model=model)
    assert model.sent[1] == [("human", "Say one"), ("ai", "answer 1"), ("human", "Say two")]


# Refusals


class Refusing(Recording):
    """A chat model that answers with a refusal, as a provider marks it."""

    message: AIMessage

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.message)])


MARKED = [
    AIMessage("", additional_kwargs={"refusal": "I cannot help with that."}),
    AIMessage([{"type": "refusal", "refusal": "I cannot help with that."}]),
    AIMessage("I", response_metadata={"stop_reason": "refusal"}),
    AIMessage("", response_metadata={"finish_reason": "content_filter"}),
    AIMessage("", response_metadata={"finish_reason": "SAFETY"}),
]
BRANCHES = "GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Success_Next,Failure_Next,Context\n"


@pytest.mark.parametrize("message", MARKED, ids=["OpenAI", "Responses", "Anthropic", "filter", "Google"])
@pytest.mark.parametrize(
    "row",
    [
        "G,A,llm,Do it,text,said,Good,Bad,",
        "G,A,summary,Sum up,text,said,Good,Bad,llm:true",
        'G,A,orchestrator,,text,said,Good,Bad,"matching_strategy:llm,nodes:Good|Bad"',
    ],
    ids=["llm", "summary", "orchestrator"],
)
def test_a_refusal_is_a_failure_of_the_node(run_text: Run, message: AIMessage, row: str) -> None:
    rows = f"{BRANCHES}{row}\nG,Good,echo,,said,end,,,\nG,Bad,default,refused,,end,,,\n"
    result = run_text(rows, {"text": "x"}, model=Refusing(message=message))
    assert result.values["end"] == "refused"
    assert "said" not in result.values
    assert re.search("The model declined|provider withheld", result.state["errors"][0])


def test_the_offline_model_says_that_it_cannot_answer_by_a_failure(run_text: Run) -> None:
    result = run_text(BRANCHES + "G,A,llm,What is the meaning of life?,,said,,,\n")
    assert result.status == "error"
    assert "I could not answer that offline" in result.state["errors"][0]
    assert "said" not in result.values


@pytest.mark.parametrize("streaming", [False, True])
def test_the_offline_model_marks_what_is_no_answer(streaming: bool) -> None:
    def ask(question: str) -> Any:
        if not streaming:
            return load_chat_model("offline").invoke(question)
        chunks = list(load_chat_model("offline").stream(question))
        return sum(chunks[1:], start=chunks[0])

    refused = ask("Compose a sonnet about the sea.")
    assert refused.additional_kwargs["refusal"] == refused.text
    called = [HumanMessage("Read it"), AIMessage("", tool_calls=[{"name": "read", "args": {}, "id": "1"}])]
    told = load_chat_model("offline").invoke([*called, ToolMessage("All is well.", tool_call_id="1")])
    assert (told.text, "refusal" in told.additional_kwargs) == ("All is well.", False)
