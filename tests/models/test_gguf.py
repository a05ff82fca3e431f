"""A model file of one's own, with a real model: what is asserted is form, never what the model knows."""

from __future__ import annotations

import asyncio
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, TypedDict

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel, Field

from signalbox.errors import (
    ConfigurationError,
    ContractError,
    LLMAPIError,
    MissingExtraError,
    ModelOutputError,
    ModelTruncatedError,
    UnsupportedError,
)
from signalbox.models import load_chat_model
from signalbox.models.gguf import GgufChatModel, close_engines
from signalbox.models.gguf.calls import call_schema, recover_calls
from signalbox.models.gguf.chunks import message_chunks
from signalbox.models.gguf.file import read_gguf
from signalbox.models.gguf.prompt import prompt_messages
from signalbox.models.usage import UsageCounter


@pytest.fixture(scope="module")
def model(smollm2_path: Path) -> Iterator[Any]:
    # One thread: on a busy machine several spend their time waiting for each other.
    yield load_chat_model(f"gguf/{smollm2_path}", max_tokens=8, n_ctx=1024, n_threads=1)
    close_engines()


class City(BaseModel):
    """A city."""

    name: str = Field(max_length=12)
    airports: int = Field(ge=0, le=9)


class Tree(BaseModel):
    """A tree of names."""

    name: Literal["leaf", "branch"]
    below: Tree | None


class Colour(TypedDict):
    """A colour."""

    colour: Literal["red", "green", "blue"]


@tool
def get_weather(city: Literal["Paris", "Rome"]) -> str:
    """The weather in a city."""
    return "sunny"


@tool
def send_mail(to: Literal["Ann", "Bob"]) -> str:
    """Send a mail to a person."""
    return "sent"


# Answers


def test_an_answer_carries_text_token_counts_and_the_models_name(model: Any) -> None:
    counter = UsageCounter()
    answer = model.invoke(
        [SystemMessage("Be brief."), HumanMessage("Say hello.")], {"callbacks": [counter]}, max_tokens=8
    )
    assert isinstance(answer, AIMessage)
    assert answer.text.strip()
    assert 0 < counter.usage["output_tokens"] <= 8
    assert counter.usage["input_tokens"] > 0
    assert answer.response_metadata["model_name"].startswith("SmolLM2")


def test_the_longest_answer_and_where_to_stop_are_kept_to(model: Any) -> None:
    short = model.invoke("Count from one to ten.", max_tokens=3)
    assert short.usage_metadata is not None
    assert short.usage_metadata["output_tokens"] == 3
    assert short.response_metadata["finish_reason"] == "length"
    first_word = short.text.split()[0]
    stopped = model.invoke("Count from one to ten.", stop=[first_word], max_tokens=8)
    assert first_word not in stopped.text


def test_tokens_stream_one_by_one(model: Any) -> None:
    chunks = list(model.stream("Say hello to everyone.", max_tokens=8))
    assert sum(bool(chunk.text) for chunk in chunks) >= 3
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    assert isinstance(whole, AIMessageChunk)
    assert whole.usage_metadata is not None


@pytest.mark.bench
async def test_it_answers_and_streams_asynchronously(model: Any) -> None:
    one, other = await asyncio.gather(
        model.ainvoke("Say hello.", max_tokens=8), model.ainvoke("Say goodbye.", max_tokens=8)
    )
    assert one.text
    assert other.text
    assert len([chunk async for chunk in model.astream("Say hello to everyone.", max_tokens=8)]) >= 3


class Probe:
    """Stands between the engine and its native part and counts the chunks that come out."""

    def __init__(self, native: Any) -> None:
        self._native = native
        self.chunks = 0

    def handle_chat_completions(self, request: dict[str, Any], receive: Any) -> None:
        def counted(chunk: dict[str, Any]) -> Any:
            self.chunks += 1
            return receive(chunk)

        self._native.handle_chat_completions(request, counted)


@pytest.fixture
def probe(model: Any, monkeypatch: pytest.MonkeyPatch) -> Probe:
    counting = Probe(model.inner._engine._server)
    monkeypatch.setattr(model.inner._engine, "_server", counting)
    return counting


