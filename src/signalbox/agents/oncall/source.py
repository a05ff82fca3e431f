"""Where the devices are that the settings name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from signalbox.errors import ConfigurationError, MissingExtraError
from signalbox.settings import get_settings

if TYPE_CHECKING:
    from signalbox.toolbox.sessions import ServerEntry

__all__ = ["of_server", "server_set", "source_set"]


def source_set() -> dict[str, str]:
    """Where a request made now would be answered from; nothing is opened. Raises ConfigurationError."""
    if get_settings().oncall_server.strip():
        return of_server(server_set())
    inventory = os.environ.get("NETWORK_INVENTORY", "").strip()
    if inventory:
        return {"kind": "live", "system": "gnmi", "address": inventory}
    return {"kind": "embedded", "system": "gnmi", "address": "the embedded network", "connect": "NETWORK_INVENTORY"}


def server_set() -> ServerEntry:
    """The server that the settings name, else Signalbox's own. Raises ConfigurationError where they name none, and
    MissingExtraError."""
    # The MCP client takes a second to load.
    from signalbox.toolbox.sessions import ServerEntry, read_entries

    told = get_settings().oncall_server.strip()
    if told:
        entries = read_entries(told)
        if not entries:
            raise ConfigurationError(
                "SIGNALBOX_ONCALL_SERVER names no MCP server.", suggestion='{"gNMIBuddy": {"command": …}}'
            )
        return entries.get("gNMIBuddy") or next(iter(entries.values()))
    try:
        from signalbox.agents.oncall.server import create_server
    except ModuleNotFoundError:
        raise MissingExtraError("The on-call agent", "oncall") from None
    return ServerEntry("gNMIBuddy", transport="memory", server=create_server)


def of_server(entry: ServerEntry) -> dict[str, str]:
    """An MCP server as a source. Its arguments may hold credentials, so only its command is shown."""
    command = f"{entry.name} ({entry.command})" if entry.command else entry.name
    return {"kind": "live", "system": "gnmi", "address": entry.url or command}
