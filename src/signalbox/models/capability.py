"""True if a model works with tools in a loop, or fills in a plan once. This is the one place that decides it."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel

from signalbox.models.kinds import is_offline
from signalbox.settings import get_settings

__all__ = ["fills_plans"]


def fills_plans(model: Any) -> bool:
    """True for a model that reads a request once and fills in a plan: the offline model, one that cannot call tools,
    and every model where SIGNALBOX_MODEL_PLANS is set. All others work with the tools themselves."""
    inner = getattr(model, "inner", model)
    if is_offline(inner) or get_settings().model_plans:
        return True
    profile = getattr(inner, "profile", None) or {}
    if profile.get("tool_calling") is False:
        return True
    return isinstance(inner, BaseChatModel) and type(inner).bind_tools is BaseChatModel.bind_tools
