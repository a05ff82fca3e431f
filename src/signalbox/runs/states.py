"""An agent's final state as an Answer carries it: JSON-ready, without what is only for the log."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from signalbox.contract.summary import plain

__all__ = ["agent_error", "json_state"]

_log = logging.getLogger("signalbox.runs")
_HANDED_IN = {"previous"}


def json_state(values: Mapping[str, Any]) -> dict[str, Any]:
    """The state as plain JSON values; an error's `details` stay behind."""
    return {name: _json(value) for name, value in values.items() if name not in _HANDED_IN}


def _json(value: Any) -> Any:
    if isinstance(value, BaseModel):
        hidden = {"details"} if "details" in type(value).model_fields else None
        return value.model_dump(mode="json", exclude=hidden)
    return plain(value)


def agent_error(values: Mapping[str, Any]) -> dict[str, str] | None:
    """The error that the agent itself put into its state, in the Answer's shape; its details go to the log."""
    error = values.get("error")
    if error is None:
        return None
    if getattr(error, "details", None):
        _log.info("%s: %s", error.error_type, error.details)
    told = {name: getattr(error, name, "") for name in ("error_type", "message", "suggestion")}
    return {name: str(text or "") for name, text in told.items()}
