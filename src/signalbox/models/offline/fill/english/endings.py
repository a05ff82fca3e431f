"""Where a phrase ends: at signs, small words, and words that turn to something else."""

from __future__ import annotations

import re

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.lexicon import AUXILIARIES, is_verb_form
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import STOP
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.texts.chunks import is_verb, tells_of_noun
from signalbox.models.offline.fill.texts.roles import roles_of
from signalbox.models.offline.fill.texts.sorts import sort_of

__all__ = ["ends_phrase", "turns"]


_WRITTEN = re.compile(r"\b(?:mail|email|message|letter|line|ticket|note)\b")
_SMALL = STOP | POS["stops"]
_JOINTS = (",", "and", "&", "or", "/", "+", "plus", "n")
_BULLETS = ("-", "*", "•", "–")
_WISHES = word_set("wants needs asks wishes expects demands wanted asked i we he she they")
_OWN = word_set("my our your his her their me us him them you")
_PROGRAMMES = word_set("show podcast series programme station channel network platform magazine newspaper")
_RELATIVES = word_set("that which who whose whom where")
_ENDING_STOPS = POS["stops"] - {"and", "or"}
_TURNING = POS["pronouns"] | POS["articles"] | POS["stops"]
_SMALL_OR_POLITE = _SMALL | POS["polite"]


def ends_phrase(bounds: Bounds, field: Field, at: int, style: str) -> bool:
    token = bounds.tokens[at]
    if bounds.opens_other(at, field) or (style != "text" and token.text in "\"'`«"):
        return True
    if style in ("text", "named"):
        if token.text == "," and _turns_to_asking(bounds, field, at):
            return True
        if _names_matter(field) and _ends_matter(bounds, field, at):
            return True
        if token.lower == "but" and _tells_option(bounds, at):
            return True
        if token.lower in POS["polite"] or token.text == ";" or (token.text in ".!?" and bounds.breaks(at)):
            return True
        before = [t.lower for t in bounds.tokens[max(0, at - 2) : at]]
        listed = before in (["and", "the"], ["with", "the"], ["with", "a"]) or before[-1:] == ["with"]
        if token.lower == "on" and _names_matter(field) and _leads_to_programme(bounds, at):
            return True
        return (style == "named" or listed or token.lower not in POS["weak"]) and bounds.announces_other(at, field)
    if style == "list" and (joint := _joint(bounds, at)):
        after = at + joint
        if after >= len(bounds.tokens) or bounds.blocked(after) or turns(bounds, after):
            return True
        return any(bounds.tokens[after].lower == leaf.name for leaf in bounds.leaves if leaf.path != field.path)
    if not token.text[0].isalnum():
        return token.text in ",;:!?()[]{}=|" or (token.text in ".-–" and bounds.breaks(at))
    if token.lower == "and" and at + 1 < len(bounds.tokens) and turns(bounds, at + 1):
        return True
    if style in ("list", "object") and tells_of_noun(bounds, at):
        return True
    if (
        token.text.islower()
        and token.text.endswith(("ed", "ing"))
        and len(token.text) > 4
        and _follows_stop(bounds, at)
    ):
        return style != "object"
    acts = token.lower in POS["verbs"] or (token.text.endswith("s") and is_verb_form(token.lower))
    if style == "name" and token.text.islower() and is_verb(bounds, at):
        return True
    if token.text.islower() and acts and bounds.tokens[at - 1].text[0].isupper() and bounds.cased:
        return True
    if token.lower in POS["stops"]:
        return style != "object" or bounds.announces_other(at, field) or token.lower not in POS["inner"]
    return bounds.announces_other(at, field) and (token.lower in _SMALL or _leads_to_name(bounds, at))


def _joint(bounds: Bounds, at: int) -> int:
    """How many words join two items of a list from here on; 0 when none do, or here is inside of such words."""
    words = [token.lower for token in bounds.tokens[max(0, at - 2) : at + 3]]
    here = min(at, 2)
    for start in range(here, -1, -1):
        if words[start : start + 3] == ["as", "well", "as"]:
            return 3 - (here - start)
    bullet = (
        at > 0
        and words[here] in _BULLETS
        and "\n" in bounds.reading.text[bounds.tokens[at - 1].end : bounds.tokens[at].start]
    )
    return 1 if words[here] in _JOINTS or bullet else 0


