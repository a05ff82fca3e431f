"""The life of a run: claimed once, kept as it goes, gone on with after any end of its process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import NotFoundError, RequestError, SignalboxError
from signalbox.maps import MapResult
from signalbox.runs import astart, cancel, forget, list_runs, resume, show, start, stream

Write = Callable[..., Path]
NOTE = """
import os, time
from pathlib import Path

def note(name):
    log = Path(__file__).parent.parent / "log"
    with log.open("a") as file:
        file.write(f"{name}\\n")
    die = Path(__file__).parent.parent / "die"
    if die.exists() and die.read_text().strip() == name:
        die.unlink()
        os.kill(os.getpid(), 9)
    return f"noted {name}"
"""
CHAIN = (
    "GraphName,Node,AgentType,Input_Fields,Output_Field,Edge,Prompt\n"
    "G,SetA,default,,name,A,a\nG,A,note,name,a,SetB,\nG,SetB,default,,name,B,b\nG,B,note,name,b,SetC,\n"
    "G,SetC,default,,name,C,c\nG,C,note,name,c,,\n"
)
ASK = (
    "GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Failure_Next,Prompt,Context\n"
    "G,Ask,human,,ok,Name,Bad,Publish?,interaction_type:approval\n"
    "G,Name,default,,name,Work,,work,\nG,Work,note,name,done,Good,,,\n"
    "G,Good,default,,end,,,published,\nG,Bad,default,,end,,,sent back,\n"
)


def cli(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "signalbox", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def ran(result: MapResult) -> list[str]:
    return [node.node_name for node in result.summary.node_executions]


@pytest.fixture
def chain(write_file: Write) -> Path:
    write_file(NOTE, "agents/note.py")
    return write_file(CHAIN)


# The claim


@pytest.mark.bench
def test_of_many_processes_that_start_one_thread_one_does(write_file: Write, tmp_path: Path) -> None:
    write_file("import time\n\ndef wait():\n    time.sleep(3)\n    return 'done'\n", "agents/wait.py")
    path = write_file("GraphName,Node,AgentType,Output_Field\nG,A,wait,x\n")
    command = [sys.executable, "-m", "signalbox", "run", str(path), "--thread", "one"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    told = [process.communicate(timeout=120) for process in running]
    assert sorted(process.returncode for process in running) == [0, 1, 1, 1]
    assert sum(b"is active in thread 'one'" in error for _, error in told) == 3


def test_of_many_threads_that_resume_at_once_one_does(write_file: Write) -> None:
    write_file(NOTE, "agents/note.py")
    start(write_file(ASK), thread_id="one")

    def attempt(_: int) -> str:
        try:
            return resume("one", "approve").status
        except SignalboxError as error:
            return error.error_type

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(attempt, range(8)))
    assert outcomes.count("completed") == 1
    assert set(outcomes) <= {"completed", "request", "not_found"}


def test_a_fresh_run_never_sees_the_state_of_an_earlier_one(chain: Path) -> None:
    first = start(chain, {"mine": 1}, thread_id="t")
    second = start(chain, {"other": 2}, thread_id="t")
    assert first.values["mine"] == 1
    assert "mine" not in second.values


def test_a_fresh_run_never_sees_the_state_of_one_that_broke_off(chain: Path, tmp_path: Path) -> None:
    (tmp_path / "die").write_text("b")
    assert cli("run", chain, "--thread", "t", "--set", "mine=1").returncode == -signal.SIGKILL
    done = cli("run", chain, "--thread", "t", "--set", "other=2", "--json")
    state = json.loads(done.stdout)["state"]
    assert (state["other"], "mine" in state, state["c"]) == (2, False, "noted c")


# After kill -9


@pytest.mark.parametrize(
    "node", [pytest.param("a", marks=pytest.mark.bench), "b", pytest.param("c", marks=pytest.mark.bench)]
)
def test_a_run_that_was_killed_goes_on_after_its_last_finished_node(chain: Path, tmp_path: Path, node: str) -> None:
    (tmp_path / "die").write_text(node)
    assert cli("run", chain, "--thread", "t", "--set", "x=1").returncode == -signal.SIGKILL
    (kept,) = list_runs()
    assert (kept.standing, kept.as_dict()["under_way"]) == ("interrupted", [node.upper()])
    done = cli("resume", "t", "--json")
    answer = json.loads(done.stdout)
    assert (answer["status"], answer["state"]["x"], answer["state"]["c"]) == ("completed", 1, "noted c")
    assert (tmp_path / "log").read_text().split() == sorted(["a", "b", "c", node])
    summary = answer["state"]["__execution_summary"]
    assert [one["node_name"] for one in summary["node_executions"]] == ["SetA", "A", "SetB", "B", "SetC", "C"]
    assert f"{node.upper()} was active" in summary["warnings"][0]


def test_of_parallel_nodes_only_the_one_under_way_runs_again(write_file: Write, tmp_path: Path) -> None:
    write_file(
        """
        import os, time
        from pathlib import Path
        here = Path(__file__).parent.parent

        def quick():
            with (here / "log").open("a") as file:
                file.write("quick ")
            return 1

        def slow():
            with (here / "log").open("a") as file:
                file.write("slow ")
            if not (here / "again").exists():
                (here / "again").touch()
                time.sleep(60)
            return 2
        """,
        "agents/both.py",
    )
    path = write_file(
        "GraphName,Node,AgentType,Output_Field,Edge,Prompt\n"
        "G,S,default,s,Q|L,go\nG,Q,quick,q,J,\nG,L,slow,l,J,\nG,J,echo,j,,{q}{l}\n"
    )
    with subprocess.Popen([sys.executable, "-m", "signalbox", "run", str(path), "--thread", "t"]) as running:
        deadline = time.monotonic() + 60
        while show_nodes("t") != {"S", "Q"} and time.monotonic() < deadline:
            time.sleep(0.05)
        running.kill()
    assert resume("t").values["j"] == "12"
    assert sorted((tmp_path / "log").read_text().split()) == ["quick", "slow", "slow"]


def show_nodes(thread: str) -> set[str]:
    """The nodes of the thread's run that have ended."""
    try:
        return {node["node_name"] for node in show(thread).as_dict()["nodes"]}
    except NotFoundError:
        return set()


