"""The final state for a person: the answer as Markdown, and as blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.contract import Presented, blocks

__all__ = ["present"]


def present(state: Mapping[str, Any]) -> Presented:
    """The answer, the tables and pictures that belong to it, and which server it comes from. Where a model failed after
    something was found, an error that shows it all the same."""
    text = str(state.get("bot_response") or "")
    drawn = [] if (state.get("wants_raw") and state.get("raw_api_responses")) else list(state.get("blocks") or [])
    return Presented(
        text=text,
        blocks=[blocks.text(text), *drawn],
        source=state.get("source"),
        not_covered=list(state.get("not_covered") or []),
        error=state.get("model_error"),
    )
