"""What is said for courtesy's sake alone: thanks, a word that it was heard, a greeting. No agent has to be asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from signalbox.agents.frontdoor.state import FrontDoorState

__all__ = ["is_courtesy", "return_courtesy"]

_ANSWERS = {
    "Goodbye.": r"(?:good)?bye|good night|see you(?: later)?|that(?:'s| is) (?:all|it)",
    "You're welcome.": r"(?:many )?(?:thanks|thank you|thx|cheers)(?: (?:(?:so|very) much|a lot|again))?",
    "Hello. What would you like to know?": r"hello|hi|hey|good (?:morning|afternoon|evening)",
    "Good. Ask whenever there is more.": r"ok(?:ay)?|great|good|perfect|cool|got it|understood|all right|well done",
}
_ONE = re.compile(rf"(?:{'|'.join(_ANSWERS.values())})(?:[\s,.;:!)-]+(?:and )?|$)")
_LONGEST = 80


def is_courtesy(said: str, before: Mapping[str, Any] | None) -> bool:
    """Whether nothing but a courtesy is said. After an answer that asks something it may be the reply to that, and at
    the beginning of a thread it is for the model to read."""
    if not before or len(said) > _LONGEST or "?" in str(before.get("answer") or ""):
        return False
    return not _ONE.sub("", _plain(said))


def return_courtesy(state: FrontDoorState) -> dict[str, Any]:
    """Say something polite."""
    said = _plain(state["user_query"])
    return {"answer": next(answer for answer, words in _ANSWERS.items() if re.search(rf"\b(?:{words})\b", said))}


def _plain(said: str) -> str:
    return " ".join(said.casefold().replace("’", "'").split())
