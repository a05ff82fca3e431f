"""What would be done: devices, plan and tools, without reading a device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.errors import GraphInterrupt

from signalbox.agents.oncall.inventory import read_devices
from signalbox.agents.oncall.planner import make_plan
from signalbox.agents.oncall.plans import match_step
from signalbox.agents.oncall.tools import call_plain, current_session, device_tools, source_of
from signalbox.contract import Presented, blocks
from signalbox.drawing.text import as_markdown
from signalbox.errors import MissingInputError, SignalboxError

__all__ = ["check_server", "dry_run"]

_MOST_TOOLS = 3


async def dry_run(state: Mapping[str, Any], model: BaseChatModel | None = None) -> Presented:
    """The plan of a run from this state, with devices and the tools for each step. Only the inventory is read."""
    try:
        planned = await make_plan(state, model)
        tools = await device_tools(current_session())
    except GraphInterrupt as paused:
        error = MissingInputError(str(paused.args[0][0].value["message"]), suggestion="Say it in the request.")
        return Presented("", state={**state, "error": error.as_dict()})
    except SignalboxError as error:
        return Presented("", state={**state, "error": error.as_dict()})
    rows = [
        [place, step, ", ".join(match_step(step, tools)[:_MOST_TOOLS]) or "no tool"]
        for place, step in enumerate(planned["working_plan_steps"], start=1)
    ]
    table = blocks.table(["step", "what to do", "tools"], rows, f"Plan: {planned['intent']}")
    devices = ", ".join(planned["devices"])
    text = as_markdown(
        f"Nothing was read. This would be done: {planned['objective']}. Devices: {devices}. "
        f"Plan: {planned['intent']}, {len(rows)} steps."
    )
    lines = "\n".join(f"{place}. {as_markdown(step)} (tools: {tools_})" for place, step, tools_ in rows)
    if planned["unserved_steps"]:
        lines += "\n\nNo tool serves: " + "; ".join(map(as_markdown, planned["unserved_steps"]))
    shown = {**state, **{name: value for name, value in planned.items() if name != "asked"}, "plan": rows}
    return Presented(f"{text}\n\n{lines}", [blocks.text(text), table], planned["source"], planned["not_covered"], shown)


async def check_server() -> str:
    """What answers, in words. Raises SignalboxError where the server of the tools does not."""
    session = current_session()
    tools, devices = await device_tools(session), read_devices(await call_plain(session, "get_devices"))
    where = "{kind}: {address}".format(**source_of())
    return f"{session.entry.name} answers with {len(tools)} tools and {len(devices)} devices ({where})"
