"""A router's state in OpenConfig's models: a tree of JSON, where a function stands for what is made when it is read."""

from __future__ import annotations

from typing import Any

from signalbox.worlds.network.openconfig.instances import network_instances
from signalbox.worlds.network.openconfig.interfaces import interfaces
from signalbox.worlds.network.openconfig.platform import components, lldp, system
from signalbox.worlds.network.overrides import apply_overrides
from signalbox.worlds.network.router import Router

__all__ = ["MODELS", "TOPS", "tree"]

MODELS = (
    ("openconfig-interfaces", "3.0.0"),
    ("openconfig-network-instance", "1.3.0"),
    ("openconfig-system", "0.17.0"),
    ("openconfig-lldp", "0.2.1"),
    ("openconfig-platform", "0.24.0"),
)
TOPS = ("interfaces", "network-instances", "system", "lldp", "components")
"""The containers at the top of the models that a router has; a path into another is unknown to it."""


def tree(router: Router) -> dict[str, Any]:
    """Everything that a router tells over gNMI."""
    built = {
        "interfaces": lambda: interfaces(router),
        "network-instances": lambda: network_instances(router),
        "system": lambda: system(router),
        "lldp": lambda: lldp(router),
        "components": lambda: components(router),
    }
    return apply_overrides(built, router.overrides, router.moment) if router.overrides else built
