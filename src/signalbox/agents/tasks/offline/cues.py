"""Words without which a reading is doubtful: of taking back, of putting right, and of doing the same again."""

from __future__ import annotations

import re
from dataclasses import replace

from signalbox.agents.tasks.plan import Planned
from signalbox.language.words import tokens, word_set

__all__ = ["weigh"]

_TAKING_BACK = re.compile(
    r"\b(?:undo|revert|restore|mistake|wrong|oops|whoops|scrap|scratch|never ?mind|nvm|accident\w*)\b|"
    r"\b(?:as|where) it was\b|"
    r"\b(?:take|taking|put|bring|set|change|give|want|roll)\b[^.,;!?]*\b(?:back|off|out)\b|"
    r"\b(?:forget|cancel|drop) (?:it|that|about|the|this)\b|"
    r"\b(?:don['’]?t|do not) (?:do|want|need|change|delete|move|add)\b",
    re.IGNORECASE,
)
_PUTTING_RIGHT = word_set(
    "no not nope nah wrong meant mean mistake misspoke oops whoops sorry instead rather other actually wait only just "
    "isn't isnt don't dont"
)
_AGAIN = word_set("too also same likewise ditto well as")


def weigh(plan: list[Planned], request: str) -> list[Planned]:
    """The plan, with what is doubtful marked as such, and what repeats the last change as sure."""
    return [_weighed(one, request) for one in plan]


def _weighed(call: Planned, request: str) -> Planned:
    said = set(tokens(request))
    if call.name == "undo_change":
        return replace(call, is_unsure=call.is_unsure or _TAKING_BACK.search(request) is None)
    if call.name == "correct_change" and call.args.get("task"):
        return replace(call, is_unsure=call.is_unsure or not said & _PUTTING_RIGHT)
    if call.name == "update_task" and set(call.args) == {"task"}:
        return replace(call, is_repeated=bool(said & _AGAIN))
    return call
