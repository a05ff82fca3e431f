"""The web page: Gradio pages for the agents, as an application that any ASGI server can carry."""

from __future__ import annotations

from signalbox.console.app import create_app
from signalbox.console.patience import Patience

__all__ = ["Patience", "create_app"]
