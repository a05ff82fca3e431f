"""The looks of what Gradio draws. Fonts are the machine's own: the page fetches nothing from elsewhere."""

from __future__ import annotations

from typing import Any

__all__ = ["make_theme"]


def make_theme() -> Any:
    """Slate and signal green, square-ish, with little shadow."""
    import gradio as gr

    theme = gr.themes.Base(
        primary_hue="teal",
        neutral_hue="slate",
        radius_size="md",
        font=["ui-sans-serif", "system-ui", "sans-serif"],
        font_mono=["ui-monospace", "monospace"],
    )
    return theme.set(
        body_background_fill="#f6f7f9",
        body_background_fill_dark="#0e1318",
        background_fill_primary_dark="#151c23",
        button_primary_background_fill="#0f766e",
        button_primary_background_fill_hover="#115e59",
        button_primary_text_color="#ffffff",
    )
