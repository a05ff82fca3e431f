"""What runs use of models: kept with each run, held against budgets, and not forgotten with the run."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.models.provider_server import ProviderServer, Reply

from signalbox.cli import main
from signalbox.models import load_chat_model
from signalbox.runs import aask, astream, forget, resume, show, start, stream
from signalbox.runs.usage import used_today
from signalbox.settings import forget_settings
from signalbox.toolbox.person import current_person, use_person

MAP = (
    "GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Prompt\n"
    "talk,A,llm,said,a,B,{said}\ntalk,B,llm,a,b,,{a}\n"
)


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    made = ProviderServer()
    made.say(Reply("Good.", tokens=(100, 20, 40)))
    yield made
    made.close()


@pytest.fixture
def talk(tmp_path: Path, server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A map that asks the model twice: 240 tokens."""
    monkeypatch.setenv("OPENAI_API_KEY", "some-key")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
    monkeypatch.setenv("SIGNALBOX_MODEL", "openai/gpt-4.1-mini")
    file = tmp_path / "talk.csv"
    file.write_text(MAP, "utf-8")
    forget_settings()
    yield file
    forget_settings()


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["signalbox", *arguments])
        with pytest.raises(SystemExit):
            main()
    return capsys.readouterr().out


def test_a_run_shows_what_it_used(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(talk, {"said": "hello"}, thread_id="one").status == "completed"
    used = show("one").as_dict()["usage"]
    assert (used["calls"], used["input_tokens"], used["output_tokens"]) == (2, 200, 40)
    assert (used["cached_tokens"], used["total_tokens"]) == (80, 240)
    assert used["seconds"] > 0
    told = printed(capsys, "runs", "show", "one")
    assert "2 model calls in" in told
    assert "200 tokens in, 80 of them cached, 40 out" in told
    assert json.loads(printed(capsys, "runs", "show", "one", "--json"))["usage"] == used


async def test_a_streamed_run_and_one_without_a_name_count(talk: Path) -> None:
    for _ in stream(talk, {"said": "hello"}, thread_id="streamed"):
        pass
    async for _ in astream(talk, {"said": "hello"}):
        pass
    assert show("streamed").as_dict()["usage"]["total_tokens"] == 240
    assert used_today(current_person()) == 480


def test_a_run_ends_where_its_budget_does(talk: Path, server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_MODEL_RUN_TOKENS", "100")
    forget_settings()
    result = start(talk, {"said": "hello"}, thread_id="short")
    assert result.status == "error"
    assert "more than the 100 tokens that a run may use" in str(result.error)
    assert len(server.bodies) == 1
    assert show("short").as_dict()["usage"]["total_tokens"] == 120


async def test_a_person_has_a_budget_for_the_day_and_others_have_their_own(
    talk: Path, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_MODEL_PERSON_TOKENS", "200")
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-11-16T10:30:00+00:00")
    forget_settings()
    start(talk, {"said": "hello"}, thread_id="first")
    forget("first")
    server.bodies.clear()
    answer = await aask("frontdoor", "what needs me today?", model="openai/gpt-4.1-mini")
    assert answer.status == "error"
    assert answer.error is not None
    assert answer.error["error_type"] == "budget"
    assert "200 tokens that you may use in a day" in answer.answer
    assert not server.bodies
    with use_person("6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a02"):
        start(talk, {"said": "hello"}, model=load_chat_model())
    assert server.bodies
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-11-17T00:30:00+00:00")
    forget_settings()
    assert used_today(current_person()) == 0


def test_a_run_that_goes_on_after_a_pause_has_the_same_budget(
    tmp_path: Path, talk: Path, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "pause.csv"
    file.write_text(
        "GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Prompt\n"
        "pause,A,llm,said,a,H,{said}\npause,H,human,a,h,B,Go on?\npause,B,llm,a,b,,{a}\n",
        "utf-8",
    )
    monkeypatch.setenv("SIGNALBOX_MODEL_RUN_TOKENS", "100")
    forget_settings()
    assert start(file, {"said": "hello"}, thread_id="paused").status == "needs_input"
    result = resume("paused", "yes")
    assert "more than the 100 tokens that a run may use" in str(result.error)
    assert len(server.bodies) == 1
