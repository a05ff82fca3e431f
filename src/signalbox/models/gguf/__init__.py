"""A model file of one's own, run in this process: no server to start, no key, no network."""

from __future__ import annotations

from signalbox.models.gguf.chat import GgufChatModel
from signalbox.models.gguf.engine import close_engines

__all__ = ["GgufChatModel", "close_engines"]
