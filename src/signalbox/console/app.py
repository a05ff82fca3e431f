"""The application that serves the page."""

from __future__ import annotations

from typing import Any

from signalbox.console.own_sessions import OwnSessions
from signalbox.console.page import SCRIPT, STYLE, create_page
from signalbox.console.theme import make_theme
from signalbox.runs import default_agent, find_agent, list_agents

__all__ = ["create_app"]


def create_app(agent: str | None = None) -> Any:
    """The page as an ASGI application, for one agent or for the one that sends requests on. Raises NotFoundError.

    It stands behind the service's door, which says who sends a request (`scope["state"]["person"]`).
    """
    import gradio
    from fastapi import FastAPI

    chosen = find_agent(agent) if agent else default_agent()
    offered = [chosen] if agent else [one for one in list_agents() if one.is_offered] or [chosen]
    page = gradio.mount_gradio_app(
        FastAPI(title="Signalbox"),
        create_page(chosen, offered),
        path="/",
        theme=make_theme(),
        css_paths=[STYLE],
        js=SCRIPT.read_text("utf-8"),
        footer_links=[],
        ssr_mode=False,
        show_error=False,
    )
    return OwnSessions(page)
