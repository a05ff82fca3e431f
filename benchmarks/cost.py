"""What a request costs: model calls and tokens of an agent, beside a plain `create_agent` loop over the same tools.

    python -m benchmarks.cost SET.jsonl --recorded FILE              # replay: no model is asked
    python -m benchmarks.cost SET.jsonl --model M --record FILE      # ask a model, and keep its replies

Each request of the set is asked three times in a new home: of the agent that its `agent` or `kind` names, through the
front door, and of LangChain's `create_agent` with that agent's tools, the date, and one sentence that says what it is
for. All three have the same model at the same door. Tokens are those that the model's server counted for each request
and reply, tools and schemas included, summed by the same counter on each side; nothing is taken off for caching.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from signalbox.contract.installed import find_agent
from signalbox.errors import SignalboxError
from signalbox.evals import Recording, open_recording, read_sets
from signalbox.evals.conversation import own_world
from signalbox.evals.demands import forbidden, unmet
from signalbox.evals.environment import environment, moment_and_model
from signalbox.evals.load import Case
from signalbox.evals.run import choose_cases
from signalbox.evals.steps import embedded_settings, hold_turns
from signalbox.models import count_usage, load_chat_model
from signalbox.runs import aclose
from signalbox.runs.answers import mark_used
from signalbox.toolbox import Ledger, Tool, use_ledger
from signalbox.toolbox.loop_prompt import clock_text

__all__ = ["compare", "plain_tools"]

TARGET = 0.7
SIDES = ("ours", "door", "create_agent")
_LONGEST = 12_000
"""Characters of a result that a model is shown, here as in our loop."""
_PROMPT = """You are an assistant for this: {about}. Answer the person's request with your tools, and do only what it \
asks for. If the tools cannot tell, say so. {clock}"""
Sample = dict[str, Any]


def compare(cases: Iterable[Case], recording: Recording) -> tuple[dict[str, dict[str, Sample]], list[str]]:
    """For each request what it took on each side, and the requests that are stale on one of them."""
    found: dict[str, dict[str, Sample]] = {}
    stale = []
    for case in cases:
        samples = {}
        for side in SIDES:
            with recording.case(f"{case.name} {side}"):
                samples[side] = _asked(case, side)
            if recording.is_open:
                stale.append(case.name)
        if case.name not in stale:
            found[case.name] = samples
    return found, list(dict.fromkeys(stale))


def _asked(case: Case, side: str) -> Sample:
    turns = case.alternatives[0]["turns"]
    if side == "create_agent":
        with own_world():
            told = asyncio.run(_asked_plainly(_agent_of(case), turns[0]))
    else:
        told = hold_turns(_agent_of(case) if side == "ours" else "frontdoor", turns[:1])[0]
    right = not told.get("unmet") and not told.get("forbidden")
    return {"calls": told["calls"], "tokens": told["tokens"], "right": right, "text": told["text"]}


def _agent_of(case: Case) -> str:
    wanted = case.alternatives[0]
    return str(wanted.get("agent") or wanted.get("kind"))


async def _asked_plainly(name: str, turn: Mapping[str, Any]) -> Sample:
    from langchain.agents import create_agent

    agent = find_agent(name)
    mark_used(agent)
    prompt = _PROMPT.format(about=agent.about, clock=clock_text())
    try:
        with use_ledger(Ledger()), count_usage() as used:
            loop: Any = create_agent(load_chat_model(), await plain_tools(name), system_prompt=prompt)
            try:
                text = str((await loop.ainvoke({"messages": [("user", turn["say"])]}))["messages"][-1].text)
            except SignalboxError as error:
                text = error.user_message
    finally:
        await aclose()
    missed = {"unmet": unmet(text, turn.get("must", ())), "forbidden": forbidden(text, turn.get("must_not", ()))}
    return {**missed, "text": text, "calls": used.calls, "tokens": used.account()["total_tokens"]}


async def plain_tools(name: str) -> list[BaseTool]:
    """The tools of an agent for LangChain. They give a model the same texts; a change is made at once."""
    offered = find_agent(name).tools
    tools: Sequence[Tool] = offered() if offered is not None else await _oncall_tools() if name == "oncall" else ()
    if not tools:
        raise SystemExit(f"The agent '{name}' has no tools to give to another loop.")
    return [_for_langchain(one) for one in tools]


