"""Whether the words around a mention say "not this": "no X", "X is not needed", "anything but X", "X: none"."""

from __future__ import annotations

import re

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import NEGATIONS
from signalbox.models.offline.fill.reading import Reading, Word

__all__ = ["DENYING", "denied"]

_AUXILIARIES = "do does did is are was were has have had will would can could should must need may might".split()
_SHORTENED = {"will": "wo", "can": "ca"}
_CONTRACTED = frozenset(
    f"{_SHORTENED.get(verb, verb)}{ending}" for verb in _AUXILIARIES for ending in ("n't", "nt", "not") if verb != "do"
)
_CONTRACTED |= {"don't", "dont", "cannot", "can't", "won't", "shan't", "ain't", "aint"}
# These deny the whole clause that follows; the others only the noun behind them.
_VERBAL = _CONTRACTED | word_set("not never nor neither nothing nobody unable refuse refuses refused unsubscribe")
DENYING = (NEGATIONS - {"off", "drop", "none"}) | _VERBAL
# These tell what did not happen or cannot be: "I cannot work the early shift" still speaks of that shift.
_EVENTS = word_set(
    """cannot can't cant couldn't couldnt didn't didnt hasn't hasnt haven't havent hadn't hadnt wasn't wasnt weren't
    werent unable"""
)
_PAST = word_set("can could did has have had was were")
_BREAKS = word_set(", ; . : ! ? ( ) - – — and so because if when while until unless although though then who which")
_PREPOSITIONS = word_set("with for in on at from to by before after of about into through during since")
# "not only", "no later than", "don't forget": nothing is denied.
_LIMITS = word_set(
    "only just least most matter problem problems worries idea doubt forget fail hesitate mind sure exceed"
)
_COMPARED = word_set("more less later earlier fewer longer sooner bigger smaller higher lower")
# "no need for X": what is denied is the wish for what follows.
_WISHES = word_set("need wish plans plan intention reason necessity desire interest use call sign trace")
_WHOLES = word_set(
    """any every all everything anything everybody everyone anybody anyone whatever always each everywhere anywhere"""
)
# "out of stock" denies, "made out of wood" and "moving out of town" do not.
_MADE = word_set("made built move moved moving get getting came come comes coming take taken taking")
_PAIRED = {"of": {"instead"}, "than": {"rather", "other"}, "from": {"apart", "aside"}}
_WANTED = (
    r"(?:needed|required|necessary|wanted|allowed|permitted|included|welcome|available|possible|provided|desired|"
    r"requested|essential|compulsory|mandatory|obligatory|wished|asked for|called for|ok|okay|fine|an option|served|"
    r"accepted|tolerated|planned|due|taken|made|given|done|sent|used)"
)
_NOT = (
    r"(?:not|never|no longer|(?:is|are|was|were|wo|do|does|did|has|have|need|must|ca|should|would)n['’]?t|cannot|"
    r"need not|may not|must not)"
)
_BEHIND = re.compile(
    rf"(?:\s+[\w'-]+){{0,2}}?\s+(?:(?:is|are|was|were|be|will|would|has|have|had|do|does|did|need|should|can|may)\s+)?{_NOT}\s+"
    rf"(?:(?:be|been|being|really|strictly|actually|even|have to be|need to be)\s+){{0,2}}{_WANTED}\b"
    r"|(?:\s+[\w'-]+){0,1}?\s+(?:(?:is|are|be|was|were)\s+)?(?:strictly\s+)?"
    r"(?:unnecessary|forbidden|prohibited|banned|unwanted|excluded|superfluous|refused|denied|out of the question)\b"
    r"|\s*(?:[:=?]|\s[-–—])\s*(?:none|no|nope|false|off|nil|n/?a|never|not)\b"
    r"|\s+(?:none|nothing)\b",
    re.IGNORECASE,
)


def denied(reading: Reading, start: int, end: int, reach: int = 4, *, events: bool = True) -> bool:
    """Whether a mention is denied before it, within so many words, or right behind it.

    Without `events`, what did not happen or cannot be is no denial of the things that it speaks of.
    """
    words = reading.before(start, reach + 2)
    # What is quoted before a mention says nothing of it.
    closed = [span for span in reading.quoted if span[1] <= start]
    if closed:
        words = [word for word in words if not any(first <= word.start < last for first, last in closed)]
    return _before(words, reach, events) or _BEHIND.match(reading.text, end) is not None


def _before(words: list[Word], reach: int, events: bool) -> bool:
    """Whether one of the words, nearest first, denies what follows them."""
    prepositions = 0
    for at, word in enumerate(words[:reach]):
        further = [w.lower for w in words[at + 1 : at + 3]]
        if word.lower == "but" or word.lower == "except":
            return word.lower == "except" or any(w in _WHOLES for w in further)
        if word.lower in _PAIRED and further[:1] and further[0] in _PAIRED[word.lower]:
            return True
        if events and at == 0 and word.lower == "of" and further[:1] == ["out"]:
            return not any(w in _MADE for w in further)
        if word.lower in _BREAKS:
            return False
        if word.lower in DENYING:
            limited = at > 0 and words[at - 1].lower in _LIMITS
            limited |= at > 1 and words[at - 1].lower in _COMPARED and words[at - 2].lower == "than"
            told = word.lower in _EVENTS or (word.lower == "not" and further[:1] and further[0] in _PAST)
            if told and not events:
                return False
            wishes = at > 0 and words[at - 1].lower in _WISHES
            return not limited and (word.lower in _VERBAL or wishes or (at < 3 and not prepositions))
        prepositions += word.lower in _PREPOSITIONS
        if prepositions > 1 + (reach > 4):
            return False
    return False
