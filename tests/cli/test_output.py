"""What is printed: no text from elsewhere steers the terminal, and JSON keeps its value."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.cli.output import harmless, print_json

Cli = Callable[..., Any]
Write = Callable[..., Path]
EVIL = "\x1b]0;owned\x07\x9b31m\u202etxt\u2066\x7f\r\x00\u2028"
STEERING = set(EVIL) - set("]0;owned31mtxt")


def is_harmless(text: str) -> bool:
    return not STEERING & set(text)


def test_what_steers_a_terminal_is_shown_as_its_code() -> None:
    assert harmless("\x1b[31mred\x9b\u202e") == "\\u001b[31mred\\u009b\\u202e"
    assert is_harmless(harmless(EVIL))


def test_lines_tabs_and_every_script_stay_as_they_are() -> None:
    text = "a\tb\nשלום ä 漢字 👩‍🚀"
    assert harmless(text) == text
    assert harmless("a\r\nb") == "a\nb"


def test_what_the_encoding_lacks_is_shown_as_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    assert harmless("ä \ud800") == "\\xe4 \\ud800"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_json_keeps_its_value(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding))
    print_json({"text": EVIL + "👩 ä"})
    sys.stdout.flush()
    printed = raw.getvalue().decode(encoding)
    assert is_harmless(printed)
    assert json.loads(printed) == {"text": EVIL + "👩 ä"}


ROWS = "GraphName,Node,AgentType,Input_Fields,Output_Field,Prompt\n"


def test_an_answer_steers_no_terminal(signalbox: Cli, write_file: Write) -> None:
    done = signalbox("run", write_file(ROWS + "G,A,echo,x,y,\n"), "--set", f"x={EVIL}", "--verbose")
    assert done.code == 0
    assert "owned" in done.out
    assert is_harmless(done.out + done.err)


def test_a_question_steers_no_terminal(signalbox: Cli, write_file: Write) -> None:
    done = signalbox("run", write_file(ROWS + "G,A,input,x,y,Well {x}?\n"), "--set", f"x={EVIL}", "--set", "x2=1")
    assert is_harmless(done.out + done.err)
    path = write_file(ROWS + "G,A,human,x,y,Well {x}?\n")
    done = signalbox("run", path, "--set", f"x={EVIL}")
    assert done.code == 3
    assert "owned" in done.out
    assert is_harmless(done.out + done.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["-v", "run", "map.csv"],
        pytest.param(["run", "map.csv"], marks=pytest.mark.bench),
        pytest.param(["run", "map.csv", "--json"], marks=pytest.mark.bench),
    ],
)
def test_an_error_and_the_log_steer_no_terminal(process: Cli, write_file: Write, arguments: list[str]) -> None:
    write_file(f"def fail(x):\n    raise RuntimeError({EVIL!r})\n", "agents/fail.py")
    write_file(ROWS + "G,A,fail,x,y,\n")
    done = process(*arguments)
    assert done.code == 1
    assert "owned" in done.out + done.err
    assert is_harmless(done.out + done.err)


def test_a_finding_steers_no_terminal(signalbox: Cli, write_file: Write) -> None:
    done = signalbox("maps", "check", write_file("GraphName,Node,Edge\nG,A,\x1b]0;owned\x07\u202e\n"))
    assert done.code == 1
    assert "owned" in done.out
    assert is_harmless(done.out + done.err)
