"""The calls of a loop: which there are, which already have results, and how one is made.

A result is stored as plain data: that of the tool (`Result`), and `name`, `args`, `kind`, `ok`, `entry` (the evidence).
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.errors import GraphBubbleUp

from signalbox.contract.summary import plain
from signalbox.errors import (
    NotFoundError,
    SignalboxError,
    ToolFailedError,
    ToolRefusedError,
    ToolTimeoutError,
    mask,
    redact,
)
from signalbox.language.names import did_you_mean
from signalbox.settings import get_settings, person_zone
from signalbox.toolbox.calculate import CALCULATE, CONSTANTS, operands
from signalbox.toolbox.confirmation import OPTIONS, confirmed
from signalbox.toolbox.effects import Said, decide
from signalbox.toolbox.ledger import current_ledger
from signalbox.toolbox.loop_prompt import ANSWER, Reply
from signalbox.toolbox.typed_tools import Proposal, Tool, as_proposal
from signalbox.toolbox.verify import Sources

__all__ = ["ToolCall", "known_results", "list_calls", "make_call", "numbered_results", "signature_of", "was_change"]

ToolCall = dict[str, Any]
"""`id`, `name`, `args`, the `round` in which it was made, and whether it `is_marked` as the answer."""
Results = Mapping[str, dict[str, Any]]
"""Results by the ids of their calls."""
_CHANGED = "This has changed since you were asked, and nothing was done.\n\n"
_log = logging.getLogger("signalbox.toolbox")


def list_calls(replies: Sequence[Reply]) -> list[ToolCall]:
    """All calls of these replies, in order."""
    return [
        {
            "id": str(call["id"]),
            "name": str(call["name"]),
            "args": {name: value for name, value in call["args"].items() if name != ANSWER},
            "is_marked": call["args"].get(ANSWER) is True,
            "round": number,
        }
        for number, reply in enumerate(replies)
        for call in (reply["message"].tool_calls if isinstance(reply["message"], AIMessage) else ())
    ]


def signature_of(call: ToolCall) -> str:
    """A key that is equal for equivalent calls."""
    return json.dumps([call["name"], call["args"]], sort_keys=True, default=str)


def known_results(
    calls: Sequence[ToolCall], results: Results, tools: Mapping[str, Tool], most: int
) -> dict[str, dict[str, Any]]:
    """Results for waiting calls that are not made: repeated calls without another change in between; a change that was
    refused before, or is to be confirmed; and calls beyond the `most` per reply."""
    known: dict[str, str] = {}
    tried: dict[tuple[int, str], str] = {}
    found: dict[str, dict[str, Any]] = {}
    many: Counter[int] = Counter()
    if len(calls) == len(results):
        return found
    for call in calls:
        signature = signature_of(call)
        result, first = results.get(call["id"]), known.get(signature) or tried.get((call["round"], signature))
        tool = tools.get(call["name"])
        many[call["round"]] += 1
        if result is None and many[call["round"]] > most:
            error = ToolRefusedError(f"This call was not made: a reply may have {most} calls.")
            found[call["id"]] = {**_unmade(call), **_failed(error), "entry": None}
        elif result is None and first is not None:
            found[call["id"]] = {**results[first], "same_as": first, "blocks": []}
        elif result is None and tool is not None and tool.effect != "read":
            # What comes after a change waits for it.
            break
        elif result is not None:
            if was_change(result) and not result.get("same_as"):
                known.clear()
                # The model has not seen yet how this went.
                tried[call["round"], signature] = call["id"]
            if result["ok"] or result.get("is_declined") or result.get("asks"):
                known.setdefault(signature, result.get("same_as") or call["id"])
    return found


def was_change(result: Mapping[str, Any]) -> bool:
    """True for a change that was made, or tried: one that failed may have been made in part."""
    return result["kind"] != "read" and result["entry"] is not None


def _unmade(call: ToolCall) -> dict[str, Any]:
    return {"name": call["name"], "args": call["args"], "kind": "read", "ok": False}


def numbered_results(calls: Sequence[ToolCall], results: Results) -> dict[str, dict[str, Any]]:
    """The results in the order of their calls, each with the model's `number` for it (E1, E2, …) and the id of its
    `evidence` in the ledger, which adopts the calls of other processes."""
    ids = current_ledger().adopt(entry for one in results.values() if (entry := one["entry"]))
    numbers: dict[str, str] = {}
    for call in calls:
        first = results[call["id"]].get("same_as")
        numbers[call["id"]] = numbers[first] if first else f"E{len(set(numbers.values())) + 1}"
    return {
        own: {**results[own], "number": number, "evidence": ids.get((results[own]["entry"] or {}).get("key", ""), "")}
        for own, number in numbers.items()
    }


async def make_call(tools: Mapping[str, Tool], sent: Mapping[str, Any], seconds: float, *, may_pause: bool) -> Any:
    """Make one call: returns its `results`, or what must be `shown` first. Failures are results for the model to read;
    a pause is passed on. `seconds` is the time left for a read."""
    call, entry, limit = sent["call"], None, asyncio.timeout(None)
    told = _unmade(call)
    try:
        if sent.get("shown"):
            # First of all: an answer to one question must not be left for another to find.
            told |= _declined(sent["shown"])
        tool = tools.get(call["name"])
        if tool is None:
            raise NotFoundError(f"There is no tool '{call['name']}'.", suggestion=did_you_mean(call["name"], tools))
        told["kind"], args = tool.effect, tool.check(call["args"])
        if tool.effect == "other" and get_settings().read_only:
            raise ToolRefusedError(f"{tool.name} changes something, and only reading is allowed here.")
        if tool is CALCULATE:
            _check_operands(args, sent["sources"])
        if tool.effect != "read" and "text" not in told:
            proposal = await as_proposal(tool, args)
            told["targets"] = [one.key for one in proposal.effect.targets]
            question = plain(proposal.as_question())
            agreed = sent.get("agreed")
            is_settled = proposal.is_begun or question == agreed
            must_ask = not is_settled and bool(sent["shown"] or agreed or not _may_run(tool, proposal, sent))
            if may_pause and must_ask and question != _as_shown(sent["shown"]):
                # Stored before it is shown: a yes is to exactly this, and to nothing that it has become since.
                return {"shown": {call["id"]: {**question, **({"is_again": True} if sent["shown"] else {})}}}
            if not may_pause and must_ask:
                told |= _unasked({**question, **({"is_again": True} if agreed else {})})
        if "text" not in told:
            with current_ledger().call(tool.name, args, number=sent["number"]) as entry:
                entry.is_change = tool.effect != "read"
                # A change is never cut off in the middle.
                limit = asyncio.timeout(max(seconds, 1.0) if tool.effect == "read" else None)
                async with limit:
                    result = await tool.recorded(args, entry)
            is_empty = result.is_empty or not result.text.strip()
            told |= {**mask(plain(result.as_dict())), "ok": True, "is_empty": is_empty}
    except GraphBubbleUp:
        raise
    except SignalboxError as error:
        told |= _failed(error)
    except Exception as error:
        if isinstance(error, TimeoutError) and limit.expired():
            told |= _failed(ToolTimeoutError(f"{call['name']} did not answer in time."))
        else:
            _log.error("The tool %s broke: %s", call["name"], redact(error))
            doubt = "" if told["kind"] == "read" else " It may have changed something: look before you try again."
            told |= _failed(ToolFailedError(f"The tool {call['name']} failed.{doubt}"))
    return {"results": {call["id"]: {**told, "entry": entry.as_kept() if entry is not None else None}}}


def _failed(error: SignalboxError) -> dict[str, Any]:
    told = {"text": mask(f"{error.user_message} {error.suggestion}".strip()), "error": mask(error.as_dict())}
    # What a change has stored that stopped midway.
    written = getattr(error, "written", None)
    return {**told, "data": mask({"written": plain(written)})} if written else told


def _check_operands(args: Mapping[str, Any], sources: Sequence[str]) -> None:
    """Raises ToolFailedError for an expression with figures of unknown origin."""
    given = [one for one in operands(str(args["expression"])) if one not in CONSTANTS]
    held = Sources({}, sources, zone=person_zone())
    unknown = [str(one) for one in given if not held.supports(one)]
    if unknown or not given:
        what = f"{', '.join(unknown)} occurs in no result" if unknown else "There is no figure of a result in it"
        raise ToolFailedError(f"{what}: calculate with figures from results, the conversation or the request.")


def _may_run(tool: Tool, proposal: Proposal, sent: Mapping[str, Any]) -> bool:
    """True if the policy of effects lets a change run without a question."""
    effect = replace(
        proposal.effect,
        is_read=False,
        is_reversible=proposal.effect.is_reversible and tool.effect == "own",
        after_data=sent["after_data"],
        # A second change to the same thing, after results have come in, is not what the person named it for.
        is_unsure=proposal.effect.is_unsure or any(one.key in sent["changed"] for one in proposal.effect.targets),
    )
    said = Said(sent["request"], tuple(sent["earlier"]), tuple(sent["listed"]), sent["only"], proposal.things)
    return decide(effect, said) == "run"


def _as_shown(question: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (question or {}).items() if name != "is_again"}


def _declined(question: Mapping[str, Any]) -> dict[str, Any]:
    """Pause until the person has answered: None if they say yes, or else the result of the refused call."""
    message = f"{_CHANGED}{question['message']}" if question.get("is_again") else question["message"]
    # A question that was stored by an older version has no summary.
    shown = {name: question[name] for name in ("summary", "blocks", "source") if name in question}
    if confirmed(message, **shown):
        return {}
    return {"text": f"Nothing was changed, the person said no to this:\n{question['message']}", "is_declined": True}


def _unasked(question: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a call that needs an answer in a run that cannot pause."""
    asks = {"kind": "confirm", "options": list(OPTIONS), **question}
    return {"text": f"Not done yet, the person has to confirm it:\n{question['message']}", "asks": asks}
