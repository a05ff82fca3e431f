"""`report_generator`: the contract's Report Generator. Code writes the report, below a model's own answer."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from signalbox.agents.oncall.answers import rank, subject_names
from signalbox.agents.oncall.assessor import devices_of, failed_steps, missing_of
from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.fields import LIMITS, plans_for
from signalbox.agents.oncall.focus import SEARCHED
from signalbox.agents.oncall.history import keep_run
from signalbox.agents.oncall.judgement import judge_run
from signalbox.agents.oncall.loop_executor import LEFT_OUT
from signalbox.agents.oncall.presence import Presence, presence_of
from signalbox.agents.oncall.run_answers import answers_of
from signalbox.agents.oncall.state import Finding, GraphState
from signalbox.agents.oncall.subjects import intents_of, kinds_of, with_names_found
from signalbox.agents.oncall.verdict import device_status, looked_at, overall, told_together, verdict_of
from signalbox.errors import SignalboxError

__all__ = ["in_order", "report_generator"]

_FACTS = {"show_system_facts", "show_lldp_neighbors", "check_routes", "check_logs"}
"""Checks that ask for facts: where nothing is wrong, they need no verdict."""
_FEW_KINDS = 3
"""A plan that reads no more kinds of things is about what was asked for."""

_log = logging.getLogger("signalbox.agents.oncall")


async def report_generator(state: GraphState) -> dict[str, Any]:
    """`summary` as a list of strings, `findings`, `verdict` and the `report`. Every run is kept for `oncall diff`."""
    results = list(state.get("execution_results") or ())
    devices = devices_of(state)
    facts, findings = await judge_run(devices, results)
    state = cast(GraphState, with_names_found(state, facts))
    focus = dict(state.get("focus") or {})
    report = make_report(state, facts, results, findings)
    await asyncio.to_thread(_keep, state, facts, report)
    return {
        "summary": _summary(report),
        "findings": report["findings"],
        "absent": report["absent"],
        "verdict": report["status"],
        "focus": focus,
        "not_covered": list(state.get("not_covered") or ()),
        "report": report,
        "asked": {**(state.get("asked") or {}), "focus": focus},
    }


def make_report(
    state: Mapping[str, Any],
    facts: Mapping[str, Mapping[str, Sequence[Record]]],
    results: Sequence[Mapping[str, Any]],
    findings: Sequence[Finding],
) -> dict[str, Any]:
    """The report as data: what was found on each device, what was looked at, what was not and why, what to do next."""
    called = {one.get("device_name") for one in results if one.get("executed_calls")}
    unread = {device for device in facts if not called & {device, None}} | failed_steps(state).keys()
    intents, asked, checks = intents_of(state), state.get("facts") or (), state.get("checks") or ()
    # Far ends and the last good state tell what should be running from what was never configured.
    missing = {device: _refined(found, facts[device]) for device, found in missing_of(state).items()}
    told = answers_of(state, facts, findings, missing, unread)
    unlooked = [one for found in missing.values() for one in found if one.said and one.state == "not_checked"]
    by_fact = {plan for own in plans_for(asked).values() for plan in own if len(kinds_of(plan)) <= _FEW_KINDS}
    is_fact = told.is_chosen or (bool(intents) and {*intents} <= _FACTS | (by_fact - {*checks}))
    names = {name for device, own in facts.items() for name in subject_names(told.focus[device], own, intents)}
    findings = _sorted(rank(findings, names))
    if told.is_chosen or (asked and not checks):
        findings = [one for one in findings if one["severity"] != "info" or one["about"] in names]
    looked = {device: looked_at(results, device) for device in facts}
    statuses = {
        device: device_status(
            [one for one in findings if one["device"] == device],
            facts[device],
            device in unread,
            missing.get(device, ()),
        )
        for device in facts
    }
    is_narrowed = any({"state", *LIMITS} & one.keys() for one in told.focus.values())
    without = {device for device, has in told.having.items() if not has and not is_narrowed} | {*told.unable}
    without = {device for device in without if statuses[device] == "healthy"}
    statuses |= dict.fromkeys(without, "absent")
    about = {device: one for device, one in statuses.items() if device not in without} or statuses
    is_searched = (state.get("focus") or {}).get("which") == SEARCHED
    return {
        "title": state.get("objective") or "Network check",
        "status": overall(about),
        "verdict": verdict_of(about if is_searched else statuses, findings, looked, missing),
        "is_wide": told.is_wide,
        "is_since": told.is_since,
        "is_fact": is_fact,
        "is_told": bool(missing) and all(one.said for found in missing.values() for one in found),
        "as_before": f"As before: {', '.join(kept)}" if (kept := state.get("as_before")) else "",
        "not_looked_up": list(dict.fromkeys(one.said for one in unlooked)),
        "stop_reason": state.get("stop_reason"),
        "answer": state.get("answer") or "",
        "notes": _notes(state, missing),
        "answers": told.lines,
        "findings": findings,
        "devices": [_row(device, statuses[device], findings, looked[device]) for device in facts],
        "absent": {device: [one.as_record() for one in found] for device, found in missing.items()},
        "not_checked": _not_checked(state),
        "left_out": _left_out(state),
        "next_steps": _next_steps(findings),
    }


def _refined(missing: Sequence[Presence], facts: Mapping[str, Sequence[Record]]) -> list[Presence]:
    """What is missing, with why it is where the records say more of it."""
    told = {one.kind: presence_of(facts, one.kind) for one in missing}
    return [told[one.kind] if not one.said and told[one.kind].state == "not_running" else one for one in missing]


def _notes(state: Mapping[str, Any], missing: Mapping[str, Sequence[Presence]]) -> str:
    """The assessor's notes, in the words that the report has for what is missing."""
    notes = str(state.get("assessor_notes_for_final_report") or "")
    for device, found in missing_of(state).items():
        for one, better in zip(found, missing[device], strict=True):
            notes = notes.replace(one.text, better.text)
    return notes


