"""What the description of a boolean says: the statements that make it true, and those that make it false."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from signalbox.models.offline.fill.english.lexicon import is_past
from signalbox.models.offline.fill.english.opposites import turns_of_speech
from signalbox.models.offline.fill.english.sentence import STOP, split_name, stem
from signalbox.models.offline.fill.options.denials import DENYING

__all__ = ["Statement", "statements_of"]

_DULL = frozenset(
    stem(word)
    for word in """whether true false should include included also when set only enable enabled flag mark marked
    item items them this result results request user want wants person send sent use used after
    during each every make default yes no on off new keep allow apply as well needs needed left made given taken done
    put kept held got goes comes else there wanted one must been before place otherwise rather than
    thing things""".split()
)
_PARTS = re.compile(r"[;.]|,?\s*\b(?:and|or)?\s*(?=\bfalse\s+(?:if|when|for|means|where|to)\b)|,\s*(?=otherwise\b)")
_FALSE = re.compile(r"^\W*(?:(?:is\s+)?false|no)\s+(?:if|when|for|means|where|to)\b|\botherwise\b", re.IGNORECASE)
_CONTRAST = re.compile(r"\b(?:rather than|instead of|as opposed to|not just|and not|but not)\b", re.IGNORECASE)
_SHOWN = re.compile(r",?\s*\b(?:such as|for example|for instance|including)\b", re.IGNORECASE)
_COPULA = re.compile(r"\b(?:stays?|remains?|is|are|was|were|be)\b(?! to\b)")
_ASIDE = re.compile(r"\([^)]*\)|'[^']*'|\"[^\"]*\"|`[^`]*`|\be\.?g\.?.*")
_UNSAID = re.compile(
    r"\b(?:left? out|leave (?:it )?(?:out|empty)|default|not (?:said|mentioned|given|stated))\b", re.IGNORECASE
)


class Statement(NamedTuple):
    """Stems that a sentence must share to say the same, whether that makes the field true, and whether it denies.

    The `subject` is what something is said of: alone it says nothing.
    """

    stems: frozenset[str]
    value: bool
    denies: bool
    subject: frozenset[str] = frozenset()


@lru_cache(maxsize=1_000)
def statements_of(description: str) -> tuple[Statement, ...]:
    """The statements of a description: "true if A, false if B", "whether A rather than B", "whether A; B otherwise"."""
    found = []
    for part in _PARTS.split(_ASIDE.sub(" ", description)):
        if not part or _UNSAID.search(part):
            continue
        value = not _FALSE.search(part)
        part, *shown = _SHOWN.split(part, maxsplit=1)
        found += [_statement(one, value) for row in shown for one in re.split(r",|\bor\b|\band\b", row)]
        said, *contrast = _CONTRAST.split(part, maxsplit=1)
        found.append(_statement(said, value))
        found += [_statement(other, not value) for other in contrast]
    positive = frozenset(root for one in found if one.value for root in one.stems)
    return tuple(one for one in found if one.stems and (one.value or one.stems - positive))


def _statement(text: str, value: bool) -> Statement:
    turns = turns_of_speech(text)
    for _, start, end in turns:
        text = text[:start] + " " * (end - start) + text[end:]
    words = split_name(text.lower())
    telling = frozenset(turn for turn, _, _ in turns) | _telling(words)
    subject = _telling(split_name(_COPULA.split(text.lower(), maxsplit=1)[0]))
    # Of what is only done to a thing the thing itself tells: "whether coffee is served".
    subject = frozenset() if any(map(is_past, words)) else subject
    denies = any(word in DENYING for word in words)
    return Statement(telling, value, denies, subject if subject < telling else frozenset())


def _telling(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(
        root
        for word in words
        if (root := stem(word)) not in _DULL and not {word, root} & STOP and word not in DENYING and len(word) > 2
    )
