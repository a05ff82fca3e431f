"""The application that serves the page."""

from __future__ import annotations

from typing import Any

from signalbox.console.page import create_page
from signalbox.console.patience import Patience
from signalbox.runs import default_agent, find_agent, list_agents

__all__ = ["create_app"]


def create_app(agent: str | None = None, patience: Patience | None = None) -> Any:
    """The page as an ASGI application, for one agent or with a choice of all. Raises NotFoundError."""
    import gradio
    from fastapi import FastAPI

    first = find_agent(agent) if agent else default_agent()
    others = [] if agent else [one for one in list_agents() if one is not first]
    # Fonts of the machine itself: the page must not fetch anything from elsewhere.
    theme = gradio.themes.Base(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"])
    page = create_page([first, *others], patience or Patience())
    return gradio.mount_gradio_app(
        FastAPI(title="Signalbox"), page, path="/", theme=theme, footer_links=[], ssr_mode=False, show_error=False
    )
