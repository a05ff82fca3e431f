"""The question before, as a state or a thread keeps it."""

from __future__ import annotations

import logging
from typing import Any

from pydantic import ValidationError

from signalbox.agents.metrics.errors import InvalidTimeRangeError
from signalbox.agents.metrics.reading import Asked

__all__ = ["question_before"]

_log = logging.getLogger("signalbox.agents.metrics")


def question_before(said: Any) -> Asked | None:
    """The question that `asked` held, if it can still be read; what cannot is left out."""
    if said is None or isinstance(said, Asked):
        return said
    try:
        return Asked.model_validate(said)
    except (ValidationError, InvalidTimeRangeError) as error:
        _log.debug("The question before cannot be read: %s", type(error).__name__)
        return None
