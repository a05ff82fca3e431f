"""Network devices over gNMI: an inventory, a client that reads and never writes, and parsers of OpenConfig's models."""

from __future__ import annotations

import os

# gRPC writes what its connections do to the terminal of whoever asks, unless told otherwise before it is imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
