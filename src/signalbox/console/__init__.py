"""The web page."""

from __future__ import annotations

from signalbox.console.app import create_app

__all__ = ["create_app"]