def test_a_graph_inside_a_graph_goes_on_too(write_file: Write, tmp_path: Path) -> None:
    write_file(NOTE, "agents/note.py")
    rows = CHAIN.replace("G,", "Child,").replace("Edge,Prompt\n", "Edge,Prompt,Context\n").splitlines()
    path = write_file("\n".join([rows[0], "Main,Run,graph,,out,,,workflow=::Child", *(row + "," for row in rows[1:])]))
    (tmp_path / "die").write_text("b")
    assert cli("run", f"{path}::Main", "--thread", "t").returncode == -signal.SIGKILL
    assert resume("t").values["out"]["c"] == "noted c"
    assert (tmp_path / "log").read_text().split() == ["a", "b", "b", "c"]


# Answers


@pytest.mark.bench
def test_an_answer_that_was_given_stays_given(write_file: Write, tmp_path: Path) -> None:
    write_file(NOTE, "agents/note.py")
    path = write_file(ASK)
    assert cli("run", path, "--thread", "t").returncode == 3
    (tmp_path / "die").write_text("work")
    assert cli("resume", "t", "--value", "approve").returncode == -signal.SIGKILL
    refused = cli("resume", "t", "--value", "reject")
    assert (refused.returncode, "answered before it was interrupted" in refused.stderr) == (1, True)
    assert "'approve'" in refused.stderr
    done = cli("resume", "t")
    assert (done.returncode, done.stdout) == (0, "published\n")
    assert "Work was active" in done.stderr


PARALLEL = (
    "GraphName,Node,AgentType,Prompt,Output_Field,Edge\n"
    "G,S,default,,s,A|B|C\nG,A,input,For A?,a,J\nG,B,input,For B?,b,J\nG,C,input,For C?,c,J\n"
    "G,J,echo,{a} {b} {c},all,\n"
)