def _tells_option(bounds: Bounds, at: int) -> bool:
    """Whether the part of the sentence that begins here tells an option of another field."""
    for place in range(at, min(at + 10, len(bounds.tokens))):
        if bounds.tokens[place].text in ".!?;":
            return False
        if bounds.mentioned(place):
            return True
    return False


def _leads_to_name(bounds: Bounds, at: int) -> bool:
    """Whether a noun has its value behind it, as in "hall B"; the gate of "the old gate at nine" has none."""
    following = bounds.tokens[at + 1] if at + 1 < len(bounds.tokens) else None
    return following is not None and following.text[0].isalnum() and following.lower not in _SMALL_OR_POLITE


def _leads_to_programme(bounds: Bounds, at: int) -> bool:
    """Whether a name follows that tells a programme which is asked for: the station of "on Radio Four"."""
    following = bounds.tokens[at + 1].text if at + 1 < len(bounds.tokens) else ""
    asked = (leaf for leaf in bounds.leaves if leaf.kind == "string" and leaf.path in bounds.cues)
    return following[:1].isupper() and any(_PROGRAMMES & {*leaf.name_words, *leaf.described[:1]} for leaf in asked)


def _names_matter(field: Field) -> bool:
    """Whether a field names what something is about, so that no sentence belongs to it."""
    roles = roles_of(field)
    return bool(roles) and roles[0][0].name == "topic" and not _WRITTEN.search(field.about)


def _ends_matter(bounds: Bounds, field: Field, at: int) -> bool:
    """Whether what something is about ends here: at a clause, at whom it is for, and at who or what tells of it."""
    token, following = bounds.tokens[at], bounds.tokens[at + 1] if at + 1 < len(bounds.tokens) else None
    if token.lower in _RELATIVES or following is None:
        return token.lower in _RELATIVES
    if token.text == ",":
        return not _lists_on(bounds, at + 1)
    if token.lower == "for":
        return following.lower in _OWN
    if token.lower == "and":
        return following.lower in _WISHES | AUXILIARIES
    named = following.text[0].isupper() and token.lower in ("on", "by", "from")
    others = (leaf for leaf in bounds.leaves if leaf.path != field.path and leaf.kind == "string")
    return named and any(sort_of(leaf) in ("title", "organisation", "person") for leaf in others)


def _lists_on(bounds: Bounds, at: int) -> bool:
    """Whether a comma only parts nouns: "bread, milk and eggs"."""
    for place in range(at, min(at + 6, len(bounds.tokens))):
        token = bounds.tokens[place]
        if token.lower in ("and", "or", "&"):
            return place > at
        if bounds.blocked(place) or token.lower in STOP or (token.text in ".;:!?" and bounds.breaks(place)):
            return False
    return False


def _turns_to_asking(bounds: Bounds, field: Field, at: int) -> bool:
    """Whether a comma ends what is told, and a question or a demand follows: "a sore knee, could I come on Monday"."""
    roles = roles_of(field)
    if at + 1 >= len(bounds.tokens) or not roles or roles[0][0].name not in ("reason", "problem", "task", "body"):
        return False
    following = bounds.tokens[at + 1].lower
    asks = following in ("could", "can", "would", "may", "will", "should", "please", "pls")
    return following in ("could", "can", "may") or (asks and roles[0][0].name != "body")


def _follows_stop(bounds: Bounds, at: int) -> bool:
    return at + 1 < len(bounds.tokens) and bounds.tokens[at + 1].lower in _ENDING_STOPS


def turns(bounds: Bounds, at: int) -> bool:
    """Whether the list is over, and something else is said: "and with ...", "and mark her"."""
    tokens = bounds.tokens
    if tokens[at].lower in _ENDING_STOPS:
        return True
    following = tokens[at + 1].lower if at + 1 < len(tokens) else ""
    return tokens[at].lower in POS["verbs"] and following in _TURNING
