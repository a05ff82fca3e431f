"""Over HTTP as well, an answer, a question and an error say where they come from, and only a yes is a yes."""

from __future__ import annotations

from typing import Any

import httpx
import openai
import pytest
from fastmcp import Client
from fastmcp.client.auth import BearerAuth

from .conftest import ANN, token

NOWHERE = {"kind": "live", "system": "prometheus", "address": "http://127.0.0.1:9"}
NOTE = "Source: prometheus at http://127.0.0.1:9"


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Prometheus is set, and does not answer."""
    monkeypatch.setenv("PROMETHEUS_URL", "http://joe:hunter2@127.0.0.1:9")


def waited(client: httpx.Client, assistant: str, request: str) -> dict[str, Any]:
    found = client.post("/runs/wait", json={"assistant_id": assistant, "input": {"request": request}})
    found.raise_for_status()
    told: dict[str, Any] = found.json()
    return told


@pytest.mark.usefixtures("connected")
def test_a_run_says_its_source_also_when_it_fails(ann: httpx.Client) -> None:
    failed = waited(ann, "metrics", "CPU usage of web-1")
    assert (failed["status"], failed["source"]) == ("error", NOWHERE)
    unconnected = waited(ann, "frontdoor", "check BGP on pe1")
    assert (unconnected["agent"], unconnected["error"]["error_type"]) == ("frontdoor", "not_connected")
    assert "NETWORK_INVENTORY" in unconnected["answer"]
    assert "hunter2" not in str((failed, unconnected))


@pytest.mark.usefixtures("connected")
async def test_completions_and_mcp_say_their_source(address: str) -> None:
    said: Any = [{"role": "user", "content": "CPU usage of web-1"}]
    with openai.OpenAI(base_url=f"{address}/v1", api_key=token(ANN), max_retries=0) as client:
        whole = client.chat.completions.create(model="metrics", messages=said)
        pieces = client.chat.completions.create(model="metrics", messages=said, stream=True)
        written = "".join(piece.choices[0].delta.content or "" for piece in pieces)
    assert whole.choices[0].message.content == written
    assert written.endswith(NOTE)
    assert whole.to_dict()["source"] == NOWHERE
    async with Client(f"{address}/mcp", auth=BearerAuth(token(ANN))) as tools:
        answer = (await tools.call_tool("metrics", {"request": "CPU usage of web-1"})).data
        assert (answer["status"], answer["source"]) == ("error", NOWHERE)


@pytest.mark.bench
def test_a_question_carries_its_source_in_every_form(ann: httpx.Client) -> None:
    asked = waited(ann, "experiments", "stop the experiment Night Reader")
    assert asked["status"] == "needs_input"
    assert asked["source"]["kind"] == "embedded"
    assert asked["__interrupt__"][0]["value"]["source"] == asked["source"]
    thread = ann.get(f"/threads/{asked['thread_id']}/state").json()
    assert thread["interrupts"][0]["value"]["source"] == asked["source"]


def test_a_reply_that_is_no_yes_is_asked_again(address: str) -> None:
    talk: Any = [{"role": "user", "content": "Hi"}]
    with openai.OpenAI(base_url=f"{address}/v1", api_key=token(ANN), max_retries=0) as client:

        def say(text: str | None = None) -> str:
            if text:
                talk.append({"role": "user", "content": text})
            told = client.chat.completions.create(model="Review", messages=talk).choices[0].message.content or ""
            talk.append({"role": "assistant", "content": told})
            return told

        say()
        for reply in ("I'm fine, thanks", "right...", "let me go"):
            assert say(reply).startswith("Nothing was done. Please answer approve or reject;")
        assert say("oui, vas-y") == "Published: Hi"
