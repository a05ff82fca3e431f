"""What a model writes reaches the clients while it writes it, and its messages are the answer's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from langgraph_sdk import get_client

from .conftest import ANN, token

MAP = """GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Prompt
Letter,Think,llm,request,thought,Write,Think of {request}
Letter,Write,llm,thought,answer,,Write down {thought}
"""
FIRST, WHOLE = "The first part, **in bold**.\n\n", "The first part, **in bold**.\n\nThe second part."


@pytest.fixture(autouse=True)
def model(writing_model: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    (folder / "letter.csv").write_text(MAP)
    monkeypatch.setenv("SIGNALBOX_MAPS", str(folder / "letter.csv"))
    monkeypatch.setenv("SIGNALBOX_MODEL", "openai/m")
    monkeypatch.setenv("SIGNALBOX_MODEL_BASE_URL", writing_model.address)
    writing_model.may_go_on.clear()
    yield writing_model
    writing_model.may_go_on.set()


@pytest.fixture
async def client(address: str) -> AsyncIterator[Any]:
    async with get_client(url=address, api_key=token(ANN)) as found:
        yield found


async def test_a_stream_of_messages_has_what_the_model_wrote_so_far(client: Any, model: Any) -> None:
    thread = (await client.threads.create())["thread_id"]
    modes = ["messages-tuple", "messages", "values"]
    parts = []
    async for part in client.runs.stream(thread, "Letter", input={"request": "x"}, stream_mode=modes):
        parts.append(part)
        if part.event == "messages" and part.data[0]["content"] == FIRST:
            assert part.data[1]["langgraph_node"] == "Write"
            model.may_go_on.set()
    pieces = [part.data[0] for part in parts if part.event == "messages"]
    assert "".join(piece["content"] for piece in pieces) == WHOLE
    complete = [part.data[0] for part in parts if part.event == "messages/complete"]
    assert [(one["content"], one["id"]) for one in complete] == [(WHOLE, pieces[0]["id"])]
    assert next(part.data for part in parts if part.event == "values")["messages"] == complete


def test_a_completion_comes_as_it_is_written(address: str, model: Any) -> None:
    asked = [{"role": "user", "content": "x"}]
    with openai.OpenAI(base_url=f"{address}/v1", api_key=token(ANN), max_retries=0) as client:
        told = ""
        for chunk in client.chat.completions.create(model="Letter", messages=asked, stream=True):  # type: ignore[call-overload]
            told += chunk.choices[0].delta.content or ""
            if told == FIRST:
                model.may_go_on.set()
    assert told == WHOLE


async def test_who_drops_while_a_model_writes_gets_exactly_the_rest(client: Any, model: Any) -> None:
    thread, modes = (await client.threads.create())["thread_id"], ["messages-tuple", "messages", "values"]
    run = (await client.runs.create(thread, "Letter", input={"request": "x"}, stream_mode=modes))["run_id"]
    options = {"stream_mode": modes, "headers": {}}
    before = []
    async for part in client.runs.join_stream(thread, run, **options):
        before.append((part.id, part.event, part.data))
        if part.event == "messages/partial":
            break
    model.may_go_on.set()
    options["headers"] = {"Last-Event-ID": before[-1][0]}
    after = [(part.id, part.event, part.data) async for part in client.runs.join_stream(thread, run, **options)]
    options["headers"] = {}
    assert before + after == [
        (part.id, part.event, part.data) async for part in client.runs.join_stream(thread, run, **options)
    ]
