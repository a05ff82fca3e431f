"""A small provider network behind gNMI: a dozen routers over real gRPC, one incident, and faults to switch on.

`serve()` puts it on ports and gives the path of its inventory; `open_world()` gives the network itself, to switch
faults on and off while it runs.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

# gRPC writes what its connections do to the terminal of whoever serves, unless told otherwise before it is imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

if TYPE_CHECKING:
    from signalbox.worlds.network.faults import FAULTS
    from signalbox.worlds.network.model import build_model
    from signalbox.worlds.network.serving import World, open_world, serve

__all__ = ["FAULTS", "World", "build_model", "open_world", "serve"]

_HOMES = {"FAULTS": "faults", "build_model": "model"}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: the metrics world needs the model of the network without gRPC."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'serving')}"), name)
