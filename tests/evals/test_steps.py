"""Conversations whose answers are judged by their text: held, recorded, and replayed without a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from tests.models.provider_server import ProviderServer, Reply
from typer.testing import CliRunner

from signalbox.cli.app import make_app
from signalbox.errors import NotFoundError, RequestError
from signalbox.evals import open_recording, read_sets, run_evals
from signalbox.evals.recorded import prompt_key
from signalbox.evals.run import choose_cases

Write = Callable[..., Path]
HEADER = {"set": "talk", "skill": "steps", "now": "2026-03-10T14:20:00", "tz": "UTC"}
MILK: dict[str, Any] = {
    "id": "milk",
    "kind": "earlier",
    "agent": "tasks",
    "turns": [
        {"say": "put milk on my list for tomorrow"},
        {"say": "and what is there now?", "must": ["milk", "11 Mar"], "must_not": ["bread"]},
    ],
}
ADD = Reply(calls=[("add_task", {"title": "milk", "due": "2026-03-11", "answer": True})])
LIST = Reply(calls=[("list_tasks", {"answer": True})])
BUSY = Reply(status=503, headers={"x-should-retry": "false"})


@pytest.fixture(scope="module")
def server() -> Iterator[ProviderServer]:
    one = ProviderServer()
    yield one
    one.close()


@pytest.fixture
def model(server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """A model on a server of one's own."""
    monkeypatch.setenv("SIGNALBOX_MODEL_BASE_URL", f"{server.address}/v1")
    return "openai/me"


def test_a_conversation_is_held_with_the_front_door_and_a_yes_answers_its_question(
    write_sets: Write, server: ProviderServer, model: str
) -> None:
    calls = {
        "water my plants": ("add_task", {"title": "water my plants"}),
        "drop that": ("delete_task", {"task_id": 1}),
        "what is left?": ("list_tasks", {}),
    }

    def reply(body: dict[str, Any]) -> Reply:
        name, args = calls[body["messages"][-1]["content"]]
        offered = [one["function"]["name"] for one in body["tools"]]
        return Reply(calls=[("tasks", {"answer": True}) if "tasks" in offered else (name, {**args, "answer": True})])

    server.say(reply)  # type: ignore[arg-type]
    said = [{"say": "water my plants"}, {"say": "drop that", "must": ["water"]}, {"say": "yes"}]
    end = {"say": "what is left?", "must_not": ["water"], "must": ["no open task"]}
    (result,) = run_evals([write_sets(HEADER, {"id": "plants", "turns": [*said, end]})], [model]).results
    turns = result.outcome["turns"]
    assert result.right, turns
    assert [(turn["status"], turn["calls"]) for turn in turns] == [
        ("completed", 2),
        ("needs_input", 2),
        ("completed", 0),
        ("completed", 2),
    ]


def test_what_was_recorded_is_replayed_without_a_model(
    write_sets: Write, tmp_path: Path, server: ProviderServer, model: str
) -> None:
    path = write_sets(HEADER, MILK)
    server.say(ADD, LIST)
    report = run_evals([path], recording=open_recording(tmp_path / "kept", model))
    assert [(r.right, r.outcome["turns"][0]["calls"]) for r in report.results] == [(True, 1)]
    server.say(BUSY)
    again = run_evals([path], recording=open_recording(tmp_path / "kept"))
    assert [r.right for r in again.results] == [True]
    assert again.results[0].outcome == report.results[0].outcome
    assert not again.stale
    assert not again.unused
    assert not server.bodies
    figures = again.as_json()["models"]["openai/me"]["figures"]["steps"]
    assert figures["model calls a request"] == "1.00 (median 1)"
    assert figures["tokens a request"] == "18 (median 18)"


