"""A router's state in OpenConfig's models: a tree of JSON, where a function stands for what is made when it is read."""

from __future__ import annotations

from typing import Any

from signalbox.worlds.network.openconfig.instances import network_instances
from signalbox.worlds.network.openconfig.interfaces import interfaces
from signalbox.worlds.network.openconfig.platform import components, lldp, system
from signalbox.worlds.network.router import Router

__all__ = ["MODELS", "tree"]

MODELS = (
    ("openconfig-interfaces", "3.0.0"),
    ("openconfig-network-instance", "1.3.0"),
    ("openconfig-system", "0.17.0"),
    ("openconfig-lldp", "0.2.1"),
    ("openconfig-platform", "0.24.0"),
)


def tree(router: Router) -> dict[str, Any]:
    """Everything that a router tells over gNMI."""
    return {
        "interfaces": lambda: interfaces(router),
        "network-instances": lambda: network_instances(router),
        "system": lambda: system(router),
        "lldp": lambda: lldp(router),
        "components": lambda: components(router),
    }
