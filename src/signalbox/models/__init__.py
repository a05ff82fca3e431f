"""The one way to a chat model: `load_chat_model`, the `Configuration` that says which, and what kind it is.

These names load on first use, so that importing this package, or the time grammar inside it, stays light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signalbox.models.configuration import Configuration
    from signalbox.models.kinds import is_offline
    from signalbox.models.loading import load_chat_model

__all__ = ["Configuration", "is_offline", "load_chat_model"]

_HOMES = {
    "Configuration": "signalbox.models.configuration",
    "is_offline": "signalbox.models.kinds",
    "load_chat_model": "signalbox.models.loading",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
