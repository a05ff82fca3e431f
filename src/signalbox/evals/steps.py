"""Runs conversations with the front door, or with the agent named by a case, and judges every answer by its text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import entry_points
from statistics import median
from typing import Any

from signalbox.contract.installed import default_agent
from signalbox.evals.conversation import THREAD, own_world
from signalbox.evals.demands import forbidden, said_in, unmet
from signalbox.evals.environment import environment, moment_and_model
from signalbox.evals.judge import find_judge
from signalbox.evals.load import Case, EvalSet

__all__ = ["embedded_settings", "hold_turns", "open_steps", "step_figures"]


@contextmanager
def open_steps(asked: EvalSet, model: str) -> Iterator[Callable[[Case], dict[str, Any]]]:
    """A function that runs one conversation of the set, on the embedded worlds, at the set's time."""
    with environment({**embedded_settings(), **moment_and_model(asked, model)}):
        yield _hold


def embedded_settings() -> dict[str, str | None]:
    """The environment without real systems, in which requests start at the front door."""
    agents = [one.name for one in entry_points(group="signalbox.judges")]
    embedded = {name: value for agent in agents for name, value in find_judge(agent).settings("").items()}
    return {**embedded, "SIGNALBOX_DEFAULT_AGENT": None}


def _hold(case: Case) -> dict[str, Any]:
    wanted = case.alternatives[0]
    return {"turns": hold_turns(str(wanted.get("agent") or default_agent().name), wanted["turns"])}


def hold_turns(agent: str, turns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Send each turn to an agent in one thread with a new home. Returns each answer, what is wrong with it, and its
    model calls and tokens. While the agent waits, a message answers its question."""
    with own_world():
        return asyncio.run(_held(agent, turns))


async def _held(agent: str, turns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    from signalbox.models import count_usage
    from signalbox.runs import aclose, say_in_thread

    told = []
    try:
        for turn in turns:
            with count_usage() as used:
                answer = (await say_in_thread(agent, turn["say"], thread_id=THREAD)).as_dict()
            told.append({**_judged(turn, answer), "calls": used.calls, "tokens": used.account().get("total_tokens", 0)})
    finally:
        await aclose()
    return told


def _judged(turn: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    text = said_in(answer)
    judged = {"unmet": unmet(text, turn.get("must", ())), "forbidden": forbidden(text, turn.get("must_not", ()))}
    return {
        "say": turn["say"],
        "agent": answer["agent"],
        "status": answer["status"],
        "text": text,
        **{name: found for name, found in judged.items() if found},
    }


def step_figures(outcomes: Sequence[tuple[Mapping[str, Any], Case, bool]]) -> dict[str, str]:
    """A summary of conversations: correct ones by kind, errors, calls and tokens."""
    turns = [turn for outcome, _, _ in outcomes for turn in outcome.get("turns") or ()]
    kinds: dict[str, list[bool]] = {}
    for _, case, right in outcomes:
        kinds.setdefault(str(case.alternatives[0].get("kind") or "other"), []).append(right)
    broken = sum(
        "failed" in outcome or any(turn["status"] == "error" for turn in outcome["turns"]) for outcome, _, _ in outcomes
    )
    figures = {kind: f"{sum(right)}/{len(right)}" for kind, right in sorted(kinds.items())}
    figures["errors"] = f"in {broken} of {len(outcomes)}"
    if turns:
        calls, tokens = [turn["calls"] for turn in turns], [turn["tokens"] for turn in turns]
        figures["model calls a request"] = f"{sum(calls) / len(calls):.2f} (median {median(calls):g})"
        figures["tokens a request"] = f"{sum(tokens) / len(tokens):,.0f} (median {median(tokens):,.0f})"
    return figures
