"""Holds conversations with a scripted provider and prints every request that it was sent, as JSON.

Run in a process of its own, `python -m tests.agents.prompts_of_conversations`, so that two of them share nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from tests.models.provider_server import ProviderServer, Reply

CONVERSATIONS: dict[str, list[tuple[str, str, list[Any]]]] = {
    "tasks": [
        ("tasks", "what is due this week?", [("list_tasks", {"due": "2026-11-16/2026-11-22"}), "Nothing is due."]),
        ("tasks", "hello, thanks", ["Hello."]),
    ],
    "tasks, with a write": [
        ("tasks", "add milk and bread", [[("add_task", {"title": "Milk"}), ("add_task", {"title": "Bread"})], "Done."]),
        ("tasks", "milk is done", [("finish", {"task_id": 1}), ("complete_task", {"task_id": 1}), "", "Milk is done."]),
    ],
    "experiments": [
        (
            "experiments",
            "which experiments were started last week?",
            [("get_all_experiments", {"changed_after": "2026-11-09T00:00:00+01:00", "answer": True})],
        ),
    ],
    "experiments, with a write": [
        ("experiments", "show Hint Wording", [("get_experiment_details", {"experiments": ["Hint Wording"]}), "There."]),
        (
            "experiments",
            "start it",
            [("update_experiment_status", {"experiment": "Hint Wording", "status": "enrolling", "answer": True})],
        ),
        ("experiments", "yes", []),
        (
            "experiments",
            "is it running now?",
            [("get_experiment_details", {"experiments": ["Hint Wording"], "aspects": ["state"], "answer": True})],
        ),
    ],
    "front door": [
        ("frontdoor", "what can you do?", [("help", {})]),
    ],
    "front door, with a write": [
        (
            "frontdoor",
            "remind me to buy milk tomorrow",
            [("tasks", {"answer": True}), ("add_task", {"title": "Buy milk", "due": "2026-11-17", "answer": True})],
        ),
        (
            "frontdoor",
            "which experiments are running?",
            [("experiments", {"answer": True}), ("get_all_experiments", {"status": "enrolling", "answer": True})],
        ),
        (
            "frontdoor",
            "and the milk is done",
            [("tasks", {"answer": True}), ("complete_task", {"task_id": 1, "answer": True})],
        ),
    ],
}


def _reply(said: Any) -> Reply:
    if isinstance(said, str):
        return Reply(said)
    return Reply(calls=[said] if isinstance(said, tuple) else said)


async def _hold(server: ProviderServer) -> dict[str, Any]:
    from signalbox.runs import aclose
    from signalbox.runs.asking import say_in_thread

    sent: dict[str, Any] = {}
    for name, turns in CONVERSATIONS.items():
        sent[name] = []
        for agent, said, replies in turns:
            server.say(*map(_reply, replies or ["not asked"]))
            answer = await say_in_thread(agent, said, thread_id=name.replace(" ", "-").replace(",", ""))
            sent[name].append({"said": said, "status": answer.status, "bodies": list(server.bodies)})
    await aclose()
    return sent


def main() -> None:
    """Print what was sent."""
    server = ProviderServer()
    os.environ |= {
        "SIGNALBOX_MODEL": "openai/gpt-4.1-mini",
        "OPENAI_API_KEY": "some-key",
        "OPENAI_BASE_URL": f"{server.address}/v1",
        "SIGNALBOX_NOW": "2026-11-16T10:30:00",
        "SIGNALBOX_TZ": "Europe/Berlin",
    }
    json.dump(asyncio.run(_hold(server)), sys.stdout)
    server.close()


if __name__ == "__main__":
    main()
