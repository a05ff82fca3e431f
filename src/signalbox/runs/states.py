"""An agent's final state as it appears in an Answer: JSON data without what is only for the log."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import BaseModel

from signalbox.contract.sources import shown
from signalbox.contract.summary import plain
from signalbox.errors import redact

__all__ = ["agent_error", "json_state"]

_TOLD = ("error_type", "message", "suggestion")
_log = logging.getLogger("signalbox.runs")


def json_state(values: Mapping[str, Any], private: Collection[str] = ()) -> dict[str, Any]:
    """The state as plain JSON values, without private keys, `details` of errors and credentials in addresses."""
    told = {name: _json(value) for name, value in values.items() if name not in private}
    return {**told, "source": shown(told["source"])} if isinstance(told.get("source"), dict) else told


def _json(value: Any) -> Any:
    if isinstance(value, BaseModel):
        hidden = {"details"} if "details" in type(value).model_fields else None
        return value.model_dump(mode="json", exclude=hidden)
    return plain(value)


def agent_error(values: Mapping[str, Any]) -> dict[str, str] | None:
    """The error from the agent's own state, in the form of an Answer; its details go to the log."""
    error = values.get("error")
    if not error:
        return None
    parts = error if isinstance(error, Mapping) else {name: getattr(error, name, "") for name in (*_TOLD, "details")}
    if parts.get("details"):
        _log.info("%s: %s", parts.get("error_type"), redact(parts["details"]))
    told = {name: str(parts.get(name) or "") for name in _TOLD}
    return told if told["message"] else {**told, "message": str(error)}