def test_a_case_is_right_only_if_every_turn_is_and_misleads_if_it_says_what_it_must_not(
    write_sets: Write, server: ProviderServer, model: str
) -> None:
    first = {"say": "put milk on my list for tomorrow", "must": ["bread"]}
    last = {"say": "and what is there now?", "must": ["milk"], "must_not": ["milk"]}
    server.say(ADD, LIST)
    (result,) = run_evals([write_sets(HEADER, {**MILK, "turns": [first, last]})], [model]).results
    assert (result.right, result.misled) == (False, True)
    assert [turn.get("unmet") for turn in result.outcome["turns"]] == [["bread"], None]
    assert result.outcome["turns"][1]["forbidden"] == ["milk"]


def test_a_prompt_without_a_reply_stops_its_case_and_the_next_run_goes_on(
    write_sets: Write, tmp_path: Path, server: ProviderServer, model: str
) -> None:
    path = write_sets(HEADER, MILK)
    server.say(BUSY)
    report = run_evals([path], recording=open_recording(tmp_path / "kept", model))
    assert not report.results
    assert [r.case.name for r in report.stale] == ["milk"]
    assert len(server.bodies) == 1, "what follows would be about the error"
    server.say(ADD, BUSY)
    run_evals([path], recording=open_recording(tmp_path / "kept", model))
    server.say(LIST)
    report = run_evals([path], recording=open_recording(tmp_path / "kept", model))
    assert [r.right for r in report.results] == [True]
    assert len(server.bodies) == 1, "the first reply was kept"


def test_a_prompt_that_has_changed_makes_its_case_stale_and_leaves_a_reply_unused(
    write_sets: Write, tmp_path: Path, server: ProviderServer, model: str
) -> None:
    bread = {"id": "bread", "agent": "tasks", "turns": [{"say": "add bread", "must": ["bread"]}]}
    server.say(ADD, LIST, Reply(calls=[("add_task", {"title": "bread", "answer": True})]))
    run_evals([write_sets(HEADER, MILK, bread)], recording=open_recording(tmp_path / "kept", model))
    changed = {**MILK, "turns": [MILK["turns"][0], {"say": "and what is left?", "must": ["milk"]}]}
    path = write_sets(HEADER, changed, bread, {**bread, "id": "new"}, {**MILK, "id": "newer"})
    report = run_evals([path], recording=open_recording(tmp_path / "kept"))
    assert [(r.case.name, r.right) for r in report.results] == [("bread", True)]
    assert [r.case.name for r in report.stale] == ["milk"]
    assert len(report.unused) == 1
    assert report.unrecorded == 2
    told = report.as_json()
    assert told["stale"] == ["steps/talk, milk"]
    assert told["models"]["openai/me"]["skills"]["steps"]["cases"] == 1
    server.say(LIST)
    run_evals([path], recording=open_recording(tmp_path / "kept", model), cases=["milk"])
    assert not run_evals([path], recording=open_recording(tmp_path / "kept")).unused


def test_a_prompt_is_known_by_what_it_says_and_not_by_the_ids_of_its_calls() -> None:
    def prompt(ident: str, city: str = "Rome") -> list[Any]:
        call = {"name": "weather", "args": {"city": city}, "id": ident}
        return [HumanMessage("hm"), AIMessage("", tool_calls=[call]), ToolMessage("sunny", tool_call_id=ident)]

    tools = {"tools": [{"name": "weather"}]}
    assert prompt_key(prompt("call_1"), tools) == prompt_key(prompt("call_2"), tools)
    others = [
        prompt_key(prompt("call_1", "Oslo"), tools),
        prompt_key(prompt("call_1"), {**tools, "tool_choice": "none"}),
    ]
    assert prompt_key(prompt("call_1"), tools) not in others


def test_a_draw_is_the_same_wherever_the_cases_stand(write_sets: Write) -> None:
    def drawn(names: list[str], seed: int) -> set[str]:
        cases = [{"id": name, "turns": [{"say": "hm", "must": ["x"]}]} for name in names]
        (asked,) = choose_cases(read_sets([write_sets(HEADER, *cases)]), draw=5, seed=seed)
        return {case.name for case in asked.cases}

    names = [f"s{number:02}" for number in range(20)]
    assert len(drawn(names, 31)) == 5
    assert drawn(names, 31) == drawn(names[::-1], 31) != drawn(names, 32)


