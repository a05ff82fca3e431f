"""Which server a set is asked of: the one that its header names, or else the embedded world."""

from __future__ import annotations

import os

from signalbox.errors import ConfigurationError

__all__ = ["settings_for"]

_ADDRESSES = ("GRAFANA_URL", "PROMETHEUS_URL")


def settings_for(server: str) -> dict[str, str | None]:
    """The settings with which the agent asks the server: an address, the variable that holds one, or empty for none.

    Raises ConfigurationError for a variable that holds none.
    """
    if not server:
        return dict.fromkeys(_ADDRESSES)
    if "://" in server:
        return {**dict.fromkeys(_ADDRESSES), "PROMETHEUS_URL": server}
    address = os.environ.get(server, "").strip()
    if server not in _ADDRESSES or not address:
        raise ConfigurationError(
            f"The set is asked of a server of your own, and {server} has no address of one.",
            suggestion=f"Name {' or '.join(_ADDRESSES)} as its server, and set that to the address.",
        )
    return {**dict.fromkeys(_ADDRESSES), server: address}
