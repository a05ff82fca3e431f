"""A small provider network behind gNMI: a dozen routers over real gRPC, one incident, and faults to switch on.

`serve()` puts it on ports and gives the path of its inventory; `open_world()` gives the network itself, to switch
faults on and off while it runs.
"""

from __future__ import annotations

import os

# gRPC writes what its connections do to the terminal of whoever serves, unless told otherwise before it is imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from signalbox.worlds.network.faults import FAULTS
from signalbox.worlds.network.model import build_model
from signalbox.worlds.network.serving import World, open_world, serve

__all__ = ["FAULTS", "World", "build_model", "open_world", "serve"]
