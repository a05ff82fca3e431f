"""The conversations beside this file show the format: each can be read, and fits the server as it is seeded."""

from __future__ import annotations

from pathlib import Path

from signalbox.evals import read_sets
from signalbox.evals.agent import open_agent


def test_the_example_conversations_fit_the_seeded_server() -> None:
    (asked,) = read_sets([Path(__file__).with_name("conversations.jsonl")])
    with open_agent(asked, "offline") as (resolved, _):
        assert len(resolved.cases) >= 10
        assert all("end" in case.alternatives[0] for case in resolved.cases)
