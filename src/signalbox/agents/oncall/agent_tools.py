"""The tools of this room for other loops, in which a call names its device: those of Signalbox's own server, called on
the server that the settings name. The room's own loop has them for the devices of its plan (`device_reads`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from signalbox.agents.oncall.result_text import call_text, result_texts
from signalbox.agents.oncall.tools import DEVICE, current_session, read_device, source_of
from signalbox.settings import get_settings
from signalbox.toolbox import Result, Tool

__all__ = ["tools"]

_LONGEST = 10_500
_NETWORK = "the network"


@cache
def tools() -> Sequence[Tool]:
    """All of them. None writes."""
    from signalbox.agents.oncall.server import create_room_server

    offered = [one.tool for one in create_room_server().offers.values()]
    return tuple(
        Tool(one.name, one.description or "", one.input_schema, partial(_read, one.name), "read") for one in offered
    )


async def _read(name: str, args: dict[str, Any], key: str) -> Result:
    given = await read_device(current_session(), name, args, get_settings().oncall_deadline)
    about = {one: value for one, value in args.items() if one != DEVICE}
    # A device may be named in another case.
    device = str(given.get(DEVICE) or args.get(DEVICE, _NETWORK))
    text = f"{call_text(device, name, about)}:\n{result_texts([given], _LONGEST)[0]}"
    return Result(text, given, source=source_of())
