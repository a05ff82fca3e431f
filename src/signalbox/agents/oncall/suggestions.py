"""Requests to begin with, about devices of the connected inventory."""

from __future__ import annotations

from signalbox.agents.oncall.inventory import read_devices
from signalbox.agents.oncall.tools import call_plain, current_session

__all__ = ["suggest"]

_MOST = 2


async def suggest() -> list[str]:
    """Questions about the first devices. Raises SignalboxError where the inventory cannot be read."""
    devices = read_devices(await call_plain(current_session(), "get_devices"))
    asked = [f"Is {device.name} healthy?" for device in devices[:_MOST]]
    return [*asked, f"Show the BGP neighbours of {devices[0].name}"] if devices else []
