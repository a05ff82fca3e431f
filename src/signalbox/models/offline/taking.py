"""Taking something shown without a verb that names the deed: `the cheapest then`, `I'll have the second one`."""

from __future__ import annotations

import re

from signalbox.models.offline.choose import Choice
from signalbox.models.offline.givens import asks_identity, identity, names_key
from signalbox.models.offline.parts import read_part
from signalbox.models.offline.records import Record
from signalbox.models.offline.references import find_reference
from signalbox.models.offline.scene import Scene
from signalbox.models.offline.tools import ToolCard, ToolSet
from signalbox.models.offline.verbs import READING
from signalbox.models.offline.wishes import Wish
from signalbox.models.offline.wording import mask

__all__ = ["taken_wish"]

_TAKING = re.compile(
    r"(?i)\b(?:take|taking|i'll have|we'll have|i'd like|i would like|i want|we want|i need|we need|go(?:ing)? (?:for|with)|"
    r"pick|choose|let's|make it|then|please|pls)\b"
)
_STATING = re.compile(r"(?i)\b(?:is|are|was|were|looks?|seems?|sounds?|isn't|aren't|not|don't|can go)\b")
_UNDOING = frozenset({"delete", "stop", "reject", "refund", "freeze", "move", "complete", "send"})


def taken_wish(request: str, tools: ToolSet, scene: Scene) -> Wish | None:
    """The wish for the one tool that gets what was shown, where the request says no more than which; else None."""
    part = read_part(request, tools.own_verbs)
    if part.asks or part.queried:
        return None
    for records in scene.shown[:1]:
        reference = find_reference(mask(request), records, scene.setting)
        if reference is None or not reference.records:
            continue
        around = re.split(r"[.!;]\s", request[: reference.start])[-1] + re.split(r"[.!;]\s", request[reference.start :])[0]
        if _STATING.search(around):
            continue
        bare = not request[: reference.start].strip(" ,.!") or bool(_TAKING.search(request))
        fitting = [card for card in tools.cards if _gets(card, reference.records[0])]
        if bare and len(fitting) == 1:
            return Wish(request, Choice(fitting[0], 1.0, 0.0, 0.0, 0.0), 0, len(request))
    return None


def _gets(card: ToolCard, record: Record) -> bool:
    """Whether a tool does something with a thing like this that does not undo it."""
    if card.families & (READING | _UNDOING):
        return False
    known = identity(record) is not None
    return any(names_key(name, record) and (asks_identity(name, record) or not known) for name in card.required)
