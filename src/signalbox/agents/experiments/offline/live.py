"""Whether invented users are to go to the live experiment itself: nothing but the person's own words can say so."""

from __future__ import annotations

import re

from signalbox.language.clauses import clauses_of

__all__ = ["ON_LIVE", "still_live", "wants_live"]

ON_LIVE = "--on-live"
"""Said anywhere in a request, it asks for the live experiment; that is confirmed all the same."""
_AS_STATE = re.compile(r"(?:\b(?:is|are|was|were|been|went|already|currently)|'s) live\b", re.IGNORECASE)
_PLACE = re.compile(
    r"\b(?P<live>(?:on|in|into|against|use|using|with|to) (?:(?:the|my|our|its?) )?(?:(?:\w+ )?"
    r"(?:live|real|actual|production)\b|(?:[\w-]+ ){1,4}?itself\b)|for real\b|(?:the )?(?:live|real|actual) one\b)"
    r"|\b(?P<copy>clones?|cop(?:y|ies)|sandbox|throwaway|dummy)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|no|never|without|instead of|rather than)\b|n[o']t\b", re.IGNORECASE)
_WORDS = re.compile(r"\b(?:live|real|actual|production|prod|itself)\b", re.IGNORECASE)


def wants_live(text: str, was_read: bool) -> bool:
    """True if a request asks for the live experiment: by the flag, by saying so, or by saying no to a copy; where the
    words say neither, as it was `read`, if anything in them is about it."""
    text = _AS_STATE.sub(" ", text.replace(ON_LIVE, "on the live one"))
    said = [wish for clause in clauses_of(text) for wish in _wishes(clause)]
    return all(said) if said else was_read and bool(_WORDS.search(text))


def still_live(text: str, before: bool) -> bool:
    """True if the live experiment is still asked for after a reply: as before, unless the reply says where."""
    said = [wish for clause in clauses_of(text) for wish in _wishes(clause)]
    return all(said) if said else before


def _wishes(clause: str) -> list[bool]:
    """For each place that a clause names, whether it speaks for the live experiment: on live, or not on a copy."""
    found, at = [], 0
    for place in _PLACE.finditer(clause):
        is_denied = _NOT.search(clause[at : place.start()]) is not None
        found.append(bool(place["live"]) != is_denied)
        at = place.end()
    return found