def run_to_the_end() -> None:
    for worker in threading.enumerate():
        if worker.name == "signalbox-gguf":
            worker.join()


def endless(model: Any) -> Any:
    """The model held to an answer of at least 300 words."""
    words = {"type": "array", "minItems": 300, "items": {"const": "again"}}
    return model.bind(
        response_format={"type": "json_schema", "json_schema": {"name": "words", "schema": words}},
        max_tokens=900,
    )


@pytest.mark.bench
async def test_a_cancelled_run_stops_the_model(model: Any, probe: Probe) -> None:
    first_token = asyncio.Event()

    async def read() -> None:
        async for _ in endless(model).astream("Repeat."):
            first_token.set()

    task = asyncio.create_task(read())
    await first_token.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.to_thread(run_to_the_end)
    assert 0 < probe.chunks < 300


@pytest.mark.bench
def test_an_abandoned_stream_stops_the_model(model: Any, probe: Probe) -> None:
    stream = endless(model).stream("Repeat.")
    next(stream)
    stream.close()
    run_to_the_end()
    assert 0 < probe.chunks < 300


# Structured output


@pytest.mark.bench
def test_a_pydantic_class_gives_an_instance(model: Any) -> None:
    found = model.with_structured_output(City).invoke("Paris has 3 airports.", max_tokens=60)
    assert isinstance(found, City)


@pytest.mark.bench
def test_a_typed_dict_gives_a_dict(model: Any) -> None:
    found = model.with_structured_output(Colour).invoke("The sky.", max_tokens=30)
    assert found["colour"] in ("red", "green", "blue")


@pytest.mark.bench
def test_a_schema_that_refers_to_itself_is_kept_to(model: Any) -> None:
    answer = model.with_structured_output(Tree, include_raw=True).invoke("A leaf.", max_tokens=60)
    assert isinstance(answer["parsed"], Tree) or isinstance(answer["parsing_error"], ModelOutputError)
    assert answer["raw"].text.lstrip().startswith("{")


@pytest.mark.bench
def test_an_answer_that_is_cut_off_is_an_error_and_no_half_filled_object(model: Any) -> None:
    with pytest.raises(ModelTruncatedError, match="cut off"):
        model.with_structured_output(City).invoke("Paris has 3 airports.", max_tokens=6)


@pytest.mark.bench
def test_two_threads_at_once_do_not_disturb_each_other(model: Any) -> None:
    found: dict[str, Any] = {}

    def fill(word: str) -> None:
        schema = {"title": word, "type": "object", "properties": {word: {"const": word}}, "required": [word]}
        found[word] = model.with_structured_output(schema).invoke("Fill it.", max_tokens=40)

    threads = [threading.Thread(target=fill, args=(word,)) for word in ("north", "south")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"north": {"north": "north"}, "south": {"south": "south"}}


# Tools


@pytest.mark.bench
def test_a_call_that_is_demanded_is_made(model: Any) -> None:
    answer = model.bind_tools([get_weather, send_mail], tool_choice="any").invoke("Paris?", max_tokens=60)
    assert len(answer.tool_calls) == 1
    call = answer.tool_calls[0]
    allowed = {"get_weather": {"city": ["Paris", "Rome"]}, "send_mail": {"to": ["Ann", "Bob"]}}[call["name"]]
    assert all(call["args"][name] in values for name, values in allowed.items())
    assert answer.response_metadata["finish_reason"] == "tool_calls"


@pytest.mark.bench
def test_a_tool_that_is_demanded_by_name_streams_as_a_call_and_not_as_text(model: Any) -> None:
    bound = model.bind_tools([get_weather, send_mail], tool_choice="send_mail")
    whole: Any = None
    for chunk in bound.stream("Paris?", max_tokens=60):
        whole = chunk if whole is None else whole + chunk
    assert whole.text == ""
    assert [call["name"] for call in whole.tool_calls] == ["send_mail"]


