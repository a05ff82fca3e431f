"""Your own model file, run in this process: no server, no key, no network."""

from __future__ import annotations

from signalbox.models.gguf.chat import GgufChatModel
from signalbox.models.gguf.engine import close_engines

__all__ = ["GgufChatModel", "close_engines"]
