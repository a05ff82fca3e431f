"""What was accepted is finished, once, and what runs again is named, wherever `kill -9` comes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from benchmarks.kills import kill_servers, postgres
from langchain_core.messages import HumanMessage

from signalbox.errors import SignalboxError
from signalbox.runs import list_runs, resume, start
from signalbox.runs.life import begin
from signalbox.runs.steps import Steps

SEED = 20
NOTE = """
from pathlib import Path

def note(name):
    with (Path(__file__).parent.parent / "log").open("a") as log:
        log.write(f"{name} ")
    return name
"""
NESTED = (
    "GraphName,Node,AgentType,Input_Fields,Output_Field,Edge,Context\n"
    "Main,A,note,name,a,Inside,\nMain,Inside,graph,name,out,B,workflow=::Child\nMain,B,note,name,b,,\n"
    "Child,X,note,name,x,Y|Z,\nChild,Y,note,name,y,End,\nChild,Z,note,name,z,End,\nChild,End,note,name,e,,\n"
)


def killed(work: Callable[[], object]) -> None:
    """Do something in a process that is killed on the way."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_when_stored(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Kill the process when so many ends of nodes are about to be stored: what it did then is rolled back."""
    ends = iter(range(1, times + 1))
    store = Steps._store_one

    def stored(self: Steps, connection: Any, place: str, event: Any) -> None:
        if event.kind == "end" and next(ends) == times:
            die()
        store(self, connection, place, event)

    monkeypatch.setattr(Steps, "_store_one", stored)


@pytest.fixture
def nested(write_file: Callable[..., Path]) -> str:
    write_file(NOTE, "agents/note.py")
    return f"{write_file(NESTED)}::Main"


def test_a_run_that_was_killed_right_after_its_claim_starts_with_its_input(write_file: Callable[..., Path]) -> None:
    path = write_file(
        "GraphName,Node,AgentType,Input_Fields,Output_Field,Prompt\nG,A,echo,name,greeting,Hello {name}\n"
    )

    def accept() -> None:
        begin(path, {"name": "Ann", "messages": [HumanMessage("Hi")]}, "t", None, {})
        die()

    killed(accept)
    (left,) = list_runs()
    assert left.standing == "interrupted"
    done = resume("t")
    assert (done.status, done.values["greeting"]) == ("completed", "Hello Ann")
    assert done.values["messages"][0].content == "Hi"
    assert done.summary.warnings == []


def test_a_run_is_claimed_with_its_input_or_not_at_all(
    write_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_file("GraphName,Node,AgentType,Output_Field\nG,A,input,x\n")
    monkeypatch.setattr("signalbox.runs.life.keep_input", die)
    killed(lambda: start(path, {"n": 1}, thread_id="t"))
    assert list_runs() == []


@pytest.mark.parametrize(
    ("end", "again", "log"),
    [
        (1, "A was active, and runs again from its start.", "a a x y z e b"),
        (2, "Inside > X was active, and runs again from its start.", "a x x y z e b"),
        (5, "Inside > End was active, and runs again from its start.", "a x y z e e b"),
        (6, "Inside was active, and continues after End.", "a x y z e b"),
        (7, "B was active, and runs again from its start.", "a x y z e b b"),
    ],
)
def test_what_runs_again_is_named_and_nothing_else_does(
    nested: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: int, again: str, log: str
) -> None:
    write = (tmp_path / "agents" / "note.py").read_text()
    named = write.replace("def note(name):", "def note(name):\n    name = here()").replace(
        "from pathlib import Path",
        "from pathlib import Path\nfrom langgraph.config import get_config\n\n"
        "def here():\n    return get_config()['metadata']['langgraph_node'][0].lower()",
    )
    (tmp_path / "agents" / "note.py").write_text(named)
    with monkeypatch.context() as dying:
        die_when_stored(dying, end)
        killed(lambda: start(nested, {"name": "n"}, thread_id="t"))
    done = resume("t")
    assert (done.status, done.summary.warnings) == ("completed", [f"The run was interrupted. {again}"])
    assert sorted((tmp_path / "log").read_text().split()) == sorted(log.split())
    assert [node.node_name for node in done.summary.node_executions] == ["A", "Inside", "B"]


def test_who_lost_a_run_to_another_process_stores_nothing_more(write_file: Callable[..., Path]) -> None:
    late = begin(write_file("GraphName,Node,AgentType,Output_Field\nG,A,input,x\n"), {}, "t", None, {})
    assert resume("t", force=True).status == "needs_input"
    config = late.run.checkpointer.get_tuple(late.run.config(late.run.context())).config
    with pytest.raises(SignalboxError, match="another process has taken it over"):
        late.run.checkpointer.put_writes(config, [("x", 1)], "task")


@pytest.mark.bench
@pytest.mark.parametrize("kind", ["SQLite", "PostgreSQL"])
def test_of_accepted_runs_none_is_lost_or_done_twice(
    tmp_path: Path, require_part: Callable[[str, bool], None], kind: str
) -> None:
    """A sample of `python -m benchmarks.kills`, which also kills the server of the tasks agent."""
    with postgres() if kind == "PostgreSQL" else nullcontext("") as address:
        require_part("PostgreSQL is not installed: apt-get install postgresql", address is not None)
        graphs = ("Chain", "Fan", "Sent", "Outer", "Ask")
        tally = kill_servers(tmp_path, 4, seed=SEED, database_url=address or "", graphs=graphs)
    assert (tally.faults, tally.kills) == ([], 4), f"seed {SEED}"
    assert tally.finished + tally.waiting == tally.accepted >= 4
