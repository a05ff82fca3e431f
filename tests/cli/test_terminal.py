"""What a person sees at a terminal: steps as they happen, colour, and questions that come through a pipe."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import PROGRAM

Cli = Callable[..., Any]
NOW = {"SIGNALBOX_NOW": "2026-11-15T12:00:00Z"}


def on_terminal(tmp_path: Path, *arguments: str, **environment: str) -> str:
    """What a terminal gets while a command runs, both outputs together."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=tmp_path,
        env={**os.environ, **NOW, "TERM": "xterm", "COLUMNS": "100", **environment},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    ):
        os.close(theirs)
        got = b""
        while True:
            try:
                read = os.read(ours, 65536)
            except OSError:
                break
            if not read:
                break
            got += read
    os.close(ours)
    return got.decode("utf-8")


def test_steps_are_told_in_words_and_stay_with_their_time(tmp_path: Path) -> None:
    shown = on_terminal(tmp_path, "ask", "check bgp on pe2", "-a", "oncall")
    assert "Reading BGP neighbours of pe2" in shown
    assert "✓ Reading BGP neighbours of pe2" in shown
    assert "get_routing_info" not in shown


def test_answers_have_colour_and_no_color_takes_it_away(tmp_path: Path) -> None:
    asked = ("ask", "which experiments are running?", "-a", "experiments")
    assert "\x1b[2mSource: " in on_terminal(tmp_path, *asked)
    plain = on_terminal(tmp_path, *asked, NO_COLOR="1")
    assert "\nSource: " in plain
    assert "\x1b[2mSource: " not in plain


@pytest.mark.parametrize("arguments", [["ask"], ["ask", "-"]])
def test_a_question_can_come_through_a_pipe_and_its_answer_has_no_colour_and_no_steps(
    process: Cli, arguments: list[str]
) -> None:
    done = process(*arguments, "-a", "experiments", stdin="which experiments\nare running?\n", **NOW)
    assert (done.code, done.err) == (0, "")
    assert "experiments running" in done.out
    assert "\x1b" not in done.out


def test_no_question_at_all_is_wrong_usage(process: Cli) -> None:
    done = process("ask", stdin="")
    assert done.code == 2
    assert "pipe it in" in done.err