def _for_langchain(tool: Tool) -> BaseTool:
    async def call(**args: Any) -> str:
        try:
            return (await tool.call(args)).text[:_LONGEST]
        except SignalboxError as error:
            return f"Error: {error.user_message} {error.suggestion}".strip()

    schema = {"type": "object", "properties": {}, **tool.parameters}
    return StructuredTool(name=tool.name, description=tool.description, args_schema=schema, coroutine=call)


async def _oncall_tools() -> list[Tool]:
    """On call a model of ours reads the devices of a plan; here it names the device in every call."""
    from signalbox.agents.oncall.result_text import result_texts
    from signalbox.agents.oncall.tools import current_session, read_device
    from signalbox.toolbox import Result

    session = current_session()

    def reading(name: str) -> Any:
        async def run(args: dict[str, Any], key: str) -> Result:
            return Result(result_texts([await read_device(session, name, args, 30.0)], _LONGEST)[0])

        return run

    infos = [one for one in await session.tools() if one.read_only]
    return [Tool(one.name, one.description, one.parameters or {}, reading(one.name), "read") for one in infos]


def figures(found: Mapping[str, Mapping[str, Sample]], kinds: Mapping[str, str]) -> dict[str, Any]:
    """By kind and over all: how many requests, right ones, calls and tokens, and the ratio of ours to theirs."""
    told = {}
    for kind in [*dict.fromkeys(kinds[name] for name in found), "all"]:
        chosen = [samples for name, samples in found.items() if kind in ("all", kinds[name])]
        by_side = {
            side: {
                "right": sum(one[side]["right"] for one in chosen),
                **{
                    f"{unit} {how.__name__}": round(how([one[side][unit] for one in chosen]), 2)
                    for unit in ("calls", "tokens")
                    for how in (median, mean)
                },
            }
            for side in SIDES
        }
        ratios = {
            name: round(by_side["ours"][name] / by_side["create_agent"][name], 3)
            for name in by_side["ours"]
            if name != "right" and by_side["create_agent"][name]
        }
        told[kind] = {"requests": len(chosen), **by_side, "ratio": ratios}
    return told


def main() -> int:
    """Compare, and print. Exit 1 where nothing could be compared."""
    options = _parse()
    recording = open_recording(options.record or options.recorded, options.model if options.record else "")
    found: dict[str, dict[str, Sample]] = {}
    stale: list[str] = []
    kinds: dict[str, str] = {}
    known = {name.rpartition(" ")[0] for name in recording.cases}
    for asked in choose_cases(read_sets([options.set]), options.cases.split(",") if options.cases else ()):
        chosen = [case for case in asked.cases if recording.asks or case.name in known]
        own = {**embedded_settings(), **moment_and_model(asked, recording.model), **recording.settings()}
        with environment(own):
            compared, left_out = compare(chosen, recording)
        found, stale = {**found, **compared}, [*stale, *left_out]
        kinds |= {case.name: _agent_of(case) for case in chosen}
    told = figures(found, kinds) if found else {}
    if options.json:
        print(json.dumps({"figures": told, "requests": found, "stale": stale}, ensure_ascii=False, indent=1))
    else:
        _print(told, stale)
    return int(not found)


def _print(told: Mapping[str, Any], stale: Sequence[str]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"Cost of a request, the agent named (target: ≤ {TARGET} times create_agent)")
    for name in ("", "n", "", "ours", "create_agent", "ratio", "front door"):
        table.add_column(name, justify="left" if not name else "right", no_wrap=True)
    for kind, one in told.items():
        for place, name in enumerate(one["ours"]):
            ratio = one["ratio"].get(name)
            table.add_row(
                kind if not place else "", str(one["requests"]) if not place else "", name,
                *(f"{one[side][name]:,.10g}" for side in ("ours", "create_agent")),
                f"{ratio:.2f}" if ratio is not None else "", f"{one['door'][name]:,.10g}",
            )  # fmt: skip
    Console().print(table)
    if stale:
        print(f"Stale, not counted: {', '.join(stale)}")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cost", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("set", type=Path, help="a set of the skill steps with one message a case")
    parser.add_argument("--model", default="", help="the model to ask, with --record")
    parser.add_argument("--record", type=Path, help="keep the model's replies here, or go on doing so")
    parser.add_argument("--recorded", type=Path, help="replay these; no model is asked")
    parser.add_argument("--cases", default="", metavar="ID,ID", help="these cases only")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    if bool(options.record) == bool(options.recorded) or bool(options.record) != bool(options.model):
        parser.error("name --recorded FILE, or --record FILE with --model")
    return options


if __name__ == "__main__":
    sys.exit(main())
