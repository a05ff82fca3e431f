"""The application that serves the page of an agent."""

from __future__ import annotations

from typing import Any

from signalbox.console.metrics import create_metrics_page
from signalbox.console.patience import Patience
from signalbox.errors import NotFoundError

__all__ = ["PAGES", "create_app"]

PAGES = {"metrics": create_metrics_page}
"""The agents that have a page."""


def create_app(agent: str = "metrics", patience: Patience | None = None) -> Any:
    """The page of the agent as an ASGI application; raises NotFoundError where it has none."""
    if agent not in PAGES:
        raise NotFoundError(
            f"There is no page for the agent '{agent}'.", suggestion=f"These have one: {', '.join(PAGES)}."
        )
    import gradio
    from fastapi import FastAPI

    # Fonts of the machine itself: the page must not fetch anything from elsewhere.
    theme = gradio.themes.Base(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"])
    page = PAGES[agent](patience or Patience())
    return gradio.mount_gradio_app(
        FastAPI(title="Signalbox"), page, path="/", theme=theme, footer_links=[], ssr_mode=False, show_error=False
    )
