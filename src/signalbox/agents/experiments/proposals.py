"""What the changes of the loop share: the experiment as it is, the server that is named, and the take-up of a write
that was begun in a process that died."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from signalbox.agents.experiments import journal
from signalbox.agents.experiments.clients import current_client, server_name, source_of
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.exact_names import all_experiments, find_exactly
from signalbox.agents.experiments.tools import get_experiment_details
from signalbox.toolbox import Ledger, Proposal, Tool, current_ledger, use_ledger

__all__ = ["begun_write", "details_of", "proposal_source", "taken_up"]


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
