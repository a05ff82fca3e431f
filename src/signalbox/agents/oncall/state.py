"""The state of a run, as the contract has it, and what was added: several devices, and why a run stopped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypedDict

__all__ = ["ExecutedToolCall", "Finding", "GraphState", "StepExecutionResult", "StopReason", "start_state"]

StopReason = Literal["met", "limitation", "max_retries", "error"]
Severity = Literal["info", "warning", "critical"]


class ExecutedToolCall(TypedDict, total=False):
    """One call of a tool, with the arguments that were sent. Exactly one of `result` and `error` is set."""

    function: str
    params: dict[str, Any]
    result: dict[str, Any] | None
    error: str | None
    error_type: str | None
    known: list[str]
    """What there is, where something of another name was asked for."""
    evidence: str
    """Its id in the evidence of the answer."""


class StepExecutionResult(TypedDict, total=False):
    """What one step of the plan came to on one device."""

    step_index: int
    natural_language_instruction: str
    executed_calls: list[ExecutedToolCall]
    device_name: str
    attempt: int
    """0 at first, then the number of the retry."""
    skipped: str | None
    """Why nothing had to be called: the condition that did not hold."""
    problem: str | None
    """Why nothing could be called."""


class Finding(TypedDict, total=False):
    """Something that a check saw in what was collected."""

    device: str
    check: str
    topic: str
    severity: Severity
    about: str
    text: str
    cause: str
    next: str
    evidence: list[str]
    since: str | None


def _merge_results(old: Sequence[Any] | None, new: Sequence[Any] | None) -> list[Any]:
    """The results of all devices: those of a retry take the place of those before."""
    merged = {(one.get("device_name"), one["step_index"]): one for one in (*(old or ()), *(new or ()))}
    return list(merged.values())


def _merge_lines(old: str | None, new: str | None) -> str | None:
    """Reports of limitations, a line each after the device's name: those of a device are replaced as a whole."""
    named = {line.partition(":")[0] for line in (new or "").splitlines()}
    kept = [line for line in (old or "").splitlines() if line.partition(":")[0] not in named]
    told = [*kept, *(line for line in (new or "").splitlines() if line.partition(":")[2].strip())]
    return "\n".join(told) or None


def _first_error(old: dict[str, str] | None, new: dict[str, str] | None) -> dict[str, str] | None:
    """What failed first, on whichever device; None begins anew."""
    return old if old and new else new


class GraphState(TypedDict, total=False):
    """The contract's state. `device_name` is the device, or all of them between commas; `devices` is the list."""

    user_query: str
    device_name: str
    objective: str
    working_plan_steps: list[str]
    execution_results: Annotated[list[StepExecutionResult], _merge_results]
    tool_limitations_report: Annotated[str | None, _merge_lines]
    max_retries: int
    current_retries: int
    objective_achieved_assessment: bool | None
    assessor_feedback_for_retry: str | None
    assessor_notes_for_final_report: str | None
    summary: list[str] | None

    devices: list[str]
    intent: str
    intents: list[str]
    """All checks that the request asks for; `intent` is the first."""
    focus: dict[str, str]
    """What the request names: `interface`, `vrf`, `neighbor`, `as_number`, `prefix`, `minutes`, `ends` of a link; and
    what narrows the answer: `group`, `state`, `above`, `below`, `order`, `words` of a log, `until` when
    and only of `trouble` its lines are asked for, `which` devices."""
    facts: list[str]
    """The facts that are asked for, by their ids in `fields.py`."""
    checks: list[str]
    """The checks that are asked for beside facts."""
    not_looked_up: list[str]
    """What was asked for and no tool reads, in words."""
    as_before: list[str]
    """What was taken over from the turn before, in words."""
    retry: dict[str, list[int]]
    """The steps that run again, by device."""
    stop_reason: StopReason | None
    answer: str | None
    """What a model that works with the tools itself says of what it read; empty where the report says it all, None for
    a model that fills plans."""
    inventory: dict[str, str]
    """What the inventory says of every device, by its name: role, address, platform and state."""
    unserved_steps: list[str]
    not_covered: list[str]
    findings: list[Finding]
    absent: dict[str, list[dict[str, Any]]]
    """By device, what was asked about and is not there or was not read; see presence.py."""
    verdict: str
    report: dict[str, Any]
    source: dict[str, str] | None
    error: dict[str, str] | None
    """Why there is no plan, and so no report."""
    model_error: Annotated[dict[str, str] | None, _first_error]
    """How a model failed on the way: the report says what was found until then."""
    previous: dict[str, Any] | None
    asked: dict[str, Any] | None
    """What the next turn of a thread is told of this one."""


def start_state(request: str, before: Any = None) -> dict[str, Any]:
    """The state that a run begins with: every key of the contract, and what was asked in the turn before."""
    return {
        "user_query": request,
        "device_name": "",
        "objective": "",
        "working_plan_steps": [],
        "execution_results": [],
        "tool_limitations_report": None,
        "max_retries": 0,
        "current_retries": 0,
        "objective_achieved_assessment": None,
        "assessor_feedback_for_retry": None,
        "assessor_notes_for_final_report": None,
        "summary": None,
        "stop_reason": None,
        "answer": None,
        "error": None,
        "model_error": None,
        "previous": (before or {}).get("asked"),
    }
