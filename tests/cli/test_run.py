"""`signalbox run` and `signalbox resume`: output, exit codes, state, questions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
Write = Callable[..., Path]
HELLO = "GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field\nHello,Greet,echo,Hello {name},name,greeting\n"
ASK = (
    "GraphName,Node,AgentType,Prompt,Output_Field,Edge\n"
    "Ask,Name,input,Your name?,name,Greet\nAsk,Greet,echo,Hello {name},g,\n"
)


def test_the_output_of_the_last_node_is_printed_and_nothing_else(signalbox: Cli, write_file: Write) -> None:
    done = signalbox("run", write_file(HELLO), "--set", "name=Ann")
    assert (done.code, done.out, done.err) == (0, "Hello Ann\n", "")


def test_a_map_runs_from_any_path(signalbox: Cli, write_file: Write) -> None:
    write_file(HELLO, "deep/er/hello.csv")
    assert signalbox("run", "deep/er/hello.csv", "--set", "name=Ann").out == "Hello Ann\n"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["--state", '{"name": "Ann"}'], "Hello Ann"),
        (["-s", '{"name": "Ann"}', "--set", "name=Bob"], "Hello Bob"),
        (["--set", "name=3"], "Hello 3"),
        (["--set", "name=a=b"], "Hello a=b"),
        (["--set", 'name=["x"]'], 'Hello ["x"]'),
        (["--state", "@state.json"], "Hello file"),
    ],
)
def test_the_state_is_given_as_json_in_a_file_or_by_pairs(
    signalbox: Cli, write_file: Write, arguments: list[str], shown: str
) -> None:
    write_file('{"name": "file"}', "state.json")
    assert signalbox("run", write_file(HELLO), *arguments).out.strip() == shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["--state", "{broken"],
        ["--state", "[1]"],
        ["--set", "novalue"],
        ["--set", "=x"],
        ["--nonsense"],
        ["--max-steps", "0"],
    ],
)
def test_wrong_usage_ends_with_2(signalbox: Cli, write_file: Write, arguments: list[str]) -> None:
    done = signalbox("run", write_file(HELLO), *arguments)
    assert done.code == 2
    assert done.out == ""
    assert arguments[0] in done.err


def test_json_is_the_whole_answer_and_alone_on_stdout(signalbox: Cli, write_file: Write) -> None:
    done = signalbox("run", write_file(HELLO), "--set", "name=Ann", "--json")
    assert done.err == ""
    assert (done.json["agent"], done.json["status"], done.json["answer"]) == ("Hello", "completed", "Hello Ann")
    assert done.json["state"]["greeting"] == "Hello Ann"
    assert set(done.json["timings_ms"]) == {"total", "Greet"}


def test_a_value_of_several_parts_is_printed_as_json(signalbox: Cli, write_file: Write) -> None:
    text = "GraphName,Node,AgentType,Input_Fields\nG,A,echo,a|b\n"
    assert signalbox("run", write_file(text), "--set", "a=1", "--set", "b=ä").json == {"a": 1, "b": "ä"}


def test_a_failed_run_ends_with_1_and_says_why_on_stderr(signalbox: Cli, write_file: Write) -> None:
    text = "GraphName,Node,AgentType,Prompt\nG,A,echo,Hello {nobody}\n"
    done = signalbox("run", write_file(text))
    assert (done.code, done.out) == (1, "")
    assert "'nobody'" in done.err
    assert "Traceback" not in done.err


def test_a_failed_run_as_json_has_its_error(signalbox: Cli, write_file: Write) -> None:
    done = signalbox("run", write_file("GraphName,Node,AgentType,Prompt\nG,A,echo,Hello {nobody}\n"), "--json")
    assert done.code == 1
    assert done.json["status"] == "error"
    assert "'nobody'" in done.json["error"]["message"]


def test_a_map_with_findings_is_refused_with_their_places(signalbox: Cli, write_file: Write) -> None:
    path = write_file("GraphName,Node,Edge\nG,A,Nowhere\n")
    done = signalbox("run", path)
    assert (done.code, done.out) == (1, "")
    assert f"{path}:2:Edge: error" in done.err
    findings = signalbox("run", path, "--json").json["findings"]
    assert [(f["line"], f["column"]) for f in findings] == [(2, "Edge")]


def test_a_file_that_is_not_there_ends_with_1(signalbox: Cli) -> None:
    done = signalbox("run", "nothing.csv")
    assert done.code == 1
    assert done.err.startswith("Error: There is no file nothing.csv.")


def test_several_graphs_are_listed_and_one_is_asked_for(signalbox: Cli, write_file: Write) -> None:
    path = write_file("GraphName,Node,Prompt\nOne,A,1\nTwo,A,2\n")
    done = signalbox("run", path)
    assert done.code == 1
    assert f"{path}::One" in done.err
    assert f"{path}::Two" in done.err
    assert signalbox("run", f"{path}::Two").out == "2\n"
    assert signalbox("run", path, "--graph", "One").out == "1\n"


def test_the_trace_is_shown_on_stderr_when_wanted(signalbox: Cli, write_file: Write) -> None:
    done = signalbox("run", write_file(HELLO), "--set", "name=Ann", "-v")
    assert done.out == "Hello Ann\n"
    assert "Greet" in done.err


def test_warnings_of_the_run_are_told_on_stderr(signalbox: Cli, write_file: Write) -> None:
    text = "GraphName,Node,Prompt,Output_Field,Edge\nG,S,s,s,A|B\nG,A,a,x,\nG,B,b,x,\n"
    done = signalbox("run", write_file(text))
    assert done.code == 0
    assert "Warning:" in done.err
    assert "'x'" in done.err


def test_the_summary_is_written_to_a_file(signalbox: Cli, write_file: Write, tmp_path: Path) -> None:
    signalbox("run", write_file(HELLO), "--set", "name=Ann", "--summary", tmp_path / "summary.json")
    summary = json.loads((tmp_path / "summary.json").read_text("utf-8"))
    assert [node["node_name"] for node in summary["node_executions"]] == ["Greet"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "map.csv", "--set", "name=Ann", "--summary", "nowhere/summary.json"],
        ["run", "map.csv", "--state", "@latin.json"],
        ["maps", "draw", "map.csv", "-o", "nowhere/picture.svg"],
        ["maps", "scaffold", "--new", "map.csv/first.csv"],
    ],
    ids=" ".join,
)
def test_a_file_that_cannot_be_written_or_read_is_told_in_words(
    signalbox: Cli, write_file: Write, tmp_path: Path, arguments: list[str]
) -> None:
    write_file(HELLO)
    (tmp_path / "latin.json").write_bytes('{"name": "schön"}'.encode("latin-1"))
    done = signalbox(*arguments)
    assert done.code in (1, 2)
    assert arguments[-1].removeprefix("@") in done.err


@pytest.mark.parametrize("home", ["file/home", "broken"])
def test_a_home_that_cannot_be_used_is_told_in_words_that_name_it(
    signalbox: Cli, write_file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    write_file("", "file")
    write_file("this is no database, whatever its name says\n" * 50, "broken/signalbox.db")
    monkeypatch.setenv("SIGNALBOX_HOME", str(tmp_path / home))
    done = signalbox("run", write_file(ASK))
    assert done.code == 1
    assert str(tmp_path / home) in done.err


def test_policy_and_step_limit_are_options(signalbox: Cli, write_file: Write) -> None:
    path = write_file("GraphName,Node,AgentType,Failure_Next\nG,A,failure,B\nG,B,echo,\n")
    assert signalbox("run", path, "--max-steps", 1).code == 1
    assert signalbox("run", path, "--policy", "final_node").code == 0
    assert signalbox("run", path, "--policy", "nonsense").code == 1


def test_the_data_folder_is_an_option(signalbox: Cli, write_file: Write, tmp_path: Path) -> None:
    path = write_file("GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field\nG,A,file_writer,note.txt,text,done\n")
    assert signalbox("run", path, "--set", "text=hello", "--data", tmp_path / "kept").code == 0
    assert "hello" in (tmp_path / "kept" / "note.txt").read_text()


# Questions


def test_a_run_that_waits_ends_with_3_and_says_how_to_go_on(signalbox: Cli, write_file: Write) -> None:
    done = signalbox("run", write_file(ASK), "--thread", "my-thread")
    assert (done.code, done.out) == (3, "Your name?\n")
    assert "signalbox resume my-thread --value" in done.err
    done = signalbox("resume", "my-thread", "--value", "Ann")
    assert (done.code, done.out) == (0, "Hello Ann\n")


def test_a_waiting_run_as_json_has_its_question_and_thread(signalbox: Cli, write_file: Write) -> None:
    done = signalbox("run", write_file(ASK), "--json")
    assert (done.code, done.json["status"]) == (3, "needs_input")
    assert done.json["question"]["message"] == "Your name?"
    assert signalbox("resume", done.json["thread_id"], "--value", "Ann", "--json").json["answer"] == "Hello Ann"


def test_a_value_may_be_json(signalbox: Cli, write_file: Write) -> None:
    text = "GraphName,Node,AgentType,Output_Field\nG,A,suspend,x\n"
    signalbox("run", write_file(text), "--thread", "t-json")
    done = signalbox("resume", "t-json", "--value", '{"action": "approve", "data": {"n": 1}}', "--json")
    assert done.json["state"]["x"] == {"n": 1}


def test_an_answer_that_does_not_fit_ends_with_1_and_the_run_waits_on(signalbox: Cli, write_file: Write) -> None:
    text = 'GraphName,Node,AgentType,Context,Output_Field\nG,A,human,"interaction_type:choice, options:[a, b]",x\n'
    assert signalbox("run", write_file(text), "--thread", "t-choice").out == "A waits to be resumed.\n  - a\n  - b\n"
    done = signalbox("resume", "t-choice", "--value", "c")
    assert done.code == 1
    assert "Choose one of: a, b." in done.err
    assert signalbox("resume", "t-choice", "--value", "b").out == "b\n"


def test_resuming_without_a_value_tells_the_question(signalbox: Cli, write_file: Write) -> None:
    signalbox("run", write_file(ASK), "--thread", "t-silent")
    done = signalbox("resume", "t-silent")
    assert done.code == 1
    assert "Your name?" in done.err


def test_resuming_what_does_not_wait_ends_with_1(signalbox: Cli) -> None:
    done = signalbox("resume", "nothing", "--value", "x")
    assert done.code == 1
    assert "No run waits in thread 'nothing'" in done.err


# In processes of their own


def test_a_run_waits_in_one_process_and_ends_in_another(process: Cli, write_file: Write) -> None:
    waits = process("run", write_file(ASK), "--thread", "across", "--json", "--set", "kept=[1]")
    assert (waits.code, waits.json["thread_id"]) == (3, "across")
    ended = process("resume", "across", "--value", "Ann", "--json")
    assert (ended.code, ended.json["answer"], ended.json["state"]["kept"]) == (0, "Hello Ann", [1])


@pytest.mark.bench
def test_answers_that_are_piped_in_are_taken_one_a_question(process: Cli, write_file: Write) -> None:
    text = (
        "GraphName,Node,AgentType,Prompt,Output_Field,Edge\n"
        "G,A,input,First?,a,B\nG,B,input,Second?,b,C\nG,C,echo,{a} and {b},c,\n"
    )
    done = process("run", write_file(text), stdin="one\ntwo\n")
    assert (done.code, done.out) == (0, "one and two\n")


def test_on_a_terminal_the_person_is_asked_and_stdout_holds_the_output_alone(write_file: Write, tmp_path: Path) -> None:
    keyboard, terminal = os.openpty()
    command = [sys.executable, "-c", "from signalbox.cli import main; main()", "run", str(write_file(ASK))]
    with subprocess.Popen(command, cwd=tmp_path, stdin=terminal, stdout=subprocess.PIPE, stderr=terminal) as running:
        os.close(terminal)
        os.write(keyboard, b"Ann\n")
        out, _ = running.communicate(timeout=60)
    shown = os.read(keyboard, 65536).decode()
    os.close(keyboard)
    assert (running.returncode, out) == (0, b"Hello Ann\n")
    assert "Your name?" in shown


def test_a_wrong_setting_ends_with_1_and_names_it(process: Cli, write_file: Write) -> None:
    done = process("run", write_file(HELLO), "--set", "name=Ann", SIGNALBOX_TZ="Mars/Olympus")
    assert done.code == 1
    assert "SIGNALBOX_TZ" in done.err
    assert "Traceback" not in done.err
