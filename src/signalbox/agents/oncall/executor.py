"""`network_executor`: the contract's Network Executor. It carries out the steps of a plan on one device."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage

from signalbox.agents.oncall.arguments import ground_arguments
from signalbox.agents.oncall.checks import Checks, load_checks, run_checks, topics_found
from signalbox.agents.oncall.choices import choose_calls
from signalbox.agents.oncall.facts import collect
from signalbox.agents.oncall.limitations import lacking_in, limitations
from signalbox.agents.oncall.loop_executor import execute_in_loop
from signalbox.agents.oncall.objectives import without_devices
from signalbox.agents.oncall.planner import lent_model
from signalbox.agents.oncall.plans import match_step
from signalbox.agents.oncall.prompts import step_prompt
from signalbox.agents.oncall.state import ExecutedToolCall, GraphState, StepExecutionResult
from signalbox.agents.oncall.steps import Part, read_step
from signalbox.agents.oncall.tools import (
    AWAY,
    Budget,
    call_device,
    current_session,
    device_tools,
    place_to_read,
)
from signalbox.errors import SignalboxError
from signalbox.models import fills_plans
from signalbox.settings import get_settings
from signalbox.toolbox.sessions import Session, ToolInfo

__all__ = ["network_executor"]

_MENDABLE = ("not_found", "tool_arguments")
_ROUNDS = 3
_MOST_CALLS = 6
_MOST_SHOWN = 4_000
_log = logging.getLogger("signalbox.agents.oncall")


async def network_executor(state: GraphState) -> dict[str, Any]:
    """The results of the steps on `device_name`, and what could not be done. On a retry only the steps named in `retry`
    run again. Nothing that a device, a tool or a model does wrong is raised; a model's failure is `model_error`.

    A model that works with tools does so in the loop, for all devices at once; any other is asked for each step.
    """
    if not fills_plans(lent_model()):
        return await execute_in_loop(state)
    device = state["device_name"]
    async with place_to_read():
        work = await _begin(state)
        for index in _due(state, device):
            work.results[index] = await _step(work, index, state["working_plan_steps"][index])
    done = list(work.results.values())
    failed = {"model_error": work.model_error.as_dict()} if work.model_error else {}
    lines = limitations(device, done)
    # A bare name takes back what an earlier attempt could not do.
    is_clear = lines == f"{device}:" and not work.attempt
    return {"execution_results": done, "tool_limitations_report": None if is_clear else lines, **failed}


@dataclass
class _Work:
    """One device at work: with whom, with what, and what it gave so far."""

    device: str
    objective: str
    session: Session
    infos: list[ToolInfo]
    model: BaseChatModel
    checks: Checks
    budget: Budget
    attempt: int
    feedback: str
    results: dict[int, StepExecutionResult]
    made: dict[str, ExecutedToolCall] = field(default_factory=dict)
    gone: str = ""
    """Why nothing more can be called: the device does not answer, or the model failed."""
    model_error: SignalboxError | None = None

    @property
    def topics(self) -> set[str]:
        """In which topics something is wrong so far."""
        return topics_found(run_checks(collect(list(self.results.values()), self.device), self.checks))


async def _begin(state: GraphState) -> _Work:
    device = state["device_name"]
    session = current_session()
    earlier = {
        one["step_index"]: one
        for one in state.get("execution_results") or ()
        if one.get("device_name") in (None, device)
    }
    return _Work(
        device=device,
        objective=without_devices(state.get("objective", ""), state.get("devices") or [device]),
        session=session,
        infos=await device_tools(session),
        model=lent_model(),
        checks=load_checks(),
        budget=Budget.of(get_settings().oncall_deadline),
        attempt=int(state.get("current_retries") or 0),
        feedback=str(state.get("assessor_feedback_for_retry") or ""),
        results=dict(earlier),
    )


def _due(state: GraphState, device: str) -> list[int]:
    """The steps to run: all of them, or on a retry those that the assessor names for this device."""
    places = range(len(state.get("working_plan_steps") or ()))
    if not state.get("assessor_feedback_for_retry"):
        return list(places)
    named = (state.get("retry") or {}).get(device)
    return [place for place in places if named is None or place in named]


async def _step(work: _Work, index: int, text: str) -> StepExecutionResult:
    result: StepExecutionResult = {
        "step_index": index,
        "natural_language_instruction": text,
        "executed_calls": [],
        "device_name": work.device,
        "attempt": work.attempt,
        "skipped": None,
        "problem": None,
    }
    if not match_step(text, work.infos):
        return {**result, "problem": "no tool serves this step"}
    step = read_step(text, work.checks.topics)
    skipped, problems = [], []
    for part in step.parts:
        if part.condition is not None and not part.condition.holds(work.topics):
            skipped.append(part.condition.text)
            continue
        if work.gone or work.budget.left <= 0:
            problems.append(work.gone or "the time for this device was up")
            continue
        calls, problem = await _carry_out(work, part, step.guidance)
        result["executed_calls"] += calls
        problems += [problem] if problem else []
    if skipped and not result["executed_calls"] and not problems:
        result["skipped"] = f"not needed: it is not so that {'; '.join(skipped)}"
    result["problem"] = "; ".join(dict.fromkeys(problems)) or None
    return result


async def _carry_out(work: _Work, part: Part, guidance: str) -> tuple[list[ExecutedToolCall], str | None]:
    """The calls that the model makes for a part of a step.

    Which tools it may use is settled before a device has spoken: what stands in an answer can ask for no other.
    """
    messages: list[BaseMessage] = [SystemMessage(step_prompt(work.objective, guidance, work.feedback))]
    messages.append(HumanMessage(part.text))
    calls: list[ExecutedToolCall] = []
    allowed: set[str] = set()
    for turn in range(_ROUNDS):
        try:
            # The time that a model takes is not the device's.
            with work.budget.paused():
                reply = await choose_calls(work.model, messages, work.infos)
        except SignalboxError as error:
            _log.warning("The model failed in a step on %s: %s", work.device, error.user_message)
            work.model_error, work.gone = error, f"the model failed: {error.user_message}"
            return calls, work.gone
        messages.append(reply)
        allowed |= {str(call["name"]) for call in reply.tool_calls} if turn == 0 else set()
        made = [await _called(work, part, call, calls, allowed) for call in reply.tool_calls]
        # A model sees what a device said only where it has an argument to mend.
        if work.gone or not any(one.get("error_type") in _MENDABLE for one in made):
            break
        messages += [
            _shown_to_model(one, str(call.get("id") or "")) for one, call in zip(made, reply.tool_calls, strict=True)
        ]
    if not calls:
        return calls, "no tool was found for it"
    return calls, lacking_in(calls)


async def _called(
    work: _Work, part: Part, call: Mapping[str, Any], calls: list[ExecutedToolCall], allowed: set[str]
) -> ExecutedToolCall:
    """One call that the model asks for: made, given again where it was made before, or refused."""
    name = str(call["name"])
    facts = collect(list(work.results.values()), work.device)
    args = ground_arguments(call.get("args") or {}, f"{part.text} {work.objective}", facts)
    if name not in allowed or len(calls) >= _MOST_CALLS or work.gone:
        return {
            "function": name,
            "params": args,
            "result": None,
            "error": "The step does not ask for this call.",
            "error_type": "tool_refused",
        }
    key = f"{name} {json.dumps(args, sort_keys=True, default=str)}"
    made = work.made.get(key)
    if made is None:
        made = await call_device(
            work.session, work.infos, work.device, name, args, work.budget, f"step on {work.device}"
        )
        if not made.get("error"):
            work.made[key] = made
    if made.get("error_type") in _MENDABLE:
        calls[:] = [one for one in calls if one["function"] != name or not one.get("error")]
    if not any(one["function"] == made["function"] and one["params"] == made["params"] for one in calls):
        calls.append(made)
    if made.get("error_type") in AWAY:
        work.gone = f"{work.device} cannot be read ({made['error_type']})"
    return made


def _shown_to_model(made: ExecutedToolCall, call_id: str) -> ToolMessage:
    """A result as the model reads it: data, delimited, no longer than it needs to be."""
    told = json.dumps(made.get("result") if made.get("error") is None else {"error": made["error"]}, default=str)
    text = told if len(told) <= _MOST_SHOWN else f"{told[:_MOST_SHOWN]}… (cut)"
    status = "error" if made.get("error") else "success"
    return ToolMessage(
        f"<device-data>{re.sub('</?device-data>', '', text)}</device-data>",
        tool_call_id=call_id,
        name=made["function"],
        status=status,
    )