@pytest.mark.bench
def test_after_a_tools_result_the_model_answers(model: Any) -> None:
    call = {"name": "get_weather", "args": {"city": "Paris"}, "id": "1", "type": "tool_call"}
    answer = model.bind_tools([get_weather], tool_choice="none").invoke(
        [HumanMessage("Weather?"), AIMessage("", tool_calls=[call]), ToolMessage("sunny", tool_call_id="1")],
        max_tokens=200,
    )
    assert answer.text
    assert answer.tool_calls == []


def test_a_choice_of_a_tool_that_is_not_bound_is_refused(model: Any) -> None:
    with pytest.raises(ContractError, match="'fly'"):
        model.bind_tools([get_weather], tool_choice="fly")


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "get_weather", "arguments": {"city": "Paris"}}',
        '```json\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n```',
        '```\n[{"name": "get_weather", "parameters": {"city": "Paris"}}]\n```',
        '```json\n{"name": "get_weather", "arguments": {"city": "Paris"}}',
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
        '{"type": "function", "function": {"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\"}"}}',
        '{"tool_calls": [{"function": {"name": "get_weather", "arguments": {"city": "Paris"}}}]}',
        '{"tool": "get_weather", "args": {"city": "Paris"}}',
    ],
)
def test_a_call_written_as_text_is_recovered(text: str) -> None:
    words, calls = recover_calls(text, ["get_weather"])
    assert words == ""
    assert [(call["name"], call["args"]) for call in calls] == [("get_weather", {"city": "Paris"})]


def test_several_calls_and_the_words_around_them_are_told_apart() -> None:
    text = 'First {"name": "a", "arguments": {}} then\n```json\n{"name": "b", "arguments": {"x": 1}}\n```\nDone.'
    words, calls = recover_calls(text, ["a", "b"])
    assert [call["name"] for call in calls] == ["a", "b"]
    assert words.split() == ["First", "then", "Done."]


@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        '{"name": "rm_rf", "arguments": {}}',
        '{"name": "a", "arguments": "not json"}',
        '{"name": "a", "arguments": {"x": ',
        "a set {1, 2} and [brackets",
        '```python\nprint({"name": 1})\n```',
        "[" * 5000,
    ],
)
def test_what_is_no_call_of_a_known_tool_stays_text(text: str) -> None:
    assert recover_calls(text, ["a"]) == (text, [])


def test_the_schema_of_a_call_keeps_each_tools_definitions_apart() -> None:
    def parameters(kind: str) -> dict[str, Any]:
        node = {"type": "object", "properties": {"value": {"type": kind}, "next": {"$ref": "#/$defs/Node"}}}
        return {"type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}

    tools = [
        {"function": {"name": name, "parameters": parameters(kind)}}
        for name, kind in (("a", "string"), ("b", "integer"))
    ]
    schema = call_schema(tools)
    kinds = {name: node["properties"]["value"]["type"] for name, node in schema["$defs"].items()}
    assert kinds == {"a.Node": "string", "b.Node": "integer"}
    for choice, name in zip(schema["anyOf"], "ab", strict=True):
        assert choice["properties"]["arguments"]["properties"]["root"] == {"$ref": f"#/$defs/{name}.Node"}


def test_calls_that_the_engine_itself_finds_arrive_in_pieces() -> None:
    pieces: list[dict[str, Any]] = [
        {"index": 0, "id": "c1", "function": {"name": "get_weather", "arguments": '{"city": '}},
        {"index": 0, "function": {"arguments": '"Paris"}'}},
    ]
    chunks = [{"choices": [{"delta": {"tool_calls": [piece]}}]} for piece in pieces]
    whole: Any = None
    for chunk in message_chunks(chunks, ["get_weather"], "m"):
        whole = chunk if whole is None else whole + chunk
    assert [(call["name"], call["args"], call["id"]) for call in whole.tool_calls] == [
        ("get_weather", {"city": "Paris"}, "c1")
    ]


def test_words_before_a_call_stream_at_once_and_the_call_does_not() -> None:
    texts = ["Let me ", "look. ", "```js", 'on\n{"name": "a", ', '"arguments": {}}\n', "```"]
    chunks = list(message_chunks([{"choices": [{"delta": {"content": text}}]} for text in texts], ["a"], "m"))
    assert [chunk.text for chunk in chunks] == ["Let me ", "look. ", ""]
    assert [call["name"] for call in chunks[-1].tool_calls] == ["a"]


# Messages


def test_the_systems_part_comes_first_and_in_one_piece() -> None:
    messages = [SystemMessage("one"), HumanMessage("q"), SystemMessage("two")]
    assert prompt_messages(messages, ["note"], knows_tools=False) == [
        {"role": "system", "content": "one\n\ntwo\n\nnote"},
        {"role": "user", "content": "q"},
    ]


def test_a_picture_is_refused_in_words() -> None:
    picture = HumanMessage([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}])
    with pytest.raises(UnsupportedError, match="image_url"):
        prompt_messages([picture], [], knows_tools=False)


