"""Runs that wait: kept on disk without pickle, resumed anywhere, once, with the data intact."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import NotFoundError, RequestError, SignalboxError
from signalbox.maps import MapResult
from signalbox.runs import aresume, astart, list_runs, resume, start, stream

Write = Callable[..., Path]
Clock = Callable[[str], None]
ASK = """
    GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Edge,Success_Next,Failure_Next,Context
    G,Before,default,prepared {{item}},item,prepared,Ask,,,
    G,Ask,{kind},Shall we {{item}}?,item,reply,,Good,Bad,"{context}"
    G,Good,echo,good {{reply}},reply,end,,,,
    G,Bad,echo,bad {{reply}},reply,end,,,,
"""
STATE = {"item": "sell", "extra": {"deep": [1, None, "ä"]}, "count": 3}


@pytest.fixture
def pause(write_file: Write) -> Callable[..., MapResult]:
    def run(kind: str = "human", context: str = "interaction_type:approval") -> MapResult:
        result = start(write_file(ASK.format(kind=kind, context=context)), STATE)
        assert result.status == "needs_input"
        return result

    return run


def ran(result: MapResult) -> list[str]:
    return [node.node_name for node in result.summary.node_executions]


# The pause


def test_a_pause_asks_its_question_with_what_was_done_so_far(pause: Callable[..., MapResult]) -> None:
    result = pause()
    assert result.question is not None
    assert (result.question["kind"], result.question["message"]) == ("confirm", "Shall we sell?")
    assert result.question["options"] == ["approve", "reject"]
    assert result.question["inputs"] == {"item": "sell"}
    assert result.state["prepared"] == "prepared sell"
    assert (ran(result), result.exit_code, result.summary.status) == (["Before"], 3, "paused")
    assert result.as_answer().as_dict()["question"]["message"] == "Shall we sell?"


def test_runs_that_wait_are_listed_and_forgotten_when_they_end(pause: Callable[..., MapResult]) -> None:
    result = pause()
    (waiting,) = list_runs("waiting")
    assert waiting.thread_id == result.thread_id
    assert waiting.as_dict()["questions"][0]["message"] == "Shall we sell?"
    resume(result.thread_id, "approve")
    assert list_runs("waiting") == []


def test_a_run_that_never_waits_is_not_kept(write_file: Write) -> None:
    start(write_file("GraphName,Node,AgentType,Output_Field\nG,A,input,name\n"), {"name": "Ann"})
    assert list_runs("waiting") == []


# The answer


@pytest.mark.parametrize(
    ("kind", "context", "answer", "end"),
    [
        ("human", "interaction_type:approval", "approve", "good True"),
        ("human", "interaction_type:approval", "Yes", "good True"),
        ("human", "interaction_type:approval", {"action": "approve"}, "good True"),
        ("human", "interaction_type:approval", "reject", "bad False"),
        ("human", "interaction_type:approval", {"action": "reject", "data": {"why": "no"}}, "bad False"),
        ("human", "interaction_type:choice, options:[red, blue]", "blue", "good blue"),
        ("human", "interaction_type:choice, options:[red, blue]", "BLUE", "good blue"),
        ("human", "interaction_type:choice, options:[red, blue]", "2", "good blue"),
        ("human", "interaction_type:choice, options:[red, blue]", 1, "good red"),
        ("human", "interaction_type:choice, options:red|blue", {"choice": "red"}, "good red"),
        ("human", "interaction_type:text_input", "some words", "good some words"),
        ("human", "interaction_type:text_input", "no", "good no"),
        ("human", "interaction_type:text_input", {"text": "some words"}, "good some words"),
        ("human", "interaction_type:edit", {"edited": "better"}, "good better"),
        ("human", "interaction_type:edit", {"action": "reject"}, "bad reject"),
        ("human", "interaction_type:conversation", {"message": "hello"}, "good hello"),
        ("human", "", "words", "good words"),
        ("suspend", "", "done", "good done"),
        ("suspend", "", {"order": 7}, 'good {"order": 7}'),
        ("suspend", "", {"action": "approve", "data": {"order": 7}}, 'good {"order": 7}'),
        ("suspend", "", "reject", "bad reject"),
        ("suspend", "", "fail", "bad fail"),
        ("human", "interaction_type:approval", "deny", "bad False"),
        ("human", "interaction_type:approval", "true", "good True"),
        ("suspend", "", {"action": "reject", "data": {"why": "late"}}, 'bad {"why": "late"}'),
    ],
)
def test_an_answer_takes_its_branch_and_its_data_is_kept(
    pause: Callable[..., MapResult], kind: str, context: str, answer: Any, end: str
) -> None:
    result = resume(pause(kind, context).thread_id, answer)
    assert (result.status, result.state["end"]) == ("completed", end)
    assert {key: result.state[key] for key in STATE} == STATE
    assert ran(result) == ["Before", "Ask", "Good" if end.startswith("good") else "Bad"]


@pytest.mark.parametrize(
    ("context", "answer", "told"),
    [
        ("interaction_type:choice, options:[red, blue]", "green", "none of the options"),
        ("interaction_type:choice, options:[red, blue]", "3", "none of the options"),
        ("interaction_type:approval", None, "Shall we sell"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_and_the_run_still_waits(
    pause: Callable[..., MapResult], context: str, answer: Any, told: str
) -> None:
    thread = pause("human", context).thread_id
    with pytest.raises(RequestError, match=told):
        resume(thread, answer)
    assert [run.thread_id for run in list_runs("waiting")] == [thread]


@pytest.mark.parametrize("kind", ["", ", options:[approve, reject]", ", default_option:approve, timeout_seconds:60"])
def test_an_approval_that_gets_neither_a_yes_nor_a_no_asks_again_and_does_nothing(
    pause: Callable[..., MapResult], kind: str
) -> None:
    thread = pause("human", f"interaction_type:approval{kind}").thread_id
    for reply in ("perhaps", "I'm fine, thanks", "go back", {"action": "approve", "data": "not yet"}):
        again = resume(thread, reply)
        assert again.status == "needs_input"
        assert again.question is not None
        assert again.question["message"].startswith("Nothing was done. Please answer approve or reject;")
        assert again.question["message"].endswith("\n\nShall we sell?")
        assert ran(again) == ["Before"]
    done = resume(thread, "ja, bitte")
    assert (done.state["end"], ran(done)) == ("good True", ["Before", "Ask", "Good"])


def test_a_run_may_wait_several_times(write_file: Write) -> None:
    path = write_file(
        "GraphName,Node,AgentType,Prompt,Output_Field,Edge\n"
        "G,A,input,First?,a,B\nG,B,input,Second?,b,C\nG,C,echo,{a}{b},c,\n"
    )
    first = start(path)
    second = resume(first.thread_id, "1")
    assert second.question is not None
    assert (second.status, second.question["message"]) == ("needs_input", "Second?")
    assert second.thread_id == first.thread_id
    assert resume(first.thread_id, "2").output == "12"


def test_an_input_in_a_loop_asks_each_time(write_file: Write) -> None:
    path = write_file(
        "GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Success_Next,Failure_Next,Context\n"
        "G,Ask,input,More?,,word,Check,,\n"
        'G,Check,branching,,word,,,Ask,"success_field:word, success_values:[stop], default_result:false"\n'
    )
    result = start(path)
    for word in ("a", "b"):
        result = resume(result.thread_id, word)
        assert result.status == "needs_input"
    assert resume(result.thread_id, "stop").status == "completed"


def test_two_branches_that_wait_are_asked_one_after_the_other(write_file: Write) -> None:
    path = write_file(
        """
        GraphName,Node,AgentType,Prompt,Output_Field,Edge
        G,S,default,,s,A|B
        G,A,input,For A?,a,J
        G,B,input,For B?,b,J
        G,J,echo,{a} and {b},c,
        """
    )
    result = start(path)
    answers = {"For A?": "alpha", "For B?": "beta"}
    for _ in range(2):
        assert result.question is not None
        result = resume(result.thread_id, answers[result.question["message"]])
    assert (result.status, result.output) == ("completed", "alpha and beta")
    assert ran(result).count("J") == 1


def test_what_was_done_before_the_pause_is_not_done_again(write_file: Write, tmp_path: Path) -> None:
    write_file(
        f"from pathlib import Path\n\ndef note():\n    with Path({str(tmp_path / 'log')!r}).open('a') as f:\n"
        "        f.write('x')\n    return 'noted'\n",
        "agents/note.py",
    )
    path = write_file("GraphName,Node,AgentType,Output_Field,Edge\nG,A,note,a,B\nG,B,input,b,C\nG,C,note,c,\n")
    resume(start(path).thread_id, "go")
    assert (tmp_path / "log").read_text() == "xx"


def test_the_map_is_the_one_that_the_run_started_with(pause: Callable[..., MapResult], write_file: Write) -> None:
    thread = pause().thread_id
    write_file("GraphName,Node\nOther,X\n")
    assert resume(thread, "approve").state["end"] == "good True"


def test_code_of_ones_own_may_wait_with_interrupt(write_file: Write) -> None:
    write_file(
        "from langgraph.types import interrupt\n\ndef mine():\n    return 'got ' + interrupt('What now?')\n",
        "agents/mine.py",
    )
    result = start(write_file("GraphName,Node,AgentType,Output_Field\nG,A,mine,x\n"))
    assert result.question is not None
    assert result.question["message"] == "What now?"
    assert resume(result.thread_id, "this").output == "got this"


# Which run


def test_the_start_of_a_threads_name_is_not_its_name(pause: Callable[..., MapResult]) -> None:
    thread = pause().thread_id
    with pytest.raises(NotFoundError):
        resume(thread[:8], "approve")
    assert resume(thread, "approve").status == "completed"


def test_a_thread_may_be_named(write_file: Write) -> None:
    start(write_file("GraphName,Node,AgentType,Output_Field\nG,A,input,x\n"), thread_id="order-7")
    assert resume("order-7", "y").output == "y"


def test_a_run_that_does_not_wait_is_told_with_the_nearest(write_file: Write) -> None:
    with pytest.raises(NotFoundError, match="No run waits in thread 'order-8'"):
        resume("order-8", "y")
    start(write_file("GraphName,Node,AgentType,Output_Field\nG,A,input,x\n"), thread_id="order-7")
    with pytest.raises(NotFoundError) as caught:
        resume("order-8", "y")
    assert "order-7" in caught.value.suggestion


def test_a_new_run_under_the_name_of_one_that_waits_takes_nothing_over_from_it(write_file: Write) -> None:
    path = write_file("GraphName,Node,AgentType,Prompt,Output_Field,Edge\nG,A,default,a,a,B\nG,B,input,?,b,\n")
    start(path, {"mine": 1}, thread_id="shared")
    try:
        start(path, {"other": 2}, thread_id="shared")
    except RequestError:
        return
    result = resume("shared", "x")
    assert result.values == {"other": 2, "a": "a", "b": "x"}
    assert ran(result) == ["A", "B"]


def test_a_run_is_resumed_once(pause: Callable[..., MapResult]) -> None:
    thread = pause().thread_id
    resume(thread, "approve")
    with pytest.raises(NotFoundError):
        resume(thread, "approve")


def test_of_several_who_resume_at_once_one_does(pause: Callable[..., MapResult]) -> None:
    thread = pause().thread_id

    def attempt(_: int) -> str:
        try:
            return resume(thread, "approve").status
        except SignalboxError as error:
            return error.error_type

    with ThreadPoolExecutor(4) as pool:
        outcomes = sorted(pool.map(attempt, range(4)))
    assert outcomes.count("completed") == 1
    assert set(outcomes) <= {"completed", "request", "not_found"}


def test_a_run_that_another_process_is_resuming_is_refused_unless_forced(pause: Callable[..., MapResult]) -> None:
    from signalbox.runs.records import find_run, take_over

    thread = pause().thread_id
    take_over(find_run(thread), {})
    with pytest.raises(RequestError, match="resumed already") as caught:
        resume(thread, "approve")
    assert "--force" in caught.value.suggestion
    assert resume(thread, "approve", force=True).status == "completed"


# The time-out

TIMED = "interaction_type:approval, timeout_seconds:60"


def test_an_answer_in_time_is_taken(pause: Callable[..., MapResult], set_clock: Clock) -> None:
    set_clock("2024-01-01T12:00:00Z")
    result = pause("human", TIMED)
    assert result.question is not None
    assert result.question["expires_at"] == "2024-01-01T12:01:00+00:00"
    set_clock("2024-01-01T12:00:59Z")
    assert resume(result.thread_id, "approve").state["end"] == "good True"


@pytest.mark.parametrize("answer", ["approve", None])
def test_an_answer_too_late_is_a_failure_of_the_node(
    pause: Callable[..., MapResult], set_clock: Clock, answer: str | None
) -> None:
    set_clock("2024-01-01T12:00:00Z")
    thread = pause("human", TIMED).thread_id
    set_clock("2024-01-01T12:01:00Z")
    result = resume(thread, answer)
    assert ran(result) == ["Before", "Ask", "Bad"]
    assert "within 60 seconds" in result.state["errors"][0]
    assert "reply" not in result.state


def test_the_default_option_is_taken_when_the_time_is_up(pause: Callable[..., MapResult], set_clock: Clock) -> None:
    set_clock("2024-01-01T12:00:00Z")
    context = "interaction_type:choice, options:[red, blue], default_option:blue, timeout_seconds:60"
    thread = pause("human", context).thread_id
    set_clock("2024-01-02T12:00:00Z")
    assert resume(thread, "red").state["end"] == "good blue"


def test_a_suspended_run_times_out_too(pause: Callable[..., MapResult], set_clock: Clock) -> None:
    set_clock("2024-01-01T12:00:00Z")
    thread = pause("suspend", "timeout_seconds:5").thread_id
    set_clock("2024-01-01T12:00:06Z")
    assert ran(resume(thread, "done")) == ["Before", "Ask", "Bad"]


# On disk


def test_the_database_holds_no_pickle(pause: Callable[..., MapResult], own_home: Path) -> None:
    pause()
    (file,) = own_home.glob("*.db")
    with closing(sqlite3.connect(file)) as connection:
        kinds = {row[0] for row in connection.execute("SELECT type FROM checkpoints")}
        kinds |= {row[0] for row in connection.execute("SELECT type FROM writes")}
        columns = connection.execute("SELECT checkpoint, metadata FROM checkpoints").fetchall()
    assert kinds
    assert not {kind for kind in kinds if "pickle" in str(kind)}
    assert not any(bytes(str(cell), "utf-8", "replace").startswith(b"\x80\x04") for row in columns for cell in row)


def test_a_value_that_cannot_be_kept_without_pickle_is_refused_with_words_that_name_it(write_file: Write) -> None:
    write_file("class Thing:\n    pass\n\ndef odd():\n    return Thing()\n", "agents/odd.py")
    path = write_file("GraphName,Node,AgentType,Output_Field,Edge\nG,A,odd,gadget,B\nG,B,input,b,\n")
    try:
        told = (start(path).error or {}).get("message", "")
    except SignalboxError as error:
        told = error.user_message
    assert "Thing" in told or "gadget" in told


def test_values_keep_their_types_over_a_pause(write_file: Write) -> None:
    write_file(
        """
        from datetime import UTC, date, datetime
        from decimal import Decimal

        from langchain_core.messages import AIMessage

        def made():
            return {"at": datetime(2024, 1, 2, tzinfo=UTC), "day": date(2024, 1, 2), "some": {3},
                    "raw": b"\\x00\\xff", "cost": Decimal("1.10"), "message": AIMessage("hi")}
        """,
        "agents/made.py",
    )
    path = write_file("GraphName,Node,AgentType,Output_Field,Edge\nG,A,made,v,B\nG,B,input,b,\n")
    paused = start(path)
    kept = resume(paused.thread_id, "x").values["v"]
    assert kept == paused.values["v"]
    assert {name: type(value).__name__ for name, value in kept.items()} == {
        "at": "datetime",
        "day": "date",
        "some": "set",
        "raw": "bytes",
        "cost": "Decimal",
        "message": "AIMessage",
    }


def test_everything_lies_under_the_home(pause: Callable[..., MapResult], own_home: Path, tmp_path: Path) -> None:
    pause()
    assert [path.name for path in own_home.glob("*.db")] == ["signalbox.db"]
    assert [path.name for path in tmp_path.iterdir()] == ["map.csv"]


def test_a_run_is_resumed_in_another_process_with_the_data_intact(
    pause: Callable[..., MapResult], tmp_path: Path
) -> None:
    thread = pause("suspend", "").thread_id
    program = (
        "import json, sys\n"
        "from signalbox.runs import resume\n"
        "result = resume(sys.argv[1], {'action': 'approve', 'data': {'order': 7}})\n"
        "print(json.dumps([result.status, result.values, [n.node_name for n in result.summary.node_executions]]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, thread], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    status, values, nodes = json.loads(done.stdout)
    assert (status, nodes) == ("completed", ["Before", "Ask", "Good"])
    assert {key: values[key] for key in STATE} == STATE
    assert (values["reply"], values["prepared"]) == ({"order": 7}, "prepared sell")
    assert list_runs("waiting") == []


# Every way to run


async def test_a_run_may_pause_and_go_on_in_an_event_loop(write_file: Write) -> None:
    path = write_file(ASK.format(kind="human", context="interaction_type:approval"))
    paused = await astart(path, STATE)
    assert paused.status == "needs_input"
    result = await aresume(paused.thread_id, "approve")
    assert (result.status, result.state["end"]) == ("completed", "good True")


async def test_many_runs_wait_at_once_in_one_loop(write_file: Write) -> None:
    path = write_file("GraphName,Node,AgentType,Prompt,Output_Field,Edge\nG,A,input,?,a,B\nG,B,echo,got {a},b,\n")
    paused = await asyncio.gather(*(astart(path) for _ in range(4)))
    assert len({run.thread_id for run in paused}) == 4
    results = await asyncio.gather(*(aresume(run.thread_id, str(i)) for i, run in enumerate(paused)))
    assert [result.output for result in results] == [f"got {i}" for i in range(4)]


def test_a_stream_tells_of_the_pause(write_file: Write) -> None:
    *events, result = stream(write_file(ASK.format(kind="human", context="interaction_type:approval")), STATE)
    assert isinstance(result, MapResult)
    assert result.status == "needs_input"
    assert [(e.kind, e.node) for e in events if not isinstance(e, MapResult)][-1] == ("pause", "Ask")
    assert resume(result.thread_id, "approve").status == "completed"


def test_the_policy_and_the_limit_of_a_run_hold_after_its_pause(write_file: Write) -> None:
    text = ASK.format(kind="human", context="interaction_type:approval")
    paused = start(write_file(text), STATE, policy="all_nodes", max_steps=2)
    result = resume(paused.thread_id, "approve")
    assert result.error is not None
    assert result.error["error_type"] == "step_limit"
