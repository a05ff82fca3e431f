from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from rich.console import Console
from typer.testing import CliRunner

from signalbox.cli.app import make_app
from signalbox.errors import MissingKeyError, RequestError
from signalbox.evals import run_evals

CLOCK = {"now": "2026-05-04T12:00:00+02:00", "tz": "Europe/Rome"}
SETS: dict[str, list[dict[str, Any]]] = {
    "hours": [
        {"set": "hours", "round": 1, "skill": "time", **CLOCK},
        {"text": "the whole of May Day", "start": "2026-05-01", "end": "2026-05-02"},
        {"text": "the 32nd of May", "error": True},
        {"text": "hello", "none": True},
    ],
    "lamp": [
        {
            "set": "lamp",
            "round": 2,
            "skill": "filling",
            **CLOCK,
            "schema": {
                "title": "Lamp",
                "description": "A lamp.",
                "type": "object",
                "properties": {"colour": {"type": "string"}, "height": {"type": "number"}},
                "required": ["colour"],
            },
        },
        {"text": "a red lamp", "expected": {"colour": "red"}},
        {"text": "a tall lamp", "missing": ["colour"]},
    ],
    "bell": [
        {
            "set": "bell",
            "round": 3,
            "skill": "tools",
            **CLOCK,
            "tools": [
                {
                    "name": "ring",
                    "description": "Rings the bell.",
                    "parameters": {
                        "type": "object",
                        "properties": {"times": {"type": "integer"}},
                        "required": ["times"],
                    },
                }
            ],
        },
        {"text": "ring twice", "expected": [{"name": "ring", "args": {"times": 2}}]},
        {"text": "ring", "ask": ["times"]},
        {
            "messages": [
                {"role": "human", "content": "ring once"},
                {"role": "ai", "tool_calls": [{"name": "ring", "args": {"times": 1}}]},
                {"role": "tool", "content": {"rung": 1}},
            ],
            "none": True,
        },
    ],
}
ANSWERS: dict[str, tuple[str, dict[str, Any]] | str] = {
    "the whole of May Day": (
        "TimeRange",
        {"start": "2026-05-01T00:00:00+02:00", "end": "2026-05-02T00:00:00+02:00", "impossible": None},
    ),
    "the 32nd of May": ("TimeRange", {"start": None, "end": None, "impossible": "May has 31 days"}),
    "hello": ("TimeRange", {"start": None, "end": None, "impossible": None}),
    "a red lamp": ("Lamp", {"colour": "Red", "height": None}),
    "a tall lamp": ("Lamp", {"colour": None, "height": None}),
    "ring twice": ("ring", {"times": 2}),
    "ring": "How many times?",
    "tool": "It rang once.",
}


class Scripted(BaseChatModel):
    """Stands for a hosted model: answers by the last message, and keeps what it was sent."""

    answers: dict[str, Any]
    sent: list[list[BaseMessage]] = []  # noqa: RUF012

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.sent.append(messages)
        last = messages[-1]
        answer = self.answers["tool" if last.type == "tool" else str(last.content)]
        if isinstance(answer, str):
            message = AIMessage(answer)
        else:
            message = AIMessage("", tool_calls=[{"name": answer[0], "args": answer[1], "id": "1"}])
        return ChatResult(generations=[ChatGeneration(message=message)])


@pytest.fixture
def folder(tmp_path: Path, write_sets: Callable[..., Path]) -> Path:
    for name, lines in SETS.items():
        write_sets(*lines, name=f"{name}.jsonl")
    return tmp_path


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> dict[str, Scripted]:
    """Two hosted models: one that knows every answer, one that knows all but one."""
    loaded = {
        "good/one": Scripted(answers={**ANSWERS}, sent=[]),
        "weak/one": Scripted(answers={**ANSWERS, "ring twice": ("ring", {"times": 3})}, sent=[]),
    }
    monkeypatch.setattr("signalbox.models.load_chat_model", lambda name, **options: loaded[name])
    return loaded


def test_a_model_that_knows_every_answer_has_no_miss(folder: Path, models: dict[str, Scripted]) -> None:
    report = run_evals([folder], ["good/one"])
    assert report.misses("good/one") == []
    skills = report.as_json()["models"]["good/one"]["skills"]
    assert {name: (f["right"], f["cases"]) for name, f in skills.items()} == {
        "time": (3, 3),
        "filling": (2, 2),
        "tools": (3, 3),
    }


