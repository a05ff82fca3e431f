"""Right calls in any language: carried out, all of them, without a question that nobody needs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import RequestError
from signalbox.evals import read_sets, run_evals
from signalbox.evals.load import default_folder

Write = Callable[..., Path]
HEADER = {"set": "calls", "skill": "oracle", "agent": "tasks", "now": "2026-11-16T10:30:00", "tz": "Europe/Berlin"}


def case(name: str, said: str, calls: list[dict[str, Any]], start: list[str], end: list[Any], **more: Any) -> Any:
    """A case of one message."""
    turns = [{"said": said, "calls": calls}]
    tasks = [{"title": title} for title in start]
    return {"id": name, "language": "German", "start": tasks, "turns": turns, "end": end, **more}


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args}


def run(path: Path) -> tuple[Mapping[str, Any], dict[str, Any]]:
    """The figures of the oracle, and the misses by the name of their case."""
    told = run_evals([path]).as_json()["models"]["oracle"]
    return told["figures"]["oracle"], {one["place"].split(", ")[-1]: one["got"] for one in told["misses"]}


def test_right_calls_are_carried_out_and_what_is_asked_needlessly_is_counted(write_sets: Write) -> None:
    figures, misses = run(
        write_sets(
            HEADER,
            case("done", "Laub geharkt!", [call("complete_task", task_id=1)], ["Laub harken", "Tor ölen"],
                 [{"title": "Laub harken", "status": "completed"}, {"title": "Tor ölen"}]),
            case("gone", "Tor ölen kann weg", [call("delete_task", task_id=2)], ["Laub harken", "Tor ölen"],
                 [{"title": "Laub harken"}], language="Dutch"),
            case("many", "beides eilt", [call("update_task", task_ids=[1, 2], priority="high")], ["Laub", "Tor"],
                 [{"title": "Laub", "priority": "high"}, {"title": "Tor", "priority": "high"}]),
            case("title", "zeig her", [call("list_tasks")], ["Wer holt Oma ab?"], [{"title": "Wer holt Oma ab?"}]),
            case("translated", "denk an den Müll", [call("add_task", title="Take out the trash")], [],
                 [{"title": "Take out the trash"}]),
            case("undone", "Laub geharkt", [call("complete_task", task_id=1)], ["Laub harken"],
                 [{"title": "Laub harken"}]),
        )
    )  # fmt: skip
    assert {**figures} == {
        "Dutch": "1/1 (needless questions: 0)",
        "German": "3/5 (needless questions: 1)",
    }
    assert set(misses) == {"translated", "undone"}
    assert "Take out the trash" in misses["translated"]["questions"][0]
    assert misses["undone"]["questions"] == []


def test_a_question_that_is_asked_needlessly_is_not_answered(write_sets: Write) -> None:
    asked = case("vague", "das erste eilt nicht", [call("add_task", title="Something else")], [], [])
    figures, misses = run(write_sets(HEADER, asked))
    assert figures["German"] == "0/1 (needless questions: 1)"
    assert misses["vague"]["end"] == []


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"turns": [{"said": "x", "calls": []}]}, "`calls` is a list of calls"),
        ({"turns": [{"say": "x", "calls": []}]}, "unknown key `say`"),
        ({"turns": []}, "`turns` is a list"),
        ({"language": ""}, "`language` must be a name"),
        ({"id": "two words"}, "`id` is a name"),
        ({"end": [{"name": "x"}]}, "`end`: a task has a `title`"),
    ],
)
def test_a_case_that_cannot_be_held_is_named_by_its_line(write_sets: Write, wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(RequestError, match=rf"own\.jsonl:2: .*{told}"):
        read_sets([write_sets(HEADER, {**case("a", "x", [call("list_tasks")], [], []), **wrong})])


@pytest.mark.parametrize(
    ("wrong", "told"), [(call("finish_task"), "no tool 'finish_task'"), (call("add_task", titel="x"), "add_task")]
)
def test_a_call_that_no_tool_takes_is_named_by_its_line(write_sets: Write, wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(RequestError, match=rf"own\.jsonl:2: .*{told}"):
        run_evals([write_sets(HEADER, case("a", "x", [wrong], [], []))])


def test_oracles_are_run_only_where_they_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = [HEADER, case("a", "x", [call("list_tasks")], [], [])]
    talk = [{**HEADER, "skill": "agent"}, {"text": "x", "end": []}]
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "own.jsonl").write_text("\n".join(map(json.dumps, [*held, *talk])), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert [one.skill for one in read_sets()] == ["agent"]
    assert [one.skill for one in read_sets(skill="tasks")] == ["agent"]
    assert [one.skill for one in read_sets(skill="oracle")] == ["oracle"]
    assert [one.skill for one in read_sets([tmp_path / "evals"])] == ["oracle", "agent"]


def test_the_oracle_of_the_source_can_be_read_and_names_its_languages() -> None:
    cases = [case for one in read_sets([default_folder() / "oracle.jsonl"]) for case in one.cases]
    assert all(case.alternatives[0]["language"] for case in cases)
