"""Taking something shown without a verb that names the deed: `the cheapest then`, `I'll have the second one`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from signalbox.language.words import stem
from signalbox.models.offline.arguments import Filler
from signalbox.models.offline.choose import Choice
from signalbox.models.offline.conversation import Conversation
from signalbox.models.offline.kinds import definite_values
from signalbox.models.offline.parts import read_part
from signalbox.models.offline.shown.givens import asks_identity, identity, names_key
from signalbox.models.offline.shown.records import Record
from signalbox.models.offline.shown.references import Setting, find_reference
from signalbox.models.offline.shown.scene import Scene
from signalbox.models.offline.tools import ToolCard, ToolSet
from signalbox.models.offline.verbs import READING, families_of
from signalbox.models.offline.wishes import Wish
from signalbox.models.offline.wording import mask

__all__ = ["changing_wish", "each_reference", "taken_wish"]

_TAKING = re.compile(
    r"(?i)\b(?:take|taking|i'll have|we'll have|i'd like|i would like|i want|we want|i need|we need|"
    r"go(?:ing)? (?:for|with)|"
    r"pick|choose|let's|make it|then|please|pls)\b"
)
_JOINT = re.compile(r"(?i)\s*,?\s+and\s+|\s*[,;]\s*")
_STATING = re.compile(
    r"(?i)\b(?:is(?! for\b)|are(?! for\b)|was|were|looks?|seems?|sounds?|isn't|aren't|not|don't|can go)\b"
)
_UNDOING = frozenset({"delete", "stop", "reject", "refund", "freeze", "move", "complete", "send"})


def taken_wish(request: str, tools: ToolSet, scene: Scene, filler: Filler) -> Wish | None:
    """The wish for the one tool that gets what was shown, where the request says no more than which; else None."""
    part = read_part(request, tools.own_verbs)
    if part.asks or part.queried:
        return None
    for records in scene.shown[:1]:
        reference = find_reference(mask(request), records, scene.setting)
        if reference is None or not reference.records:
            continue
        around = (
            re.split(r"[.!;]\s", request[: reference.start])[-1] + re.split(r"[.!;]\s", request[reference.start :])[0]
        )
        if _STATING.search(around):
            continue
        bare = not request[: reference.start].strip(" ,.!") or bool(_TAKING.search(request))
        fitting = [card for card in tools.cards if _gets(card, reference.records[0])]
        text = reference.plain(request)
        best = _best(fitting, text, filler)
        if bare and best is not None:
            return Wish(request, Choice(best, 1.0, 0.0, 0.0, 0.0), 0, len(request))
    return None


def changing_wish(wish: Wish, conversation: Conversation, tools: ToolSet, scene: Scene, filler: Filler) -> Wish:
    """The wish for the tool that changes what the last call has made, where it would be made a second time."""
    made = [call for turn in conversation.earlier[-1:] for call in turn.calls if call.tool == wish.card.name]
    if not made or "create" not in wish.card.families or not scene.shown or len(scene.shown[0]) != 1:
        return wish
    reference = find_reference(mask(wish.text), scene.shown[0], scene.setting)
    if reference is None or reference.kind != "one":
        return wish
    told = filler.fill(wish.card, reference.plain(wish.text)).values
    changed = {name for name in definite_values(wish.card.properties, told) if told[name] != made[-1].args.get(name)}
    fitting = [card for card in tools.cards if changed and card is not wish.card and _changes(card, changed, scene)]
    return replace(wish, choice=replace(wish.choice, card=fitting[0])) if len(fitting) == 1 else wish


def _changes(card: ToolCard, names: set[str], scene: Scene) -> bool:
    """Whether a tool needs just these values and what tells which thing was made."""
    rest = [name for name in card.required if name not in names]
    known = [name for name in rest if names_key(name, scene.shown[0][0])]
    return names < set(card.required) and rest == known and not card.families & READING


def each_reference(wish: Wish, shown: Sequence[Sequence[Record]], setting: Setting) -> list[Wish]:
    """The wish once for each thing shown, where each has words of its own: `the red one to A and the blue one to B`."""
    for records in shown[:1]:
        first = find_reference(mask(wish.text), records, setting)
        if first is None or not first.records or first.kind in ("one", "all"):
            continue
        joint = _JOINT.search(wish.text, first.end)
        rest = wish.text[joint.end() :] if joint else ""
        second = find_reference(mask(rest), records, setting) if rest else None
        if joint is None or second is None or not second.records or second.kind in ("one", "all"):
            continue
        lead = wish.text[: first.start] if second.start == 0 else _verb(wish)
        own = wish.text[first.end : joint.start()].strip() if second.start == 0 else rest[: second.start].strip()
        if own and set(map(id, first.records)) != set(map(id, second.records)) and not read_part(rest).families:
            return [replace(wish, text=half, core="") for half in (wish.text[: joint.start()], lead + rest)]
    return [wish]


def _verb(wish: Wish) -> str:
    """The verb that a wish begins with, for what follows without one."""
    first = wish.text.split()[0]
    known = families_of(first.lower()) or stem(first.lower()) in wish.card.verbs | wish.card.nouns
    return f"{first} " if known else ""


def _best(cards: list[ToolCard], text: str, filler: Filler) -> ToolCard | None:
    """The one tool, or the one of several for which the rest of the request says the most."""
    told = [_told(card, filler.fill(card, text).values) for card in cards]
    best = [card for card, count in zip(cards, told, strict=True) if count == max(told)]
    return best[0] if len(best) == 1 else None


def _told(card: ToolCard, values: dict[str, Any]) -> int:
    """How many values can hardly be mistaken: those of a definite form, and names for what the tool needs."""
    names = [name for name in card.required if str(values.get(name, ""))[:1].isupper()]
    return len({*definite_values(card.properties, values), *names})


def _gets(card: ToolCard, record: Record) -> bool:
    """Whether a tool does something with a thing like this that does not undo it."""
    if card.families & (READING | _UNDOING):
        return False
    known = identity(record) is not None
    return any(names_key(name, record) and (asks_identity(name, record) or not known) for name in card.required)
