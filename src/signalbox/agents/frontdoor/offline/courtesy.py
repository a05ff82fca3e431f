"""What is said for courtesy's sake alone: thanks, a word that it was heard, a greeting. No agent has to be asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from signalbox.agents.frontdoor.state import FrontDoorState

__all__ = ["is_courtesy", "return_courtesy"]

_VERY = r"(?:(?:so|very) much|a (?:lot|million|bunch)|again|for (?:that|this|(?:the|your) \w+))"
_THANK = r"(?:thanks|thank ?you|thx|ty|cheers)"
_THANKS = rf"(?:(?:many )?{_THANK}(?: {_VERY})*|much appreciated)"
_HEARD = (
    r"(?:(?:nice|good|great) (?:one|job|work)|well done|got it|understood|noted|i see|that helps(?: a lot)?"
    r"|(?:(?:all|very|sounds|looks|that'?s|that is) )?"
    r"(?:okay|ok|great|good|perfect|cool|nice|excellent|awesome|brilliant|wonderful|lovely|super|fine))"
)
_GREETING = r"(?:hello|hi|hey|good (?:morning|afternoon|evening)|good day)(?: there| again)?"
_PARTING = r"(?:bye|goodbye|bye bye|good night|see you(?: later)?|that'?s all|that is all|that'?s it)(?: for now)?"
_ANSWERS = (
    (rf"no,? {_THANK}", "All right."),
    (_PARTING, "Goodbye."),
    (_THANKS, "You're welcome."),
    (_GREETING, "Hello. What would you like to know?"),
    (_HEARD, "Good. Ask whenever there is more."),
)
_ONE = re.compile(rf"(?:{'|'.join(pattern for pattern, _ in _ANSWERS)})(?:[\s,.;:!)-]+(?:and )?|$)")
_LONGEST = 80


def is_courtesy(said: str, before: Mapping[str, Any] | None) -> bool:
    """Whether nothing but a courtesy is said. After an answer that asks something it may be the reply to that, and at
    the beginning of a thread it is for the model to read."""
    if not before or len(said) > _LONGEST or "?" in str(before.get("answer") or ""):
        return False
    rest = _plain(said)
    while rest and (found := _ONE.match(rest)):
        rest = rest[found.end() :]
    return not rest


def return_courtesy(state: FrontDoorState) -> dict[str, Any]:
    """Say something polite."""
    said = _plain(state["user_query"])
    return {"answer": next(answer for pattern, answer in _ANSWERS if re.search(rf"\b{pattern}\b", said))}


def _plain(said: str) -> str:
    return " ".join(said.casefold().replace("’", "'").split())