def _next_steps(findings: Sequence[Finding]) -> list[str]:
    """What to do next, the worst first; what another step says and more is not said twice."""
    told = [one for one, _ in told_together(findings)]
    steps = list(dict.fromkeys(one["next"] for one in told if one["next"] and one["severity"] != "info"))
    return [one for one in steps if not any(other != one and other.startswith(one.rstrip(".")) for other in steps)]


def _sorted(findings: Sequence[Finding]) -> list[Finding]:
    order = {"critical": 0, "warning": 1, "info": 2}
    return sorted(findings, key=lambda one: order[one["severity"]])


def _row(device: str, status: str, findings: Sequence[Finding], looked: Sequence[str]) -> dict[str, Any]:
    own = [one for one in findings if one["device"] == device]
    faults = [one for one in own if one["severity"] != "info"]
    return {
        "device": device,
        "status": status,
        "critical": sum(one["severity"] == "critical" for one in own),
        "warning": sum(one["severity"] == "warning" for one in own),
        "first": faults[0]["text"] if faults else "",
        "looked_at": list(looked),
    }


def _not_checked(state: Mapping[str, Any]) -> list[str]:
    """What could not be looked at, and why: steps that failed, and steps that no tool serves."""
    lines = str(state.get("tool_limitations_report") or "").splitlines()
    told = [line for line in lines if line.partition(":")[2].strip()]
    for line in state.get("unserved_steps") or ():
        told.append(f"{line} (no tool serves this step)")
    left = _left_out(state)
    if left and not state.get("answer"):
        steps = f"step{'s' if len(left) > 1 else ''} {', '.join(map(str, left))}"
        told.append(f"{steps} of the plan: {LEFT_OUT}")
    return told


def _left_out(state: Mapping[str, Any]) -> list[int]:
    """The numbers of the steps that the model did not need."""
    results = state.get("execution_results") or ()
    return sorted({one["step_index"] + 1 for one in results if one.get("skipped") == LEFT_OUT})


def _keep(
    state: Mapping[str, Any], facts: Mapping[str, Mapping[str, Sequence[Record]]], report: Mapping[str, Any]
) -> None:
    for device, records in facts.items():
        try:
            keep_run(
                device,
                str(state.get("intent") or ""),
                records,
                [one for one in report["findings"] if one["device"] == device],
            )
        except (OSError, SignalboxError) as error:
            _log.warning("The run on %s was not kept: %s", device, error)


def in_order(report: Mapping[str, Any]) -> tuple[str, ...]:
    """What stands first: the answer, since it is what was asked for, then the verdict. Words of a model that rest on no
    evidence do not stand before findings that do. Who asked for a fact is given no verdict that all is well."""
    answer = str(report.get("answer") or "")
    own = "answer" if answer else "answers"
    if own == "answers" and report.get("is_wide"):
        return ("verdict", "answers")
    has_faults, is_proven = report.get("status") in ("critical", "warning"), bool(re.search(r"\[E\d", answer))
    if report.get("status") == "incomplete" and report.get("is_fact") and report.get("is_told") and report.get(own):
        return (own,)
    if (
        report.get("status") == "healthy"
        and report.get(own)
        and (report.get("is_fact") or (is_proven and report.get("left_out")))
    ):
        return (own,)
    return ("verdict", "answer") if answer and has_faults and not is_proven else (own, "verdict")


def _summary(report: Mapping[str, Any]) -> list[str]:
    """What was asked for, then the verdict and what it rests on."""
    told = {"answer": [report["answer"]], "answers": report["answers"], "verdict": [report["verdict"]]}
    lines = [*report["not_looked_up"], *(line for name in in_order(report) for line in told[name] if line)]
    lines = [*filter(None, [report["as_before"]]), *lines]
    lines += [_line(one) for one in report["findings"]]
    lines += [f"Not checked: {one}" for one in report["not_checked"]]
    lines += [f"Next: {one}" for one in report["next_steps"]]
    return [*lines, *([str(report["notes"])] if report["notes"] else [])]


def _line(one: Finding) -> str:
    return _sentence(one) + (f" [{', '.join(one['evidence'])}]" if one["evidence"] else "")


def _sentence(one: Finding) -> str:
    """A finding without the numbers of its evidence, which change from run to run."""
    cause = f" Likely cause: {one['cause']}." if one["cause"] else ""
    return f"{one['severity']}: {one['device']}: {one['text']}.{cause}"
