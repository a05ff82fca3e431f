"""`objective_assessor`: the contract's Objective Assessor. It says whether to stop, and why, or what to run again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage

from signalbox.agents.oncall.checks import load_checks, run_checks
from signalbox.agents.oncall.facts import collect
from signalbox.agents.oncall.planner import lent_model
from signalbox.agents.oncall.presence import Presence
from signalbox.agents.oncall.prompts import assess_prompt
from signalbox.agents.oncall.state import GraphState, StepExecutionResult, StopReason
from signalbox.agents.oncall.subjects import absent, focus_on, intents_of, with_names_found
from signalbox.agents.oncall.tools import PASSING
from signalbox.errors import BudgetError, LLMAPIError

__all__ = ["ASSESSMENT", "devices_of", "failed_steps", "missing_of", "objective_assessor"]

_MANY = 3
ASSESSMENT = {
    "title": "Assessment",
    "description": "Whether what was collected answers the objective.",
    "type": "object",
    "properties": {
        "enough": {"type": "boolean", "description": "Whether what was collected answers the objective."},
        "steps": {
            "type": "array",
            "items": {"type": "integer"},
            "description": "The numbers of the steps to run again.",
        },
        "feedback": {"type": "string", "description": "What to do otherwise when they run again."},
    },
}


async def objective_assessor(state: GraphState) -> dict[str, Any]:
    """Stop (`objective_achieved_assessment` True, with `stop_reason`), or retry, with feedback and the steps for it.

    What failed and may pass is tried again, as long as there are retries; a model that fills plans may ask for further
    steps, saying what to do otherwise, and waives nothing. One that works in the loop (`answer` is set) has decided
    itself when it had enough, and what failed was tried again there. Where a model failed, nothing is tried again.
    """
    if known := state.get("model_error"):
        return _stopped(known, "choosing what to read")
    failed = failed_steps(state)
    again = {
        device: steps
        for device, found in failed.items()
        if (steps := [place for place, passing in found.items() if passing])
    }
    told, is_looped = "", state.get("answer") is not None
    if not failed and not is_looped:
        try:
            again, told = await _asked_for(state)
        except (LLMAPIError, BudgetError) as error:
            return _stopped(error.as_dict(), "judging whether that is enough")
    retries, most = int(state.get("current_retries") or 0), int(state.get("max_retries") or 0)
    if again and retries < most and not is_looped:
        return {
            "objective_achieved_assessment": False,
            "current_retries": retries + 1,
            "assessor_feedback_for_retry": _feedback(again, told),
            "retry": again,
            "stop_reason": None,
        }
    was_tried_again = retries >= most or not is_looped
    missing = missing_of(state)
    reason: StopReason = "met" if not failed and not again and not missing else "limitation"
    reason = "max_retries" if again and was_tried_again else reason
    return {
        "objective_achieved_assessment": True,
        "assessor_feedback_for_retry": None,
        "retry": {},
        "stop_reason": reason,
        "absent": {device: [one.as_record() for one in found] for device, found in missing.items()},
        "assessor_notes_for_final_report": _notes(reason, failed, retries, told, missing, len(devices_of(state))),
    }


def _stopped(error: dict[str, str], during: str) -> dict[str, Any]:
    """What was found is reported, and that the model failed."""
    return {
        "objective_achieved_assessment": True,
        "assessor_feedback_for_retry": None,
        "retry": {},
        "stop_reason": "error",
        "assessor_notes_for_final_report": _failed_while(during, error),
        "model_error": error,
    }


def _failed_while(during: str, error: Mapping[str, str]) -> str:
    """That the model failed, at what, and how."""
    return f"The model failed while {during}: {error['message']} {error['suggestion']}".strip()


def devices_of(state: Mapping[str, Any]) -> list[str]:
    """The devices of a run."""
    listed = state.get("devices") or [name.strip() for name in str(state.get("device_name") or "").split(",")]
    return [str(name) for name in listed if name]


def failed_steps(state: Mapping[str, Any]) -> dict[str, dict[int, bool]]:
    """The steps that failed or never ran, by device and place, each with whether another attempt may pass."""
    found: dict[str, dict[int, bool]] = {}
    for device in devices_of(state):
        results = {
            one["step_index"]: one
            for one in state.get("execution_results") or ()
            if one.get("device_name") in (None, device)
        }
        for place in range(len(state.get("working_plan_steps") or ())):
            passing = _failure(results.get(place), list(results.values()))
            if passing is not None:
                found.setdefault(device, {})[place] = passing
    return found


def _failure(result: StepExecutionResult | None, all_of_device: Sequence[StepExecutionResult]) -> bool | None:
    """None for a step that was served or not needed; else whether it may pass when it is tried again."""
    if result is None:
        return True
    errors = [str(call.get("error_type") or "failed") for call in result["executed_calls"] if call.get("error")]
    if errors:
        return any(kind in PASSING for kind in errors)
    if result.get("problem") is None:
        return None
    elsewhere = [
        str(call.get("error_type")) for one in all_of_device for call in one["executed_calls"] if call.get("error")
    ]
    if "cannot be read" in str(result["problem"]):
        return any(kind in PASSING for kind in elsewhere)
    return not any(told in str(result["problem"]) for told in ("time for this device", "no tool serves"))


async def _asked_for(state: Mapping[str, Any]) -> tuple[dict[str, list[int]], str]:
    """The steps that the model wants run again though none failed. It is shown what was called, found and missed."""
    account = [f"Objective: {state.get('objective', '')}"]
    for device in devices_of(state):
        for one in state.get("execution_results") or ():
            if one.get("device_name") in (None, device):
                calls = ", ".join(f"{call['function']} answered" for call in one["executed_calls"])
                account.append(
                    f"{device}, step {one['step_index'] + 1}: {calls or one.get('skipped') or 'nothing called'}"
                )
        facts = collect(list(state.get("execution_results") or ()), device)
        found = [one["text"] for one in run_checks(facts, load_checks()) if one["severity"] != "info"]
        account += [
            f"{device}, found: <device-data>{re.sub('</?device-data>', '', text)}</device-data>" for text in found
        ]
        account += [f"{device}, missing: {one.text}" for one in missing_of(state).get(device, ())]
    model = lent_model().with_structured_output(ASSESSMENT)
    said: Any = await model.ainvoke([SystemMessage(assess_prompt()), HumanMessage("\n".join(account))])
    if said.get("enough") is not False:
        return {}, ""
    # A step done over in the same way gives the same: what to do otherwise has to be said.
    told = str(said.get("feedback") or "").strip()[:500]
    told = "" if told in "\n".join(account) else told
    named = {one - 1 for one in said.get("steps") or ()}
    again = {device: _carried_out(state, device, named) for device in devices_of(state)} if told else {}
    again = {device: steps for device, steps in again.items() if steps}
    return again, told if again else ""


def _carried_out(state: Mapping[str, Any], device: str, named: set[int]) -> list[int]:
    """Those of the named steps that were carried out on a device: one that was not needed would be left out again."""
    return sorted(
        one["step_index"]
        for one in state.get("execution_results") or ()
        if one.get("device_name") in (None, device) and one["executed_calls"] and one["step_index"] in named
    )


def _feedback(again: Mapping[str, Sequence[int]], told: str) -> str:
    lines = [
        f"{device}: run step {', '.join(str(place + 1) for place in steps)} again" for device, steps in again.items()
    ]
    return ". ".join([*lines, *([told] if told else [])])


def missing_of(state: Mapping[str, Any]) -> dict[str, list[Presence]]:
    """By device that answers, what was asked about and is not there or was not read. A model that answered in its own
    words has read what that takes."""
    results = list(state.get("execution_results") or ())
    read = {device: collect(results, device) for device in devices_of(state)}
    state, found = with_names_found(state, read), {}
    for device, facts in read.items():
        if any(one["reachable"] for one in facts["device"]):
            found[device] = [
                one
                for one in absent(
                    intents_of(state),
                    focus_on(device, state.get("focus") or {}, intents_of(state), facts),
                    facts,
                    state.get("facts") or (),
                    state.get("not_looked_up") or (),
                )
                if one.state != "not_checked" or not state.get("answer")
            ]
    missing = {device: told for device, told in found.items() if told}
    if (state.get("focus") or {}).get("which") and len(missing) < len(found):
        # Who asks where something is wants to know where it is not.
        missing = {
            device: [one for one in told if one.state not in ("not_configured", "does_not_exist")]
            for device, told in missing.items()
        }
    return {device: told for device, told in missing.items() if told}


def _notes(
    reason: StopReason,
    failed: Mapping[str, Mapping[int, bool]],
    retries: int,
    told: str,
    missing: Mapping[str, Sequence[Presence]],
    devices: int,
) -> str:
    count = sum(map(len, failed.values()))
    where = f"{count} step{'s' if count != 1 else ''} on {', '.join(failed)}" if failed else ""
    tried = f" after {retries} {'retry' if retries == 1 else 'retries'}" if retries else ""
    if reason == "met":
        return f"Objective met{tried}."
    lacking = "; ".join(_texts(one for found in missing.values() for one in found if one.state != "not_checked"))
    if reason == "max_retries":
        left = f"{where} could not be carried out" if where else told
        return f"Proceeding after max retries ({retries}): {left or lacking}."
    how = "not met" if len(missing) == devices or (not missing and len(failed) == devices) else "partially met"
    if lacking:
        return f"Objective {how}: {lacking}."
    if not where:
        unread = "; ".join(_texts(one for found in missing.values() for one in found))
        return f"Objective {how}: {unread}."
    return f"Objective {how} due to limitations: {where} could not be carried out; trying again would not help."


def _texts(missing: Iterable[Presence]) -> list[str]:
    """What is missing, each once; what is missing alike on many devices is told of all of them together."""
    alike: dict[tuple[str, str, str, str], list[Presence]] = {}
    for one in missing:
        alike.setdefault((one.kind, one.name, one.state, one.said or one.why), []).append(one)
    told: list[Presence] = []
    for ones in alike.values():
        devices = list(dict.fromkeys(one.device for one in ones))
        known = tuple(dict.fromkeys(name for one in ones for name in one.known))
        is_many = len(devices) > _MANY and not ones[0].said
        told += [replace(ones[0], device=f"any of {len(devices)} devices", known=known)] if is_many else ones
    return list(dict.fromkeys(one.text for one in told))
