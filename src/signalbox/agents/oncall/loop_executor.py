"""The work of a model that calls the tools itself: one loop for all devices of a plan, and its calls step by step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from signalbox.agents.oncall.assessor import devices_of
from signalbox.agents.oncall.checks import load_checks, run_checks, topics_found
from signalbox.agents.oncall.device_reads import DeviceReads
from signalbox.agents.oncall.facts import collect
from signalbox.agents.oncall.inventory_excerpt import GET_DEVICES, devices_tool, inventory_excerpt, is_shown_whole
from signalbox.agents.oncall.limitations import lacking_in, limitations
from signalbox.agents.oncall.planner import lent_model
from signalbox.agents.oncall.plans import match_step
from signalbox.agents.oncall.prompts import loop_prompt, loop_request
from signalbox.agents.oncall.state import ExecutedToolCall, GraphState, StepExecutionResult
from signalbox.agents.oncall.steps import Step, read_step
from signalbox.agents.oncall.tools import DEVICE, current_session, device_tools
from signalbox.maps.context import current_run
from signalbox.settings import get_settings
from signalbox.toolbox import current_ledger
from signalbox.toolbox.calculate import CALCULATE
from signalbox.toolbox.loop import Limits, LoopContext, build_loop, run_loop, start_loop
from signalbox.toolbox.loop_outcome import Outcome
from signalbox.toolbox.sessions import ToolInfo

__all__ = ["LEFT_OUT", "execute_in_loop"]

_MODEL_SECONDS = 120.0
_MENDABLE = ("not_found", "tool_arguments")
_NO_READS = (CALCULATE.name, GET_DEVICES)
LEFT_OUT = "not needed for this request"
"""Why a step has no calls that the plan asks for without a condition."""
_STOPPED = {
    "rounds": "no more rounds were left",
    "tokens": "no more tokens were left",
    "time": "the time was up",
}


async def execute_in_loop(state: GraphState) -> dict[str, Any]:
    """The results of the steps on every device, what could not be done, and `answer`: the model's own words, checked
    against what was read, or nothing where the report says it all. A model's failure is `model_error`."""
    devices, steps = devices_of(state), list(state.get("working_plan_steps") or ())
    session, deadline = current_session(), get_settings().oncall_deadline
    infos = await device_tools(session)
    reads = DeviceReads(session, infos, devices, int(state.get("max_retries") or 0), deadline)
    known = state.get("inventory") or {}
    limits = Limits(seconds=_MODEL_SECONDS + deadline)
    offered = [*reads.tools(), *([] if is_shown_whole(known) else [devices_tool(known)])]
    loop = build_loop(offered, loop_prompt(), limits=limits, names=known)
    run = current_run.get()
    conversation = run.conversation if run else ()
    request = loop_request(state, devices)
    shown = await inventory_excerpt(known, request, conversation, devices)
    begun = start_loop(request, conversation, records=shown)
    outcome = await run_loop(loop, begun, LoopContext(lent_model(), streams=run is not None and run.streams))
    made = _calls_by_device(outcome, devices)
    failed = outcome["error"]
    problem = f"the model failed: {failed['message']}" if failed else _STOPPED.get(outcome["stopped"], "")
    results = [
        result
        for device in devices
        for result in _by_step(device, steps, made[device], infos, reads.retries_made, problem)
    ]
    lines = [limitations(device, [one for one in results if one["device_name"] == device]) or "" for device in devices]
    return {
        "execution_results": results,
        "tool_limitations_report": "\n".join(lines),
        "current_retries": max(int(state.get("current_retries") or 0), reads.retries_made),
        "answer": _own_words(outcome),
        **({"model_error": failed} if failed else {}),
    }


def _own_words(outcome: Outcome) -> str:
    """What the model wrote, or what it calculated or listed as the answer. What devices told is in the report."""
    if outcome["is_written"]:
        return outcome["answer"]
    return "\n\n".join(one["text"] for one in outcome["results"] if one["is_answer"] and one["name"] in _NO_READS)


