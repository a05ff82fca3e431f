"""The same conversations at the same clock send the same bytes, in another process, home and order of hashing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.agents.prompts_of_conversations import CONVERSATIONS

Sent = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> tuple[Sent, Sent]:
    """What two processes sent, side by side."""
    started = []
    for seed in ("1", "2"):
        home = tmp_path_factory.mktemp(f"home{seed}")
        started.append(
            subprocess.Popen(
                [sys.executable, "-m", "tests.agents.prompts_of_conversations"],
                cwd=Path(__file__).parents[2],
                env={**os.environ, "SIGNALBOX_HOME": str(home), "PYTHONHASHSEED": seed},
                stdout=subprocess.PIPE,
                text=True,
            )
        )
    told = [json.loads(one.communicate(timeout=120)[0]) for one in started]
    return told[0], told[1]


def _of(sent: Sent, name: str) -> list[dict[str, Any]]:
    return [body for turn in sent[name] for body in turn["bodies"]]


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_two_runs_send_the_same_bytes(name: str, twice: tuple[Sent, Sent]) -> None:
    first, second = (json.dumps(_of(one, name)) for one in twice)
    assert first == second
    # The script fits what was asked: nothing is the same only because it failed.
    assert {turn["status"] for turn in twice[0][name]} <= {"completed", "needs_input"}


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_the_system_text_says_the_day_and_the_zone_last_and_neither_the_minute_nor_who_asks(
    name: str, twice: tuple[Sent, Sent]
) -> None:
    for body in _of(twice[0], name):
        system, first = (one["content"] for one in body["messages"][:2])
        assert "00000000-0000-4000-8000-000000000001" not in json.dumps(body)
        if first.startswith("Now: Monday 2026-11-16 10:30 (Europe/Berlin"):
            # In the loop, the clock is no part of the fixed text.
            assert "2026-11-16" not in system
            continue
        fixed, today, _ = system.partition("Today is Monday, 16 November 2026.")
        assert today
        assert "Europe/Berlin" in system
        assert "10:30" not in json.dumps(body)
        assert fixed.strip()


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_every_turn_is_offered_the_same_tools_and_the_same_fixed_text(name: str, twice: tuple[Sent, Sent]) -> None:
    fixed: dict[str, set[str]] = {}
    for body in _of(twice[0], name):
        if tools := body.get("tools"):
            system = next(one["content"] for one in body["messages"] if one["role"] == "system")
            # The front door has other tools than the agent that it asks.
            names = " ".join(one["function"]["name"] for one in tools)
            fixed.setdefault(names, set()).add(json.dumps(tools) + system.partition("Today is")[0])
    assert all(len(one) == 1 for one in fixed.values())
    assert len(fixed) <= (3 if name.startswith("front door") else 1)


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_model_gets_what_was_said_as_it_was_said_and_nothing_that_serves_the_offline_one(
    name: str, twice: tuple[Sent, Sent]
) -> None:
    for turn in twice[0][name]:
        for body in turn["bodies"]:
            told = json.dumps(body)
            assert not any(word in told for word in ("enumPriors", "synonyms", "small_talk", "other_people"))
            assert turn["said"] in [one["content"] for one in body["messages"] if one["role"] == "user"]
