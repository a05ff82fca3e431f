"""The service: chat, threads and runs, the OpenAI-compatible endpoint and the MCP endpoint, behind one door."""

from __future__ import annotations

from signalbox.service.app import create_app

__all__ = ["create_app"]
