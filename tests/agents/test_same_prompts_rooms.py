"""The same request at the same clock gives a model the same bytes, whatever process, home or port it comes from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.agents.rooms_prompts import REQUESTS

ROOT = Path(__file__).parents[2]
TODAY = "Today is Monday, 16 November 2026. The person's time zone is Europe/Berlin (UTC+01:00)."
CLOCK = "Now: Monday 2026-11-16 15:05 (Europe/Berlin, UTC+0100)"
"""In the loop, after the fixed text: a model needs the time itself there."""
SMALL_MODELS = ("enumPriors", "enumOpen", "enumDescriptions", "synonyms", "json_schema_extra", "many host")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """What two processes sent, side by side, with homes, ports and hash seeds of their own."""
    started = []
    for seed in ("1", "2"):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("SIGNALBOX_", "OPENAI_"))}
        own = {
            "PYTHONHASHSEED": seed,
            "SIGNALBOX_HOME": str(tmp_path_factory.mktemp("home")),
            "SIGNALBOX_NOW": "2026-11-16T14:05:30+00:00",
            "SIGNALBOX_TZ": "Europe/Berlin",
        }
        command = [sys.executable, "-m", "tests.agents.rooms_prompts"]
        started.append(subprocess.Popen(command, cwd=ROOT, env=clean | own, stdout=subprocess.PIPE))
    return [one.communicate(timeout=120)[0] for one in started]


@pytest.fixture(scope="module")
def told(runs: list[bytes]) -> list[Any]:
    return list(json.loads(runs[0]))


def test_two_runs_send_the_same_bytes(runs: list[bytes]) -> None:
    first, second = ([json.dumps(one) for one in json.loads(run)] for run in runs)
    assert first == second
    assert runs[0] == runs[1]


@pytest.mark.parametrize("place", range(len(REQUESTS)))
def test_every_prompt_knows_the_date_after_its_fixed_text(told: list[Any], place: int) -> None:
    _, _, status, prompts = told[place]
    assert status != "error"
    assert prompts
    for prompt in prompts:
        system, *others = prompt["messages"]
        fixed, date, _ = system["content"].partition(TODAY)
        assert date == TODAY or (not date and others[0]["content"].startswith(CLOCK))
        assert "2026" not in fixed
        assert all(one["role"] != "system" for one in others)
        sent = json.dumps(prompt)
        assert ("15:05" in sent) == (not date)
        assert not [word for word in SMALL_MODELS if word in sent]


@pytest.mark.parametrize("agent", dict.fromkeys(agent for agent, _ in REQUESTS))
def test_two_requests_begin_with_the_same_text_and_tools(told: list[Any], agent: str) -> None:
    one, other = (list(prompts) for name, _, _, prompts in told if name == agent)
    beginnings = [prompts[0]["messages"][0]["content"].partition(TODAY)[0] for prompts in (one, other)]
    assert beginnings[0] == beginnings[1]
    for name in ("tools", "response_format"):
        assert one[0].get(name) == other[0].get(name)
    steps = [prompt["tools"] for prompt in (*one, *other) if "tools" in prompt]
    assert all(tools == steps[0] for tools in steps)
