"""The web page on which agents are asked."""

from __future__ import annotations

from signalbox.console.app import create_app

__all__ = ["create_app"]