def test_parallel_pauses_are_all_listed_and_each_can_be_answered(write_file: Write) -> None:
    result = start(write_file(PARALLEL), thread_id="t")
    assert [question["message"] for question in result.questions] == ["For A?", "For B?", "For C?"]
    asked = result.as_answer().as_dict()["question"]
    assert [asked["node"], *(other["node"] for other in asked["others"])] == ["A", "B", "C"]
    assert [question["node"] for question in show("t").questions] == ["A", "B", "C"]
    result = resume("t", "two", question="B")
    assert [question["node"] for question in result.questions] == ["A", "C"]
    with pytest.raises(RequestError, match="nothing called 'B'"):
        resume("t", "again", question="B")
    result = resume("t", "three", question="C")
    assert resume("t", "one").output == "one two three"


@pytest.mark.bench
def test_the_command_line_lists_parallel_questions_and_says_how_to_answer_each(write_file: Write) -> None:
    waits = cli("run", write_file(PARALLEL), "--thread", "t")
    assert (waits.returncode, waits.stdout) == (3, "For A?\nFor B?\nFor C?\n")
    assert "3 questions (A, B, C)" in waits.stderr
    left = cli("resume", "t", "--question", "B", "--value", "two")
    assert left.stdout == "For A?\nFor C?\n"


@pytest.mark.bench
def test_three_hundred_runs_at_once_come_to_their_pause(write_file: Write) -> None:
    path = write_file("GraphName,Node,AgentType,Output_Field\nG,A,input,x\n")

    async def all_of_them() -> list[MapResult]:
        return await asyncio.gather(*(astart(path, {"n": n}, thread_id=f"run-{n}") for n in range(300)))

    assert {result.status for result in asyncio.run(all_of_them())} == {"needs_input"}
    assert len(list_runs("waiting")) == 300
    assert resume("run-123", "y").values == {"n": 123, "x": "y"}


def test_one_corrupt_record_breaks_only_itself(write_file: Write, own_home: Path) -> None:
    path = write_file("GraphName,Node,AgentType,Output_Field\nG,A,input,x\n")
    for thread in ("good", "bad"):
        start(path, thread_id=thread)
    with closing(sqlite3.connect(own_home / "signalbox.db")) as connection, connection:
        connection.execute("UPDATE runs SET record = '{' WHERE thread_id = 'bad'")
    assert {run.thread_id: run.standing for run in list_runs()} == {"good": "waiting", "bad": "unreadable"}
    with pytest.raises(RequestError, match="corrupt"):
        resume("bad", "y")
    assert resume("good", "y").output == "y"
    assert forget("bad") == 1


# The end


STUCK = {
    "sleeps": "time.sleep(600)",
    "spins": "while True:\n        pass",
    "catches everything": "while True:\n        try: time.sleep(600)\n        except BaseException: pass",
    "waits": "threading.Event().wait()",
    "matches": "re.match(r'(a+)+$', 'a' * 40 + 'b')",
    "has a child": "subprocess.run(['sleep', '600'])",
}
ALWAYS = {
    ("spins", "alone"),
    ("has a child", "alone"),
    ("catches everything", "side by side"),
    ("matches", "side by side"),
}


