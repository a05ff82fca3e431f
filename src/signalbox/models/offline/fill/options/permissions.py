"""Leave to take part: whether a sentence says that somebody may come, or gives or refuses consent."""

from __future__ import annotations

import re
from functools import lru_cache

from signalbox.models.offline.fill.english.sentence import stem
from signalbox.models.offline.fill.options.denials import denied
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field

__all__ = ["find_leave"]

_GOING = frozenset(stem(w) for w in "go come join attend participate take part along coming going attends".split())
_CONSENT = frozenset(stem(w) for w in "consent consents permission agree agrees agreed approval approve given".split())
_FRAME = frozenset(stem(w) for w in "may can will is has the be allowed to parent parental guardian child".split())
_LEAVE = re.compile(
    r"\b(?:may|allow\w*|permi\w+|consent\w*|agrees?|lets?|com(?:e|es|ing)|attend\w*|takes? part|joins?)\b"
)
_GOES = re.compile(
    r"\b(?:may|can|could|will|shall|is|are|be|let|lets|to|'?ll|cannot|can'?t|won'?t|"
    r"isn'?t|aren'?t|happy for|fine for|not)\b[^,;.!?]{0,40}?"
    r"\b(?P<going>go(?:ing)?|com+(?:e|ing)|join(?:ing)?|attend(?:ing)?|mak(?:e|ing) it|"
    r"tak(?:e|ing) part|participat(?:e|ing)|there)\b(?!\s+(?:home|back|to\s+(?:bed|sleep)|by|on foot))",
    re.IGNORECASE,
)
_GIVES = re.compile(
    r"\b(?P<yes>permission|consents?|agrees?|agreed|approval|approve|accepts?|accepted|"
    r"count (?:\w+ ){1,3}in|(?:^|(?<=[.!?] ))(?:yes|yep|sure)|"
    r"allow(?:ed|s)?(?= (?:him|her|them|it)\b|\s*[.,;!]|$)|ok with|fine with)\b|"
    r"\b(?P<no>regrets|(?:^|(?<=[.!?] ))(?:no|nope)(?=,)|count (?:\w+ ){1,3}out|"
    r"refuses?|refused|forbid(?:s|den)?|object(?:s|ed)?|decline[sd]?|disagree[sd]?|"
    r"stay(?:s|ing)? (?:away|at home|home|behind))\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1_000)
def _asks_leave(stems: tuple[str, ...], description: str) -> bool:
    """Whether a field asks for leave to take part as such, not for leave to do one certain thing."""
    rest = set(stems) - _FRAME
    return bool(rest) and rest <= _GOING | _CONSENT and bool(rest & _CONSENT or _LEAVE.search(description.lower()))


def find_leave(reading: Reading, field: Field) -> tuple[int, int, bool] | None:
    """Where leave is given or refused, and which."""
    if not _asks_leave(field.name_stems, field.description):
        return None
    if given := _GIVES.search(reading.text):
        refused = given["no"] is not None
        return *given.span(), refused == denied(reading, *given.span(), 6)
    if going := _GOES.search(reading.text):
        return *going.span("going"), not denied(reading, *going.span("going"), 6)
    return None
