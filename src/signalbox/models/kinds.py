"""The two kinds of model: those that work with tools in a loop, and those that read a request once."""

from __future__ import annotations

from typing import Any

__all__ = ["is_offline"]


def is_offline(model: Any) -> bool:
    """True for the offline model, however it is bound: its reply is a plan that code completes and checks."""
    while not hasattr(model, "_llm_type") and hasattr(model, "bound"):
        model = model.bound
    return getattr(model, "_llm_type", "") == "offline"
