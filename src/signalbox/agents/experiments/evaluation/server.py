"""Which server a set is asked of: the one that its header names, or else the embedded world."""

from __future__ import annotations

import os

from signalbox.errors import ConfigurationError

__all__ = ["settings_for"]

_ADDRESS = "UPGRADE_URL"


def settings_for(server: str) -> dict[str, str | None]:
    """The settings with which the agent asks the server: an address, the variable that holds one, or empty for none."""
    if not server:
        return {_ADDRESS: None}
    address = server if "://" in server else os.environ.get(server, "").strip()
    if not address:
        raise ConfigurationError(
            f"The set is asked of a server of your own, and {server} has no address of one.",
            suggestion=f"Set {_ADDRESS} to the address, and name it as the set's server.",
        )
    return {_ADDRESS: address}
