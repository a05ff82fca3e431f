"""Whether a request speaks of one user, whoever it is."""

from __future__ import annotations

import re

__all__ = ["means_anybody"]

_ANYBODY = re.compile(
    r"\b(?:some(?:one|body)|(?:a|an|one|some|any)\s+(?:(?!user)\w+\s+)?(?:user|student|pupil|learner|visitor|kid|child))\b",
    re.IGNORECASE,
)


def means_anybody(text: str) -> bool:
    """Whether a text speaks of one user, whoever it is: a user, some random pupil."""
    return bool(_ANYBODY.search(text))