# Files and failures


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"absent\.gguf"):
        read_gguf(tmp_path / "absent.gguf")


def test_a_folder_is_refused_with_the_files_in_it(tmp_path: Path) -> None:
    (tmp_path / "small.gguf").write_bytes(b"GGUF")
    with pytest.raises(ConfigurationError, match="is a folder") as caught:
        read_gguf(tmp_path)
    assert "small.gguf" in caught.value.suggestion


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GG",
        b"PK\x03\x04 something else entirely",
        b"GGUF",
        b"GGUF" + struct.pack("<IQQ", 99, 0, 0),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 62),
        b"GGUF" + bytes(range(256)) * 8,
    ],
)
def test_a_file_that_is_not_gguf_never_reaches_native_code(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"model\.gguf is not a GGUF model file") as caught:
        read_gguf(path)
    assert caught.value.suggestion


def test_a_file_that_was_cut_short_is_an_error_in_words(smollm2_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "short.gguf"
    with smollm2_path.open("rb") as whole:
        path.write_bytes(whole.read(4_000_000))
    model = load_chat_model(f"gguf/{path}")
    with pytest.raises(ConfigurationError, match=r"short\.gguf could not be loaded"):
        model.invoke("hello")
    path.unlink()
    with pytest.raises(ConfigurationError, match="There is no model file"):
        model.invoke("hello")


def test_a_missing_runtime_is_an_error_that_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("signalbox.models.gguf.engine.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError) as caught:
        load_chat_model(f"gguf/{tmp_path / 'any.gguf'}")
    assert caught.value.extra == "local"


def test_a_wrong_option_is_refused(smollm2_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="n_cxt"):
        load_chat_model(f"gguf/{smollm2_path}", n_cxt=512)


def test_a_request_that_is_too_long_is_an_error_in_words(model: Any) -> None:
    with pytest.raises(LLMAPIError, match="too long for this model"):
        model.invoke("word " * 3000)


def test_a_schema_that_the_engine_cannot_take_is_an_error_in_words(model: Any) -> None:
    schema = {"title": "x", "type": "object", "properties": {"a": {"type": "nonsense"}}}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    with pytest.raises(LLMAPIError, match="refused the request"):
        model.inner.invoke("hello", response_format=form)


def test_an_answer_that_takes_too_long_is_an_error_in_words(model: Any) -> None:
    with pytest.raises(LLMAPIError, match="took longer than"):
        model.invoke("Tell a long story.", max_tokens=500, timeout=0.05)


@pytest.mark.bench
def test_models_over_one_file_share_an_engine_until_it_is_closed(model: Any) -> None:
    same = GgufChatModel(path=model.path, n_ctx=1024, n_threads=1, temperature=0.9)
    assert same._engine is model.inner._engine
    before = model.inner._engine
    close_engines()
    assert model.inner._engine is not before
    assert model.invoke("hello", max_tokens=1).usage_metadata


@pytest.mark.bench
def test_the_native_code_writes_nothing_to_the_terminal_and_leaves_in_peace(smollm2_path: Path) -> None:
    script = (
        "import sys; from signalbox.models import load_chat_model;"
        "model = load_chat_model('gguf/' + sys.argv[1], n_threads=1);"
        "print(bool(model.invoke('hello', max_tokens=2).usage_metadata))"
    )
    done = subprocess.run([sys.executable, "-c", script, str(smollm2_path)], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "True", "")
