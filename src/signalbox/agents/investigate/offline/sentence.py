"""Names, trouble and "now" in a sentence about a trouble."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signalbox.grounding import Candidate
from signalbox.language.mentions import Mention, Values, find_mentions
from signalbox.language.synonyms import base
from signalbox.language.words import tokens

__all__ = ["find_subject", "find_trouble", "is_about_now", "names_nothing"]

_NOW = re.compile(r"\b(?:(?:right|just) now|currently|at the moment|at present|this (?:very )?(?:minute|moment))\b", re.I)
_TROUBLES = {
    "slow": "slow slower slowness latency lag laggy sluggish delay timeout hang crawl response",
    "errors": "error fail failure broken break 5xx 500 503 exception refuse reject wrong",
    "down": "down unavailable unreachable dead offline outage lost flap drop disappear",
    "busy": "cpu load busy saturate hot overload full memory disk leak swap",
    "restarts": "restart crash reboot oom crashloop",
}
_GENERAL = frozenset(
    "it this that these everything anything something all thing system site website shop app application page service "
    "server host machine device network user customer problem trouble issue incident alert alarm symptom cause spike "
    "increase rise high many so much one here there our the a an my we they request traffic number rate".split()
)


def find_subject(text: str, candidates: Sequence[Candidate]) -> list[str]:
    """The things whose names stand in a text: of several, those of the kind that is named first, services before the
    rest; two machines that a link or a session joins are that link or session."""
    labels: dict[str, list[str]] = {}
    by_name: dict[tuple[str, str], str] = {}
    for one in candidates:
        for name in (one.name, *one.aliases):
            labels.setdefault(one.kind, []).append(name)
            by_name[(one.kind, name)] = one.id
    found = [one for one in find_mentions(text, Values(labels)) if _is_meant(one, text)]
    if not found:
        return []
    services = [one for one in found if one.label == "service"]
    chosen = services or [one for one in found if one.label == found[0].label]
    first = min(one.start for one in chosen)
    nearest = [one for one in chosen if one.start == first or services == [] or _is_joined(text, first, one.start)]
    return [*dict.fromkeys(by_name[(one.label, one.value)] for one in nearest)]


def _is_meant(one: Mention, text: str) -> bool:
    """A plain word that also names a trouble or a general thing, such as "web" or "users", is one only as it stands."""
    said = text[one.start : one.end]
    return said.casefold() == one.value.casefold() or base(said.casefold()) not in _GENERAL


def _is_joined(text: str, start: int, end: int) -> bool:
    between = text[min(start, end) : max(start, end)]
    return bool(re.search(r",|\band\b|\bor\b|&|\bbetween\b", between))


def find_trouble(text: str) -> str:
    """The kind of symptom that a text names first: slow, errors, down, busy or restarts; empty if none."""
    said = [base(one) for one in tokens(text)]
    known = {base(word): kind for kind, words in _TROUBLES.items() for word in words.split()}
    return next((known[word] for word in said if word in known), "")


def is_about_now(text: str) -> bool:
    """True if the text says that it means this moment."""
    return bool(_NOW.search(text))


def names_nothing(words: str) -> bool:
    """True if words name no thing, but only a trouble, or everything."""
    known = {base(word) for kind in _TROUBLES.values() for word in kind.split()} | {base(one) for one in _GENERAL}
    return all(base(one) in known for one in tokens(words))
