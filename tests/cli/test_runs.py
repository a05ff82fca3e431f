"""`signalbox runs`: one's own runs, by their names or the start of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
ASK = "GraphName,Node,AgentType,Prompt,Output_Field\nAsk,Name,input,Your name?,name\n"
OTHER = "6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a02"


@pytest.fixture(autouse=True)
def threads(signalbox: Cli, write_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Three runs that wait, and one of another person's that is named much like them."""
    path = write_file(ASK)
    for name in ("order-71", "order-72", "invoice-1"):
        assert signalbox("run", path, "--thread", name).code == 3
    monkeypatch.setenv("SIGNALBOX_USER", OTHER)
    assert signalbox("run", path, "--thread", "order-secret").code == 3
    monkeypatch.delenv("SIGNALBOX_USER")


def test_the_start_of_a_name_is_enough(signalbox: Cli) -> None:
    assert "invoice-1  waiting" in signalbox("runs", "show", "invo").out
    assert signalbox("resume", "invo", "--value", "Ann").out == "Ann\n"
    assert signalbox("runs", "forget", "invo").err == "1 run deleted.\n"


@pytest.mark.parametrize("command", [("runs", "show"), ("runs", "cancel"), ("runs", "forget"), ("resume",)])
def test_a_start_that_several_share_is_refused_with_their_names(signalbox: Cli, command: tuple[str, ...]) -> None:
    done = signalbox(*command, "order")
    assert (done.code, done.out) == (1, "")
    assert "order-71, order-72" in done.err
    assert "secret" not in done.err
    assert signalbox("runs", "list").out.count("waiting") == 3


@pytest.mark.parametrize("named", ["order-s", "order-secret", "order-secre"])
def test_a_run_of_another_person_is_not_there(signalbox: Cli, named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in (("runs", "show"), ("runs", "cancel"), ("runs", "forget"), ("resume",)):
        done = signalbox(*command, named)
        assert (done.code, done.out) == (1, "")
        assert "order-secret" not in done.err.replace(f"'{named}'", "")
    assert "secret" not in signalbox("runs", "list", "--json").out
    monkeypatch.setenv("SIGNALBOX_USER", OTHER)
    assert "order-secret  waiting" in signalbox("runs", "list").out


def test_an_unknown_status_is_refused_with_those_there_are(signalbox: Cli) -> None:
    done = signalbox("runs", "list", "--status", "done")
    assert (done.code, done.out) == (2, "")
    assert "running, waiting" in done.err
