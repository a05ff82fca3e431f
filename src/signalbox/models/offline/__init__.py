"""The offline model: a chat model of rules, small tables and no network, the same answer every time.

`OfflineChatModel` is imported when it is first asked for, so that the skills can be used without LangChain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signalbox.models.offline.chat import OfflineChatModel

__all__ = ["OfflineChatModel"]


def __getattr__(name: str) -> Any:
    if name == "OfflineChatModel":
        from signalbox.models.offline.chat import OfflineChatModel

        return OfflineChatModel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