def test_cases_are_chosen_by_their_ids_and_an_unknown_one_is_named(write_sets: Write) -> None:
    path = write_sets(HEADER, MILK, {**MILK, "id": "more"})
    (asked,) = choose_cases(read_sets([path]), ["more"])
    assert [case.name for case in asked.cases] == ["more"]
    with pytest.raises(NotFoundError, match="no case cheese"):
        choose_cases(read_sets([path]), ["cheese"])


@pytest.mark.parametrize(
    ("case", "told"),
    [
        ({"turns": MILK["turns"]}, "`id` is missing"),
        ({"id": "a b", "turns": MILK["turns"]}, "`id` is a name"),
        ({"id": "a", "turns": []}, "`turns` is a list of 1 to 5"),
        ({"id": "a", "turns": [{"say": "x"}]}, "nothing is demanded of the last turn"),
        ({"id": "a", "turns": [{"say": "x", "must": "y"}]}, "`must` must be a list"),
        ({"id": "a", "turns": [{"say": "x", "must": [{"about": 3}]}]}, "a demand is a text"),
        ({"id": "a", "turns": [{"says": "x", "must": ["y"]}]}, "did you mean `say`"),
    ],
)
def test_a_case_that_cannot_be_judged_is_named_by_its_line(
    write_sets: Write, case: Mapping[str, Any], told: str
) -> None:
    with pytest.raises(RequestError, match=rf"own\.jsonl:2: .*{told}"):
        read_sets([write_sets(HEADER, case)])


def test_two_cases_of_a_set_do_not_share_an_id(write_sets: Write) -> None:
    with pytest.raises(RequestError, match=r"own\.jsonl:3: there is a case 'milk' above"):
        read_sets([write_sets(HEADER, MILK, MILK)])


def test_conversations_of_several_steps_are_asked_only_where_something_is_named(
    write_sets: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "evals").mkdir()
    hours = {**HEADER, "set": "hours", "skill": "time"}
    write_sets(HEADER, MILK, hours, {"text": "hm", "none": True}, name="evals/own.jsonl")
    monkeypatch.chdir(tmp_path)
    assert [one.name for one in read_sets()] == ["hours"]
    assert [one.name for one in read_sets(skill="steps")] == ["talk"]
    assert [one.name for one in read_sets(names=["talk"])] == ["talk"]


def test_recordings_in_a_folder_of_sets_are_no_sets(write_sets: Write, tmp_path: Path) -> None:
    (tmp_path / "recorded").mkdir()
    (tmp_path / "recorded" / "steps.jsonl").write_text('{"model": "openai/me", "own_server": true}\n')
    write_sets(HEADER, MILK)
    assert [one.name for one in read_sets([tmp_path])] == ["talk"]


def test_the_command_records_and_replays(write_sets: Write, tmp_path: Path, server: ProviderServer, model: str) -> None:
    path, kept = str(write_sets(HEADER, MILK)), str(tmp_path / "kept")

    def command(*options: str) -> Any:
        return CliRunner().invoke(make_app("eval"), ["eval", path, "--json", *options])

    server.say(ADD, LIST)
    assert json.loads(command("--model", model, "--record", kept).stdout)["models"][model]["misses"] == []
    server.say(BUSY)
    replayed = json.loads(command("--recorded", kept, "--cases", "milk", "--draw", "1", "--seed", "31").stdout)
    assert replayed["models"][model]["skills"]["steps"]["right"] == 1
    assert "--record needs exactly one --model" in command("--record", kept).output
    assert "cannot be combined with --record or --model" in command("--recorded", kept, "--model", model).output
    assert command("--recorded", str(tmp_path / "none")).exit_code == 1
