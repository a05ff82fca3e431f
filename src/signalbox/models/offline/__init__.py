"""The offline model: a small learned reader that fills schemas, chooses tools and phrases results. See README.md."""

from __future__ import annotations

from signalbox.models.offline.chat import OfflineChatModel

__all__ = ["OfflineChatModel"]
