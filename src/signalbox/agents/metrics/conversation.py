"""The state that a run begins with, and the question before, as a state or a thread keeps it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from signalbox.agents.metrics.errors import InvalidTimeRangeError
from signalbox.agents.metrics.reading import Asked

__all__ = ["question_before", "start_state"]

_MOST_REMEMBERED = 10

_log = logging.getLogger("signalbox.agents.metrics")


def start_state(request: str, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The state that the contract starts with, and what was asked before in this thread."""
    state: dict[str, Any] = {
        "user_query": request,
        "parsed_query": None,
        "result": None,
        "error": None,
        "processing_time_ms": 0.0,
    }
    asked = (before or {}).get("asked")
    return {**state, "previous": _recent(asked)} if asked is not None else state


def _recent(asked: Any, turns: int = _MOST_REMEMBERED) -> Any:
    """What was asked, which holds what was asked before it: only so many turns, so that a long talk does not grow."""
    if not isinstance(asked, Mapping) or "previous" not in asked:
        return asked
    return {**asked, "previous": _recent(asked["previous"], turns - 1) if turns > 1 else None}


def question_before(said: Any) -> Asked | None:
    """The question that `asked` held, if it can still be read; what cannot is left out."""
    if said is None or isinstance(said, Asked):
        return said
    try:
        return Asked.model_validate(said)
    except (ValidationError, InvalidTimeRangeError) as error:
        _log.debug("The question before cannot be read: %s", type(error).__name__)
        return None