@pytest.mark.parametrize(
    ("does", "shape"),
    [
        pytest.param(does, shape, marks=[] if (does, shape) in ALWAYS else pytest.mark.bench)
        for does in STUCK
        for shape in ("alone", "side by side")
    ],
)
def test_ctrl_c_ends_a_run_whatever_its_nodes_do(write_file: Write, tmp_path: Path, does: str, shape: str) -> None:
    code = "import re, subprocess, threading, time\nfrom pathlib import Path\n\ndef stuck():\n"
    write_file(f"{code}    (Path(__file__).parent.parent / 'started').touch()\n    {STUCK[does]}\n", "agents/stuck.py")
    first = "G,First,default,done,f,A\n" if shape == "alone" else "G,First,default,done,f,A|B\n"
    rows = "G,A,stuck,,,\n" + ("" if shape == "alone" else "G,B,stuck,,,\n")
    path = write_file(f"GraphName,Node,AgentType,Prompt,Output_Field,Edge\n{first}{rows}")
    command = [sys.executable, "-m", "signalbox", "run", str(path), "--thread", "t"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as running:
        try:
            while not (tmp_path / "started").exists():
                assert running.poll() is None
                time.sleep(0.02)
            os.kill(running.pid, signal.SIGINT)
            assert running.wait(timeout=30) in (130, -signal.SIGKILL)
        finally:
            os.killpg(running.pid, signal.SIGKILL)
    run = show("t")
    assert (run.standing, [node.node_name for node in run.so_far().node_executions]) == ("interrupted", ["First"])


def test_a_run_is_cancelled_while_it_waits_and_while_it_runs(write_file: Write, chain: Path) -> None:
    path = write_file("GraphName,Node,AgentType,Output_Field\nG,A,input,x\n", "ask.csv")
    start(path, thread_id="waits")
    cancel("waits")
    with pytest.raises(RequestError, match="'waits' has already ended: its status is cancelled"):
        cancel("waits")
    with pytest.raises(NotFoundError):
        resume("waits", "y")
    items = stream(chain, thread_id="runs")
    next(items)
    cancel("runs")
    *_, result = items
    assert isinstance(result, MapResult)
    assert result.error is not None
    assert (result.error["error_type"], show("runs").standing) == ("cancelled", "cancelled")


def test_a_run_that_breaks_off_keeps_what_its_nodes_wrote(write_file: Write) -> None:
    path = write_file(
        "GraphName,Node,AgentType,Input_Fields,Output_Field,Edge,Prompt\n"
        "G,A,default,,first,B,one\nG,B,echo,,second,func:nowhere,{first} and two\nG,C,default,,third,,x\n"
    )
    write_file("def nowhere(state, *rest):\n    return 'Nowhere'\n", "functions/nowhere.py")
    result = start(path)
    assert result.status == "error"
    assert (result.values["first"], result.values["second"]) == ("one", "one and two")


def test_a_node_whose_constructor_raises_takes_its_failure_branch(write_file: Write) -> None:
    write_file(
        "from signalbox.contract import BaseAgent\n\nclass FussyAgent(BaseAgent):\n"
        "    def __init__(self, name, prompt, context=None):\n        raise RuntimeError('no licence')\n",
        "agents/fussy.py",
    )
    path = write_file(
        "GraphName,Node,AgentType,Output_Field,Success_Next,Failure_Next,Prompt\n"
        "G,A,fussy,x,Good,Bad,\nG,Good,default,end,,,good\nG,Bad,default,end,,,bad\n"
    )
    result = start(path)
    assert (result.output, ran(result)) == ("bad", ["A", "Bad"])
    assert "no licence" in result.state["errors"][0]


def test_a_graph_that_calls_itself_has_one_budget_of_steps(write_file: Write) -> None:
    path = write_file(
        "GraphName,Node,AgentType,Output_Field,Edge,Context,Prompt\nG,A,default,a,B,,one\nG,B,graph,b,,workflow=::G,\n"
    )
    result = start(path, max_steps=7)
    assert result.error is not None
    assert "7 steps" in json.dumps(result.as_answer().as_dict())
    depth, summary = 0, result.summary
    while summary is not None:
        depth += len(summary.node_executions)
        summary = next((node.subgraph for node in summary.node_executions if node.subgraph), None)
    assert depth <= 7


def test_a_thread_that_is_forgotten_leaves_nothing(write_file: Write, own_home: Path) -> None:
    start(write_file("GraphName,Node,AgentType,Output_Field\nG,A,input,secret\n"), {"word": "hush"}, thread_id="t")
    assert forget("t") == 1
    with closing(sqlite3.connect(own_home / "signalbox.db")) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        tables.remove("alembic_version_runs")
        assert {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables} == (
            dict.fromkeys(tables, 0)
        )


def test_the_warnings_of_a_map_are_told_when_it_runs(write_file: Write) -> None:
    path = write_file("GraphName,Node,AgentType,Prompt,Edge\nG,A,default,hello,\nG,Lost,default,x,\n")
    done = cli("run", path)
    assert (done.returncode, done.stdout) == (0, "hello\n")
    assert "Nothing leads to 'Lost'" in done.stderr
