"""A piece of a room's work as the result of a typed tool: its text and blocks, and what the state keeps of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from pydantic import Field

from signalbox.agents.experiments.asking import Calls, Fault
from signalbox.agents.experiments.clients import current_client, source_of
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.response_formatter import raw_text
from signalbox.toolbox import Ledger, Result, use_ledger

__all__ = ["Experiment", "Raw", "as_result"]

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