def _calls_by_device(outcome: Outcome, devices: Sequence[str]) -> dict[str, list[ExecutedToolCall]]:
    """The calls that were made on each device, each once, without mistakes that the model has corrected."""
    made: dict[str, list[ExecutedToolCall]] = {device: [] for device in devices}
    for one in outcome["results"]:
        if one["name"] in _NO_READS or one.get("same_as"):
            continue
        for call in _device_calls(one, devices):
            own = made[str(call["params"][DEVICE])]
            own[:] = [old for old in own if old["function"] != call["function"] or old["error_type"] not in _MENDABLE]
            own.append(call)
    return made


def _device_calls(result: Mapping[str, Any], devices: Sequence[str]) -> Iterable[ExecutedToolCall]:
    """The calls behind a result of the loop, with their evidence."""
    if not result["ok"]:
        error = result["error"]
        told: ExecutedToolCall = {
            "function": result["name"],
            "result": None,
            "error": error["message"],
            "error_type": error["error_type"],
            "evidence": result["evidence"],
        }
        return [{**told, "params": {**result["args"], DEVICE: device}} for device in devices]
    ids = current_ledger().adopt(one["entry"] for one in result["data"] if one.get("entry"))
    return [_with_evidence(call, ids, result["evidence"]) for call in result["data"]]


def _with_evidence(call: Mapping[str, Any], ids: Mapping[str, str], evidence: str) -> ExecutedToolCall:
    """A call with the id of its entry in the ledger: its own, or that of the loop's call."""
    entry = call.get("entry")
    return {
        "function": call["function"],
        "params": call["params"],
        "result": call["result"],
        "error": call["error"],
        "error_type": call["error_type"],
        "evidence": ids[entry["key"]] if entry else evidence,
    }


def _by_step(
    device: str,
    steps: Sequence[str],
    calls: Sequence[ExecutedToolCall],
    infos: Sequence[ToolInfo],
    attempt: int,
    problem: str,
) -> list[StepExecutionResult]:
    """The calls by the steps that they serve. A step without a call was not needed, or there is a `problem`."""
    topics = load_checks().topics
    read = [read_step(text, topics) for text in steps]
    served = _served(read, [call["function"] for call in calls], infos)
    results: list[StepExecutionResult] = []
    for index, text in enumerate(steps):
        own = [call for call in calls if index in served[call["function"]]]
        results.append(
            {
                "step_index": index,
                "natural_language_instruction": text,
                "executed_calls": own,
                "device_name": device,
                "attempt": attempt,
                "skipped": None,
                "problem": lacking_in(own) if own else problem or None,
            }
        )
    found = topics_found(run_checks(collect(results, device), load_checks()))
    for step, result in zip(read, results, strict=True):
        if not result["executed_calls"] and not result["problem"]:
            result["skipped"] = _why_skipped(step, found)
    return results


def _why_skipped(step: Step, found: Iterable[str]) -> str:
    conditions = [part.condition for part in step.parts]
    unmet = [one.text for one in conditions if one is not None and not one.holds(found)]
    if unmet and len(unmet) == len(conditions):
        return f"not needed: it is not so that {'; '.join(unmet)}"
    return LEFT_OUT


def _served(steps: Sequence[Step], called: Iterable[str], infos: Sequence[ToolInfo]) -> dict[str, set[int]]:
    """The steps that each tool serves: those that it fits best of all tools, else the one that it fits best."""
    ranks = [match_step(" ".join(part.text for part in step.parts), infos) for step in steps]
    served: dict[str, set[int]] = {}
    for name in dict.fromkeys(called):
        first = {place for place, names in enumerate(ranks) if names[:1] == [name]}
        near = min(range(len(ranks)), key=lambda place: _rank(ranks[place], name), default=0)
        served[name] = first or {near}
    return served


def _rank(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else len(names) + 100
