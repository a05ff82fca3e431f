"""What a capable model is shown of the inventory, as data; and the tool that lists the rest of a large one."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Annotated

from pydantic import Field

from signalbox.agents.oncall.inventory import ROLES, role_of
from signalbox.errors import NotFoundError
from signalbox.language.names import did_you_mean
from signalbox.language.shortlist import shortlist
from signalbox.toolbox import Result, Tool, tool

__all__ = ["GET_DEVICES", "devices_tool", "inventory_excerpt", "is_shown_whole"]

GET_DEVICES = "get_devices"
_MOST_DEVICES, _LONGEST = 200, 100


def is_shown_whole(inventory: Collection[str]) -> bool:
    """True if the excerpt has every device."""
    return len(inventory) <= _MOST_DEVICES


async def inventory_excerpt(
    inventory: Mapping[str, str],
    request: str,
    conversation: Sequence[Mapping[str, str]] = (),
    planned: Sequence[str] = (),
) -> str:
    """Return a line for each device: its name and what is known of it.

    Of a large inventory these are the devices of the plan, if there is one, and those nearest to the request.
    """
    if is_shown_whole(inventory):
        return "\n".join([f"The inventory, {len(inventory)} devices:", *_lines(inventory)])
    planned = planned[:_MOST_DEVICES]
    rest = [name for name in inventory if name not in planned]
    things = [(name, *inventory[name].split(", ")) for name in rest]
    earlier = "\n".join(f"{turn.get('said', '')}\n{turn.get('answer', '')}" for turn in conversation[-2:])
    most = _MOST_DEVICES - len(planned)
    near = {rest[place] for place in await asyncio.to_thread(shortlist, request, things, most, earlier)}
    shown = {name: about for name, about in inventory.items() if name in near or name in planned}
    told = f"{len(shown)} of the {len(inventory):,} devices of the inventory, those nearest to the request"
    return "\n".join([f"{told}; {GET_DEVICES} lists the others:", *_lines(shown)])


def devices_tool(inventory: Mapping[str, str]) -> Tool:
    """Return the tool that lists an inventory of which the model sees only a part."""

    @tool(effect="read", name=GET_DEVICES)
    async def get_devices(
        role: Annotated[str, Field(description=f"Only this role: {', '.join(ROLES)}.")] = "",
        name_contains: str = "",
    ) -> Result:
        """List devices of the inventory: name, role, address and platform."""
        if role and not role_of(role):
            raise NotFoundError(f"There is no role '{role}'.", suggestion=did_you_mean(role, ROLES))
        found = {
            name: about
            for name, about in inventory.items()
            if name_contains.casefold() in name.casefold() and (not role or about.split(", ")[0] == role_of(role))
        }
        told = f"{len(found):,} of the {len(inventory):,} devices of the inventory fit"
        if not found:
            return Result(f"{told}. Try another part of the name, or none.", data=[], is_empty=True)
        shown = dict(islice(found.items(), _MOST_DEVICES))
        more = f"; the first {len(shown)} are listed, a part of the name narrows them down" if shown != found else ""
        return Result("\n".join([f"{told}{more}:", *_lines(shown)]), data=list(shown))

    return get_devices


def _lines(devices: Mapping[str, str]) -> list[str]:
    return [_line(_short(name), _short(about)) for name, about in devices.items()]


def _line(name: str, about: str) -> str:
    role, _, others = about.partition(", ") if about.partition(", ")[0] in ROLES else ("", "", about)
    return ", ".join(filter(None, (f"{name} ({role})" if role else name, others)))


def _short(told: str) -> str:
    plain = " ".join(told.split())
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"
