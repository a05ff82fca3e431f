"""What a request costs beside a plain loop over the same tools, recorded and replayed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks import cost
from tests.models.provider_server import ProviderServer, Reply

HEADER = {"set": "talk", "skill": "steps", "now": "2026-03-10T14:20:00", "tz": "UTC"}
ASKED = {"kind": "tasks", "turns": [{"say": "add buy milk", "must": ["milk"]}]}


def reply(body: dict[str, Any]) -> Reply:
    """The front door hands over, and both loops add the task; the plain one then has to say so itself."""
    offered = {one["function"]["name"]: one["function"] for one in body["tools"]}
    if body["messages"][-1]["role"] == "tool":
        return Reply("The milk is on your list.")
    if "tasks" in offered:
        return Reply(calls=[("tasks", {"answer": True})])
    marked = {"answer": True} if "answer" in offered["add_task"]["parameters"]["properties"] else {}
    return Reply(calls=[("add_task", {"title": "buy milk", **marked})])


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *options: Any) -> tuple[int, Any]:
    monkeypatch.setattr(sys, "argv", ["cost", *map(str, options), "--json"])
    code = cost.main()
    return code, json.loads(capsys.readouterr().out)


def test_calls_and_tokens_are_compared_from_recorded_replies(
    write_sets: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server = ProviderServer()
    server.say(reply)  # type: ignore[arg-type]
    path, kept = write_sets(HEADER, {"id": "t1", **ASKED}), tmp_path / "cost"
    with monkeypatch.context() as own:
        own.setenv("SIGNALBOX_MODEL_BASE_URL", f"{server.address}/v1")
        code, told = run(capsys, own, path, "--model", "openai/me", "--record", kept)
    server.close()
    assert code == 0
    every = told["figures"]["all"]
    assert {side: (every[side]["calls median"], every[side]["right"]) for side in cost.SIDES} == {
        "ours": (1, 1),
        "door": (2, 1),
        "create_agent": (2, 1),
    }
    assert (every["create_agent"]["tokens mean"], every["ratio"]["tokens mean"]) == (36, 0.5)
    changed = {**ASKED, "turns": [{"say": "add buy bread", "must": ["bread"]}]}
    path = write_sets(HEADER, {"id": "t1", **ASKED}, {"id": "t2", **ASKED}, {"id": "t3", **changed})
    assert run(capsys, monkeypatch, path, "--recorded", kept)[1]["figures"] == told["figures"]
    code, told = run(capsys, monkeypatch, write_sets(HEADER, {"id": "t1", **changed}), "--recorded", kept)
    assert (code, told["figures"], told["stale"]) == (1, {}, ["t1"])
