"""The web page on which agents are asked, as an application that any ASGI server can carry."""

from __future__ import annotations

from signalbox.console.app import create_app
from signalbox.console.patience import Patience

__all__ = ["Patience", "create_app"]
