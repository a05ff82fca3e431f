"""The loop on every provider, over HTTP: what it sends keeps to the provider's rules, and a marked call ends it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.models.provider_rules import lint
from tests.models.provider_server import ProviderServer, Reply
from tests.toolbox.shelf import Shelf

from signalbox.toolbox.loop import Limits, LoopContext, build_loop, run_loop, start_loop

PROVIDERS = ("openai", "anthropic", "google_genai", "ollama")
READ = ("get_latency", {"service": "cart", "minutes": None, "answer": None})
TURNS = [{"said": "hello", "agent": "metrics", "answer": "Hello."}]


@pytest.mark.parametrize(("provider", "streams"), [*((one, False) for one in PROVIDERS), ("anthropic", True)])
async def test_rounds_calls_a_correction_and_the_last_round_keep_to_the_providers_rules(
    provider: str, streams: bool, door_of: Callable[..., Any], provider_server: ProviderServer, tmp_path: Path
) -> None:
    two = Reply(calls=[READ, ("get_latency", {"service": "nobody", "minutes": 5, "answer": True})])
    provider_server.say(two, "It takes 99 ms.", Reply(calls=[READ]), "It takes 250 ms.")
    loop = build_loop(Shelf(tmp_path / "done").tools(), "You look after services.", limits=Limits(rounds=4))
    outcome = await run_loop(loop, start_loop("cart?", TURNS), LoopContext(door_of(provider), streams=streams))
    assert outcome["answer"].startswith("It takes 250 ms [E1].")
    assert outcome["stopped"] == "rounds"
    assert [lint(provider, body) for body in provider_server.bodies] == [[]] * 4


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_call_marked_as_the_answer_is_one_request(
    provider: str, door_of: Callable[..., Any], provider_server: ProviderServer, tmp_path: Path
) -> None:
    provider_server.say(Reply(calls=[("get_latency", {"service": "cart", "answer": True})]))
    loop = build_loop(Shelf(tmp_path / "done").tools(), "You look after services.")
    outcome = await run_loop(loop, start_loop("cart?"), LoopContext(door_of(provider)))
    assert outcome["answer"].startswith("p95 of `cart`")
    assert len(provider_server.bodies) == 1
