"""`error_handler_node`: whether what failed is tried again, and what the person is told."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.node import at_once, close_with_loop
from signalbox.agents.experiments.prompts import INSTEAD, WHAT_I_DO
from signalbox.agents.experiments.reader import read_feature
from signalbox.agents.experiments.state import NodeStatus, complete
from signalbox.agents.experiments.steps import should_retry_error
from signalbox.errors import SignalboxError

__all__ = ["aerror_handler_node", "error_handler_node"]

_READS = ("terminology", "version_check", "list_experiments", "experiment_details")
_FIRST_WAIT, _LONGEST_WAIT = 0.2, 2.0
_CHECK = "Check UPGRADE_TOKEN or UPGRADE_SERVICE_ACCOUNT, and that the account may do this."


async def aerror_handler_node(state: Mapping[str, Any]) -> dict[str, Any]:
    """Try a failed reading again, each time later; decline what is not supported; say what to check otherwise.

    What may have changed something is never tried again here: the tools repeat what can be repeated without harm.
    """
    whole = complete(state)
    await close_with_loop()
    if whole["detected_capability"] == "unsupported" and whole["node_status"] != NodeStatus.ERROR:
        try:
            return await _decline(whole)
        except SignalboxError as failed:
            return {"node_status": NodeStatus.ERROR, "error_type": failed.error_type, "error": failed.as_dict()}
    kind, tried = str(whole["error_type"] or ""), int(whole["retry_count"])
    # In the loop, a model that has seen the error has gone on already.
    may_retry = whole["detected_capability"] in _READS and tried < whole["max_retries"] and whole["loop"] is None
    # A health check has a limit for all of it, with repetitions of its own.
    is_given_up = whole["detected_capability"] == "version_check" and kind == "timeout"
    if may_retry and not is_given_up and should_retry_error(kind, tried):
        await asyncio.sleep(min(_LONGEST_WAIT, _FIRST_WAIT * 2**tried))
        return {"node_status": NodeStatus.RETRY, "retry_count": tried + 1, "error": None}
    error = dict(whole["error"] or {"error_type": kind, "message": str(whole["last_error"] or "Something failed.")})
    if kind == "auth" and not error.get("suggestion"):
        error["suggestion"] = _CHECK
    return {"node_status": NodeStatus.ERROR, "error": {"suggestion": "", **error}, "pending": None}


error_handler_node = at_once(aerror_handler_node)


async def _decline(state: Mapping[str, Any]) -> dict[str, Any]:
    """Say what is not supported, as the model of the loop has called it, or as it is read now."""
    params = state["params"] if state["loop"] is not None else {}
    if not params.get("feature"):
        params = await read_feature(state)
    feature = params["feature"]
    message = INSTEAD.get(str(feature), INSTEAD["other"])
    suggestion = WHAT_I_DO if feature == "other" else ""
    return {
        "node_status": NodeStatus.ERROR,
        "error_type": "unsupported",
        "last_error": message,
        "params": {key: value for key, value in params.items() if key != "feature"},
        "error": {"error_type": "unsupported", "message": message, "suggestion": suggestion},
    }
