"""Prints what metrics, on-call and investigations send to a model, as JSON: `python -m tests.agents.rooms_prompts`.

The provider is scripted, the systems are the embedded ones. Each request is asked in a thread of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from tests.models.provider_server import ProviderServer, Reply

IS_WHOLE = os.environ.get("WHOLE") == "1"
"""Whether all is tried, as `make eval` does, or what is quick."""
REQUESTS: tuple[tuple[str, str], ...] = (
    ("metrics", "p95 latency of checkout yesterday, by instance"),
    ("metrics", "how much CPU does web-1 use?"),
    ("oncall", "check the BGP neighbors on pe2 and xrd-5"),
    ("oncall", "review the P device core-rtr-2"),
)
if IS_WHOLE:
    REQUESTS += (
        ("investigate", "why was the checkout slow yesterday?"),
        ("investigate", "what is wrong with pe2?"),
    )
LATENCY = "histogram_quantile(0.95, sum by (le, instance) (rate(http_request_duration_seconds_bucket[5m])))"


def reply(body: dict[str, Any]) -> Reply:
    """What the model says: it looks twice before it queries metrics, and once wrongly."""
    asked = next(str(one["content"]) for one in reversed(body["messages"]) if one["role"] == "user")
    names = [one["function"]["name"] for one in body.get("tools", ())]
    wanted = json.dumps(body.get("response_format", ""))
    turns = sum(one["role"] == "assistant" for one in body["messages"])
    if "promql" in names and turns < 2:
        values = ("label_values", {"metric": "node_load1", "label": "instance"})
        looks = [("find_metrics", {"words": "latency"}), values]
        return Reply(calls=looks if turns == 0 else [("fly", {})])
    if "promql" in names:
        query = {"query": LATENCY if "latency" in json.dumps(body["messages"]) else "node_load1"}
        return Reply(calls=[("promql", query)]) if turns < 4 else Reply("It is as the data says.")
    if "Symptom" in wanted:
        return Reply(json.dumps({"about": "checkout" if "checkout" in asked else "pe2", "when": "2026-11-15"}))
    if "OncallPlan" in wanted:
        is_bgp = "BGP" in asked
        intent = "check_bgp_neighbors" if is_bgp else "review_p_device"
        devices = ["pe2", "xrd-5"] if is_bgp else ["core-rtr-2"]
        return Reply(json.dumps({"action": "check", "intent": intent, "devices": devices, "confidence": 1}))
    if names:
        # It looks, looks closer, and writes what is not so: a figure that occurs nowhere goes back to it.
        looks = [("get_routing_info", {}), ("get_logs", {"minutes": 60})], [("get_interface_info", {})]
        return Reply(calls=looks[turns]) if turns < len(looks) else Reply("There are 4711 sessions.")
    return Reply("It is as the data says.")


async def _prompts() -> list[Any]:
    from signalbox.models import record_prompts
    from signalbox.runs import aask, aclose

    told: list[Any] = []
    for agent, request in REQUESTS:
        with record_prompts() as prompts:
            answer = await aask(agent, request, model="openai/gpt-4.1-mini")
        told.append([agent, request, answer.status, [one.as_dict() for one in prompts]])
    await aclose()
    return told


def main() -> None:
    server = ProviderServer()
    server.say(reply)
    os.environ |= {"OPENAI_API_KEY": "some-key", "OPENAI_BASE_URL": f"{server.address}/v1"}
    json.dump(asyncio.run(_prompts()), sys.stdout, ensure_ascii=False)
    server.close()


if __name__ == "__main__":
    main()