def test_a_hosted_model_is_told_the_moment_and_the_zone(folder: Path, models: dict[str, Scripted]) -> None:
    run_evals([folder], ["good/one"])
    for messages in models["good/one"].sent:
        assert "2026-05-04T12:00:00+02:00" in str(messages[0].content)
        assert "Europe/Rome" in str(messages[0].content)


def test_a_tools_result_reaches_the_model_as_the_answer_to_its_call(folder: Path, models: dict[str, Scripted]) -> None:
    run_evals([folder / "bell.jsonl"], ["good/one"])
    _, _, call, result = models["good/one"].sent[-1]
    assert isinstance(call, AIMessage)
    assert getattr(result, "tool_call_id", None) == call.tool_calls[0]["id"]
    assert json.loads(str(result.content)) == {"rung": 1}


def test_a_miss_shows_the_sentence_the_expectation_and_the_outcome(folder: Path, models: dict[str, Scripted]) -> None:
    (miss,) = run_evals([folder], ["weak/one"]).as_json()["models"]["weak/one"]["misses"]
    assert miss["text"] == "ring twice"
    assert miss["got"]["calls"] == [{"name": "ring", "args": {"times": 3}}]
    text = _text(folder, ["weak/one"])
    assert "2/3  66.7%" in text
    assert "'ring twice'" in text
    assert '"times": 3' in text


def test_misses_are_left_out_on_request(folder: Path, models: dict[str, Scripted]) -> None:
    assert "'ring twice'" not in _text(folder, ["weak/one"], show_misses=False)


def test_two_models_are_set_side_by_side(folder: Path, models: dict[str, Scripted]) -> None:
    report = run_evals([folder], ["good/one", "weak/one"])
    (difference,) = report.as_json()["differences"]
    assert difference["text"] == "ring twice"
    assert [difference["got"][m]["right"] for m in ("good/one", "weak/one")] == [True, False]
    assert "differ: 1" in _text(folder, ["good/one", "weak/one"])


def test_only_the_skill_asked_for_is_run(folder: Path, models: dict[str, Scripted]) -> None:
    report = run_evals([folder], ["good/one"], skill="filling")
    assert list(report.as_json()["models"]["good/one"]["skills"]) == ["filling"]


@pytest.mark.parametrize(
    ("options", "sets"),
    [
        (["--round", "2-3"], ["tools/bell round 3", "filling/lamp round 2"]),
        (["--round", "1", "--round", "3"], ["tools/bell round 3", "time/hours round 1"]),
        (["--set", "hours", "--set", "lamp"], ["time/hours round 1", "filling/lamp round 2"]),
    ],
)
def test_the_command_runs_the_rounds_and_sets_asked_for(
    folder: Path, models: dict[str, Scripted], options: list[str], sets: list[str]
) -> None:
    done = CliRunner().invoke(make_app(), ["eval", str(folder), "--model", "good/one", "--json", *options])
    assert list(json.loads(done.stdout)["models"]["good/one"]["sets"]) == sets


@pytest.mark.parametrize("said", ["x", "3-1", "-", "1-"])
def test_a_round_that_is_no_number_is_wrong_usage(folder: Path, said: str) -> None:
    done = CliRunner().invoke(make_app(), ["eval", str(folder), f"--round={said}"])
    assert done.exit_code == 2
    assert f"'{said}' is neither a round" in done.stderr


def test_a_model_that_breaks_on_a_case_has_missed_that_case_only(folder: Path, models: dict[str, Scripted]) -> None:
    del models["good/one"].answers["hello"]
    (miss,) = run_evals([folder], ["good/one"]).misses("good/one")
    assert miss.case.text == "hello"
    assert "KeyError" in miss.outcome["failed"]


def test_a_model_that_cannot_be_loaded_stops_the_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, **options: Any) -> Any:
        raise MissingKeyError("OpenAI", "OPENAI_API_KEY")

    monkeypatch.setattr("signalbox.models.load_chat_model", refuse)
    with pytest.raises(MissingKeyError):
        run_evals([folder], ["openai/any"])


def test_no_model_is_wrong_usage(folder: Path) -> None:
    with pytest.raises(RequestError, match="no model"):
        run_evals([folder], [])


def _text(folder: Path, models: list[str], show_misses: bool = True) -> str:
    console = Console(width=200)
    with console.capture() as captured:
        run_evals([folder], models, show_misses=show_misses).render(console)
    return captured.get()
