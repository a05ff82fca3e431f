"""Messages about a run that waits: files for other programs, written once, where the map says, and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.maps import MapResult, check_map
from signalbox.runs import resume, start

Write = Callable[..., Path]
Clock = Callable[[str], None]
WAIT = """
    GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Edge,Context
    Approval,Wait,{kind},Please look at {{request}},request,decision,Done,"{context}"
    Approval,Done,echo,,decision,end,,
"""


@pytest.fixture
def wait(write_file: Write) -> Callable[..., MapResult]:
    def run(context: str, kind: str = "suspend") -> MapResult:
        result = start(write_file(WAIT.format(kind=kind, context=context)), {"request": {"id": 7}})
        assert result.status == "needs_input"
        return result

    return run


def messages(folder: Path, topic: str = "workflow_events") -> list[dict[str, Any]]:
    files = sorted((folder / "data" / "messages" / topic).glob("*.json"))
    return [json.loads(file.read_text("utf-8"))["payload"] for file in files]


def test_a_pause_is_told_with_its_thread_and_its_inputs(wait: Callable[..., MapResult], tmp_path: Path) -> None:
    result = wait("send_suspend_message:true, department:finance")
    (told,) = messages(tmp_path)
    assert {key: told[key] for key in ("event_type", "thread_id", "node_name", "graph", "inputs", "context")} == {
        "event_type": "workflow_suspended",
        "thread_id": result.thread_id,
        "node_name": "Wait",
        "graph": "Approval",
        "inputs": {"request": {"id": 7}},
        "context": {"department": "finance"},
    }


def test_a_resumed_run_is_told_with_its_answer_and_how_long_it_waited(
    wait: Callable[..., MapResult], tmp_path: Path, set_clock: Clock
) -> None:
    set_clock("2026-03-01T09:00:00+00:00")
    result = wait("send_suspend_message:true, send_resume_message:true")
    assert [told["event_type"] for told in messages(tmp_path)] == ["workflow_suspended"]
    set_clock("2026-03-01T09:05:00+00:00")
    assert resume(result.thread_id, {"status": "fine"}).output == {"status": "fine"}
    paused, resumed = messages(tmp_path)
    assert paused["event_type"] == "workflow_suspended"
    assert (resumed["event_type"], resumed["action"]) == ("workflow_resumed", "resume")
    assert (resumed["resume_value"], resumed["suspension_duration_seconds"]) == ({"status": "fine"}, 300.0)


def test_a_message_that_starts_another_graph_carries_its_state(wait: Callable[..., MapResult], tmp_path: Path) -> None:
    wait("send_graph_message:true, graph_message_topic:jobs")
    (told,) = messages(tmp_path, "jobs")
    assert (told["event_type"], told["state"]) == ("workflow_graph_trigger", {"request": {"id": 7}})


def test_a_human_node_tells_too(wait: Callable[..., MapResult], tmp_path: Path) -> None:
    wait("interaction_type:approval, send_suspend_message:true", kind="human")
    assert len(messages(tmp_path)) == 1


@pytest.mark.parametrize("context", ["reason:batch", "send_suspend_message:false"])
def test_nothing_is_written_that_was_not_asked_for(
    wait: Callable[..., MapResult], tmp_path: Path, context: str
) -> None:
    resume(wait(context).thread_id, "go")
    assert not (tmp_path / "data").exists()


def test_a_template_shapes_the_message(wait: Callable[..., MapResult], write_file: Write, tmp_path: Path) -> None:
    write_file(
        'ticket:\n  title: "Request $inputs.request.id waits"\n  data: $inputs\n  link: https://x/resume/$thread_id\n',
        "messages.yaml",
    )
    result = wait("send_suspend_message:true, suspend_message_template:ticket")
    (told,) = messages(tmp_path)
    assert told == {
        "title": "Request 7 waits",
        "data": {"request": {"id": 7}},
        "link": f"https://x/resume/{result.thread_id}",
    }


def test_a_template_that_is_not_there_is_told_by_the_check(write_file: Write) -> None:
    context = "send_suspend_message:true, suspend_message_template:tickets"
    write_file("ticket: {a: b}\n", "messages.yaml")
    _, findings = check_map(write_file(WAIT.format(kind="suspend", context=context)))
    (finding,) = findings
    assert finding.level == "warning"
    assert "no template 'tickets'" in finding.message
    assert "'ticket'" in finding.suggestion


def test_a_topic_that_leaves_the_data_folder_is_refused_and_the_run_still_waits(
    wait: Callable[..., MapResult], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("WARNING", logger="signalbox"):
        result = wait("send_suspend_message:true, suspend_message_topic:../../outside")
    assert not list(tmp_path.rglob("*_*.json"))
    assert "could not be written" in caplog.text
    assert resume(result.thread_id, "go").status == "completed"


def test_secrets_stay_out_of_messages(write_file: Write, tmp_path: Path) -> None:
    path = write_file(WAIT.format(kind="suspend", context="send_suspend_message:true, api_key:sk-abcdefghijklmnop"))
    start(path, {"request": "the password=hunter2222 of it"})
    text = json.dumps(messages(tmp_path))
    assert "hunter2222" not in text
    assert "sk-abcdefghijklmnop" not in text
