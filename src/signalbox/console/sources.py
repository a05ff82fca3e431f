"""Where the data comes from, in one line: which systems are connected, and that the others are a demonstration."""

from __future__ import annotations

import os
from html import escape

__all__ = ["source_line"]

_SYSTEMS = {
    "figures": ("GRAFANA_URL", "PROMETHEUS_URL"),
    "devices": ("NETWORK_INVENTORY",),
    "A/B tests": ("UPGRADE_URL",),
}
"""What each kind of data is connected by."""


def source_line() -> str:
    """The line, as HTML."""
    connected = {name: _first(variables) for name, variables in _SYSTEMS.items()}
    own = [f"{name} from <code>{escape(address)}</code>" for name, address in connected.items() if address]
    others = [name for name, address in connected.items() if not address]
    told = f"Connected: {', '.join(own)}. " if own else ""
    if not others:
        return told
    listed = others[0] if len(others) == 1 else f"{', '.join(others[:-1])} and {others[-1]}"
    variables = ", ".join(f"<code>{_SYSTEMS[name][0]}</code>" for name in others)
    return (
        f"{told}Data: {listed} are the embedded demonstration, an invented web shop and its network with an incident "
        f"yesterday. {variables} connect{'s' * (len(others) == 1)} yours."
    )


def _first(variables: tuple[str, ...]) -> str:
    return next((value for name in variables if (value := os.environ.get(name, "").strip())), "")
