"""The closed words by which a request leaves devices out, corrects itself, or says that no others are meant.

They stand right beside a name. Everything looser is the model's to mark, and where it did not, the person is asked.
"""

from __future__ import annotations

import re

__all__ = ["is_corrected", "is_left_after", "is_left_before", "is_sole", "left_by_pronoun", "left_numbers"]

_NOT_TO = (
    r"(?:do\s*n[o'’]?t|never|no\s+need\s+(?:to|for)|needn['’]?t|not\s+(?:to|for))\s+(?:(?:you|even|have|to|a|any)\s+)*"
    r"(?:check|do|touch|bother|look|include|need|want|care|worry|run|test|review|looking|checking)(?:ing)?"
    r"(?:\s+(?:with|about|at|on|for|to|into|checking|doing|looking))*"
)
_STRONG = (
    r"except(?:ing)?(?:\s+for)?|apart\s+from|aside\s+from|other\s+than|exclud(?:e|ing)|without|minus|leave|leav(?:e|ing)\s+(?:out|aside|alone)|sans"
    r"|skip(?:ping)?|ignor(?:e|ing)|omit(?:ting)?|with\s+the\s+exception\s+of|instead\s+of|rather\s+than|as\s+opposed\s+to"
    rf"|not\s+counting|never\s*mind|forget(?:\s+about)?|{_NOT_TO}"
)
_WEAK = r"but(?:\s+not)?|not|save(?:\s+for)?|bar|less"
_FILLED = r"\s+(?:(?:the|for|on|in|at|with|any|both|all|of|two|three|four|[234])\s+)*$"
_BEFORE = re.compile(rf"\b(?:{_STRONG}){_FILLED}", re.IGNORECASE)
_BEFORE_WEAK = re.compile(rf"\b(?:{_WEAK}){_FILLED}", re.IGNORECASE)
# All PEs but pe1 first, all PEs but pe1 is slow: no exception at all.
_GOES_ON = re.compile(
    r"\s+(?:first|last|too|also|as\s+well|especially|is|was|has|had|does|did|looks|seems|only|alone)\b", re.IGNORECASE
)
_NUMBERS_LEFT = re.compile(
    rf"\b(?:{_STRONG}|{_WEAK})\s+(?:(?:the|for|on|number|no\.?|nr\.?)\s+)*(\d{{1,4}}(?:(?:\s*[,&+/]\s*(?:and\s+)?|\s+(?:and|or)\s+)\d{{1,4}})*)"
    r"(?=\s*(?:[.,;:?!)]|$)|\s+(?:please|pls|plz)\b)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"[\s,]*(?:(?:is|are|was|were|has\s+been|have\s+been|being)\s+)?(?:already\s+)?(?:excepted|excluded|aside|left\s+out|skipped"
    r"|not\s+(?:needed|necessary|required|included))\b"
    r"|\s+(?:isn|aren)['’]?t\s+(?:needed|necessary|required)\b|\s+can\s+wait\b"
    r"|\s+(?:is|are|was|were|has\s+been|have\s+been|got)\s+(?:already\s+|all\s+)?(?:done|checked|reviewed|looked\s+at)\b"
    r"|\s+already\s+(?:done|checked|reviewed|seen)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    rf"\b(?:skip|ignore|leave|omit|exclude|forget(?:\s+about)?|never\s*mind|{_NOT_TO})\s+"
    r"(?P<one>it|that|this|them|those|these)(?:\s+(?:ones?|box|router|device))?\b",
    re.IGNORECASE,
)
_SOLE_BEFORE = re.compile(
    r"\b(?:only|just|solely)\s+(?:(?:do|check|look\s+at|take|run|on|for|the|those|at|in|want|need|bgp|mpls)\s+)*$",
    re.IGNORECASE,
)
_SOLE_AFTER = re.compile(r"\s+(?:only|alone)\b", re.IGNORECASE)
_SLIP = (
    r"no|nope|wait|sorry|sry|oops|ugh|i\s+mean(?:t)?|meant|actually|or\s+rather|make\s+(?:that|it)|scratch\s+that"
    r"|correction|er+m?|uh+|hm+"
)
_CORRECTED = re.compile(
    rf"[\s,.;:…!–—-]*(?:(?:{_SLIP})\b[\s,.;:…!–—-]*)+(?:(?:on|for|of|at|the|only|just)\s+)*", re.IGNORECASE
)


def is_left_before(before: str, after: str, has_group: bool) -> bool | None:
    """Whether the words right before a name leave it out; None where they may.

    "But" and "not" do so only where a group was named before.
    """
    if _BEFORE.search(before):
        return True
    if not has_group or not _BEFORE_WEAK.search(before):
        return False
    return None if _GOES_ON.match(after) else True


def left_numbers(text: str) -> list[str]:
    """The numbers, as they are written, that stand alone after a word that leaves out: all xrds, not 5 and 6."""
    return [one[1] for one in _NUMBERS_LEFT.finditer(text)]


def is_left_after(after: str) -> bool:
    """Whether the words right after a name say that it is excepted, or done already."""
    return bool(_AFTER.match(after))


def left_by_pronoun(text: str) -> list[tuple[int, bool]]:
    """Where a pronoun is left out (skip that one), and whether it is one thing."""
    return [(one.start(), one["one"].casefold() in ("it", "that", "this")) for one in _PRONOUN.finditer(text)]


def is_sole(before: str, after: str) -> bool:
    """Whether only these are meant."""
    return bool(_SOLE_BEFORE.search(before) or _SOLE_AFTER.match(after))


def is_corrected(between: str) -> bool:
    """Whether nothing but a correction stands between two names: no wait; I meant."""
    return bool(_CORRECTED.fullmatch(between))
