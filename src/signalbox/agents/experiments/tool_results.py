"""A piece of a room's work as the result of a typed tool: its text and blocks, and what the state keeps of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from signalbox.agents.experiments import journal
from signalbox.agents.experiments.asking import Calls, Fault
from signalbox.agents.experiments.clients import current_client, server_name, source_of
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.exact_names import all_experiments, find_exactly
from signalbox.agents.experiments.response_formatter import raw_text
from signalbox.agents.experiments.tools import get_experiment_details
from signalbox.toolbox import Ledger, Proposal, Result, Tool, current_ledger, use_ledger

__all__ = ["Experiment", "Raw", "as_result", "begun_write", "details_of", "proposal_source", "taken_up"]

Experiment = Annotated[str, Field(description="its id, or its exact name")]
Raw = Annotated[bool, Field(description="with the server's response as it came, if the person wants that")]
_SHOWN_APART = ("bot_response", "blocks", "not_covered")


async def as_result(
    work: Callable[[Calls], Awaitable[dict[str, Any]]], *, has_system: bool = True, is_raw: bool = False
) -> Result:
    """What the work gives, which is an update of the state as the nodes make them. `is_raw` adds the server's response.

    Raises UpgradeError for what fails.
    """
    calls = Calls()
    try:
        # The tool's own call is the evidence; those that it makes are parts of it.
        with use_ledger(Ledger()):
            update = await work(calls)
    except Fault as fault:
        written = dict(fault.written) if fault.written else None
        raise UpgradeError(fault.message, fault.kind, suggestion=fault.suggestion, written=written) from None
    text, blocks = str(update["bot_response"]), update.get("blocks") or ()
    if is_raw and calls.raw:
        text, blocks = f"{text}\n\n{raw_text(calls.raw[-1])}", ()
    kept = {key: value for key, value in update.items() if key not in _SHOWN_APART}
    return Result(
        text,
        {"state": kept, "calls": calls.results, "raw": calls.raw},
        blocks,
        await asyncio.to_thread(source_of, current_client()) if has_system else None,
        update.get("not_covered") or (),
        is_empty=bool(update.get("is_empty")),
    )


async def details_of(experiment: str) -> dict[str, Any]:
    """The experiment of that id or exact name, whole. Raises UpgradeError."""
    chosen = find_exactly(experiment, await all_experiments())
    with use_ledger(Ledger()):
        found = await get_experiment_details(experiment=chosen["id"])
    if not found["success"]:
        raise UpgradeError(str(found["error"]), str(found["error_type"]), suggestion=found["data"]["suggestion"])
    details: dict[str, Any] = found["data"]
    return details


def proposal_source() -> dict[str, Any]:
    """The server that would be written to. The embedded one has another address in every process, and is the same."""
    client = current_client()
    source: dict[str, Any] = source_of(client)
    if source["kind"] == "embedded":
        return {"kind": "embedded", "system": server_name(client), "connect": source["connect"]}
    return source


def begun_write(key: str) -> dict[str, Any] | None:
    """What was to be written under a key, if that was begun."""
    known = journal.find_write(key, server_name(current_client()))
    return known[0] if known else None


def taken_up(tool: Tool) -> Tool:
    """The tool with a preview that knows a change which was begun under the key of the same call: what it would show
    is no longer what the person has said yes to, since part of it is done."""
    preview = tool.preview
    assert preview is not None

    async def shown(args: dict[str, Any]) -> Proposal:
        if begun_write(current_ledger().key_for(tool.name, args)) is not None:
            return Proposal(tool.name, is_begun=True)
        return await preview(args)

    return replace(tool, preview=shown)
